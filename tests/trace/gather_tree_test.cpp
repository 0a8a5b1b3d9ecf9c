#include "trace/gather_tree.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace orrery::trace::gather_tree_test {
namespace {

// The order in which the files of a subtree pass through its root.
void walk(std::uint32_t rank, std::uint32_t ranks, std::uint32_t k, std::vector<std::uint32_t>& order) {
    order.push_back(rank);
    for (const std::uint32_t child : gather_children(rank, ranks, k)) {
        EXPECT_EQ(gather_parent(child, k), rank);
        walk(child, ranks, k, order);
    }
}

TEST(TraceGatherTree, EveryRankOnceAndInOrder) {
    for (const std::uint32_t k : {1U, 2U, 3U, 8U, 1024U}) {
        for (std::uint32_t ranks = 1; ranks <= 300; ranks += ranks < 40 ? 1 : 13) {
            std::vector<std::uint32_t> order;
            walk(0, ranks, k, order);
            std::vector<std::uint32_t> all(ranks);
            std::iota(all.begin(), all.end(), 0U);
            EXPECT_EQ(order, all) << ranks << " ranks, k = " << k;
        }
    }
}

// With everybody taking from K children at a time: ceil(log_{K+1} ranks).
std::uint32_t steps(std::uint32_t rank, std::uint32_t ranks, std::uint32_t k) {
    const std::vector<std::uint32_t> children = gather_children(rank, ranks, k);
    std::uint32_t done = 0;
    for (std::size_t i = 0; i < children.size(); i += k) {
        std::uint32_t ready = 0;
        for (std::size_t j = i; j < std::min(i + k, children.size()); ++j) {
            ready = std::max(ready, steps(children[j], ranks, k));
        }
        done = std::max(done, ready) + 1;
    }
    return done;
}

TEST(TraceGatherTree, TakesALogarithmicNumberOfSteps) {
    for (const std::uint32_t k : {1U, 2U, 3U, 8U}) {
        for (std::uint32_t ranks = 1; ranks <= 200; ++ranks) {
            std::uint32_t least = 0;
            for (std::uint64_t reach = 1; reach < ranks; reach *= k + 1) {
                ++least;
            }
            EXPECT_EQ(steps(0, ranks, k), least) << ranks << " ranks, k = " << k;
        }
    }
}

} // namespace
} // namespace orrery::trace::gather_tree_test
