#include "engine/lazy_array.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <utility>

namespace orrery::lazy_array_test {
namespace {

// On the heap, at the limit to pages that are mapped, and beyond it: memory that was used before comes back as
// zeros.
TEST(LazyArray, StartsWithZerosOfWhateverSize) {
    for (const std::size_t size : {1UL, 7UL, 1000UL, 16 * 1024UL, 16 * 1024UL + 1, 1UL << 20U}) {
        for (int time = 0; time < 3; ++time) {
            LazyArray<std::uint64_t> array(size, time == 1);
            ASSERT_EQ(array.size(), size);
            EXPECT_FALSE(array.empty());
            EXPECT_EQ(array.end() - array.begin(), static_cast<std::ptrdiff_t>(size));
            for (std::uint64_t& value : array) {
                ASSERT_EQ(value, 0U) << size;
                value = ~std::uint64_t{0};
            }
        }
    }
}

TEST(LazyArray, BeginsOnACacheLine) {
    struct alignas(256) Wide {
        int value;
    };
    for (const std::size_t size : {1UL, 3UL, 1UL << 20U}) {
        const LazyArray<std::uint8_t> bytes(size);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&bytes[0]) % 64, 0U);
        const LazyArray<Wide> wide(size);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&wide[0]) % 256, 0U);
    }
}

// A small one and a large one change places: each is freed as it was allocated.
TEST(LazyArray, MovesBetweenTheHeapAndPages) {
    LazyArray<int> small(10);
    LazyArray<int> large(1U << 20U);
    small[9] = 1;
    large[1000] = 2;
    std::swap(small, large);
    EXPECT_EQ(small[1000], 2);
    EXPECT_EQ(large[9], 1);
    const LazyArray<int> moved = std::move(large);
    EXPECT_EQ(moved.size(), 10U);
    EXPECT_EQ(moved[9], 1);
    EXPECT_TRUE(LazyArray<int>().empty());
    EXPECT_TRUE(LazyArray<int>(0).empty());
}

} // namespace
} // namespace orrery::lazy_array_test
