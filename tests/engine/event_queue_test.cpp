// The event queue against std::priority_queue, its slow obvious twin.
#include "engine/event_queue.h"
#include "engine/random.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <queue>
#include <vector>

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

// Events of owners: those of one instant and different owners may leave in any order, all others may not.
struct Owned {
    Time time;
    std::uint32_t who = 0;
    std::uint32_t number = 0;

    [[nodiscard]] std::uint32_t owner() const { return who; }
    [[nodiscard]] bool before(const Owned& other) const {
        if (time != other.time) return time < other.time;
        return who != other.who ? who < other.who : number < other.number;
    }
};

std::vector<Owned> left_by(const std::vector<Owned>& pushed, bool across) {
    BasicEventQueue<Owned> queue;
    if (across) queue.order_across_owners();
    for (const Owned& each : pushed) queue.push(each);
    std::vector<Owned> left;
    while (!queue.empty()) left.push_back(queue.pop());
    return left;
}

std::vector<Owned> at_one_instant(std::uint32_t count, std::uint32_t (*who)(std::uint32_t)) {
    std::vector<Owned> events;
    for (std::uint32_t i = 0; i < count; ++i) events.push_back({Time::ns(1), who(i), count - i});
    return events;
}

bool in_order(const std::vector<Owned>& events) {
    return std::is_sorted(events.begin(), events.end(),
                          [](const Owned& a, const Owned& b) { return a.before(b); });
}

TEST(EventQueue, LeavesManyEventsOfDifferentOwnersAsTheyWerePushed) {
    const auto rotated = at_one_instant(1000, [](std::uint32_t i) { return (i + 300) % 1000; });
    const auto swapped = at_one_instant(1024, [](std::uint32_t i) { return i ^ 1; });
    for (const auto& events : {rotated, swapped}) {
        const std::vector<Owned> left = left_by(events, false);
        ASSERT_EQ(left.size(), events.size());
        for (std::size_t i = 0; i < left.size(); ++i) EXPECT_EQ(left[i].who, events[i].who);
        EXPECT_TRUE(in_order(left_by(events, true)));
    }
}

TEST(EventQueue, OrdersTheEventsOfAnOwner) {
    const auto twice = at_one_instant(1000, [](std::uint32_t i) { return (i * 7) % 999; });
    const auto rising_twice = at_one_instant(1000, [](std::uint32_t i) { return i % 700; });
    const auto falling = at_one_instant(1000, [](std::uint32_t i) { return 1000 - i / 2; });
    for (const auto& events : {twice, rising_twice, falling}) {
        EXPECT_FALSE(in_order(events));
        EXPECT_TRUE(in_order(left_by(events, false)));
    }
}

} // namespace
} // namespace orrery::event_queue_test
