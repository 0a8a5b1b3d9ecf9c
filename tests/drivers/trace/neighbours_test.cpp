// Neighbourhood collectives in a replay, by hand-computed times on the crossbar.
#include "drivers/crossbar.h"

#include <gtest/gtest.h>

namespace orrery::neighbours_test {
namespace {

using test::ActionScript;
using test::failure_on_crossbar;
using test::run_on_crossbar;

Action call(Collective what, Bytes bytes, std::uint32_t comm = world) {
    Action action;
    action.kind = ActionKind::collective;
    action.collective = what;
    action.bytes = bytes;
    action.comm = comm;
    return action;
}

// A ring: each rank has its left and its right neighbour.
ActionScript ring(std::uint32_t ranks) {
    ActionScript script(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::vector<Bytes> both{(rank + ranks - 1) % ranks, (rank + 1) % ranks};
        script.neighbours(rank, both, both);
    }
    return script;
}

TEST(ReplayNeighbours, EachOfThemGetsItsBlock) {
    for (const Collective what : {Collective::neighbor_alltoall, Collective::neighbor_allgather}) {
        ActionScript script = ring(4);
        for (std::uint32_t rank = 0; rank < 4; ++rank) script.add(rank, call(what, 1000));
        const ReplayPrediction prediction = run_on_crossbar(script);
        EXPECT_EQ(prediction.base.messages, 8U);
        EXPECT_EQ(prediction.base.bytes, 8000U);
        EXPECT_EQ(prediction.base.time, Time::us(2 + 2)); // two share each link
        EXPECT_EQ(prediction.calls[0][CallKind::collective], Time::us(4));
    }
}

// Rank 0 sends 1000 bytes to rank 1 and 2000 to rank 2, and gets 3000 from rank 2.
TEST(ReplayNeighbours, CountsAreThoseOfTheNeighbours) {
    for (const Collective what : {Collective::neighbor_alltoallv, Collective::neighbor_alltoallw}) {
        ActionScript script(3);
        script.neighbours(0, {2}, {1, 2}).neighbours(1, {0}, {}).neighbours(2, {0}, {0});
        script.add(0, script.with_counts(call(what, 0), {1000, 2000, 3000}));
        script.add(1, script.with_counts(call(what, 0), {1000}));
        script.add(2, script.with_counts(call(what, 0), {3000, 2000}));
        const ReplayPrediction prediction = run_on_crossbar(script);
        EXPECT_EQ(prediction.base.messages, 3U);
        EXPECT_EQ(prediction.base.bytes, 6000U);
        EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(2 + 2));
        EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(2 + 3));
    }
    ActionScript gather(3);
    gather.neighbours(0, {}, {2}).neighbours(1, {}, {2}).neighbours(2, {0, 1}, {});
    gather.add(0, call(Collective::neighbor_allgatherv, 700))
        .add(1, call(Collective::neighbor_allgatherv, 300));
    gather.add(2, gather.with_counts(call(Collective::neighbor_allgatherv, 0), {700, 300}));
    EXPECT_EQ(run_on_crossbar(gather).base.bytes, 1000U);
}

TEST(ReplayNeighbours, NonblockingOnesOverlapWithComputation) {
    ActionScript script = ring(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        Action action = script.with_counts(call(Collective::neighbor_alltoallv, 0), {1000, 1000, 1000, 1000});
        action.nonblocking = true;
        action.request = 5;
        script.add(rank, action).compute(rank, 3000).wait(rank, 5);
    }
    const ReplayPrediction prediction = run_on_crossbar(script);
    EXPECT_EQ(prediction.base.time, Time::us(4));
    EXPECT_EQ(prediction.calls[0][CallKind::wait], Time::us(1));
}

TEST(ReplayNeighbours, ADuplicateHasThemToo) {
    ActionScript script = ring(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank)
        script.dup(rank, 9).add(rank, call(Collective::neighbor_alltoall, 8, 9));
    EXPECT_NO_THROW(run_on_crossbar(script));
}

// A rank may be its own neighbour, and may be there twice (a periodic grid of one or two).
TEST(ReplayNeighbours, SmallPeriodicGrids) {
    ActionScript script = ring(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) script.add(rank, call(Collective::neighbor_alltoall, 8));
    EXPECT_EQ(run_on_crossbar(script).base.messages, 4U);
    ActionScript self = ring(1);
    self.add(0, call(Collective::neighbor_alltoall, 8));
    EXPECT_EQ(run_on_crossbar(self).base.messages, 2U);
}

TEST(ReplayNeighbours, MissingOnesAreNamed) {
    ActionScript script(2);
    script.compute(0, 1).add(0, call(Collective::neighbor_alltoall, 8));
    const std::string words = failure_on_crossbar(script);
    EXPECT_NE(words.find("rank0.txt:2: rank 0: calls neighbor_alltoall, but nothing says who its neighbours"),
              std::string::npos)
        << words;
}

TEST(ReplayNeighbours, ListsThatDoNotFitEachOtherAreNamed) {
    ActionScript script(2);
    script.neighbours(0, {1}, {1}).neighbours(1, {0}, {});
    EXPECT_NO_THROW(run_on_crossbar(script)); // nobody calls anything among them
    script.rewind();
    for (std::uint32_t rank = 0; rank < 2; ++rank) script.add(rank, call(Collective::neighbor_alltoall, 8));
    const std::string words = failure_on_crossbar(script);
    EXPECT_NE(words.find("rank1.txt:1: rank 1: names rank 0 0 times"), std::string::npos) << words;
    ActionScript twice(2);
    twice.neighbours(0, {}, {1, 1}).neighbours(1, {0}, {});
    for (std::uint32_t rank = 0; rank < 2; ++rank) twice.add(rank, call(Collective::neighbor_alltoall, 8));
    const std::string other = failure_on_crossbar(twice);
    EXPECT_NE(other.find("names rank 0 1 time as a source, but that rank names it 2 times as a destination, at "
                         "rank0.txt:1"),
              std::string::npos)
        << other;
}

TEST(ReplayNeighbours, RanksOutsideAndWrongCountsAreNamed) {
    ActionScript outside(2);
    outside.neighbours(0, {2}, {});
    EXPECT_NE(
        failure_on_crossbar(outside).find("names rank 2 as a neighbour, but its communicator has 2 ranks"),
        std::string::npos);
    ActionScript counts(2);
    counts.neighbours(0, {1}, {1});
    counts.add(0, counts.with_counts(call(Collective::neighbor_alltoallv, 0), {8}));
    EXPECT_NE(failure_on_crossbar(counts).find("1 counts for a neighbor_alltoallv with 1 sources and 1 dest"),
              std::string::npos);
    ActionScript sources(2);
    Action action;
    action.kind = ActionKind::neighbours;
    action.peer = 3;
    sources.add(0, sources.with_counts(action, {1}));
    EXPECT_NE(failure_on_crossbar(sources).find("names 3 sources, but only 1 neighbours"), std::string::npos);
}

} // namespace
} // namespace orrery::neighbours_test
