// Communicators found out from the traces alone must be those that a replay makes.
#include "workload/trace_communicators.h"

#include "drivers/action_script.h"
#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::trace_communicators_test {
namespace {

using test::ActionScript;

// The members, by rank in the world, of what `name` stands for at the end of the rank's trace; empty: nothing.
std::vector<std::uint32_t> members(ActionScript& script, const TraceCommunicators& all, std::uint32_t rank,
                                   std::uint32_t name) {
    script.rewind();
    RankCommunicators own(all, RankId{rank}, "test");
    for (const Action& action : script.next(RankId{rank}))
        own.pass(action, script.counts(RankId{rank}, action));
    Action action;
    action.comm = name;
    std::vector<std::uint32_t> result;
    try {
        const Membership& member = own.of(action);
        for (std::uint32_t i = 0; i < own.size(member); ++i) result.push_back(own.world_rank(member, i));
        EXPECT_EQ(result[member.rank], rank);
    } catch (const InputError&) {
    }
    return result;
}

using Ranks = std::vector<std::uint32_t>;

TEST(TraceCommunicators, PartsOfPartsInAnyOrder) {
    ActionScript script(6);
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
        script.split(rank, 1, rank % 2, 6 - rank); // 4 2 0 and 5 3 1
        Action again;
        again.kind = ActionKind::comm_split;
        again.comm = 1;
        again.request = 2;
        again.peer = rank < 2 ? any_source : 7;
        script.add(rank, again).dup(rank, 3, 1);
    }
    const TraceCommunicators all(script);
    EXPECT_FALSE(all.only_world());
    EXPECT_EQ(members(script, all, 0, 1), (Ranks{4, 2, 0}));
    EXPECT_EQ(members(script, all, 5, 1), (Ranks{5, 3, 1}));
    EXPECT_EQ(members(script, all, 4, 2), (Ranks{4, 2})); // the same key: by rank in the parent
    EXPECT_EQ(members(script, all, 0, 2), Ranks{});
    EXPECT_EQ(members(script, all, 3, 3), (Ranks{5, 3, 1}));
    EXPECT_EQ(members(script, all, 3, 0), (Ranks{0, 1, 2, 3, 4, 5}));
}

TEST(TraceCommunicators, GroupsWithNumbersOfTheirOwn) {
    ActionScript script(3);
    script.create(0, 1, {0, 1}).create(1, 1, {1, 2}).create(1, 2, {0, 1}).create(2, 1, {1, 2});
    for (std::uint32_t rank = 0; rank < 3; ++rank) script.create(rank, 9, {rank});
    const TraceCommunicators all(script);
    EXPECT_EQ(members(script, all, 1, 2), (Ranks{0, 1}));
    EXPECT_EQ(members(script, all, 2, 1), (Ranks{1, 2}));
    EXPECT_EQ(members(script, all, 2, 9), (Ranks{2}));
}

TEST(TraceCommunicators, ARankThatDoesNotTakePartIsMissed) {
    ActionScript script(2);
    script.compute(0, 1).split(0, 1, 0, 0).compute(1, 1);
    try {
        const TraceCommunicators all(script);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(
            std::string(error.what()).find("rank0.txt:2: rank 0: makes communicators of one that not all"),
            std::string::npos)
            << error.what();
    }
    ActionScript unknown(1);
    unknown.dup(0, 2, 5);
    EXPECT_THROW(TraceCommunicators{unknown}, InputError);
    ActionScript outside(2);
    outside.create(0, 1, {0, 2});
    EXPECT_THROW(TraceCommunicators{outside}, InputError);
}

TEST(TraceCommunicators, TheLargestTagAndMessageAreThoseOfAll) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, 8, 0, 41).message(1, ActionKind::recv, 0, 900, 0, any_tag);
    script.message(1, ActionKind::isend, 0, 70, 0, 3).wait(1, 0).message(0, ActionKind::recv, 1, any_bytes);
    const TraceCommunicators all(script);
    EXPECT_EQ(all.largest_tag(), 41U);
    EXPECT_EQ(all.largest_message(), 70U);
    EXPECT_TRUE(all.only_world());
}

