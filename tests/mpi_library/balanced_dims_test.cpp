#include "mpi_library/balanced_dims.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace orrery::emulate::mpi::balanced_dims_test {
namespace {

using Dims = std::vector<int>;

// All ways to write `nodes` as `count` factors, the largest first.
void ways(int nodes, int count, int largest, Dims& begun, std::vector<Dims>& all) {
    if (count == 0) {
        if (nodes == 1) all.push_back(begun);
        return;
    }
    for (int factor = std::min(nodes, largest); factor >= 1; --factor) {
        if (nodes % factor != 0) continue;
        begun.push_back(factor);
        ways(nodes / factor, count - 1, factor, begun, all);
        begun.pop_back();
    }
}

TEST(BalancedDims, AreTheBestOfAllWays) {
    for (int nodes = 1; nodes <= 400; ++nodes) {
        for (int count = 1; count <= 4; ++count) {
            std::vector<Dims> all;
            Dims begun;
            ways(nodes, count, nodes, begun, all);
            const auto better = [](const Dims& a, const Dims& b) {
                const int first = a.front() - a.back();
                const int second = b.front() - b.back();
                if (first != second) return first < second;
                return std::lexicographical_compare(b.rbegin(), b.rend(), a.rbegin(), a.rend());
            };
            EXPECT_EQ(balanced_dims(nodes, count), *std::min_element(all.begin(), all.end(), better))
                << nodes << " in " << count;
        }
    }
}

// As other implementations have them.
TEST(BalancedDims, OfLargeNumbers) {
    EXPECT_EQ(balanced_dims(1000000000, 3), (Dims{1000, 1000, 1000}));
    EXPECT_EQ(balanced_dims(34425, 3), (Dims{51, 27, 25}));
    EXPECT_EQ(balanced_dims(5040, 3), (Dims{21, 16, 15}));
    EXPECT_EQ(balanced_dims(119952, 5), (Dims{17, 14, 9, 8, 7}));
    EXPECT_EQ(balanced_dims(2147483647, 4), (Dims{2147483647, 1, 1, 1}));
    EXPECT_EQ(balanced_dims(1 << 30, 20), (Dims{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}));
}

} // namespace
} // namespace orrery::emulate::mpi::balanced_dims_test
