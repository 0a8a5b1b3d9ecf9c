// Finds loops in the sequence of shapes while it grows, in O(1) per action.
//
// A table leads from the last three shapes to where they stood together before: the distance d to there is a
// candidate, and as long as each action has the shape of the one d before, a loop of length d is going on. The
// latest place is taken, so inner loops come before outer ones; when an inner loop ends, the first actions of
// the outer one lead back by a whole turn of it, and from then on the outer loop, inner ones included, is one.
#pragma once

#include "workload/recorded/segment_layout.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace orrery::recorded {

class LoopFinder {
  public:
    static constexpr std::uint32_t reach = 2048; // actions back
    static constexpr std::uint8_t unknown = 0xFF; // a shape without a number: never part of a loop

    [[nodiscard]] std::uint8_t shape_before(std::uint32_t distance) const {
        return shapes_[(at_ - distance) % reach];
    }
    [[nodiscard]] std::uint32_t actions() const { return at_; }

    // The next action has this shape. Gives the distance of a loop that it is part of, or 0.
    std::uint32_t add(std::uint8_t shape) {
        const std::uint32_t before = context_;
        context_ = (before << 8 | shape) & 0xFF'FFFF;
        std::uint32_t& latest = table_[cell_of(context_)];
        if (shape == unknown) {
            matched_ = 0;
        } else if (matched_ > 0 && distance_ <= at_ && shape_before(distance_) == shape) {
            ++matched_;
        } else {
            distance_ = at_ + 1 - latest;
            matched_ = latest != 0 && distance_ < reach ? same_before(shape) : 0;
        }
        latest = at_ + 1;
        shapes_[at_ % reach] = shape;
        ++at_;
        return matched_ >= needed_ ? distance_ : 0;
    }
    // A loop that was used has ended after so many actions. To store one costs as much as two shapes: where they
    // lose more than they gain, only those that have gone on for a while are believed.
    void ended(std::uint32_t actions) {
        gained_ = std::clamp<std::int32_t>(gained_ + static_cast<std::int32_t>(std::min(actions, 100U)) - 2,
                                           -most_gained, most_gained);
        needed_ = gained_ > -most_gained / 2 ? least_needed : careful_needed;
    }
    void clear() {
        table_.fill(0);
        at_ = 0;
        context_ = 0;
        matched_ = 0;
        needed_ = least_needed;
        gained_ = 0;
    }

  private:
    static constexpr std::uint32_t least_needed = 3;
    static constexpr std::uint32_t careful_needed = 8;
    static constexpr std::int32_t most_gained = 32;
    static constexpr std::size_t cells = 1024;
    static std::size_t cell_of(std::uint32_t context) { return (context * 0x9E37'79B1U) >> 22; }
    // How many of the last three agree with those a distance before: all or none.
    [[nodiscard]] std::uint32_t same_before(std::uint8_t shape) const {
        if (at_ < distance_ + 2) return 0;
        const bool same = shape_before(distance_) == shape && shape_before(distance_ + 1) == shape_before(1) &&
                          shape_before(distance_ + 2) == shape_before(2);
        return same ? 3 : 0;
    }

    std::array<std::uint8_t, reach> shapes_{};
    std::array<std::uint32_t, cells> table_{}; // where a context stood last, plus one
    std::uint32_t at_ = 0;
    std::uint32_t context_ = 0; // the last three shapes
    std::uint32_t distance_ = 0;
    std::uint32_t matched_ = 0; // so many agree with those a distance before
    std::uint32_t needed_ = least_needed;
    std::int32_t gained_ = 0; // bytes, lately
};

} // namespace orrery::recorded
