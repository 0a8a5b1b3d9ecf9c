// Events that follow the present by one of a few fixed times (a latency and a switch delay, the time of a whole
// segment): they come in the order in which they are made, so that a ring for each such time does what a
// priority queue would, for a few instructions.
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
    [[nodiscard]] Time delay(std::uint32_t line) const { return delays_[line]; }

    // `time` is the present and the delay of the line. One that may turn out to be of no interest is not wanted
    // at first. Returns the place of the event, for `want`.
    std::uint32_t push(std::uint32_t line, Time time, std::uint32_t about, bool wanted = true) {
        Ring& ring = rings_[line];
        if (ring.begin == ring.end) {
            heads_[line] = time;
            next_ = time < next_ ? time : next_;
        } else if (ring.end - ring.begin > ring.mask) {
            grow(ring);
        }
        ring.at(ring.end) = {time, about, wanted};
        return ring.end++;
    }
    // The event of this place is wanted. Returns false if it is no longer there.
    bool want(std::uint32_t line, std::uint32_t place) {
        Ring& ring = rings_[line];
        if (place - ring.begin >= ring.end - ring.begin) return false;
        ring.at(place).wanted = true;
        return true;
    }
    // When the first event is due.
    [[nodiscard]] Time next() const { return next_; }
    // The same after those that come before the limit and are not wanted have been dropped.
    Time next_wanted(Time limit) {
        if (next_ >= limit) return next_;
        next_ = Time::max();
        for (std::uint32_t i = 0; i < used_; ++i) {
            while (heads_[i] < limit && !rings_[i].at(rings_[i].begin).wanted) drop_first(i);
            next_ = heads_[i] < next_ ? heads_[i] : next_;
        }
        return next_;
    }
    // Takes all that is due and wanted. Before each of them `soon` may look ahead: its argument is a function
    // that returns the event a number of places later in the same line (behind its end: an old one).
    template <typename Visit, typename Soon> void take(Time now, Visit&& visit, Soon&& soon) {
        if (next_ > now) return;
        next_ = Time::max();
        for (std::uint32_t i = 0; i < used_; ++i) {
            while (heads_[i] <= now) {
                Ring& ring = rings_[i];
                const Entry entry = ring.at(ring.begin);
                soon([&](std::uint32_t places) { return ring.at(ring.begin + places).about; });
                drop_first(i);
                if (entry.wanted) visit(entry.about);
            }
            next_ = heads_[i] < next_ ? heads_[i] : next_;
        }
    }

  private:
    struct Entry {
        Time time;
        std::uint32_t about = 0;
        bool wanted = false;
    };
    struct Ring {
        std::vector<Entry> entries = std::vector<Entry>(64);
        std::uint32_t mask = 63; // there is a power of two of them
        std::uint32_t begin = 0; // places count modulo 2^32
        std::uint32_t end = 0;

        Entry& at(std::uint32_t place) { return entries[place & mask]; }
    };
    void drop_first(std::uint32_t line) {
        Ring& ring = rings_[line];
        ++ring.begin;
        heads_[line] = ring.begin != ring.end ? ring.at(ring.begin).time : Time::max();
    }
    [[gnu::noinline]] static void grow(Ring& ring) {
        std::vector<Entry> larger(2 * ring.entries.size());
        const std::uint32_t mask = 2 * ring.mask + 1;
        for (std::uint32_t place = ring.begin; place != ring.end; ++place)
            larger[place & mask] = ring.at(place);
        ring.entries = std::move(larger);
        ring.mask = mask;
    }

    static constexpr std::uint32_t most = 6;
    std::uint32_t used_ = 0;
    std::array<Time, most> heads_; // when the first of each line is due; Time::max(): it is empty
    std::array<Time, most> delays_;
    Time next_ = Time::max(); // the first of them
    std::array<Ring, most> rings_;
};

} // namespace orrery::packet
