// What each point-to-point call becomes.
#include "formats/allprof/trace_text.h"

#include <algorithm>

namespace orrery::allprof_test::messages_test {
namespace {

// Rank 1 sends or receives whatever: only rank 0's program is looked at.
RankGraph of_rank_0(const RankText& rank, const AllprofOptions& options = {}) {
    return program(read({rank.finish(), RankText(1, 2).finish()}, options), 0);
}

TEST(AllprofMessages, blocking_calls_make_a_chain) {
    const RankGraph graph =
        of_rank_0(RankText(0, 2).send(1, 8, 3).recv(1, 16, 4).call("Comm_rank", "7000000,0,2:1"));
    EXPECT_EQ(dump(graph), "0: send 8 to 1 tag 3 | 1\n"
                           "1: calc 10\n"
                           "2: recv 16 from 1 tag 4 | 3\n"
                           "3: calc 10 | 0\n"
                           "4: calc 22 | 2\n"); // the 2 us of MPI_Comm_rank count as computing
}

TEST(AllprofMessages, times_are_exact) {
    // A gap of 0.1234565 us is 123,456.5 ps, rounded to 123,457; absolute times do not fit into a double.
    const std::string text = "MPI_Init:-:1:2:1237666046950106.000000\n"
                             "MPI_Send:1237666046950106.1234565:1:1:1,4,4:0:0:0,0,1:1237666046950107.5\n"
                             "MPI_Send:1237666046950107.500001:1:1:1,4,4:0:0:0,0,1:1237666046950108\n"
                             "MPI_Finalize:1237666046950109:-\n";
    const RankGraph graph = program(read({text}), 0);
    ASSERT_EQ(graph.ops.size(), 5u);
    EXPECT_EQ(graph.ops[1].size, 123'457u);
    EXPECT_EQ(graph.ops[3].size, 1u);
    EXPECT_EQ(graph.ops[4].size, 1'000'000u);
}

TEST(AllprofMessages, nonblocking_calls_go_on_at_the_start) {
    const RankGraph graph = of_rank_0(RankText(0, 2)
                                          .irecv(1, 8, 1, 4000)
                                          .isend(1, 8, 2, 4008)
                                          .call("Irsend", "1:2:1,4,4:1:9:7000000,0,2:4016")
                                          .waitall(3, 4000));
    EXPECT_EQ(dump(graph), "0: recv 8 from 1 tag 1 | 1\n"
                           "1: calc 10\n"
                           "2: send 8 to 1 tag 2 | 3\n"
                           "3: calc 10 | 0i\n"
                           "4: send 8 to 1 tag 9 | 5\n"
                           "5: calc 10 | 2i\n"
                           "6: calc 0 | 0 2 4 7\n"
                           "7: calc 10 | 4i\n"
                           "8: calc 10 | 6\n");
}

TEST(AllprofMessages, every_kind_of_send) {
    for (const char* name : {"Send", "Ssend", "Rsend"}) {
        const RankGraph graph = of_rank_0(RankText(0, 2).call(name, "1:2:10,8,8:1:5:7000000,0,2"));
        EXPECT_EQ(dump(graph), "0: send 16 to 1 tag 5 | 1\n1: calc 10\n2: calc 10 | 0\n") << name;
    }
    // A buffered send is over once it has started.
    EXPECT_EQ(dump(of_rank_0(RankText(0, 2).call("Bsend", "1:2:10,8,8:1:5:7000000,0,2"))),
              "0: send 16 to 1 tag 5 | 1\n1: calc 10\n2: calc 10 | 0i\n");
    for (const char* name : {"Isend", "Issend", "Irsend"}) {
        const RankGraph graph = of_rank_0(RankText(0, 2).call(name, "1:2:10,8,8:1:5:7000000,0,2:64").wait(64));
        EXPECT_EQ(dump(graph),
                  "0: send 16 to 1 tag 5 | 1\n1: calc 10\n2: calc 0 | 0 3\n3: calc 10 | 0i\n4: calc 10 | 2\n")
            << name;
    }
    EXPECT_EQ(dump(of_rank_0(RankText(0, 2).call("Ibsend", "1:2:10,8,8:1:5:7000000,0,2:64").wait(64))),
              "0: send 16 to 1 tag 5 | 1\n1: calc 10\n2: calc 20 | 0i\n");
}

TEST(AllprofMessages, sendrecv_has_a_tag_for_each_direction) {
    const RankText rank = RankText(0, 3)
                              .call("Sendrecv", "1:2:10,8,8:1:5:1:3:1,4,4:2:6:7000000,0,3:0")
                              .call("Sendrecv_replace", "1:2:10,8,8:2:7:1:8:7000000,0,3:0");
    const AllprofTrace trace = read({rank.finish(), RankText(1, 3).finish(), RankText(2, 3).finish()});
    EXPECT_EQ(dump(program(trace, 0)), "0: send 16 to 1 tag 5 | 2\n"
                                       "1: recv 12 from 2 tag 6 | 2\n"
                                       "2: calc 10\n"
                                       "3: send 16 to 2 tag 7 | 5\n"
                                       "4: recv 16 from 1 tag 8 | 5\n"
                                       "5: calc 10 | 0 1\n"
                                       "6: calc 10 | 3 4\n");
}

TEST(AllprofMessages, nobody_to_send_to) {
    const std::string comm = "7000000,0,2";
    // Open MPI: MPI_PROC_NULL is -2. The 2 us that a call takes count as computing.
    const RankGraph graph = of_rank_0(RankText(0, 2)
                                          .call("Send", "1:2:10,8,8:-2:5:" + comm)
                                          .call("Sendrecv", "1:2:10,8,8:-2:5:1:3:1,4,4:1:6:" + comm + ":0")
                                          .call("Sendrecv", "1:2:10,8,8:1:5:1:3:1,4,4:-2:6:" + comm + ":0")
                                          .call("Irecv", "1:2:10,8,8:-2:5:" + comm + ":64")
                                          .wait(64));
    EXPECT_EQ(dump(graph), "0: recv 12 from 1 tag 6 | 1\n"
                           "1: calc 22\n"
                           "2: send 16 to 1 tag 5 | 3\n"
                           "3: calc 10 | 0\n"
                           "4: calc 32 | 2\n");
}

TEST(AllprofMessages, mpich_has_other_numbers) {
    const std::uint64_t world = 0x44000000;
    const std::string comm = "1140850688,0,2";
    // MPI_ANY_SOURCE is -2, MPI_PROC_NULL is -1, a request is 4 bytes.
    const RankText rank = RankText(0, 2, world)
                              .call("Recv", "1:1:10,8,8:-2:5:" + comm + ":0")
                              .call("Send", "1:1:10,8,8:-1:5:" + comm)
                              .irecv(1, 8, 6, 4000)
                              .irecv(1, 8, 7, 4004)
                              .waitall(2, 4000);
    const AllprofTrace trace = read({rank.finish(), RankText(1, 2, world).finish()});
    EXPECT_EQ(dump(program(trace, 0)), "0: recv 8 from any tag 5 | 1\n"
                                       "1: calc 10\n"
                                       "2: recv 8 from 1 tag 6 | 3\n"
                                       "3: calc 22 | 0\n"
                                       "4: recv 8 from 1 tag 7 | 5\n"
                                       "5: calc 10 | 2i\n"
                                       "6: calc 0 | 2 4 7\n"
                                       "7: calc 10 | 4i\n"
                                       "8: calc 10 | 6\n");
    // Told that it is Open MPI, the same numbers mean something else.
    AllprofOptions options;
    options.library = MpiLibrary::open_mpi;
    EXPECT_NE(
        read_error({rank.finish(), RankText(1, 2, world).finish()}, options).find("is this a trace of MPICH"),
        std::string::npos);
}

TEST(AllprofMessages, fortran_requests_of_open_mpi_are_4_bytes) {
    const RankText rank = RankText(0, 2, 0).irecv(1, 8, 6, 4000).irecv(1, 8, 7, 4004).waitall(2, 4000);
    const RankGraph graph = program(read({rank.finish(), RankText(1, 2, 0).finish()}), 0);
    EXPECT_EQ(graph.ops.size(), 7u);
    const RankGraph forced = [&] {
        AllprofOptions options;
        options.request_bytes = 8; // then the second is not in the array of two
        return program(read({rank.finish(), RankText(1, 2, 0).finish()}, options), 0);
    }();
    const auto waits_of = [](const RankGraph& g, std::uint32_t op) {
        return std::count_if(g.dependencies.begin(), g.dependencies.end(),
                             [&](const Dependency& d) { return d.after == op; });
    };
    EXPECT_EQ(waits_of(graph, 4), 3);
    EXPECT_EQ(waits_of(forced, 4), 2);
}

TEST(AllprofMessages, probing_leaves_the_waiting_to_the_receive) {
    const std::string comm = "7000000,0,2";
    const RankGraph graph = of_rank_0(RankText(0, 2)
                                          .call("Probe", "1:4:" + comm + ":0")
                                          .call("Iprobe", "1:4:" + comm + ":0:0")
                                          .recv(1, 8, 4)
                                          .call("Mprobe", "-1:9:" + comm + ":555:0")
                                          .call("Mrecv", "1:2:1,4,4:555:0")
                                          .call("Improbe", "1:10:" + comm + ":0:556:0")
                                          .call("Imrecv", "1:2:1,4,4:556:600")
                                          .wait(600));
    EXPECT_EQ(dump(graph), "0: recv 8 from 1 tag 4 | 1\n"
                           "1: calc 30\n"
                           "2: recv 8 from any tag 9 | 3\n"
                           "3: calc 20 | 0\n"
                           "4: recv 8 from 1 tag 10 | 5\n"
                           "5: calc 20 | 2\n"
                           "6: calc 0 | 4 7\n"
                           "7: calc 10 | 4i\n"
                           "8: calc 10 | 6\n");
}

TEST(AllprofMessages, without_point_to_point_it_all_is_computing) {
    AllprofOptions options;
    options.point_to_point = false;
    EXPECT_EQ(dump(of_rank_0(RankText(0, 2).send(1, 8, 3).irecv(1, 8, 4, 64).wait(64), options)),
              "0: calc 46\n");
}

TEST(AllprofMessages, computing_can_be_scaled_and_moved) {
    AllprofOptions options;
    options.compute_scale = 0.25;
    options.compute_cpu = 3;
    EXPECT_EQ(dump(of_rank_0(RankText(0, 2).irecv(1, 8, 4, 64).wait(64), options)),
              "0: recv 8 from 1 tag 4 | 1\n"
              "1: calc 2.5 cpu 3\n"
              "2: calc 0 | 0 3\n"
              "3: calc 2.5 cpu 3 | 0i\n"
              "4: calc 2.5 cpu 3 | 2\n");
    options.compute_scale = -1;
    EXPECT_NE(read_error({RankText(0, 1).finish()}, options), "");
}

TEST(AllprofMessages, clocks_that_go_back_are_counted) {
    const std::string text = "MPI_Init:-:1:2:100\nMPI_Send:110:1:1:1,4,4:0:0:0,0,1:120\n"
                             "MPI_Recv:119.5:1:1:1,4,4:0:0:0,0,1:0:121\nMPI_Finalize:122:-\n";
    const AllprofTrace trace = read({text});
    EXPECT_EQ(trace.summary().tally.overlaps, 1u);
    EXPECT_EQ(dump(program(trace, 0)), "0: send 4 to 0 tag 0 | 1\n1: calc 10\n2: recv 4 from 0 tag 0 | 3\n"
                                       "3: calc 0 | 0\n4: calc 1 | 2\n");
}

TEST(AllprofMessages, a_program_may_begin_without_init) {
    const std::string text =
        "MPI_Initialized:50:1:51\nMPI_Send:110:1:1:1,4,4:0:0:0,0,1:120\nMPI_Finalize:122:-\n";
    EXPECT_EQ(dump(program(read({text}), 0)), "0: send 4 to 0 tag 0 | 1\n1: calc 0\n2: calc 2 | 0\n");
    const std::string threads = "MPI_Init_thread:-:1:2:0:3:100\nMPI_Wtime:101:102\nMPI_Finalize:122:-\n";
    EXPECT_EQ(dump(program(read({threads}), 0)), "0: calc 22\n");
}

TEST(AllprofMessages, large_tags_and_many_communicators_stay_apart) {
    // Tag 1,000,000 would be the first collective's in LogGOPSim's numbering.
    const RankText a = RankText(0, 2).send(1, 8, 1'000'000).barrier().send(1, 8, 2'147'483'647);
    const RankText b = RankText(1, 2).barrier().recv(0, 8, 1'000'000).recv(0, 8, 2'147'483'647);
    const AllprofTrace trace = read({a.finish(), b.finish()});
    const RankGraph sender = program(trace, 0);
    EXPECT_EQ(sender.ops[0], send_op(1, 8, 0));
    EXPECT_EQ(sender.ops[2].tag, 2u); // the barrier
    EXPECT_EQ(program(trace, 1).ops[4], recv_op(0, 8, 0));
}

} // namespace
} // namespace orrery::allprof_test::messages_test
