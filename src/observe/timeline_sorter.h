// Puts the events of a timeline in order of time, however many there are, in bounded memory.
//
// A replay tells of a call when it ends and of a message when it arrives, but some formats want the beginnings
// in order of time. How far back a beginning may lie is not bounded by anything but the run itself (one rank
// computes while the others exchange millions of messages), so a window will not do. This is the classical
// external merge sort: events are collected, sorted and written to an unnamed file as runs, which are merged at
// the end. Memory: a run (20 MB) and a buffer per run; time: O(n log n), most of it in sorting single runs.
#pragma once

#include "engine/time.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace orrery {

struct TimelineEvent {
    enum class Kind : std::uint8_t { state, message_start, message_end };
    Time time;
    std::uint64_t order = 0;  // among equal times: unique and rising, set by the sorter
    std::uint64_t number = 0; // of the message
    std::uint64_t bytes = 0;
    std::uint32_t rank = 0;
    std::uint32_t tag = 0;
    std::uint16_t state = 0; // a number of the format's own
    Kind kind = Kind::state;

    bool operator<(const TimelineEvent& other) const {
        return time != other.time ? time < other.time : order < other.order;
    }
};

class TimelineSorter {
  public:
    // Runs are kept in the folder of `path`. `run_events` is for tests.
    explicit TimelineSorter(std::string path, std::size_t run_events = std::size_t{1} << 19);
    TimelineSorter(const TimelineSorter&) = delete;
    TimelineSorter& operator=(const TimelineSorter&) = delete;
    ~TimelineSorter();

    void add(TimelineEvent event);
    // Calls `take` with each event, in order of time, and of `add` among equal times. Once only.
    void drain(const std::function<void(const TimelineEvent&)>& take);

  private:
    void spill();
    void merge(const std::function<void(const TimelineEvent&)>& take);
    [[noreturn]] void fail(const char* what) const;

    std::string path_;
    std::size_t run_events_;
    std::vector<TimelineEvent> events_; // the run being collected
    std::uint64_t added_ = 0;
    int file_ = -1;                         // opened when the first run is full
    std::vector<std::uint64_t> run_begins_; // in events
};

} // namespace orrery
