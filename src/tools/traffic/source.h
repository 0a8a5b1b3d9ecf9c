// When a host has a new message: the n-th one is at a time that depends on the seed, the host and n only.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"

#include <cstdint>
#include <string_view>

namespace orrery {

enum class Arrivals : std::uint8_t {
    bernoulli, // in each slot (the time that a message takes to inject) with the probability of the load
    poisson,   // intervals of exponential length
    regular,   // equal intervals; hosts start at random places of the first
};

// Throws UsageError.
Arrivals parse_arrivals(std::string_view text);
std::string_view name_of(Arrivals arrivals);

class TrafficSource {
  public:
    TrafficSource() = default;
    // `slot`: in picoseconds. `load`: messages per slot, above 0, at most 1.
    TrafficSource(Arrivals arrivals, HostId host, double slot, double load, std::uint64_t seed);

    // The next message that has not been taken.
    [[nodiscard]] std::uint64_t number() const { return number_; }
    // Not earlier than Time::longest(): never in any run.
    [[nodiscard]] Time time() const {
        const double ps = at_ * slot_;
        return ps < Time::longest().picoseconds() ? Time::from_ps(ps, "a message") : Time::longest();
    }
    void take(); // goes on to the one behind it

  private:
    [[nodiscard]] double gap() const; // in slots, between the last one and the present one

    double slot_ = 0;
    double load_ = 0;
    double at_ = 0; // in slots
    std::uint64_t number_ = 0;
    std::uint64_t seed_ = 0;
    std::uint32_t host_ = 0;
    Arrivals arrivals_ = Arrivals::bernoulli;
};

} // namespace orrery
