// The event queue against std::priority_queue, its slow obvious twin.
#include "engine/event_queue.h"
#include "engine/random.h"

#include <gtest/gtest.h>
#include <queue>

namespace orrery::event_queue_test {
namespace {

struct Later {
    bool operator()(const Event& a, const Event& b) const { return b.before(a); }
};
using Twin = std::priority_queue<Event, std::vector<Event>, Later>;

void expect_same(const Event& a, const Event& b) {
    ASSERT_EQ(a.time, b.time);
    ASSERT_EQ(a.order, b.order);
    ASSERT_EQ(a.rank, b.rank);
    ASSERT_EQ(a.ref, b.ref);
}

// Pushes and pops at random, never into the past. `spread` is the largest step ahead, `reorder` lets events
// reuse an old order number (as waiting operations do).
void compare(std::uint64_t seed, std::uint64_t spread, bool reorder, std::size_t operations,
             std::uint64_t bias) {
    const RandomStream random(seed, spread);
    EventQueue queue;
    Twin twin;
    Time now;
    std::uint64_t next_order = 1 << 20;
    std::uint64_t n = 0;
    std::vector<std::uint64_t> old_orders;
    for (std::size_t i = 0; i < operations; ++i) {
        const bool push = twin.empty() || random.below(n++, 100) < bias;
        if (push) {
            std::uint64_t order = next_order++;
            if (reorder && !old_orders.empty() && random.below(n++, 4) == 0) {
                order = old_orders.back(); // it has left the queue, so it is still unique
                old_orders.pop_back();
            }
            const Time at = now + Time::ps(static_cast<std::int64_t>(random.below(n++, spread)));
            const Event event{at, order, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(seed)};
            queue.push(event);
            twin.push(event);
        } else {
            const Event event = queue.pop();
            expect_same(event, twin.top());
            twin.pop();
            ASSERT_GE(event.time, now);
            now = event.time;
            if (reorder) old_orders.push_back(event.order);
        }
        ASSERT_EQ(queue.size(), twin.size());
    }
    while (!twin.empty()) {
        expect_same(queue.pop(), twin.top());
        twin.pop();
    }
    EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, AgreesWithPriorityQueue) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        for (const std::uint64_t spread : {1ULL, 2ULL, 5ULL, 100ULL, 10'000ULL, 1'000'000'000ULL, 1ULL << 50}) {
            compare(seed, spread, seed % 2 == 1, 3000, 40 + seed % 3 * 10);
        }
    }
}

TEST(EventQueue, ManyEventsAtOneTimeLeaveInOrder) {
    EventQueue queue;
    for (std::uint32_t i = 0; i < 100'000; ++i) queue.push({Time::ns(5), i, i, 0});
    for (std::uint32_t i = 0; i < 100'000; ++i) ASSERT_EQ(queue.pop().order, i);
    EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, ManyEventsAtOneTimePushedInReverse) {
    EventQueue queue;
    for (std::uint32_t i = 100'000; i > 0; --i) queue.push({Time::ns(5), i, i, 0});
    for (std::uint32_t i = 1; i <= 100'000; ++i) ASSERT_EQ(queue.pop().order, i);
}

TEST(EventQueue, HoldsTheWholeRangeOfARun) {
    EventQueue queue;
    queue.push({Time::longest() - Time::ps(1), 1, 0, 0});
    queue.push({Time::zero(), 2, 0, 0});
    queue.push({Time::ps(std::int64_t{1} << 60), 3, 0, 0});
    EXPECT_EQ(queue.pop().order, 2U);
    EXPECT_EQ(queue.pop().order, 3U);
    EXPECT_EQ(queue.pop().order, 1U);
}

TEST(EventQueue, RefusesWhatNoRunReaches) {
    EventQueue queue;
    EXPECT_THROW(queue.push({Time::longest(), 1, 0, 0}), TooLong);
    EXPECT_THROW(queue.push({Time::max(), 2, 0, 0}), TooLong);
}

TEST(EventQueue, ShowsWhatComesNext) {
    EventQueue queue;
    for (std::uint32_t i = 0; i < 20; ++i) queue.push({Time::ns(1), i, i, 0});
    EXPECT_EQ(queue.pop().order, 0U);
    ASSERT_NE(queue.ahead(4), nullptr);
    EXPECT_EQ(queue.ahead(4)->order, 5U);
    EXPECT_EQ(queue.ahead(19), nullptr);
}

} // namespace
} // namespace orrery::event_queue_test
