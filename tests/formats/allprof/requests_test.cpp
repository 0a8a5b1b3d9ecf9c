// Which call completes which request, where the trace tells and where it does not.
#include "formats/allprof/trace_text.h"

#include <algorithm>
#include <set>

namespace orrery::allprof_test::requests_test {
namespace {

AllprofTrace of_rank_0(const RankText& rank) { return read({rank.finish(), RankText(1, 2).finish()}); }

// The receives and sends that each wait (an empty computation) waits for, in order.
std::vector<std::set<std::uint32_t>> waits(const RankGraph& graph) {
    std::vector<std::set<std::uint32_t>> found;
    for (std::uint32_t i = 0; i < graph.ops.size(); ++i) {
        if (graph.ops[i].kind != OpKind::calc || graph.ops[i].size != 0) continue;
        std::set<std::uint32_t> tags;
        for (const Dependency& d : graph.dependencies) {
            if (d.after == i && graph.ops[d.before].kind != OpKind::calc) tags.insert(graph.ops[d.before].tag);
        }
        found.push_back(tags);
    }
    return found;
}
using Waits = std::vector<std::set<std::uint32_t>>;

TEST(AllprofRequests, a_request_can_be_waited_for_once) {
    const AllprofTrace trace =
        of_rank_0(RankText(0, 2).irecv(1, 8, 1, 64).wait(64).wait(64).irecv(1, 8, 2, 64).wait(64));
    EXPECT_EQ(waits(program(trace, 0)), (Waits{{1}, {2}}));
    EXPECT_TRUE(trace.summary().notes().empty());
}

TEST(AllprofRequests, unknown_requests_are_counted) {
    const AllprofTrace trace = of_rank_0(RankText(0, 2).irecv(1, 8, 1, 64).wait(128).wait(64));
    EXPECT_EQ(trace.summary().tally.unknown_requests, 1u);
    EXPECT_EQ(waits(program(trace, 0)), (Waits{{1}}));
}

TEST(AllprofRequests, waitany_completes_one_at_a_time) {
    RankText rank(0, 2);
    for (int i = 0; i < 3; ++i) rank.irecv(1, 8, i + 1, 64 + 8 * static_cast<unsigned>(i));
    for (int i = 0; i < 3; ++i) rank.call("Waitany", "3:64:0:0");
    const AllprofTrace trace = of_rank_0(rank);
    EXPECT_EQ(waits(program(trace, 0)), (Waits{{1}, {2}, {3}}));
    EXPECT_EQ(trace.summary().tally.inferred_completions, 3u);
}

TEST(AllprofRequests, waitany_completes_what_is_used_again) {
    // The variable of the second receive is used for another one: the first MPI_Waitany has completed that.
    const AllprofTrace trace = of_rank_0(RankText(0, 2)
                                             .irecv(1, 8, 1, 64)
                                             .irecv(1, 8, 2, 72)
                                             .call("Waitany", "2:64:0:0")
                                             .irecv(1, 8, 3, 72)
                                             .waitall(2, 64));
    EXPECT_EQ(waits(program(trace, 0)), (Waits{{2}, {1, 3}}));
}

TEST(AllprofRequests, waitany_and_then_wait_for_the_other) {
    const AllprofTrace trace =
        of_rank_0(RankText(0, 2).irecv(1, 8, 1, 64).irecv(1, 8, 2, 72).call("Waitany", "2:64:0:0").wait(64));
    EXPECT_EQ(waits(program(trace, 0)), (Waits{{2}, {1}}));
}

TEST(AllprofRequests, waitsome_completes_at_least_one) {
    const AllprofTrace trace = of_rank_0(RankText(0, 2)
                                             .irecv(1, 8, 1, 64)
                                             .irecv(1, 8, 2, 72)
                                             .irecv(1, 8, 3, 80)
                                             .call("Waitsome", "3:64:0:0:0")
                                             .call("Waitsome", "3:64:0:0:0"));
    EXPECT_EQ(waits(program(trace, 0)), (Waits{{1}, {2, 3}}));
}

TEST(AllprofRequests, the_last_test_has_succeeded) {
    const AllprofTrace trace = of_rank_0(RankText(0, 2)
                                             .irecv(1, 8, 1, 64)
                                             .call("Test", "64:0:0")
                                             .call("Test", "64:0:0")
                                             .send(1, 8, 9)
                                             .irecv(1, 8, 2, 64)
                                             .irecv(1, 8, 3, 72)
                                             .call("Testall", "2:64:0:0")
                                             .call("Testany", "2:64:0:0:0")
                                             .call("Testsome", "2:64:0:0:0"));
    const RankGraph graph = program(trace, 0);
    EXPECT_EQ(waits(graph), (Waits{{1}, {2, 3}}));
    // The tests that are left out leave the computing time between them, without their own time.
    EXPECT_EQ(graph.ops[3], calc_op(20'000'000));
}

TEST(AllprofRequests, completion_that_the_trace_does_not_show) {
    // No call names the request, but its variable is used again: the receive was complete before that.
    const AllprofTrace trace = of_rank_0(RankText(0, 2).irecv(1, 8, 1, 64).send(1, 8, 5).irecv(1, 8, 2, 64));
    EXPECT_EQ(dump(program(trace, 0)), "0: recv 8 from 1 tag 1 | 1\n"
                                       "1: calc 10\n"
                                       "2: send 8 to 1 tag 5 | 3\n"
                                       "3: calc 10 | 0i\n"
                                       "4: calc 0 | 0 5\n"
                                       "5: calc 10 | 2\n"
                                       "6: recv 8 from 1 tag 2 | 7\n"
                                       "7: calc 0 | 4\n"
                                       "8: calc 0 | 6 9\n" // before MPI_Finalize
                                       "9: calc 10 | 6i\n"
                                       "10: calc 0 | 8\n");
    EXPECT_EQ(trace.summary().tally.inferred_completions, 2u);
    // A send is left to itself.
    EXPECT_EQ(waits(program(of_rank_0(RankText(0, 2).isend(1, 8, 1, 64).isend(1, 8, 2, 64)), 0)), Waits{});
}

TEST(AllprofRequests, freed_and_cancelled) {
    const AllprofTrace trace = of_rank_0(RankText(0, 2)
                                             .isend(1, 8, 1, 64)
                                             .call("Request_free", "64")
                                             .irecv(1, 8, 2, 72)
                                             .call("Cancel", "72")
                                             .wait(72)
                                             .send(1, 8, 3));
    EXPECT_EQ(dump(program(trace, 0)), "0: send 8 to 1 tag 1 | 1\n"
                                       "1: calc 10\n"
                                       "2: send 8 to 1 tag 3 | 3\n"
                                       "3: calc 54 | 0i\n"
                                       "4: calc 10 | 2\n");
    EXPECT_EQ(trace.summary().tally.cancelled, 1u);
}

TEST(AllprofRequests, persistent) {
    const std::string comm = "7000000,0,2";
    const AllprofTrace trace = of_rank_0(RankText(0, 2)
                                             .call("Send_init", "1:8:13,1,1:1:1:" + comm + ":64")
                                             .call("Recv_init", "1:8:13,1,1:1:2:" + comm + ":72")
                                             .call("Send_init", "1:8:13,1,1:-2:3:" + comm + ":80")
                                             .call("Startall", "3:64")
                                             .waitall(3, 64)
                                             .call("Start", "72")
                                             .wait(72)
                                             .call("Request_free", "72"));
    EXPECT_EQ(dump(program(trace, 0)), "0: send 8 to 1 tag 1 | 2\n"
                                       "1: recv 8 from 1 tag 2 | 2\n"
                                       "2: calc 46\n"
                                       "3: calc 0 | 0 1 4\n"
                                       "4: calc 10 | 0i 1i\n"
                                       "5: recv 8 from 1 tag 2 | 6\n"
                                       "6: calc 10 | 3\n"
                                       "7: calc 0 | 5 8\n"
                                       "8: calc 10 | 5i\n"
                                       "9: calc 22 | 7\n");
    EXPECT_NE(read_error({RankText(0, 1).call("Start", "64").finish()}).find("no MPI_Send_init"),
              std::string::npos);
}

TEST(AllprofRequests, slots_are_used_again) {
    RankText rank(0, 2);
    for (int i = 0; i < 1000; ++i) rank.irecv(1, 8, i, 64).isend(1, 8, i, 72).waitall(2, 64);
    const AllprofTrace trace = of_rank_0(rank);
    const RankGraph graph = program(trace, 0);
    EXPECT_EQ(graph.ops.size(), 6001u);
    std::size_t right = 0;
    for (const Dependency& d : graph.dependencies) {
        // Each wait waits for the two operations just before it.
        if (graph.ops[d.after] == calc_op(0) && graph.ops[d.before].kind != OpKind::calc) {
            right += d.after - d.before <= 4 ? 1 : 0;
        }
    }
    EXPECT_EQ(right, 2000u);
}

TEST(AllprofRequests, a_huge_array_takes_no_time) {
    const AllprofTrace trace =
        of_rank_0(RankText(0, 2).irecv(1, 8, 1, 64).call("Waitall", "9223372036854775807:0:0"));
    EXPECT_EQ(waits(program(trace, 0)), (Waits{{1}}));
}

} // namespace
} // namespace orrery::allprof_test::requests_test
