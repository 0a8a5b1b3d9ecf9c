// Actions of one rank into segments of a recorded trace.
//
// An action is split: its shape (kind, collective, flags, which fields it has) goes to one column, each of its
// fields (communicator, peer, tag, bytes, request, volume, ...) to a column of its own, as the difference to
// the same field of the action that is expected to be its like. In a loop that is the action one turn before:
// the shapes become "the next n actions have the shapes of those d before" and fields that do not vary become
// runs of zeros. So a loop body is stored once with its count, and only its varying fields cost bytes. O(1) per
// action, no allocation once the columns have grown. Runs inside the traced program: throws nothing, includes
// no fmt.
#pragma once

#include "workload/action.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace orrery::recorded {

// When a call (or the computation between two) began and ended, on the clock of its host: nanoseconds since the
// beginning of the run (MPI_Init returned on this rank).
struct ActionTimes {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

class SegmentEncoder {
  public:
    explicit SegmentEncoder(bool timed);
    ~SegmentEncoder();
    SegmentEncoder(const SegmentEncoder&) = delete;
    SegmentEncoder& operator=(const SegmentEncoder&) = delete;

    // Not more than most_segment_actions (layout.h) between two take()s: a loop of any length takes few bytes.
    void add(const Action& action, std::span<const Bytes> counts, ActionTimes times = {}) noexcept;
    [[nodiscard]] std::uint32_t actions() const; // since the last take()
    [[nodiscard]] std::size_t bytes() const;     // that take() would give, about
    // Appends the payload of a segment block, not yet compressed, to `out`; the next segment begins empty.
    void take(std::string& out) noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace orrery::recorded
