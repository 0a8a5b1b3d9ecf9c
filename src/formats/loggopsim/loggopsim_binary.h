// LogGOPSim's own binary schedules (.bin), as its txt2bin writes them: 43 bytes per operation, mapped.
//
// The layout is in docs/goal.md. Dependencies are stored with the operation that others wait for, so each
// operation's list of dependents keeps its order on the way through this format, while the order of
// dependencies of different operations does not.
#pragma once

#include "engine/output_file.h"
#include "workload/sink.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace orrery {

inline constexpr std::uint64_t loggopsim_cookie = 4223;
// LogGOPSim --save-mem counts down in the file itself and leaves this behind.
inline constexpr std::uint64_t loggopsim_spent_cookie = 2342;

// Both check everything, and throw InputError with the position in bytes.
void read_loggopsim_binary(const std::string& path, ScheduleSink& sink);
void read_loggopsim_binary(std::span<const std::byte> bytes, const std::string& name, ScheduleSink& sink);

// Writes what txt2bin would write, byte for byte. What the format cannot hold (a CPU or NIC above 255, a
// computation that is no whole number of nanoseconds) is an InputError.
class LogGOPSimBinaryWriter : public ScheduleSink {
  public:
    explicit LogGOPSimBinaryWriter(const std::string& path);
    void begin(std::uint32_t ranks) override;
    void rank(RankId rank, const RankGraph& graph) override;
    void finish() override;

  private:
    // Both in bytes from the rank count on, as stored.
    struct Range {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
    };
    void index_dependents(RankId rank, const RankGraph& graph);
    void append_node(RankId rank, const RankGraph& graph, std::uint32_t index);
    void flush_ranges();
    template <typename T> void append(T value);

    std::string path_;
    OutputFile file_;
    std::uint32_t ranks_ = 0;
    std::uint8_t max_cpu_ = 0;
    std::uint8_t max_nic_ = 0;
    std::uint32_t first_range_ = 0; // the rank of ranges_[0]
    std::vector<Range> ranges_;     // not written to the table yet

    // Scratch for one rank, reused.
    struct Degrees {
        std::uint32_t in = 0;
        std::uint32_t requires_out = 0;
        std::uint32_t irequires_out = 0;
        std::uint32_t first = 0; // of its dependents
        std::uint32_t next_requires = 0;
        std::uint32_t next_irequires = 0;
    };
    std::vector<Degrees> degrees_;
    std::vector<std::uint32_t> dependents_;
    std::vector<std::byte> block_;
    std::size_t used_ = 0;
};

} // namespace orrery
