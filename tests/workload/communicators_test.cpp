#include "workload/communicators.h"

#include <gtest/gtest.h>
#include <vector>

namespace orrery::communicators_test {
namespace {

TEST(Communicators, WorldsOfJobsFollowEachOther) {
    Communicators all;
    EXPECT_EQ(all.add_world(0, 4), 0U);
    EXPECT_EQ(all.add_world(4, 3), 1U);
    EXPECT_EQ(all.size(1), 3U);
    EXPECT_EQ(all.member(1, 2), 6U);
    EXPECT_EQ(all.rank_in(1, 5), 1U);
    EXPECT_EQ(all.rank_in(1, 3), any_source);
    EXPECT_NE(Communicators::messages_context(1), Communicators::collectives_context(1));
}

TEST(Communicators, ASplitGroupsByColourAndOrdersByKeyThenRank) {
    Communicators all;
    const std::uint32_t world = all.add_world(0, 5);
    const std::uint32_t colours[] = {7, 3, 7, 3, 7};
    const std::uint32_t keys[] = {1, 0, 0, 0, 1};
    for (std::uint32_t rank = 0; rank < 5; ++rank) all.offer(world, 0, colours[rank], keys[rank], rank, rank);
    const std::uint32_t sevens = all.split(world, 0, 7).value();
    const std::uint32_t threes = all.split(world, 0, 3).value();
    EXPECT_NE(sevens, threes);
    EXPECT_EQ(all.split(world, 0, 7), sevens);
    ASSERT_EQ(all.size(sevens), 3U);
    EXPECT_EQ(all.member(sevens, 0), 2U);
    EXPECT_EQ(all.member(sevens, 1), 0U);
    EXPECT_EQ(all.member(sevens, 2), 4U);
    EXPECT_EQ(all.rank_in(threes, 3), 1U);
    EXPECT_EQ(all.rank_in(threes, 2), any_source);
}

TEST(Communicators, NoColourMeansNoGroupAndKeysMayBeNegative) {
    Communicators all;
    const std::uint32_t world = all.add_world(0, 3);
    all.offer(world, 0, 1, 5, 0, 0);
    all.offer(world, 0, any_source, 0, 1, 1);
    EXPECT_FALSE(all.all_offered(world, 0));
    all.offer(world, 0, 1, static_cast<std::uint32_t>(-5), 2, 2);
    EXPECT_TRUE(all.all_offered(world, 0));
    EXPECT_EQ(all.split(world, 0, any_source), std::nullopt);
    const std::uint32_t group = all.split(world, 0, 1).value();
    ASSERT_EQ(all.size(group), 2U);
    EXPECT_EQ(all.member(group, 0), 2U);
    EXPECT_EQ(all.member(group, 1), 0U);
}

TEST(Communicators, TheSameMembersMakeANewOneEachTime) {
    Communicators all;
    all.add_world(0, 4);
    const std::uint32_t first = all.create({1, 3}, 1);
    const std::uint32_t second = all.create({1, 3}, 1); // rank 1 is ahead
    EXPECT_NE(second, first);
    EXPECT_EQ(all.create({1, 3}, 3), first); // the other member's calls
    EXPECT_EQ(all.create({1, 3}, 3), second);
    EXPECT_EQ(all.member(first, 1), 3U);
}

TEST(Communicators, DifferentCallsAreFound) {
    Communicators all;
    const std::uint32_t world = all.add_world(0, 3);
    EXPECT_EQ(all.enter(world, 0, {Collective::bcast, 1, 0, 0, 10}), nullptr);
    EXPECT_EQ(all.enter(world, 1, {Collective::barrier, 0, 0, 0, 11}), nullptr); // rank 0 is ahead
    EXPECT_EQ(all.enter(world, 0, {Collective::bcast, 1, 0, 1, 20}), nullptr);
    const Communicators::Call* const other = all.enter(world, 0, {Collective::bcast, 2, 0, 2, 30});
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(other->rank, 0U);
    EXPECT_EQ(other->line, 10U);
}

TEST(Communicators, NodesAreThoseOfTheMembers) {
    Communicators all;
    all.add_world(0, 4);
    const std::uint32_t odd = all.create({1, 3}, 1);
    const std::vector<HostId> hosts{{0}, {0}, {5}, {5}};
    const std::span<const std::uint32_t> nodes = all.nodes(odd, hosts);
    EXPECT_EQ(std::vector<std::uint32_t>(nodes.begin(), nodes.end()), (std::vector<std::uint32_t>{0, 5}));
}

TEST(Communicators, RanksOfMembersInAnyOrderAreFound) {
    Communicators all;
    all.add_world(0, 10);
    const std::vector<std::vector<std::uint32_t>> groups{
        {3, 4, 5}, {1, 4, 9}, {9, 2, 7, 0}, {4, 3}, {6}}; // consecutive, ascending, neither, turned round, one
    for (const auto& members : groups) {
        const std::uint32_t index = all.create(members, members[0]);
        ASSERT_EQ(all.size(index), members.size());
        std::vector<std::uint32_t> expected(10, any_source);
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            EXPECT_EQ(all.member(index, i), members[i]);
            expected[members[i]] = i;
        }
        for (std::uint32_t rank = 0; rank < 10; ++rank) EXPECT_EQ(all.rank_in(index, rank), expected[rank]);
    }
}

} // namespace
} // namespace orrery::communicators_test
