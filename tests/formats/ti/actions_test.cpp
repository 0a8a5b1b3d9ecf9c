// Each action of the current grammar.
#include "ti_text.h"

namespace orrery::actions_test {
namespace {

using namespace ti_test;
using Lines = std::vector<std::string>;

std::string one(std::string_view line) {
    const Lines lines = read_lines({line});
    return lines.size() == 1 ? lines[0] : fmt::format("{} actions", lines.size());
}

TEST(TiActions, numbers_are_read_as_doubles) {
    EXPECT_EQ(one("compute 1e6"), "compute 1000000");
    EXPECT_EQ(one("compute 1000000.0"), "compute 1000000");
    EXPECT_EQ(one("compute  \t 0.5 \r"), "compute 0.5");
    EXPECT_EQ(one("compute 123456789012345678"), "compute 1.2345678901234568e+17");
    EXPECT_EQ(one("compute 0"), "compute 0");
    EXPECT_EQ(one("compute +3"), "compute 3");
    EXPECT_EQ(one("sleep 1e-3"), "sleep 0.001");
    EXPECT_EQ(one("send 1 0 1e6"), "send 1 1000000 B");
    EXPECT_EQ(one("send 1 0 1000.9 6"), "send 1 1000 B"); // cut, as SimGrid does
}

TEST(TiActions, messages) {
    EXPECT_EQ(one("send 1 7 100"), "send 1 tag 7 100 B");
    EXPECT_EQ(one("send 1 7 100 0"), "send 1 tag 7 800 B");
    EXPECT_EQ(one("isend 3 0 100 6"), "isend 3 100 B #0");
    EXPECT_EQ(one("Ssend 1 7 10 1"), "ssend 1 tag 7 40 B");
    EXPECT_EQ(one("ISsend 1 7 10 1"), "issend 1 tag 7 40 B #0");
    EXPECT_EQ(one("bsend 1 7 10 1"), "send 1 tag 7 40 B");
    EXPECT_EQ(one("ibsend 1 7 10 1"), "isend 1 tag 7 40 B #0");
    EXPECT_EQ(one("recv 2 7 100 6"), "recv 2 tag 7 100 B");
    EXPECT_EQ(one("irecv 2 7 100 6"), "irecv 2 tag 7 100 B #0");
    EXPECT_EQ(one("recv -555 -444 100 6"), "recv any tag any 100 B");
    EXPECT_EQ(one("irecv -333 -444 10 1"), "irecv any tag any 40 B #0"); // as SimGrid's tracer writes it
    EXPECT_EQ(one("sendRecv 5 1 6 2 0 1"), "sendrecv 1 40 B, 2 24 B");
    EXPECT_EQ(one("sendRecv 5 1 6 2"), "sendrecv 1 5 B, 2 6 B");
    EXPECT_EQ(one("sendRecv 5 1 6 -555"), "sendrecv 1 5 B, any 6 B");
    EXPECT_EQ(one("probe 1 5"), "probe 1 tag 5");
    EXPECT_EQ(one("Start 1 2 16 1"), "isend 1 tag 2 16 B #0"); // its size is in bytes
}

TEST(TiActions, a_receive_of_unknown_size_looks_first) {
    EXPECT_EQ(read_lines({"recv 1 5 -1 6"}), (Lines{"probe 1 tag 5", "recv 1 tag 5 all"}));
    EXPECT_EQ(read_lines({"irecv -555 5 -1 6", "waitall"}),
              (Lines{"probe any tag 5", "irecv any tag 5 all #0", "waitall"}));
}

TEST(TiActions, messages_to_nobody_are_left_out) {
    EXPECT_EQ(read_lines({"send -666 5 10 6", "recv -666 5 10 6", "isend -333 5 10 6", "wait 0 -333 5",
                          "irecv -666 1 2 6", "wait -666 0 1", "sendRecv 1 -666 2 -666"}),
              Lines{});
    EXPECT_EQ(one("sendRecv 5 -666 6 2"), "recv 2 6 B");
    EXPECT_EQ(one("sendRecv 5 1 6 -666"), "send 1 5 B");
}

TEST(TiActions, one_sided_communication) {
    EXPECT_EQ(one("rma 1 100 0"), "rma 1 100 B, 0 B back");
    EXPECT_EQ(one("RMA 3 0 1e3"), "rma 3 0 B, 1000 B back");
    EXPECT_EQ(read_lines({"irma 1 8 0", "irma 2 0 8", "wait -333 -333 0", "wait req=1"}),
              (Lines{"irma 1 8 B, 0 B back #0", "irma 2 0 B, 8 B back #1", "wait #0", "wait #1"}));
    EXPECT_EQ(one("win_fence"), "win_fence");
    EXPECT_EQ(one("win_lock 2 5"), "win_lock 2 flags 5");
    EXPECT_EQ(one("win_unlock 2"), "win_unlock 2");
    EXPECT_EQ(one("win_lock_all 2"), "win_lock_all flags 2");
    EXPECT_EQ(one("win_unlock_all"), "win_unlock_all");
    EXPECT_EQ(one("win_flush 3"), "win_flush 3");
    EXPECT_EQ(one("win_flush_all"), "win_flush_all");
    EXPECT_EQ(one("win_flush_local 3"), "win_flush_local 3");
    EXPECT_EQ(one("win_flush_local_all"), "win_flush_local_all");
    EXPECT_EQ(one("win_start 0 1 3"), "win_start [1 3]");
    EXPECT_EQ(one("win_complete"), "win_complete");
    EXPECT_EQ(one("win_post 2"), "win_post flags 2"); // for nobody
    EXPECT_EQ(one("win_wait"), "win_wait");
    EXPECT_EQ(read_lines({"comm_create 5 1 0", "win_lock 1 0 comm=5", "rma 1 8 8 comm=5"}),
              (Lines{"comm_create 5: [1 0]", "win_lock 1 in 5", "rma 1 8 B, 8 B back in 5"}));
}

TEST(TiActions, pauses_have_kinds) {
    EXPECT_EQ(read_lines({"sleep 1e-6", "sleep 2e-6 1", "sleep 3e-6 2 5000000", "sleep 0 3", "sleep 1 4"}),
              (Lines{"sleep 1e-06", "sleep 2e-06 pause 1", "sleep 3e-06 pause 2 at most 5000000",
                     "sleep 0 pause 3", "sleep 1 pause 4"}));
}

TEST(TiActions, awaited_requests_stay) {
    EXPECT_EQ(read_lines({"isend 1 0 5 6", "irecv 1 0 5 6", "await req=0,1", "waitall req=0,1"}),
              (Lines{"isend 1 5 B #0", "irecv 1 5 B #1", "await [0 1]", "waitall [0 1]"}));
}

TEST(TiActions, messages_that_a_probe_takes) {
    EXPECT_EQ(read_lines({"probe 1 5 msg=3", "irecv 1 5 8 6 msg=3", "waitall"}),
              (Lines{"probe 1 tag 5 msg 3", "irecv 1 tag 5 8 B #0 msg 3", "waitall"}));
}

TEST(TiActions, sendrecv_with_a_tag) {
    EXPECT_EQ(read_lines({"sendRecv 8 1 16 1 6 6 tag=7", "sendRecv 8 1 16 1 6 6"}),
              (Lines{"sendrecv 1 8 B, 1 16 B tag 7", "sendrecv 1 8 B, 1 16 B"}));
}

TEST(TiActions, cancelled_sends_and_algorithms_beside_the_rank) {
    EXPECT_EQ(read_lines({"isend 1 0 5 6", "isend 1 1 5 6", "cancel req=1", "isend 1 2 5 6"}),
              (Lines{"isend 1 5 B #0", "isend 1 tag 1 5 B #1", "cancel #1", "isend 1 tag 2 5 B #1"}));
    EXPECT_EQ(read_lines({"aside 0 1 0 0 8 0 1 2 0 0 0 16", "aside", "waitall"}),
              (Lines{"aside #0 [0 1 0 0 8 0 1 2 0 0 0 16]", "aside #1", "waitall"}));
}

TEST(TiActions, collectives) {
    EXPECT_EQ(one("barrier"), "barrier");
    EXPECT_EQ(one("bcast 100"), "bcast 100 B");
    EXPECT_EQ(one("bcast 5e4 1 0"), "bcast root 1 400000 B");
    EXPECT_EQ(one("reduce 10 1e3"), "reduce 10 B then 1000");
    EXPECT_EQ(one("reduce 10 1e3 2 0"), "reduce root 2 80 B of 8 then 1000");
    EXPECT_EQ(one("allreduce 10 0 1 "), "allreduce 40 B of 4");
    EXPECT_EQ(one("alltoall 10 10 1 1"), "alltoall 40 B");
    EXPECT_EQ(one("allgather 10 10"), "allgather 10 B");
    EXPECT_EQ(one("gather 10 11 1 1 1"), "gather root 1 40 B");
    EXPECT_EQ(one("gather 0 11 0 1 1"), "gather 44 B"); // the root's own part may be left out
    EXPECT_EQ(one("scatter 10 11 1 1 1"), "scatter root 1 44 B");
    EXPECT_EQ(one("scatter 10 0 0 1 1"), "scatter 40 B");
    EXPECT_EQ(one("scan 10 5 0"), "scan 80 B of 8 then 5");
    EXPECT_EQ(one("exscan 10 5"), "exscan 10 B then 5");
    EXPECT_EQ(one("reducescatterblock 10 5 0"), "reduce_scatter_block 80 B of 8 then 5");
}

TEST(TiActions, collectives_with_counts) {
    EXPECT_EQ(one("gatherv 10 1 2 3 4 0 6 1"), "gatherv 10 B [4 8 12 16]");
    EXPECT_EQ(one("gatherv 10 1 2 3 4"), "gatherv 10 B [1 2 3 4]");
    EXPECT_EQ(one("gatherv 10 0 0 0 0 1 1 1"), "gatherv root 1 40 B"); // not the root
    EXPECT_EQ(one("scatterv 1 2 3 4 10 0 1 6"), "scatterv 10 B [4 8 12 16]");
    EXPECT_EQ(one("scatterv 0 0 0 0 10 1 1 1"), "scatterv root 1 40 B");
    EXPECT_EQ(one("allgatherv 5 1 2 3 4"), "allgatherv 5 B [1 2 3 4]");
    EXPECT_EQ(one("allgatherv 5 1 2 3 4 1"), "allgatherv 20 B [1 2 3 4]");
    EXPECT_EQ(one("allgatherv 5 1 2 3 4 1 0"), "allgatherv 20 B [8 16 24 32]");
    EXPECT_EQ(one("allgatherv 5 1 2 3 4 0 10 20 30"), "allgatherv 5 B [1 2 3 4]"); // displacements
    EXPECT_EQ(one("allgatherv 5 1 2 3 4 1 1 0 10 20 30"), "allgatherv 20 B [4 8 12 16]");
    EXPECT_EQ(one("alltoallv 100 1 2 3 4 200 5 6 7 8"), "alltoallv 0 B [1 2 3 4 5 6 7 8]");
    EXPECT_EQ(one("alltoallv 100 1 2 3 4 200 5 6 7 8 1 0"), "alltoallv 0 B [4 8 12 16 40 48 56 64]");
    EXPECT_EQ(one("reducescatter 1 2 3 4 1e3 0"), "reduce_scatter 80 B of 8 then 1000 [8 16 24 32]");
    EXPECT_EQ(one("reducescatter 1 2 3 4 0"), "reduce_scatter 10 B [1 2 3 4]");
}

TEST(TiActions, nonblocking_collectives_have_requests) {
    EXPECT_EQ(read_lines({"ibcast 100 1 1 ", "wait -333 -333 -3335", "ibarrier", "iallreduce 10 0 1",
                          "wait 0 0 -779", "waitall 1"}),
              (Lines{"ibcast #0 root 1 400 B", "wait #0", "ibarrier #0", "iallreduce #1 40 B of 4", "wait #0",
                     "waitall"}));
    for (const std::string_view line :
         {"ireduce 1 0", "ialltoall 1 1", "ialltoallv 4 1 1 1 1 4 1 1 1 1", "igather 1 1", "igatherv 1 1 1 1 1",
          "iscatter 1 1", "iscatterv 1 1 1 1 1", "iallgather 1 1", "iallgatherv 1 1 1 1 1",
          "ireducescatter 1 1 1 1 0", "iscan 1 0", "iexscan 1 0", "ireducescatterblock 1 0",
          "ialltoallw 4 1 1 1 1 4 1 1 1 1"}) {
        EXPECT_NE(one(line).find(" #0 "), std::string::npos) << line << ": " << one(line);
    }
}

TEST(TiActions, what_has_no_effect) {
    EXPECT_EQ(read_lines({"init", "finalize", "location a.c 5", "comm_size 4", "comm_split", "comm_dup",
                          "iprobe 1 2"}),
              Lines{});
    EXPECT_EQ(read_text("# all\n\n0 init\n\t0\tcompute\t5\n  # more\n0 finalize")[0], Lines{"compute 5"});
}

TEST(TiActions, init_with_an_argument_makes_doubles_the_default) {
    EXPECT_EQ(read_lines({"init 1", "send 1 0 10", "bcast 5", "send 1 0 10 6"}),
              (Lines{"send 1 80 B", "bcast 40 B", "send 1 10 B"}));
}

TEST(TiActions, any_mixture_of_capitals) {
    EXPECT_EQ(one("Isend 1 5 100 6"), "isend 1 tag 5 100 B #0");
    EXPECT_EQ(one("allReduce 10 0"), "allreduce 10 B");
    EXPECT_EQ(one("sendrecv 1 1 1 1"), "sendrecv 1 1 B, 1 1 B");
    EXPECT_EQ(one("COMPUTE 5"), "compute 5");
}

TEST(TiActions, communicators) {
    EXPECT_EQ(read_lines({"comm_split 3 1 0", "send 1 0 5 comm=3", "comm_dup 4 comm=3", "bcast 5 comm=4",
                          "comm_create 5 2 0 1", "allgatherv 5 1 2 3 6 6 comm=5", "gatherv 5 0 6 6 comm=3",
                          "gatherv 5 7 8 0 6 6 comm=3", "irecv 1 9 4 6 comm=3", "wait 1 0 9 comm=3",
                          "comm_free 3", "comm_split 3 -1 0"}),
              (Lines{"comm_split 3: 1 0", "send 1 5 B in 3", "comm_dup 4: in 3", "bcast 5 B in 4",
                     "comm_create 5: [2 0 1]", "allgatherv 5 B in 5 [1 2 3]", "gatherv 5 B in 3",
                     "gatherv 5 B in 3 [7 8]", "irecv 1 tag 9 4 B #0 in 3", "wait #0", "comm_free in 3",
                     "comm_split 3: any 0"}));
}

TEST(TiActions, every_datatype_has_a_size) {
    const std::vector<int> sizes{8, 4,  1, 2,  8,  4, 1,  8,  1, 1,  2,  4,  8,  8,  16, 4, 1,  1,  2, 4,
                                 8, 1,  2, 4,  8,  8, 16, 32, 8, 8,  8,  16, 16, 8,  8,  8, 16, 16, 4, 4,
                                 8, 16, 8, 16, 16, 4, 2,  4,  8, 16, 32, 1,  8,  16, 32, 0, 0,  1,  8, 8};
    ASSERT_EQ(sizes.size(), 60U);
    for (std::size_t i = 0; i < sizes.size(); ++i)
        EXPECT_EQ(one(fmt::format("send 1 0 1 {}", i)), fmt::format("send 1 {} B", sizes[i])) << i;
    EXPECT_EQ(one("send 1 0 10 -1"), "send 1 0 B");
}

TEST(TiActions, what_is_odd_is_counted) {
    const Folder folder;
    const TiTrace trace =
        TiTrace::open(folder.write("t", "0 send 1 0 10 -1\n0 send 1 0 0 -1\n0 allreduce 5 0 -1\n0 send -666 0 "
                                        "1 6\n0 irecv -333 0 1 6\n0 testany\n0 "
                                        "waitall\n0 comm_dup\n0 bsend 1 0 1 6\n0 iprobe 1 1\n1 init\n"));
    EXPECT_TRUE(trace.notes().empty()); // nothing has been read yet
    (void)read_all(*trace.source());
    const std::vector<std::string> notes = trace.notes();
    ASSERT_EQ(notes.size(), 7U);
    EXPECT_EQ(notes[0].substr(0, 55), "2 messages have the null datatype and carry no bytes (S");
    EXPECT_EQ(notes[1], "1 messages to or from no rank (-666, or a send to -333) are left out");
    EXPECT_EQ(notes[3], "1 receives from rank -333 are taken as receives from any source");
}

} // namespace
} // namespace orrery::actions_test
