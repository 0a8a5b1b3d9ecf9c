#include "engine/pool.h"

#include <deque>
#include <gtest/gtest.h>
#include <string>

namespace orrery::pool_test {
namespace {

TEST(Pool, NumbersAreUsedAgainTheLastFreedFirst) {
    Pool<int> pool;
    EXPECT_EQ(pool.add(10), 0U);
    EXPECT_EQ(pool.add(11), 1U);
    EXPECT_EQ(pool.add(12), 2U);
    pool.remove(0);
    pool.remove(2);
    EXPECT_EQ(pool.in_use(), 1U);
    EXPECT_EQ(pool.add(13), 2U);
    EXPECT_EQ(pool.add(14), 0U);
    EXPECT_EQ(pool.add(15), 3U);
    EXPECT_EQ(pool.in_use(), 4U);
    EXPECT_EQ(pool.size(), 4U);
    EXPECT_EQ(pool[0], 14);
    EXPECT_EQ(pool[1], 11);
    EXPECT_EQ(pool[2], 13);
    EXPECT_EQ(pool[3], 15);
}

TEST(Pool, ARecordIsNewUnlessItsMemoryIsToBeKept) {
    Pool<std::string> pool;
    pool.remove(pool.add("left"));
    EXPECT_EQ(pool[pool.add_as_left()], "left");
    pool.remove(0);
    EXPECT_EQ(pool[pool.add()], "");
    EXPECT_EQ(pool[pool.add_as_left()], "");
}

TEST(Pool, RecordsOfADequeDoNotMove) {
    Pool<int, std::deque<int>> pool;
    const int* const first = &pool[pool.add(1)];
    for (int i = 0; i < 10'000; ++i) (void)pool.add(2);
    EXPECT_EQ(first, &pool[0]);
    EXPECT_EQ(*first, 1);
}

} // namespace
} // namespace orrery::pool_test
