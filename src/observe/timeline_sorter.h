// The events of a timeline in order of time, see RunSorter.
#pragma once

#include "engine/time.h"
#include "observe/run_sorter.h"

#include <cstdint>

namespace orrery {

struct TimelineEvent {
    enum class Kind : std::uint8_t { state, message_start, message_end };
    Time time;
    std::uint64_t order = 0;  // among equal times: set by the sorter
    std::uint64_t number = 0; // of the message
    std::uint64_t bytes = 0;
    std::uint32_t rank = 0;
    std::uint32_t tag = 0;
    std::uint32_t cpu = 0;
    std::uint16_t state = 0; // a number of the format's own
    Kind kind = Kind::state;

    bool operator<(const TimelineEvent& other) const {
        return time != other.time ? time < other.time : order < other.order;
    }
};

using TimelineSorter = RunSorter<TimelineEvent>;

} // namespace orrery
