// The words of SimGrid's replay for what it has no words for.
#include "formats/export/world_actions.h"

#include "drivers/crossbar.h"
#include "engine/error.h"
#include "formats/export/one_sided_script.h"
#include "formats/ti/text_writer.h"

#include <gtest/gtest.h>

namespace orrery::world_actions_test {
namespace {

using test::ActionScript;

// The lines of a rank.
std::string text_of(ActionScript& script, std::uint32_t rank, TiGrammar grammar = TiGrammar::simgrid,
                    WorldActionsNotes* notes = nullptr) {
    script.rewind();
    const TraceCommunicators communicators(script);
    script.rewind();
    WorldActionsOptions options;
    options.grammar = grammar;
    WorldActions actions(script, communicators, options);
    std::string text;
    for (std::uint32_t each = 0; each <= rank; ++each) { // tags are given in the order of ranks
        text.clear();
        ti::LineWriter writer(each, script.ranks(), grammar, "test");
        for (std::span<const Action> window; !(window = actions.next(RankId{each})).empty();) {
            for (const Action& action : window) writer.add(action, actions.counts(RankId{each}, action), text);
        }
    }
    if (notes != nullptr) *notes = actions.notes();
    script.rewind();
    return text;
}

TEST(WorldActions, MessagesOfACommunicatorNameTheWorld) {
    ActionScript script(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) script.create(rank, 1, {3, 1, 0});
    script.message(3, ActionKind::send, 2, 100, 0, 9, 1).message(0, ActionKind::recv, 0, 100, 0, 9, 1);
    EXPECT_EQ(text_of(script, 0), "0 recv 3 10 100 6\n"); // 10: above all tags
    EXPECT_EQ(text_of(script, 3), "3 send 0 10 100 6\n");
}

TEST(WorldActions, CollectivesOfAllStayAndThoseOfSomeBecomeMessages) {
    ActionScript script(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        script.dup(rank, 1).collective(rank, Collective::bcast, 100, 1, 2);
        script.create(rank, 2, {0, 2});
        if (rank % 2 == 0) script.collective(rank, Collective::bcast, 50, 2, 1);
    }
    // The duplicate of the world has its members. A broadcast from rank 1 of {0, 2} is a message from rank 2 to
    // 0.
    EXPECT_EQ(text_of(script, 0), "0 allreduce 2 0 1\n0 bcast 100 2 6\n0 recv 2 1 50 6\n");
    WorldActionsNotes notes;
    EXPECT_EQ(text_of(script, 2, TiGrammar::simgrid, &notes),
              "2 allreduce 2 0 1\n2 bcast 100 2 6\n2 send 0 1 50 6\n");
    EXPECT_EQ(notes.expanded, 2U);
}

TEST(WorldActions, WaitsNameTheOldestOfTheirKind) {
    ActionScript script(2);
    script.message(0, ActionKind::isend, 1, 10, 0, 4).message(0, ActionKind::isend, 1, 20, 1, 4);
    script.message(0, ActionKind::irecv, any_source, 30, 2, 5).wait(0, 1).wait(0, 2).wait(0, 0);
    EXPECT_EQ(text_of(script, 0), "0 isend 1 4 10 6\n0 isend 1 4 20 6\n0 irecv -555 5 30 6\n"
                                  "0 wait 0 1 4\n0 wait -556 0 5\n0 wait 0 1 4\n");
}

TEST(WorldActions, AWaitForSomeIsOneLineEach) {
    ActionScript script(2);
    for (std::uint32_t i = 0; i < 3; ++i) script.message(0, ActionKind::isend, 1, 10, i, i);
    Action wait;
    wait.kind = ActionKind::wait_all;
    script.add(0, script.with_counts(wait, {2, 0})).wait_all(0);
    EXPECT_EQ(text_of(script, 0), "0 isend 1 0 10 6\n0 isend 1 1 10 6\n0 isend 1 2 10 6\n"
                                  "0 wait 0 1 2\n0 wait 0 1 0\n0 wait 0 1 1\n");
    ActionScript all(2);
    all.message(0, ActionKind::isend, 1, 10, 0, 1).message(0, ActionKind::isend, 1, 10, 1, 1).wait_all(0);
    EXPECT_EQ(text_of(all, 0), "0 isend 1 1 10 6\n0 isend 1 1 10 6\n0 waitall\n");
}

TEST(WorldActions, AReceiveOfAnySizeIsOneOfTheLargest) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, 500).message(1, ActionKind::recv, any_source, any_bytes);
    EXPECT_EQ(text_of(script, 1), "1 recv -555 0 500 6\n");
}

TEST(WorldActions, ANonblockingCollectiveIsPostedAtOnce) {
    ActionScript script(3);
    for (std::uint32_t rank = 0; rank < 3; ++rank)
        script.nonblocking(rank, Collective::bcast, 10, 0).compute(rank, 5).wait(rank, 0);
    EXPECT_EQ(text_of(script, 0), "0 isend 1 1 10 6\n0 isend 2 1 10 6\n0 compute 5\n0 waitall\n");
    EXPECT_EQ(text_of(script, 2), "2 irecv 0 1 10 6\n2 compute 5\n2 wait 0 2 1\n");
}

