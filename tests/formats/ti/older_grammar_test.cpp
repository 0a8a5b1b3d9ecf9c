// The grammar of the paper (Table 1), and how it is told apart.
#include "ti_text.h"

namespace orrery::older_grammar_test {
namespace {

using namespace ti_test;
using Lines = std::vector<std::string>;

TEST(TiOlderGrammar, figure_1_of_the_paper) {
    const Words words = read_text(
        "0 compute 1e6\n0 send 1 1e6\n0 recv 3 1e6\n1 recv 0 1e6\n1 compute 1e6\n1 send 2 1e6\n2 recv 1 "
        "1e6\n2 compute 1e6\n2 send 3 1e6\n3 recv 2 1e6\n3 compute 1e6\n3 send 0 1e6\n");
    ASSERT_EQ(words.size(), 4U);
    EXPECT_EQ(words[0], (Lines{"compute 1000000", "send 1 1000000 B", "recv 3 1000000 B"}));
    EXPECT_EQ(words[3], (Lines{"recv 2 1000000 B", "compute 1000000", "send 0 1000000 B"}));
}

TEST(TiOlderGrammar, table_1_of_the_paper) {
    EXPECT_EQ(read_lines({"compute 5", "send 1 10", "Isend 1 11", "recv 2 12", "Irecv 2 13", "bcast 14",
                          "reduce 15 16", "reduceScatter 1 2 3 4 17", "allReduce 18 19", "allToAll 20 21",
                          "allToAllv 9 1 2 3 4 9 4 3 2 1", "gather 22 22", "allGatherV 23 1 2 3 4", "barrier",
                          "wait", "waitAll"}),
              (Lines{"compute 5", "send 1 10 B", "isend 1 11 B #0", "recv 2 12 B", "irecv 2 13 B #1",
                     "bcast 14 B", "reduce 15 B then 16", "reduce_scatter 10 B then 17 [1 2 3 4]",
                     "allreduce 18 B then 19", "alltoall 20 B", "alltoallv 0 B [1 2 3 4 4 3 2 1]",
                     "gather 22 B", "allgatherv 23 B [1 2 3 4]", "barrier", "wait #1", "waitall"}));
}

TEST(TiOlderGrammar, ranks_may_have_a_p) {
    const Words words = read_text("p0 compute 5\np0 send p1 7\np1 recv p0 7\n");
    EXPECT_EQ(words[0], (Lines{"compute 5", "send 1 7 B"}));
    EXPECT_EQ(words[1], Lines{"recv 0 7 B"});
}

TEST(TiOlderGrammar, wait_takes_the_latest_request) {
    EXPECT_EQ(
        read_lines({"Irecv 1 10", "Irecv 1 20", "Isend 2 30", "wait", "wait", "Isend 3 40", "wait", "wait"}),
        (Lines{"irecv 1 10 B #0", "irecv 1 20 B #1", "isend 2 30 B #2", "wait #2", "wait #1", "isend 3 40 B #1",
               "wait #1", "wait #0"}));
}

// Three arguments are <rank> <tag> <count>, or <rank> <bytes> <datatype>: the rest of the file decides.
TEST(TiOlderGrammar, three_arguments_are_what_the_file_is) {
    EXPECT_EQ(read_lines({"send 1 5 4"})[0], "send 1 tag 5 4 B");
    EXPECT_EQ(read_lines({"send 1 5 4", "send 1 6 4 6"})[0], "send 1 tag 5 4 B");
    EXPECT_EQ(read_lines({"send 1 5 4", "Isend 1 5 4", "wait"}),
              (Lines{"send 1 40 B", "isend 1 40 B #0", "wait #0"}));
    EXPECT_EQ(read_lines({"compute 1", "send 1 5 0", "recv 1 100"}),
              (Lines{"compute 1", "send 1 40 B", "recv 1 100 B"}));
    EXPECT_EQ(read_lines({"allReduce 5 0", "send 1 5 0"})[1], "send 1 40 B"); // shown before
}

TEST(TiOlderGrammar, each_file_has_its_own) {
    const Folder folder;
    folder.write("r0.txt", "0 send 1 8\n0 recv 1 8\n");
    folder.write("r1.txt", "1 recv 0 0 8 6\n1 send 0 0 8 6\n");
    const Words words = read_all(folder.path());
    EXPECT_EQ(words[0], (Lines{"send 1 8 B", "recv 1 8 B"}));
    EXPECT_EQ(words[1], (Lines{"recv 0 8 B", "send 0 8 B"}));
}

TEST(TiOlderGrammar, a_file_does_not_change_its_grammar) {
    EXPECT_EQ(
        error_of_text("0 send 0 0 8 6\n0 send 0 8\n"),
        "t:2:11: the line ends early; expected send <to> <tag> <count> [datatype] (two arguments are the older "
        "grammar, but this file is in the current one)");
    EXPECT_EQ(error_of_text("0 send 0 8\n0 send 0 0 8 6\n"),
              "t:2:14: too many arguments: this file is in the older grammar, send <rank> <bytes>");
}

} // namespace
} // namespace orrery::older_grammar_test
