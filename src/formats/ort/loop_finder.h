// Finds loops in the sequence of actions while it grows, in O(1) per action.
//
// A table leads from the last three shapes to where they stood together before: the distance d to there is a
// candidate, and as long as each action has the shape of the one d before, a loop of length d is going on. The
// latest place is taken, so inner loops come before outer ones; when an inner loop ends, the first actions of
// the outer one lead back by a whole turn of it, and from then on the outer loop, inner ones included, is one.
//
// Shapes alone see "compute, sendrecv" where a program goes round four neighbours. So a second table leads from
// the last three shapes and peers, and a distance at which peers agree, too, is preferred.
#pragma once

#include "formats/ort/segment_layout.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace orrery::recorded {

class LoopFinder {
  public:
    static constexpr std::uint32_t reach = 2048;  // actions back
    static constexpr std::uint8_t unknown = 0xFF; // a shape without a number: never part of a loop

    [[nodiscard]] std::uint8_t shape_before(std::uint32_t distance) const {
        return static_cast<std::uint8_t>(before(distance));
    }
    [[nodiscard]] std::uint32_t actions() const { return at_; }

    // The next action has this shape and peer. Gives the distance of a loop that it is part of, or 0.
    std::uint32_t add(std::uint8_t shape, std::uint32_t peer) {
        const std::uint32_t now = peer << 8 | shape;
        std::uint32_t& by_shape =
            by_shape_[cell_of((now & 0xFF) | (before(1) & 0xFF) << 8 | (before(2) & 0xFF) << 16)];
        std::uint32_t& by_peer = by_peer_[cell_of(now + 3 * before(1) + 7 * before(2))];
        actions_[at_ % reach] = now;
        ++at_;
        const bool same = matched_ > 0 && before(distance_ + 1) == now;
        const std::uint32_t other = shape == unknown || same ? 0 : candidate(by_peer);
        if (shape == unknown) {
            matched_ = 0;
        } else if (other != 0 && matched_ > 0 && agree(other, proof, ~0U)) {
            distance_ = other;
            matched_ = proof;
        } else if (same || (matched_ > 0 && shape_before(distance_ + 1) == shape)) {
            ++matched_;
        } else {
            begin(other, candidate(by_shape));
        }
        by_shape = at_;
        by_peer = at_;
        return matched_ >= needed_ ? distance_ : 0;
    }
    // A loop that was used has ended after so many actions. To store one costs as much as two shapes: where
    // they lose more than they gain, only those that have gone on for a while are believed.
    void ended(std::uint32_t actions) {
        gained_ = std::clamp<std::int32_t>(gained_ + static_cast<std::int32_t>(std::min(actions, 100U)) - 2,
                                           -most_gained, most_gained);
        needed_ = gained_ > -most_gained / 2 ? least_needed : careful_needed;
    }
    void clear() {
        by_shape_.fill(0);
        by_peer_.fill(0);
        actions_[reach - 1] = actions_[reach - 2] = unknown; // before the first
        at_ = 0;
        matched_ = 0;
        needed_ = least_needed;
        gained_ = 0;
    }

  private:
    static constexpr std::uint32_t least_needed = 3;
    static constexpr std::uint32_t careful_needed = 8;
    static constexpr std::uint32_t proof = 8; // actions that agree, peers included, to leave a loop for another
    static constexpr std::int32_t most_gained = 32;
    static constexpr std::size_t cells = 1024;
    static std::size_t cell_of(std::uint32_t context) { return (context * 0x9E37'79B1U) >> 22; }

    [[nodiscard]] std::uint32_t before(std::uint32_t distance) const {
        return actions_[(at_ - distance) % reach];
    }
    [[nodiscard]] std::uint32_t candidate(std::uint32_t latest) const {
        return latest != 0 && at_ - latest < reach - proof ? at_ - latest : 0;
    }
    // Whether the last n are, as far as `mask` says, like those a distance before.
    [[nodiscard]] bool agree(std::uint32_t distance, std::uint32_t n, std::uint32_t mask) const {
        if (at_ < distance + n) return false;
        for (std::uint32_t i = 1; i <= n; ++i) {
            if (((before(i) ^ before(distance + i)) & mask) != 0) return false;
        }
        return true;
    }
    void begin(std::uint32_t by_peer, std::uint32_t by_shape) {
        matched_ = least_needed;
        if (by_peer != 0 && agree(by_peer, least_needed, ~0U)) {
            distance_ = by_peer;
        } else if (by_shape != 0 && agree(by_shape, least_needed, 0xFF)) {
            distance_ = by_shape;
        } else {
            matched_ = 0;
        }
    }

    std::array<std::uint32_t, reach> actions_{};  // shape, and peer above it
    std::array<std::uint32_t, cells> by_shape_{}; // how many actions there were when the context stood last
    std::array<std::uint32_t, cells> by_peer_{};
    std::uint32_t at_ = 0;
    std::uint32_t distance_ = 0;
    std::uint32_t matched_ = 0; // so many agree with those a distance before
    std::uint32_t needed_ = least_needed;
    std::int32_t gained_ = 0; // bytes, lately
};

} // namespace orrery::recorded
