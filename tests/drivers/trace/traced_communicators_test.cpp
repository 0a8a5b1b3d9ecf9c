// Communicators as the tracing library writes them: each rank numbers its own, groups overlap, some ranks get
// none.
#include "drivers/crossbar.h"

#include <gtest/gtest.h>

namespace orrery::traced_communicators_test {
namespace {

using test::ActionScript;
using test::failure_on_crossbar;
using test::run_on_crossbar;
using test::with_collectives;

TEST(ReplayCommunicators, GroupsMayOverlapAndHaveOtherNumbersOnEachRank) {
    ActionScript script(3);
    script.create(0, 1, {0, 1}).message(0, ActionKind::send, 1, 1000, 0, 4, 1);
    script.create(1, 1, {1, 2}).create(1, 2, {0, 1}); // in the other order
    script.message(1, ActionKind::recv, 0, 1000, 0, 4, 2).message(1, ActionKind::send, 1, 500, 0, 4, 1);
    script.create(2, 1, {1, 2}).message(2, ActionKind::recv, 0, 500, 0, 4, 1);
    const ReplayPrediction prediction = run_on_crossbar(script);
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(3));
    EXPECT_EQ(prediction.base.ranks[2].finish, Time::us(3) + Time::ns(2500));
}

TEST(ReplayCommunicators, EachRankHasOneOfItsOwn) {
    ActionScript script(3);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        script.create(rank, 1, {rank}).collective(rank, Collective::allreduce, 64, 1);
        script.dup(rank, 2, 1).collective(rank, Collective::barrier, 0, 2);
        script.message(rank, ActionKind::isend, 0, 8, 0, 1, 2).message(rank, ActionKind::recv, 0, 8, 0, 1, 2);
        script.wait(rank, 0);
    }
    EXPECT_EQ(run_on_crossbar(script).base.messages, 3U); // to themselves
}

TEST(ReplayCommunicators, ADuplicateOfADuplicateIsAThirdOne) {
    ActionScript script(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) script.dup(rank, 1).dup(rank, 2, 1);
    // The same tag in three communicators, received in another order than sent.
    for (const std::uint32_t comm : {0U, 1U, 2U})
        script.message(0, ActionKind::send, 1, 100 * (comm + 1), 0, 7, comm);
    for (const std::uint32_t comm : {2U, 0U, 1U})
        script.message(1, ActionKind::recv, 0, 100 * (comm + 1), 0, 7, comm);
    const ReplayPrediction prediction = run_on_crossbar(script);
    EXPECT_TRUE(prediction.notes.empty()); // no receive got a larger message than it names
}

TEST(ReplayCommunicators, ARankOfNoColourGetsNoNumber) {
    ActionScript script(3);
    script.split(0, 1, 5, 0).collective(0, Collective::barrier, 0, 1);
    script.split(1, 1, any_source, 0).split(2, 1, 5, 0).collective(2, Collective::barrier, 0, 1);
    EXPECT_NO_THROW(run_on_crossbar(script));
    script.rewind();
    script.collective(1, Collective::barrier, 0, 1);
    EXPECT_NE(failure_on_crossbar(script).find("rank1.txt:2: rank 1: communicator 1 does not exist here"),
              std::string::npos);
}

TEST(ReplayCommunicators, AFreedNumberIsUsedAgain) {
    ActionScript script(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        for (int turn = 0; turn < 3; ++turn) {
            script.create(rank, 1, {1, 0}).collective(rank, Collective::bcast, 8, 1, 1);
            Action free;
            free.kind = ActionKind::comm_free;
            free.comm = 1;
            script.add(rank, free);
        }
    }
    EXPECT_EQ(run_on_crossbar(script, with_collectives("bcast=binomial")).base.messages, 3U);
}

TEST(ReplayCommunicators, WaitsForNonblockingCollectivesByNumber) {
    ActionScript script(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        script.nonblocking(rank, Collective::bcast, 50'000, 0).nonblocking(rank, Collective::barrier, 0, 1);
        script.message(rank, ActionKind::irecv, (rank + 3) % 4, 8, 2);
        script.message(rank, ActionKind::isend, (rank + 1) % 4, 8, 3);
        Action wait;
        wait.kind = ActionKind::wait_all;
        script.add(rank, script.with_counts(wait, {0, 2})).compute(rank, 1000);
        script.add(rank, script.with_counts(wait, {3, 1}));
    }
    const ReplayPrediction prediction = run_on_crossbar(script, with_collectives("bcast=linear"));
    EXPECT_GT(prediction.base.ranks[3].finish, Time::us(50));
}

// Its algorithm goes on looking at where the ranks run: a sanitizer would see if that had moved.
TEST(ReplayCommunicators, OthersMayBeMadeWhileACollectiveRuns) {
    ActionScript script(8);
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
        script.nonblocking(rank, Collective::reduce, 1000, 0);
        for (std::uint32_t name = 1; name < 9; ++name) script.create(rank, name, {7 - rank, rank});
        script.wait(rank, 0);
    }
    EXPECT_EQ(run_on_crossbar(script, with_collectives("mpich")).base.messages, 7U);
}

TEST(ReplayCommunicators, ADeadlockInANonblockingCollectiveSaysSo) {
    ActionScript script(2);
    script.nonblocking(1, Collective::bcast, 8, 0).wait(1, 0);
    script.message(0, ActionKind::recv, 1, 8);
    const std::string words = failure_on_crossbar(script);
    EXPECT_NE(
        words.find("rank 1 in wait at rank1.txt:2, for a nonblocking collective or one-sided operation to end"),
        std::string::npos)
        << words;
    EXPECT_NE(words.find("for a message from rank 0 with the collective"), std::string::npos) << words;
}

} // namespace
} // namespace orrery::traced_communicators_test
