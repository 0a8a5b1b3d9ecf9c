// Damaged traces: each gets an error with the place and the reason.
#include "formats/allprof/trace_text.h"

#include <algorithm>

namespace orrery::allprof_test::bad_input_test {
namespace {

// What is said about a trace of one rank with this line (the fourth) in it.
std::string about(const std::string& line) { return read_error({RankText(0, 1).raw(line).finish()}); }

TEST(AllprofBadInput, damaged_lines) {
    const struct {
        const char* line;
        const char* error;
    } cases[] = {
        {"garbage", "rank-0:4:1: 'garbage': expected a call such as MPI_Send:start:...:end"},
        {"MPI_Send", "rank-0:4:1: 'MPI_Send': expected MPI_Function:start:...:end"},
        {"MPI_Send:", "rank-0:4:1: 'MPI_Send:': expected MPI_Function:start:...:end"},
        {"MPI_Send:x:1:1:1,4,4:0:0:0,0,1:120",
         "rank-0:4:10: 'x': expected the start time of the call in microseconds"},
        {"MPI_Send:-5:1:1:1,4,4:0:0:0,0,1:120", "rank-0:4:10: '-5': expected the start time"},
        {"MPI_Send:110:1:1:1,4,4:0:0:0,0,1:1e6", "rank-0:4:34: '1e6': expected the end time"},
        {"MPI_Send:110:1:1:1,4,4:0:0:0,0,1:105", "rank-0:4:1: the call ends before it starts"},
        {"MPI_Send:110:1:1:1,4,4:0:0:0,0,1",
         "rank-0:4:28: '0,0,1': expected the end time of the call in microseconds"},
        {"MPI_Send:110:1:1:1,4,4:0:0:0,0,1:7:120", "rank-0:4:1: MPI_Send has 7 arguments here, expected 6"},
        {"MPI_Send:110:1:one:1,4,4:0:0:0,0,1:120",
         "rank-0:4:16: argument 2 of MPI_Send: 'one' is not a number"},
        {"MPI_Send:110:1:-1:1,4,4:0:0:0,0,1:120", "rank-0:4:16: a negative count, -1"},
        {"MPI_Send:110:1:9223372036854775807:1,4,4:0:0:0,0,1:120",
         "rank-0:4:16: 9223372036854775807 elements of 4 bytes are too many"},
        {"MPI_Send:110:1:99999999999999999999:1,4,4:0:0:0,0,1:120", "is not a number"},
        {"MPI_Send:110:1:1:4:0:0:0,0,1:120",
         "rank-0:4:18: argument 3 of MPI_Send: '4' is not a datatype (id,size,extent)"},
        {"MPI_Send:110:1:1:1,x,4:0:0:0,0,1:120", "is not a datatype"},
        {"MPI_Send:110:1:1:1,4,4:0:0:0,0:120",
         "rank-0:4:28: argument 6 of MPI_Send: '0,0' is not a communicator (handle,rank,size)"},
        {"MPI_Send:110:1:1:1,4,4:0:0:0,1,1:120", "rank-0:4:28: rank 1 in a communicator of 1 ranks"},
        {"MPI_Send:110:1:1:1,4,4:5:0:0,0,1:120", "rank-0:4:24: rank 5 in a communicator of 1 ranks"},
        {"MPI_Send:110:1:1:1,4,4:-1:0:0,0,1:120",
         "rank-0:4:24: rank -1 means nothing to Open MPI; is this a trace of MPICH (--mpi)?"},
        {"MPI_Send:110:1:1:1,4,4:0:-1:0,0,1:120", "rank-0:4:26: tag -1: expected 0 to 2147483647"},
        {"MPI_Send:110:1:1:1,4,4:0:2147483648:0,0,1:120", "tag 2147483648: expected 0 to 2147483647"},
        {"MPI_Bcast:110:1:1:1,4,4:1:0,0,1:120", "rank-0:4:25: root 1 in a communicator of 1 ranks"},
        {"MPI_Bcast:110:120", "rank-0:4:1: MPI_Bcast has 0 arguments here, expected 1"},
        {"MPI_Barrier:110:0,0,1:0,0,1:120", "MPI_Barrier has 2 arguments here, expected 1"},
        {"MPI_Waitall:110:-1:1:0:120", "rank-0:4:17: a negative number of requests"},
        {"MPI_Mrecv:110:1:1:1,4,4:5:0:120", "no MPI_Mprobe has found this message"},
        {"MPI_Alltoallv:110:1:2:1:3:0:1,4,4:1:4:1,1:5:0:1,4,4:0,0,1:120",
         "2 counts for a communicator of 1 ranks"},
        {"MPI_Alltoallv:110:9:2:-1:3:0:1,4,4:1:4:1:5:0:1,4,4:0,0,1:120", "'-1' is not a count"},
        {"MPI_Comm_split:110:0,0,1:0:0:120", "MPI_Comm_split has 3 arguments here, expected 4"},
        {"MPI_Init:-:1:2:120", "a second MPI_Init: does the file hold more than one run?"},
        {"MPI_Put:110:1:2:3:120", "1 MPI_Put: one-sided communication"},
        {"MPI_Ssned:110:1:1:1,4,4:0:0:0,0,1:120", "1 MPI_Ssned: not an MPI call that Orrery knows"},
        {"MPI_File_open:110:1:120", "1 MPI_File_open: file access is not simulated"},
        {"MPI_Abort:110:0,0,1:1:120", "1 MPI_Abort: the traced run was aborted"},
        {"MPI_Recv:12.34:0x7ffc3:1:17:0:0:0:1:15.20  # backtrace [0x1: (main+0x2)]", "written by liballprof2"},
        {"MPI_Recv:12.34:0x7ffc3:1:17:0:0:0:1:15.20", "written by liballprof2"},
        {"MPI_Send:99999999999999999:1:1:1,4,4:0:0:0,0,1:99999999999999999",
         "more than 26 days after the call before"},
    };
    for (const auto& [line, error] : cases) {
        const std::string said = about(line);
        EXPECT_NE(said.find(error), std::string::npos)
            << line << "\n  expected: " << error << "\n  said: " << said;
    }
}

TEST(AllprofBadInput, all_calls_that_cannot_be_represented_are_named) {
    RankText rank(0, 1);
    for (int i = 0; i < 3; ++i) rank.call("Win_fence", "0:1").call("Win_get_name", "1:2:3");
    rank.call("Put", "1:2:3");
    const std::string error = read_error({rank.finish()});
    EXPECT_NE(error.find("rank-0:4: the first of 4 calls"), std::string::npos) << error;
    EXPECT_NE(error.find("\n  3 MPI_Win_fence: "), std::string::npos) << error;
    EXPECT_NE(error.find("\n  1 MPI_Put: "), std::string::npos) << error;
    AllprofOptions options;
    options.skip_unsupported = true;
    EXPECT_EQ(dump(program(read({rank.finish()}, options), 0)), "0: calc 94\n"); // all of it computing
}

TEST(AllprofBadInput, traces_that_were_cut_off) {
    const std::string whole = RankText(0, 1).send(0, 8, 1).recv(0, 8, 1).finish();
    const std::size_t lines = static_cast<std::size_t>(std::count(whole.begin(), whole.end(), '\n'));
    EXPECT_EQ(read_error({whole}), "");
    EXPECT_EQ(read_error({whole.substr(0, whole.size() - 1)}), ""); // the last newline does not matter
    AllprofOptions tolerant;
    tolerant.allow_truncated = true;
    std::size_t seen = 0;
    for (std::size_t length = 0; length <= whole.find("MPI_Finalize"); ++length) {
        const std::string cut = whole.substr(0, length);
        const std::string error = read_error({cut});
        EXPECT_NE(error.find("--allow-truncated"), std::string::npos) << length;
        EXPECT_EQ(read_error({cut}, tolerant), "") << length;
        seen += cut.ends_with('\n') ? 1 : 0;
    }
    EXPECT_EQ(seen, lines - 1);
    EXPECT_NE(read_error({RankText(0, 1).text()}).find("the trace ends without MPI_Finalize"),
              std::string::npos);
}

TEST(AllprofBadInput, collectives_that_only_some_reach_are_cut_off_as_well) {
    const std::string whole = RankText(0, 2).barrier().barrier().finish();
    const std::string cut = RankText(1, 2).barrier().text();
    AllprofOptions tolerant;
    tolerant.allow_truncated = true;
    const AllprofTrace trace = read({whole, cut}, tolerant);
    EXPECT_EQ(trace.summary().tally.collectives, 2u);
    EXPECT_EQ(program(trace, 0).ops.back(), calc_op(20'000'000));
}

TEST(AllprofBadInput, after_finalize) {
    const std::string text = RankText(0, 1).finish();
    EXPECT_EQ(read_error({text + "MPI_Finalized:900:1:901\n# end\n"}), "");
    EXPECT_NE(read_error({text + "MPI_Barrier:900:0,0,1:901\n"}).find("a call after MPI_Finalize"),
              std::string::npos);
}

TEST(AllprofBadInput, lines_of_any_length_and_kind) {
    EXPECT_NE(about(std::string(2'000'000, 'x')).find("xxx...': expected a call"), std::string::npos);
    EXPECT_NE(about(std::string("MPI_\0Send", 9)).find("'MPI_?Send': expected MPI_Function"),
              std::string::npos);
    EXPECT_EQ(read_error({RankText(0, 1).raw("#" + std::string(2'000'000, 'x')).finish()}), "");
    std::string dos = RankText(0, 1).send(0, 8, 1).finish();
    for (std::size_t at = 0; (at = dos.find('\n', at)) != std::string::npos; at += 2)
        dos.replace(at, 1, "\r\n");
    EXPECT_EQ(read_error({dos}), "");
    EXPECT_NE(read_error({}), "");
}

} // namespace
} // namespace orrery::allprof_test::bad_input_test
