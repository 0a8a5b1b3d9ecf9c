// The trees: everybody hangs on the root, and parents and children agree.
#include "collectives/tree.h"

#include "collectives/blocks.h"

#include <functional>
#include <gtest/gtest.h>
#include <vector>

namespace orrery::coll::tree_test {
namespace {

using Shape = std::function<Tree(std::uint32_t rank, std::uint32_t size, std::uint32_t root)>;

// Walks up from each rank, and checks that each child knows its parent.
void expect_tree(const Shape& shape, std::uint32_t size, std::uint32_t root, const char* what) {
    std::uint32_t children = 0;
    for (std::uint32_t r = 0; r < size; ++r) {
        const Tree tree = shape(r, size, root);
        EXPECT_EQ(tree.has_parent, r != root) << what << " rank " << r << " of " << size;
        children += tree.count;
        for (const std::uint32_t child : tree.children()) {
            ASSERT_LT(child, size);
            const Tree below = shape(child, size, root);
            EXPECT_TRUE(below.has_parent && below.parent == r) << what << ' ' << child << " of " << size;
        }
        std::uint32_t hops = 0;
        for (std::uint32_t at = r; at != root && hops <= size; ++hops) at = shape(at, size, root).parent;
        EXPECT_LE(hops, size) << what << ": rank " << r << " of " << size << " does not reach the root";
    }
    EXPECT_EQ(children, size - 1) << what << " of " << size;
}

TEST(CollectiveTrees, AreTrees) {
    for (std::uint32_t size = 1; size < 70; ++size) {
        for (const std::uint32_t root : {0U, size / 3, size - 1}) {
            expect_tree(binomial_tree, size, root, "binomial");
            expect_tree(in_order_binomial_tree, size, root, "in-order binomial");
            for (const std::uint32_t k : {1U, 2U, 3U, 4U, 7U, 40U, 1000U}) {
                expect_tree([k](auto r, auto s, auto t) { return k_ary_tree(r, s, t, k); }, size, root,
                            "k-ary");
                expect_tree([k](auto r, auto s, auto t) { return k_nomial_tree(r, s, t, k); }, size, root,
                            "k-nomial");
                expect_tree([k](auto r, auto s, auto t) { return chain_tree(r, s, t, k); }, size, root,
                            "chain");
            }
        }
        expect_tree([](auto r, auto s, auto) { return in_order_binary_tree(r, s); }, size, size - 1,
                    "in-order binary");
    }
}

TEST(CollectiveTrees, LargeRadicesFitAtAnySize) {
    for (const std::uint32_t radix : {2U, 4U, 8U, 16U, 64U, 5000U}) {
        std::uint32_t children = 0;
        constexpr std::uint32_t size = 70'000;
        for (std::uint32_t r = 0; r < size; ++r) children += k_nomial_tree(r, size, 0, radix).count;
        EXPECT_EQ(children, size - 1) << radix;
    }
}

TEST(CollectiveTrees, InOrderBinaryKeepsTheOrderOfOperands) {
    // Reading right child, left child, self gives the ranks in order.
    for (std::uint32_t size = 1; size < 40; ++size) {
        std::vector<std::uint32_t> order;
        const std::function<void(std::uint32_t)> visit = [&](std::uint32_t rank) {
            const Tree tree = in_order_binary_tree(rank, size);
            for (std::uint32_t i = tree.count; i-- > 0;) visit(tree.child[i]);
            order.push_back(rank);
        };
        visit(size - 1);
        for (std::uint32_t i = 0; i < size; ++i) EXPECT_EQ(order[i], i) << size;
    }
}

TEST(CollectiveBlocks, CoverTheDataWithoutGaps) {
    const std::vector<Bytes> counts{5, 0, 7, 1, 0, 12, 3};
    const auto check = [](const Blocks& blocks, std::uint32_t parts, Bytes total, const char* what) {
        Bytes at = 0;
        for (std::uint32_t i = 0; i < parts; ++i) {
            EXPECT_EQ(blocks.offset(i), at) << what << ' ' << i;
            at += blocks.bytes(i);
        }
        EXPECT_EQ(at, total) << what;
        EXPECT_EQ(blocks.offset(parts), total) << what;
    };
    check(Blocks::equal(9), 7, 63, "equal");
    check(Blocks::listed(counts), 7, 28, "listed");
    for (const Bytes elements : {Bytes{0}, Bytes{1}, Bytes{6}, Bytes{7}, Bytes{23}, Bytes{70}}) {
        check(Blocks::even(elements * 8, 7, 8), 7, elements * 8, "even");
        check(Blocks::last_longer(elements * 8, 7, 8), 7, elements * 8, "last longer");
        check(Blocks::filled(elements * 8, (elements + 6) / 7 * 8), 7, elements * 8, "filled");
    }
    // Asked for in any order.
    const Blocks listed = Blocks::listed(counts);
    EXPECT_EQ(listed.offset(6), 25U);
    EXPECT_EQ(listed.offset(2), 5U);
    EXPECT_EQ(listed.offset(5), 13U);
    EXPECT_EQ(listed.offset(0), 0U);
    EXPECT_EQ(listed.bytes(2, 4), 20U);
}

} // namespace
} // namespace orrery::coll::tree_test
