#include "trace/smallest_free.h"

#include <gtest/gtest.h>
#include <set>

namespace orrery::trace::smallest_free_test {

TEST(SmallestFree, GivesTheSmallestThatNobodyHas) {
    SmallestFree numbers;
    for (std::uint32_t i = 0; i < 200; ++i) EXPECT_EQ(numbers.take(), i);
    numbers.give_back(130);
    numbers.give_back(7);
    numbers.give_back(64);
    EXPECT_EQ(numbers.take(), 7U);
    EXPECT_EQ(numbers.take(), 64U);
    EXPECT_EQ(numbers.take(), 130U);
    EXPECT_EQ(numbers.take(), 200U);
}

TEST(SmallestFree, AgreesWithASet) {
    SmallestFree numbers;
    std::set<std::uint32_t> taken;
    std::uint64_t state = 1;
    for (int turn = 0; turn < 20'000; ++turn) {
        state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        if (taken.empty() || (state >> 33) % 100 < 52) {
            std::uint32_t expected = 0;
            while (taken.contains(expected)) ++expected;
            ASSERT_EQ(numbers.take(), expected);
            taken.insert(expected);
        } else {
            auto chosen = taken.begin();
            std::advance(chosen, static_cast<std::ptrdiff_t>((state >> 40) % taken.size()));
            numbers.give_back(*chosen);
            taken.erase(chosen);
        }
    }
}

} // namespace orrery::trace::smallest_free_test
