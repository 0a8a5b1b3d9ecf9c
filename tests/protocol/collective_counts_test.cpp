// What runs say of their collectives: calls, sizes, messages, time, the algorithm and why.
#include "drivers/action_script.h"
#include "drivers/crossbar.h"
#include "protocol/collective_counts.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

namespace orrery::collective_counts_test {
namespace {

CollectiveCall call_of(Collective operation, std::uint32_t size, Bytes bytes) {
    CollectiveCall call;
    call.operation = operation;
    call.size = size;
    call.bytes = bytes;
    return call;
}

TEST(CollectiveCounts, CallsForTheSameReasonHaveOneRow) {
    CollectivePolicy policy;
    policy.set("bcast=chain:segment=1000B:fanout=2");
    CollectiveCounts counts(policy);
    const auto count = [&](const CollectiveCall& call, bool nonblocking = false) {
        return counts.count(call, nonblocking,
                            nonblocking ? policy.choose_nonblocking(call) : policy.choose(call));
    };
    const std::uint32_t small = count(call_of(Collective::allreduce, 8, 8));
    EXPECT_EQ(count(call_of(Collective::allreduce, 8, 9)), small);
    const std::uint32_t large = count(call_of(Collective::allreduce, 8, 8'000'000));
    EXPECT_NE(large, small); // by another rule
    EXPECT_EQ(count(call_of(Collective::allreduce, 8, 7)), small);
    EXPECT_NE(count(call_of(Collective::allreduce, 8, 8), true), small);
    const std::uint32_t forced = count(call_of(Collective::bcast, 8, 50'000));
    counts.sent(small, 100);
    counts.sent(small, 11);
    counts.took(small, Time::us(2));
    counts.took(small, Time::us(3));
    counts.took(forced, Time::us(4));
    EXPECT_EQ(counts.count(call_of(Collective::allgather, 8, 16), false, {}), 4U);

    const std::vector<CollectiveProfile> rows = counts.profile();
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_EQ(rows[0].call, "allreduce");
    EXPECT_EQ(rows[0].calls, 3U);
    EXPECT_EQ(rows[0].least, 7U);
    EXPECT_EQ(rows[0].most, 9U);
    EXPECT_EQ(rows[0].messages, 2U);
    EXPECT_EQ(rows[0].bytes, 111U);
    EXPECT_DOUBLE_EQ(rows[0].seconds, 5e-6);
    EXPECT_NE(rows[0].reason.find("fewer than 16 ranks, fewer than 8,192 bytes"), std::string::npos)
        << rows[0].reason;
    EXPECT_EQ(rows[1].algorithm, "chain:segment=1000B:fanout=2");
    EXPECT_EQ(rows[1].reason, "forced: bcast=chain:segment=1000B:fanout=2");
    EXPECT_EQ(rows[2].call, "allgather"); // those of no time follow by name
    EXPECT_EQ(rows[2].algorithm, "own");
    EXPECT_EQ(rows[4].call, "iallreduce");
    EXPECT_EQ(rows[4].reason, "coll/libnbc of Open MPI");
}

// However many sizes there are, the rows stay, and what is remembered of sizes is bounded.
TEST(CollectiveCounts, TakeAnyNumberOfSizes) {
    const CollectivePolicy policy;
    CollectiveCounts counts(policy);
    constexpr Bytes sizes = 150'000;
    for (Bytes bytes = 1; bytes <= sizes; ++bytes) {
        const CollectiveCall call = call_of(Collective::allreduce, 8, bytes);
        (void)counts.count(call, false, policy.choose(call));
    }
    const std::vector<CollectiveProfile> rows = counts.profile();
    EXPECT_LT(rows.size(), 20U);
    std::uint64_t calls = 0;
    for (const CollectiveProfile& row : rows) calls += row.calls;
    EXPECT_EQ(calls, sizes);
}

// Every message of a run belongs to one row; the time of a rank in collectives is that of its rows.
TEST(CollectiveCounts, OfARunAddUp) {
    for (const Selector selector :
         {Selector::openmpi, Selector::mpich, Selector::smpi_default, Selector::loggopsim}) {
        for (const std::uint32_t ranks : {1U, 2U, 5U, 8U, 13U}) {
            test::ActionScript script(ranks);
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                for (const Collective what :
                     {Collective::barrier, Collective::bcast, Collective::allreduce, Collective::alltoall,
                      Collective::gather, Collective::scatter, Collective::reduce, Collective::allgather})
                    script.collective(rank, what, 3000);
                script.nonblocking(rank, Collective::allreduce, 100, 1).compute(rank, 50).wait(rank, 1);
                if (ranks > 1) {
                    script.message(rank, ActionKind::isend, (rank + 1) % ranks, 700, 2);
                    script.message(rank, ActionKind::recv, (rank + ranks - 1) % ranks, 700).wait(rank, 2);
                }
            }
            ReplayOptions options;
            options.collectives = CollectivePolicy(selector);
            const ReplayPrediction run = test::run_on_crossbar(script, options);
            std::uint64_t messages = run.point_to_point;
            Bytes bytes = run.point_to_point_bytes;
            double blocking = 0;
            for (const CollectiveProfile& row : run.collectives) {
                EXPECT_EQ(row.calls, ranks) << row.call;
                EXPECT_EQ(row.least, row.most);
                messages += row.messages;
                bytes += row.bytes;
                if (row.call != "iallreduce") blocking += row.seconds;
            }
            EXPECT_EQ(run.collectives.size(), 9U);
            EXPECT_EQ(messages, run.base.messages) << name_of(selector) << ", " << ranks;
            EXPECT_EQ(bytes, run.base.bytes);
            Bytes by_call = 0;
            std::array<double, call_kinds> by_kind{};
            for (const CallProfile& row : run.profile) {
                by_call += row.bytes;
                by_kind[static_cast<std::size_t>(row.kind)] += row.seconds;
            }
            EXPECT_EQ(by_call, run.base.bytes);
            for (std::size_t kind = 0; kind < call_kinds; ++kind) {
                double sum = 0;
                for (const CallTimes& rank : run.calls) sum += rank.by_kind[kind].seconds();
                EXPECT_NEAR(by_kind[kind], sum, 1e-15 + 1e-12 * sum) << call_kind_names[kind];
            }
            EXPECT_NEAR(blocking, by_kind[static_cast<std::size_t>(CallKind::collective)], 1e-12);
        }
    }
}

} // namespace
} // namespace orrery::collective_counts_test