// What goes wrong when rank 0 of two passes the action.
std::string fault_of(Action action, const std::vector<Bytes>& counts = {}) {
    ActionScript script(2);
    script.create(0, 1, {0}).add(0, script.with_counts(action, counts));
    try {
        const TraceCommunicators all(script);
        (void)members(script, all, 0, world);
    } catch (const InputError& error) {
        return error.error().reason;
    }
    return {};
}

TEST(TraceCommunicators, OneSidedCommunicationStaysInside) {
    Action action;
    action.kind = ActionKind::one_sided;
    action.peer = 1;
    EXPECT_EQ(fault_of(action), "");
    action.comm = 1;
    EXPECT_EQ(fault_of(action), "rank 0: names rank 1, but its communicator has 1 ranks");
    action.comm = 2;
    EXPECT_EQ(fault_of(action), "rank 0: communicator 2 does not exist here");
    action = {};
    action.kind = ActionKind::window;
    action.comm = 2;
    EXPECT_EQ(fault_of(action), "rank 0: communicator 2 does not exist here"); // of a fence, too
    action.comm = 1;
    EXPECT_EQ(fault_of(action), "");
    action.other = static_cast<std::uint32_t>(WindowCall::lock);
    action.peer = 1;
    EXPECT_EQ(fault_of(action), "rank 0: names rank 1, but its communicator has 1 ranks");
    action.other = static_cast<std::uint32_t>(WindowCall::post);
    EXPECT_EQ(fault_of(action, {0}), "");
    EXPECT_EQ(fault_of(action, {0, 1}), "rank 0: names rank 1, but its communicator has 1 ranks");
    action.kind = ActionKind::aside;
    EXPECT_EQ(fault_of(action, {0, 0, 0, 0, 8, 0}), "");
    EXPECT_EQ(fault_of(action, {0, 1, 0, 0, 8, 0}), "rank 0: a peer is out of range");
}

TEST(TraceCommunicators, AFenceIsABarrier) {
    ActionScript script(3);
    for (std::uint32_t rank = 0; rank < 3; ++rank) script.dup(rank, 1);
    const TraceCommunicators all(script);
    script.rewind();
    RankCommunicators own(all, RankId{2}, "test");
    own.pass(script.next(RankId{2})[0], {});
    Action fence;
    fence.kind = ActionKind::window;
    fence.comm = 1;
    const CollectiveCall call = own.call(fence, {});
    EXPECT_EQ(call.operation, Collective::barrier);
    EXPECT_EQ(call.rank, 2U);
    EXPECT_EQ(call.size, 3U);
    EXPECT_EQ(call.bytes, 0U);
    own.pass(fence, {});
    EXPECT_EQ(own.of(fence).calls, 1U);
}

TEST(TraceCommunicators, SendsThatAreCancelledAreKnownBefore) {
    ActionScript script(1);
    script.message(0, ActionKind::isend, 0, 8, 1).message(0, ActionKind::isend, 0, 8, 0).wait(0, 1);
    script.message(0, ActionKind::issend, 0, 8, 1).wait(0, 1, ActionKind::cancel);
    script.message(0, ActionKind::irecv, 0, 8, 1).wait(0, 0, ActionKind::cancel);
    const TraceCommunicators all(script);
    script.rewind();
    RankCommunicators own(all, RankId{0}, "test");
    std::vector<std::size_t> withdrawn;
    const std::span<const Action> actions = script.next(RankId{0});
    for (std::size_t i = 0; i < actions.size(); ++i) {
        if (own.is_withdrawn()) withdrawn.push_back(i);
        own.pass(actions[i], {});
    }
    EXPECT_EQ(withdrawn, (std::vector<std::size_t>{1, 3}));
}

} // namespace
} // namespace orrery::trace_communicators_test
