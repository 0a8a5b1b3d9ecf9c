// Actions as text, in both grammars, and back.
#include "places.h"
#include "ti_text.h"

#include <sstream>

namespace orrery::writers_test {
namespace {

using namespace ti_test;

std::string written(const std::string& path, const Folder& folder, TiGrammar grammar = TiGrammar::current) {
    const TiTrace trace = TiTrace::open(path);
    write_ti_text(*trace.source(), folder / "out.txt", grammar);
    return read_file(folder / "out.txt");
}

std::string written_text(std::string_view text, TiGrammar grammar = TiGrammar::current) {
    const Folder folder;
    return written(folder.write("in.txt", text), folder, grammar);
}

TEST(TiTextWriter, the_current_grammar) {
    EXPECT_EQ(
        written_text(
            "0 init 1\n0 compute 1e6\n0 compute 0.1\n0 send 1 5 10\n0 irecv -333 -444 10 1\n0 wait -333 0 "
            "-444\n0 "
            "sendRecv 1 1 2 -555\n0 reduce 10 5 1\n0 recv 1 0 -1\n0 probe 1 2\n0 ibarrier\n0 wait 0 0 -9\n0 "
            "gatherv 1 0 0 1\n1 init\n1 gatherv 1 3 4 1\n"),
        "0 init\n0 compute 1000000\n0 compute 0.1\n0 send 1 5 80 6\n0 irecv -555 -444 40 6\n0 wait -555 0 "
        "-444\n0 sendRecv 8 1 "
        "16 -555 6 6\n0 reduce 10 5 1 0\n0 recv 1 0 -1 6\n0 probe 1 2\n0 ibarrier\n0 wait -333 -333 0\n0 "
        "gatherv 8 0 0 1 6 "
        "6\n0 finalize\n1 init\n1 gatherv 1 3 4 1 6 6\n1 finalize\n");
}

TEST(TiTextWriter, waits_that_have_no_name_get_a_number) {
    // Of two requests of the same name, the older grammar waits for the later one.
    EXPECT_EQ(
        written_text("0 Irecv 0 10\n0 Irecv 0 20\n0 wait\n0 wait\n0 Isend 0 10\n0 Isend 0 20\n0 waitAll\n"),
        "0 init\n0 irecv 0 0 10 6\n0 irecv 0 0 20 6\n0 wait req=1\n0 wait 0 0 0\n0 isend 0 0 10 6\n0 isend 0 0 "
        "20 6\n0 "
        "waitall\n0 finalize\n");
}

TEST(TiTextWriter, the_older_grammar) {
    const std::string text =
        "0 compute 5\n0 send 1 10\n0 Isend 1 11\n0 recv 1 12\n0 Irecv 1 13\n0 wait\n0 waitAll\n0 bcast 14\n0 "
        "reduce 15 "
        "16\n0 reduceScatter 1 2 17\n0 allReduce 18 19\n0 allToAll 20 20\n0 allToAllv 3 1 2 7 3 4\n0 gather 22 "
        "22\n0 allGatherV 23 1 2\n0 barrier\n1 compute 0\n";
    EXPECT_EQ(written_text(text, TiGrammar::older), text);
    EXPECT_EQ(written_text("0 init\n0 compute 5\n1 init\n", TiGrammar::older), "0 compute 5\n1 compute 0\n");
}

TEST(TiTextWriter, one_sided_communication) {
    const std::string text =
        "0 init\n0 comm_create 5 1 0\n0 rma 1 100 0\n0 irma 1 0 8 comm=5\n0 aside 0 1 0 0 8 0 1 1 0 0 0 16\n0 "
        "wait req=1\n0 wait -333 -333 0\n0 win_fence\n0 win_lock 1 5 comm=5\n0 win_unlock 1 comm=5\n0 "
        "win_lock_all 2\n0 win_flush 1\n0 win_flush_all\n0 win_flush_local 1\n0 win_flush_local_all\n0 "
        "win_unlock_all\n0 win_post 0 0 1\n0 win_start 2 1\n0 win_complete\n0 win_wait\n0 isend 1 0 5 6\n0 "
        "cancel req=0\n0 aside\n0 await req=0\n0 waitall\n0 sleep 0.5 3\n0 sleep 0.25 2 250000000000\n0 "
        "sendRecv 5 1 6 1 6 6 tag=3\n0 probe 1 4 msg=2\n0 irecv 1 4 8 6 msg=2 comm=5\n0 wait 1 0 4 comm=5\n0 "
        "finalize\n1 init\n1 finalize\n";
    EXPECT_EQ(written_text(text), text);
}

// What decides between algorithms: how far a reduction may be divided, and in which order it is done.
TEST(TiTextWriter, reductions_of_derived_types_and_in_order) {
    const std::string text = "0 init\n0 reduce 48 5 0 6 element=24\n0 iallreduce 10 0 0 ordered\n0 wait -333 "
                             "-333 0\n0 reducescatter 7 14 3 6 element=7 ordered\n0 exscan 9 0 6 element=4\n0 "
                             "finalize\n1 init\n1 finalize\n";
    EXPECT_EQ(written_text(text), text);
    const Folder folder;
    const TiTrace trace = TiTrace::open(folder.write("in.txt", text));
    const auto source = trace.source();
    const std::span<const Action> actions = source->next(RankId{0});
    ASSERT_EQ(actions.size(), 5U);
    EXPECT_EQ(actions[0].element, 24U);
    EXPECT_EQ(actions[0].bytes, 48U);
    EXPECT_TRUE(actions[0].commutative);
    EXPECT_EQ(actions[1].element, 8U);
    EXPECT_FALSE(actions[1].commutative);
    EXPECT_EQ(actions[3].element, 7U);
    EXPECT_FALSE(actions[3].commutative);
}

TEST(TiTextWriter, communicators) {
    const std::string text =
        "0 init\n0 comm_split 1 0 -5\n0 comm_split 2 -1 2147483647 comm=1\n0 comm_dup 3 comm=1\n0 "
        "comm_create 4 1 0\n0 bcast 8 0 6 comm=4\n0 comm_free 4\n0 finalize\n1 init\n1 "
        "comm_split 1 0 -2147483648\n1 finalize\n";
    EXPECT_EQ(written_text(text), text);
}

TEST(TiTextWriter, neighbourhood_collectives) {
    const std::string text =
        "0 init\n0 neighbours 1 1 0 1\n0 neighbor_allgather 8\n0 ineighbor_alltoall 16\n0 wait -333 -333 0\n0 "
        "neighbor_allgatherv 8 9\n0 neighbor_alltoallv 1 2 3\n0 ineighbor_alltoallw 4 5 6 comm=3\n0 wait -333 "
        "-333 0\n0 finalize\n1 init\n1 finalize\n";
    const std::string made = "0 init\n0 comm_dup 3\n" + text.substr(7);
    EXPECT_EQ(written_text(made), made);
}

std::string refusal(std::string_view lines) {
    try {
        (void)written_text(lines, TiGrammar::older);
    } catch (const InputError& error) {
        return fmt::format("{}: {}", error.error().line, error.error().reason);
    }
    return {};
}

TEST(TiTextWriter, names_what_the_older_grammar_cannot_say) {
    EXPECT_EQ(refusal("0 compute 5\n0 send 0 7 5 6\n"),
              "2: rank 0: a tag other than 0 has no words in the older grammar");
    EXPECT_EQ(refusal("0 Ssend 0 0 5 6\n"), "1: rank 0: a synchronous send has no words in the older grammar");
    EXPECT_EQ(refusal("0 bcast 5 1\n1 bcast 5 1\n"),
              "1: rank 0: a root other than rank 0 has no words in the older grammar");
    EXPECT_EQ(refusal("0 irecv 0 0 5 6\n0 irecv 0 0 6 6\n0 wait 0 0 0\n"),
              "3: rank 0: a wait for a request that is not the latest one has no words in the older grammar");
    EXPECT_EQ(refusal("0 recv -555 0 5 6\n"),
              "1: rank 0: a receive from any source has no words in the older grammar");
    EXPECT_EQ(refusal("0 scan 5 0\n"), "1: rank 0: scan has no words in the older grammar");
    EXPECT_EQ(refusal("0 ibarrier\n"), "1: rank 0: a nonblocking collective has no words in the older grammar");
    EXPECT_EQ(refusal("0 allreduce 5 0 6 ordered\n"),
              "1: rank 0: a reduction whose operation does not commute has no words in the older grammar");
    EXPECT_EQ(refusal("0 sleep 1\n"), "1: rank 0: sleep has no words in the older grammar");
    EXPECT_EQ(refusal("0 rma 0 8 0\n"), "1: rank 0: one-sided communication has no words in the older grammar");
    EXPECT_EQ(refusal("0 win_fence\n"), "1: rank 0: one-sided communication has no words in the older grammar");
    EXPECT_EQ(refusal("0 isend 0 0 5 6\n0 cancel req=0\n"),
              "2: rank 0: a send that is cancelled has no words in the older grammar");
    EXPECT_EQ(refusal("0 aside\n"),
              "1: rank 0: an algorithm concurrent with the rank has no words in the older grammar");
    EXPECT_EQ(refusal("0 comm_dup 1\n"), "1: rank 0: a communicator has no words in the older grammar");
}

TEST(TiTextWriter, a_directory_with_a_file_per_rank) {
    const Folder folder;
    const std::string text = folder.write("t", "0 compute 5\n1 compute 6\n2 compute 7\n");
    const TiTrace trace = TiTrace::open(text);
    write_ti_text(*trace.source(), folder / "out/");
    EXPECT_EQ(read_file(folder / "out/LIST"), "rank-0.txt\nrank-1.txt\nrank-2.txt\n");
    EXPECT_EQ(read_file(folder / "out/rank-2.txt"), "2 init\n2 compute 7\n2 finalize\n");
    EXPECT_EQ(read_all(folder / "out"), read_all(text));
    EXPECT_EQ(read_all(folder / "out/LIST"), read_all(text));
}

// Whatever the traces of SimGrid hold: text, binary and text again say the same.
TEST(TiTextWriter, the_traces_of_simgrid_come_back) {
    const Folder folder;
    std::size_t traces = 0;
    std::size_t actions = 0;
    for (const auto& entry : std::filesystem::directory_iterator(test_data() + "/simgrid/traces")) {
        SCOPED_TRACE(entry.path().filename().string());
        const std::string path = entry.path().string();
        ASSERT_TRUE(looks_like_ti(path));
        const TiTrace trace = TiTrace::open(path);
        const Words words = read_all(*trace.source());
        for (const auto& rank : words) actions += rank.size();
        EXPECT_TRUE(trace.notes().empty());
        write_oti(*trace.source(), folder / "t.oti");
        EXPECT_EQ(read_all(folder / "t.oti"), words);
        const std::string text = written(folder / "t.oti", folder);
        EXPECT_EQ(read_all(folder / "out.txt"), words);
        EXPECT_EQ(written(folder / "out.txt", folder), text);
        ++traces;
    }
    EXPECT_EQ(traces, 57U);
    EXPECT_GT(actions, 4000U);
}

} // namespace
} // namespace orrery::writers_test
