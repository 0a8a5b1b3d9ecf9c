// The heap beside a sorted set.
#include "network/flow/indexed_heap.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace orrery::indexed_heap_test {
namespace {

class IndexedHeapTwin : public testing::TestWithParam<std::uint32_t> {};

TEST_P(IndexedHeapTwin, AgreesWithASortedSet) {
    const std::uint32_t items = GetParam();
    constexpr std::uint32_t nowhere = ~std::uint32_t{0};
    std::mt19937 random(items);
    const auto below = [&](std::uint32_t limit) {
        return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
    };
    IndexedHeap<std::uint32_t> heap;
    IndexedHeap<std::uint32_t>::Positions positions(items, nowhere);
    std::set<std::pair<std::uint32_t, std::uint32_t>> twin; // key, item
    std::vector<std::uint32_t> keys(items);
    for (int step = 0; step < 3000; ++step) {
        const std::uint32_t item = below(items);
        const std::uint32_t key = below(50); // many are equal
        if (positions[item] == nowhere) {
            heap.push(key, item, positions);
            twin.insert({keys[item] = key, item});
        } else if (below(2) == 0) {
            twin.erase({keys[item], item});
            heap.change(positions[item], key, positions);
            twin.insert({keys[item] = key, item});
        } else if (below(4) == 0) {
            twin.erase({keys[item], item});
            heap.remove(std::exchange(positions[item], nowhere), positions);
        }
        if (below(10) == 0) { // few, many or all of them
            const std::uint32_t limit = below(60);
            std::set<std::uint32_t> taken;
            heap.take_until(limit, positions, [&](std::uint32_t each) {
                EXPECT_TRUE(taken.insert(each).second);
                positions[each] = nowhere;
            });
            std::set<std::uint32_t> expected;
            while (!twin.empty() && twin.begin()->first <= limit) {
                expected.insert(twin.begin()->second);
                twin.erase(twin.begin());
            }
            ASSERT_EQ(taken, expected) << step;
        }
        ASSERT_EQ(heap.empty(), twin.empty());
        if (twin.empty()) continue;
        ASSERT_EQ(heap.top().key, twin.begin()->first) << step;
        ASSERT_EQ(heap.top().item, twin.begin()->second) << step;
        for (const auto& [each, of] : twin) {
            ASSERT_EQ(heap.at(positions[of]).item, of);
            ASSERT_EQ(heap.at(positions[of]).key, each);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, IndexedHeapTwin, testing::Values(1, 4, 30, 200));

} // namespace
} // namespace orrery::indexed_heap_test
