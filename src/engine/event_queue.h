// The queue of future events: a monotone priority queue over integer keys.
//
// Events leave in the order of their `before`, a total order whose first key is the time, so ties never depend
// on the queue's inner workings. Simulated time never runs back (a pushed event is not earlier than the last
// one popped), which a radix heap exploits: events lie in buckets by the highest digit in which their time
// differs from the time of the last refill; a bucket is taken apart when it becomes the earliest. On top of
// that:
//   - a small bucket, or one whose events all have the same time, is not taken apart further but becomes the
//     *run*, an array sorted by `before` that is consumed from the front. It also shows what comes next,
//     so that the simulator can prefetch;
//   - events pushed into the time that the run covers go to the end of the run if they belong there, and
//     otherwise to a small heap of latecomers.
// Every event is moved O(levels) times in the worst case, about twice in practice, always in sequential order.
//
// An event type may say whose state an event concerns (`owner`). Events of one instant with different owners
// commute unless something passes from owner to owner within an instant, so a large run of them is left as it
// was pushed: sorting it would be most of the work of workloads in which all ranks act alike.
// `order_across_owners` asks for the full order.
// Measured against a binary heap, a 4-ary heap and a calendar queue by bench/event_queue (docs/performance.md).
#pragma once

#include "engine/lazy_array.h"
#include "engine/time.h"
#include "engine/too_long.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace orrery {

struct Event {
    Time time;
    std::uint64_t order = 0; // unique; breaks ties
    std::uint32_t rank = 0;  // whose event it is
    std::uint32_t ref = 0;   // what it is about; the simulator knows

    [[nodiscard]] bool before(const Event& other) const {
        return time != other.time ? time < other.time : order < other.order;
    }
};
static_assert(sizeof(Event) == 24);

