// Counts calls of all ranks while a run goes on, by their number; rows of a profile are made of them at its
// end.
#pragma once

#include "results/calls.h"
#include "results/replay_prediction.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

struct CallCount {
    std::uint64_t calls = 0;
    Bytes bytes = 0;  // of messages that the application itself sends
    double ticks = 0; // of all ranks: their sum may be longer than a Time
};
using CallCounts = std::array<CallCount, call_numbers>;

// A row of the profile. A collective gets the bytes of its messages.
CallProfile profile_row(std::string call, CallKind kind, const CallCount& count,
                        const std::vector<CollectiveProfile>& collectives);
// Those that took time or were called, what took longest first.
std::vector<CallProfile> profile_of(const CallCounts& counts,
                                    const std::vector<CollectiveProfile>& collectives);

// What took longest first; what took equally long by name.
void sort_profile(std::vector<CallProfile>& profile);
void sort_profile(std::vector<CollectiveProfile>& profile);

} // namespace orrery
