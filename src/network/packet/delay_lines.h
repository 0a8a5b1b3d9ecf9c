// Events that follow the present by one of a few fixed times (a latency and a switch delay): they come in the
// order in which they are made, so that a ring for each such time does what a priority queue would, for a few
// instructions.
#pragma once

#include "engine/time.h"
#include "network/packet/elements.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace orrery::packet {

class DelayLines {
  public:
    DelayLines() { heads_.fill(Time::max()); }

    // The line of this delay; none if there are too many already: looking at all of them must stay cheap.
    std::uint32_t line(Time delay) {
        for (std::uint32_t i = 0; i < used_; ++i) {
            if (delays_[i] == delay) return i;
        }
        if (used_ == most) return none;
        delays_[used_] = delay;
        return used_++;
    }

    // `time` is the present and the delay of the line.
    void push(std::uint32_t line, Time time, std::uint32_t about) {
        Ring& ring = rings_[line];
        if (ring.count == ring.capacity) grow(ring);
        if (ring.count == 0) {
            heads_[line] = time;
            next_ = time < next_ ? time : next_;
        }
        ++size_;
        ring.entries[(ring.head + ring.count++) & (ring.capacity - 1)] = {time, about};
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Time next() const { return next_; }
    // Takes all that is due; `soon` is told of those that will come 2 and 5 places later (or have come long
    // ago, at the end of a line).
    template <typename Visit, typename Soon> void take(Time now, Visit&& visit, Soon&& soon) {
        if (next_ > now) return;
        next_ = Time::max();
        for (std::uint32_t i = 0; i < used_; ++i) {
            while (heads_[i] <= now && heads_[i] < Time::max()) {
                Ring& ring = rings_[i];
                const std::size_t mask = ring.capacity - 1;
                const Entry entry = ring.entries[ring.head];
                soon(ring.entries[(ring.head + 2) & mask].about, ring.entries[(ring.head + 5) & mask].about);
                ring.head = (ring.head + 1) & mask;
                heads_[i] = --ring.count > 0 ? ring.entries[ring.head].time : Time::max();
                --size_;
                visit(entry.time, entry.about);
            }
            next_ = heads_[i] < next_ ? heads_[i] : next_;
        }
    }

  private:
    struct Entry {
        Time time;
        std::uint32_t about = 0;
    };
    struct Ring {
        std::vector<Entry> entries;
        std::size_t capacity = 0; // a power of two
        std::size_t head = 0;
        std::size_t count = 0;
    };
    static void grow(Ring& ring) {
        std::vector<Entry> larger(ring.capacity == 0 ? 64 : 2 * ring.capacity);
        for (std::size_t i = 0; i < ring.count; ++i) {
            larger[i] = ring.entries[(ring.head + i) & (ring.capacity - 1)];
        }
        ring.entries = std::move(larger);
        ring.capacity = ring.entries.size();
        ring.head = 0;
    }

    static constexpr std::uint32_t most = 6;
    std::uint32_t used_ = 0;
    std::size_t size_ = 0;
    std::array<Time, most> heads_; // when the first of each line is due; Time::max(): it is empty
    std::array<Time, most> delays_;
    Time next_ = Time::max(); // the first of them
    std::array<Ring, most> rings_;
};

} // namespace orrery::packet