template <typename Event> class BasicEventQueue {
  public:
    // From now on events of different owners leave in the order of `before`, too.
    void order_across_owners() { across_owners_ = true; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t size() const { return size_; }

    // Not earlier than the last event popped. Throws TooLong if it is too late for any run.
    void push(const Event& event) {
        ++size_;
        if (event.time > run_until_) {
            check_length(event.time); // an event of the run is not later than this one
            put_into_bucket(event);
        } else if (run_.empty() || run_.back().before(event)) {
            append(run_, event);
        } else {
            late_.push_back(event);
            std::push_heap(late_.begin(), late_.end(), leaves_after);
        }
    }

    Event pop() {
        assert(size_ > 0);
        --size_;
        if (!late_.empty() && (run_.empty() || late_.front().before(run_.front()))) {
            std::pop_heap(late_.begin(), late_.end(), leaves_after);
            const Event event = late_.back();
            late_.pop_back();
            return event;
        }
        if (run_.empty()) refill();
        const Event event = run_.front();
        if (++run_.head == run_.first->count) drop_first_chunk(run_);
        return event;
    }

    // When the next event leaves. The queue must not be empty.
    [[nodiscard]] Time next_time() {
        if (run_.empty() && late_.empty()) refill();
        if (late_.empty()) return run_.front().time;
        return run_.empty() || late_.front().before(run_.front()) ? late_.front().time : run_.front().time;
    }

    // The event that will leave `distance` pops from now unless others are pushed before it; null if unknown.
    [[nodiscard]] const Event* ahead(std::size_t distance) const {
        return !run_.empty() && run_.head + distance < run_.first->count
                   ? &run_.first->events[run_.head + distance]
                   : nullptr;
    }

  private:
    // Events lie in chunks of one page, which are recycled: nothing is copied when a bucket grows.
    struct Chunk {
        static constexpr std::size_t capacity = (4096 - 2 * sizeof(std::size_t)) / sizeof(Event);
        std::array<Event, capacity> events;
        std::size_t count;
        Chunk* next;
    };
    static_assert(sizeof(Chunk) <= 4096);

    struct Bucket {
        Chunk* first = nullptr;
        Chunk* last = nullptr;
        std::size_t head = 0; // in the first chunk; only the run is consumed from the front

        [[nodiscard]] bool empty() const { return first == nullptr; }
        [[nodiscard]] const Event& front() const { return first->events[head]; }
        [[nodiscard]] const Event& back() const { return last->events[last->count - 1]; }
        template <typename Visit> void for_each(Visit&& visit) const {
            for (const Chunk* chunk = first; chunk != nullptr; chunk = chunk->next) {
                for (std::size_t i = 0; i < chunk->count; ++i) visit(chunk->events[i]);
            }
        }
    };

    static constexpr unsigned digit_bits = 6;
    static constexpr unsigned digits = 1U << digit_bits;
    static constexpr unsigned levels = (64 + digit_bits - 1) / digit_bits;
    static constexpr std::size_t small_bucket =
        std::min<std::size_t>(128, Chunk::capacity); // sorted rather than taken apart
    // Chunks at a time: the first few on the heap, which is enough for a small run, then eight times as many up
    // to 16 MiB, on huge pages; untouched chunks take none.
    static constexpr std::size_t first_slab_chunks = 8;
    static constexpr std::size_t slab_chunks = 4096;

    // Function objects rather than functions, so that sorting and heaps inline them.
    static constexpr auto leaves_after = [](const Event& a, const Event& b) { return b.before(a); };
    static constexpr auto leaves_before = [](const Event& a, const Event& b) { return a.before(b); };

    void append(Bucket& bucket, const Event& event) {
        if (bucket.last == nullptr || bucket.last->count == Chunk::capacity) {
            Chunk* const chunk = new_chunk();
            (bucket.last == nullptr ? bucket.first : bucket.last->next) = chunk;
            bucket.last = chunk;
        }
        bucket.last->events[bucket.last->count++] = event;
    }

    Chunk* new_chunk() {
        if (free_ == nullptr) {
            if (slabs_.empty() || slab_used_ == slabs_.back().size()) {
                slabs_.emplace_back(
                    slabs_.empty() ? first_slab_chunks : std::min(8 * slabs_.back().size(), slab_chunks), true);
                slab_used_ = 0;
            }
            free_ = &slabs_.back()[slab_used_++];
            free_->next = nullptr;
        }
        Chunk* const chunk = free_;
        free_ = chunk->next;
        chunk->count = 0;
        chunk->next = nullptr;
        return chunk;
    }

    void drop_first_chunk(Bucket& bucket) {
        Chunk* const chunk = bucket.first;
        bucket.first = chunk->next;
        if (bucket.first == nullptr) bucket.last = nullptr;
        bucket.head = 0;
        chunk->next = free_;
        free_ = chunk;
    }

    void put_into_bucket(const Event& event) {
        const auto time = static_cast<std::uint64_t>(event.time.ticks());
        const unsigned level = (63U - static_cast<unsigned>(std::countl_zero((time ^ base_) | 1))) / digit_bits;
        const unsigned digit = static_cast<unsigned>(time >> (level * digit_bits)) & (digits - 1);
        append(buckets_[level][digit], event);
        occupied_[level] |= std::uint64_t{1} << digit;
        occupied_levels_ |= 1U << level;
    }

    // Makes the earliest events the run, taking buckets apart as far as needed.
    void refill() {
        while (run_.empty()) {
            assert(occupied_levels_ != 0);
            const auto level = static_cast<unsigned>(std::countr_zero(occupied_levels_));
            const auto digit = static_cast<unsigned>(std::countr_zero(occupied_[level]));
            occupied_[level] &= ~(std::uint64_t{1} << digit);
            if (occupied_[level] == 0) occupied_levels_ &= ~(1U << level);
            Bucket bucket = std::exchange(buckets_[level][digit], {});
            if (bucket.first == bucket.last && bucket.first->count <= small_bucket) {
                run_ = bucket;
                break;
            }
            Time low = Time::max();
            Time high = Time::zero();
            bucket.for_each([&](const Event& event) {
                low = event.time < low ? event.time : low;
                high = later(high, event.time);
            });
            base_ = static_cast<std::uint64_t>(low.ticks());
            if (low == high) {
                run_ = bucket;
                break;
            }
            while (!bucket.empty()) {
                for (std::size_t i = 0; i < bucket.first->count; ++i) {
                    const Event& event = bucket.first->events[i];
                    if (event.time == low) {
                        append(run_, event);
                    } else {
                        put_into_bucket(event);
                    }
                }
                drop_first_chunk(bucket);
            }
        }
        sort_run();
        base_ = static_cast<std::uint64_t>(run_.front().time.ticks());
        run_until_ = run_.back().time;
    }

    void sort_run() {
        if (run_.first == run_.last) {
            Event* const begin = run_.first->events.data();
            std::sort(begin, begin + run_.first->count, leaves_before);
            return;
        }
        // Its events all have the same time. The usual case: they were pushed in order, or where all ranks act
        // alike, each has one.
        if constexpr (requires(const Event& event) { event.owner(); }) {
            if (!across_owners_ && owners_rise()) return;
        }
        if (run_in_order()) return;
        if constexpr (requires(const Event& event) { event.owner(); }) {
            if (!across_owners_ && owners_differ()) return;
        }
        std::vector<Event> all;
        run_.for_each([&](const Event& event) { all.push_back(event); });
        std::sort(all.begin(), all.end(), leaves_before);
        while (!run_.empty()) drop_first_chunk(run_);
        for (const Event& event : all) append(run_, event);
    }

    bool run_in_order() const {
        const Event* previous = &run_.front();
        for (const Chunk* chunk = run_.first; chunk != nullptr; chunk = chunk->next) {
            for (std::size_t i = chunk == run_.first ? 1 : 0; i < chunk->count; ++i) {
                if (!previous->before(chunk->events[i])) return false;
                previous = &chunk->events[i];
            }
        }
        return true;
    }

    // Whether the owners of the run rise, but for one place at which they begin anew: no two are the same.
    bool owners_rise() const {
        std::uint32_t last = run_.front().owner();
        std::size_t falls = 0;
        for (const Chunk* chunk = run_.first; chunk != nullptr; chunk = chunk->next) {
            for (std::size_t i = chunk == run_.first ? 1 : 0; i < chunk->count; ++i) {
                const std::uint32_t owner = chunk->events[i].owner();
                falls += owner <= last ? 1 : 0;
                last = owner;
            }
            if (falls > 1) return false;
        }
        return falls == 0 || last < run_.front().owner();
    }

    // Whether no two events of the run have the same owner.
    bool owners_differ() {
        std::uint32_t highest = 0;
        run_.for_each([&](const Event& event) { highest = std::max(highest, event.owner()); });
        owners_seen_.resize(std::max(owners_seen_.size(), std::size_t{highest / 64} + 1));
        bool differ = true;
        run_.for_each([&](const Event& event) {
            std::uint64_t& word = owners_seen_[event.owner() / 64];
            const std::uint64_t bit = std::uint64_t{1} << (event.owner() % 64);
            differ = differ && (word & bit) == 0;
            word |= bit;
        });
        run_.for_each([&](const Event& event) { owners_seen_[event.owner() / 64] = 0; });
        return differ;
    }

    std::size_t size_ = 0;
    bool across_owners_ = false;
    std::vector<std::uint64_t> owners_seen_; // a bit each; clear between uses
    Bucket run_;                             // sorted
    Time run_until_ = Time::ticks(-1);       // the run covers all times up to here
    std::vector<Event> late_;                // heap
    std::uint64_t base_ = 0;                 // no event in a bucket is earlier
    std::uint32_t occupied_levels_ = 0;
    std::array<std::uint64_t, levels> occupied_{};
    std::array<std::array<Bucket, digits>, levels> buckets_;
    std::vector<LazyArray<Chunk>> slabs_;
    std::size_t slab_used_ = 0; // chunks handed out of the last one
    Chunk* free_ = nullptr;
};

using EventQueue = BasicEventQueue<Event>;

} // namespace orrery
