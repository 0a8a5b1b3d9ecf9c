// OS noise: detours during which a CPU does something other than the application.
//
// A computation or overhead that needs a CPU for d from time t on ends at the earliest time t' by which the CPU
// had d free of detours in [t, t']. Detours come from a file (a measured trace, repeated for ever) or from a
// distribution; either way a run is repeatable: they depend on the seed, the rank and the time only.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace orrery {

class Noise {
  public:
    virtual ~Noise() = default;
    // By how much detours prolong work of `busy` that starts at `start` on this CPU. For one CPU, calls come in
    // the order of time and do not overlap.
    virtual Time delay(RankId rank, std::uint32_t cpu, Time start, Time busy) = 0;
    // In a few words, for the summary.
    [[nodiscard]] virtual std::string describe() const = 0;
};

struct NoiseOptions {
    std::uint64_t seed = 1;
    bool coscheduled = false; // all ranks have their detours at the same times
};

// Lines "<start> <duration>" in nanoseconds (blanks between; `#` starts a comment), as Netgauge writes them.
// The trace ends with its last detour and then starts again. Each rank starts at a random point of it.
std::unique_ptr<Noise> noise_from_file(const std::string& path, const NoiseOptions& options);
// The same over text in memory; `name` stands for the file in messages.
std::unique_ptr<Noise> noise_from_text(std::istream& text, const std::string& name,
                                       const NoiseOptions& options);

// "period=1ms duration=25us" (a detour every period), with options jitter: "interval=exponential" (a Poisson
// process of that mean) and "length=exponential". Throws UsageError with what was expected.
std::unique_ptr<Noise> noise_from_distribution(std::string_view text, const NoiseOptions& options);

} // namespace orrery