TEST(WorldActions, NeighboursGetMessages) {
    ActionScript script(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        script.neighbours(rank, {1 - rank}, {1 - rank}).collective(rank, Collective::neighbor_alltoall, 40);
    }
    EXPECT_EQ(text_of(script, 1), "1 irecv 0 1 40 6\n1 isend 0 1 40 6\n1 waitall\n");
}

TEST(WorldActions, SynchronousForgottenAndProbedOnes) {
    ActionScript script(2);
    script.message(0, ActionKind::ssend, 1, 10).message(0, ActionKind::isend, 1, 20, 0);
    script.wait(0, 0, ActionKind::forget).message(0, ActionKind::isend, 1, 30, 0, 7).wait(0, 0);
    script.message(1, ActionKind::probe, 0, 0).message(1, ActionKind::irecv, 0, 5, 0, 9);
    script.wait(1, 0, ActionKind::forget);
    WorldActionsNotes notes;
    EXPECT_EQ(text_of(script, 0),
              "0 send 1 0 10 6\n0 isend 1 0 20 6\n0 isend 1 7 30 6\n0 wait 0 1 7\n0 wait 0 1 0\n");
    EXPECT_EQ(text_of(script, 1, TiGrammar::simgrid, &notes), "1 irecv 0 9 5 6\n");
    EXPECT_EQ(notes.synchronous, 1U);
    EXPECT_EQ(notes.probes, 1U);
    EXPECT_EQ(notes.forgotten, 1U);
}

TEST(WorldActions, OneSidedCommunicationIsLeftOut) {
    ActionScript script = test::one_sided_script();
    WorldActionsNotes notes;
    EXPECT_EQ(text_of(script, 0), "0 barrier\n0 send 1 0 8 6\n");
    EXPECT_EQ(text_of(script, 1, TiGrammar::simgrid, &notes), "1 barrier\n1 recv 0 0 8 6\n");
    EXPECT_EQ(notes.words(),
              (std::vector<std::string>{"8 calls of one-sided communication are left out",
                                        "1 cancelled sends are left out",
                                        "2 nonblocking collectives between two groups are left out"}));
}

TEST(WorldActions, TheOlderGrammarHasNoTagsAndWaitsForTheLatestOrAll) {
    ActionScript script(2);
    script.message(0, ActionKind::isend, 1, 10, 0, 4).message(0, ActionKind::irecv, 1, 10, 1, 4);
    script.wait(0, 1).wait(0, 0).collective(0, Collective::bcast, 8, world, 1);
    script.message(1, ActionKind::irecv, 0, 10, 0, 4).message(1, ActionKind::isend, 0, 10, 1, 4);
    script.wait_all(1).collective(1, Collective::bcast, 8, world, 1);
    EXPECT_EQ(text_of(script, 0, TiGrammar::older_simgrid),
              "0 Isend 1 10\n0 Irecv 1 10\n0 wait\n0 waitAll\n0 recv 1 8\n");
    EXPECT_EQ(text_of(script, 1, TiGrammar::older_simgrid),
              "1 Irecv 0 10\n1 Isend 0 10\n1 waitAll\n1 send 0 8\n");
    ActionScript oldest(2);
    oldest.message(0, ActionKind::isend, 1, 10, 0).message(0, ActionKind::isend, 1, 10, 1).wait(0, 0);
    EXPECT_THROW(text_of(oldest, 0, TiGrammar::older_simgrid), InputError);
}

// What comes out is a trace of the same messages.
TEST(WorldActions, ReplaysLikeTheTrace) {
    ActionScript script(6);
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
        script.split(rank, 1, rank % 2, rank).compute(rank, 1000 * rank);
        script.collective(rank, Collective::allreduce, 800, 1).collective(rank, Collective::alltoall, 10, 1);
        script.neighbours(rank, {(rank + 5) % 6}, {(rank + 1) % 6});
        script.collective(rank, Collective::neighbor_allgather, 3000).collective(rank, Collective::barrier, 0);
    }
    const ReplayOptions options = test::with_collectives("smpi-default");
    const ReplayPrediction trace = test::run_on_crossbar(script, options);
    script.rewind();
    const TraceCommunicators communicators(script);
    script.rewind();
    WorldActions actions(script, communicators, {});
    const Platform platform = test::crossbar(6);
    FlowNetwork network(platform, FlowParameters{});
    const ReplayPrediction exported =
        replay({{&actions, Time::zero(), test::one_each(6)}}, platform, network, options);
    EXPECT_EQ(trace.base.messages, exported.base.messages);
    EXPECT_EQ(trace.base.bytes, exported.base.bytes);
    EXPECT_EQ(trace.base.time, exported.base.time);
}

} // namespace
} // namespace orrery::world_actions_test
