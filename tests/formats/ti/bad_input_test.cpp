// Whatever is wrong with a trace is said with its file, line and what was expected.
#include "ti_text.h"

#include <zlib.h>

namespace orrery::bad_input_test {
namespace {

using namespace ti_test;

// The error about the last of these lines of rank 0 of four.
std::string refused(std::initializer_list<std::string_view> lines) {
    std::string text = "1 init\n2 init\n3 init\n";
    for (const std::string_view line : lines) text += fmt::format("0 {}\n", line);
    const std::string error = error_of_text(text);
    const std::string where = fmt::format("t:{}:", 3 + lines.size());
    return error.starts_with(where) ? error.substr(where.size()) : error;
}

TEST(TiBadInput, actions) {
    EXPECT_EQ(refused({"comptue 5"}), "3: found \"comptue\"; expected an action; did you mean compute?");
    EXPECT_EQ(refused({"allredcue 5 0"}),
              "3: found \"allredcue\"; expected an action; did you mean allreduce?");
    EXPECT_EQ(refused({"xyzzyplugh 5"}),
              "3: found \"xyzzyplugh\"; expected an action, such as compute or send");
    EXPECT_EQ(refused({""}), "3: the line ends here; expected an action, such as compute or send");
    for (const std::string_view name : {"Put", "Get", "Rput", "IO - read", "Startall"}) {
        const std::string error = refused({fmt::format("{} 1 2", name)});
        EXPECT_EQ(error.find("3: " + std::string(name.substr(0, name.find(' '))) + " is not supported"), 0U)
            << error;
    }
}

TEST(TiBadInput, numbers) {
    EXPECT_EQ(refused({"compute"}), "10: the line ends here; expected the number of instructions");
    EXPECT_EQ(refused({"compute abc"}), "11: found \"abc\"; expected the number of instructions");
    EXPECT_EQ(refused({"compute 5x"}), "11: found \"5x\"; expected the number of instructions");
    EXPECT_EQ(refused({"compute nan"}), "11: found \"nan\"; expected the number of instructions");
    EXPECT_EQ(refused({"compute 1e999"}), "11: found \"1e999\"; expected the number of instructions");
    EXPECT_EQ(refused({"compute -5"}), "11: -5 is negative; expected the number of instructions");
    EXPECT_EQ(refused({"sleep -1"}), "9: -1 is negative; expected a number of seconds");
    EXPECT_EQ(refused({"compute 5 6"}), "13: found \"6\" after the arguments; expected compute <instructions>");
    EXPECT_EQ(refused({"send 1 0 x 6"}),
              "12: found \"x\" after the arguments; expected send <to> <tag> <count> [datatype]");
    EXPECT_EQ(refused({"send 1"}), "9: the line ends here; expected a tag");
    EXPECT_EQ(refused({"send one 0 5 6"}), "8: found \"one\"; expected the rank to send to");
    EXPECT_EQ(refused({"send 1 0 1e30 6"}), "12: 1e30 is too large; expected a number of elements");
    EXPECT_EQ(refused({"send 1 0 1e18 6"}), "3: a message of 1000000000000000000 elements is too large");
    EXPECT_EQ(refused({"send 1 0 -8 6"}), "3: a negative number of elements: -8");
    EXPECT_EQ(refused({"sendRecv -1 1 1 1"}), "12: -1 is negative; expected a number of elements to send");
    EXPECT_EQ(refused({"bcast -5"}), "3: argument 1 of bcast is negative: -5");
    EXPECT_EQ(refused({"reduce 5 -5"}), "3: a negative number of instructions: -5");
    EXPECT_EQ(refused({"send 1 0 5 60"}), "14: there is no datatype 60; expected -1 to 59");
    EXPECT_EQ(refused({"send 1 -5 5 6"}), "3: -5 is not a tag; expected 0 or more");
    EXPECT_EQ(refused({"send 1 -444 5 6"}), "3: -444 is not a tag; expected 0 or more");
}

TEST(TiBadInput, ranks) {
    EXPECT_EQ(refused({"send 4 0 5 6"}), "3: the destination 4 is outside of the trace, which has 4 ranks");
    EXPECT_EQ(refused({"send -555 0 5 6"}),
              "3: the destination -555 is outside of the trace, which has 4 ranks");
    EXPECT_EQ(refused({"recv -1 0 5 6"}), "3: the source -1 is outside of the trace, which has 4 ranks");
    EXPECT_EQ(refused({"bcast 5 4"}), "3: the root 4 is outside of the trace, which has 4 ranks");
    EXPECT_EQ(refused({"bcast 5 1e300"}),
              "3: the root 9007199254740992 is outside of the trace, which has 4 ranks");
    EXPECT_EQ(refused({"bcast 5 1 2e106"}), "3: there is no datatype 9007199254740992; expected -1 to 59");
    EXPECT_EQ(error_of_text("0 init\nx init\n"),
              "t:2:1: found \"x\"; expected the rank that acts (a line is <rank> <action> <arguments>)");
    EXPECT_EQ(error_of_text("0 init\n-1 init\n").substr(0, 20), "t:2:1: found \"-1\"; e");
    EXPECT_EQ(error_of_text("0 init\n4000000000 init\n").substr(0, 20), "t:2:1: found \"400000");
    EXPECT_EQ(error_of_text("0 init\n1000000000 init\n"),
              "t:2:1: rank 1000000000 follows on 1 others: expected all ranks from 0 on");
    EXPECT_EQ(error_of_text("0 init\n3 init\n"),
              "t: a rank is missing: there are lines of ranks up to 3, but none of rank 1, 2");
}

TEST(TiBadInput, collectives) {
    EXPECT_EQ(refused({"bcast"}), "3: 0 arguments; expected 1 to 3: bcast <count> [root [datatype]]");
    EXPECT_EQ(refused({"barrier 1"}), "3: 1 arguments; expected 0: barrier ");
    EXPECT_EQ(refused({"allgatherv 5 1 2 3"}).substr(0, 35), "3: 4 arguments; expected 5 to 7: al");
    EXPECT_EQ(refused({"allgatherv 5 1 2 3 4 1 1 1"}).substr(0, 36), "3: 8 arguments; expected 9 to 11: al");
    EXPECT_EQ(refused({"alltoallv 5 1 2 3 4 5 1 2 3"}).substr(0, 34), "3: 9 arguments; expected 10 to 12:");
    EXPECT_NE(refused({"reducescatter 0 0 0 0 0 0 0 1"}).find("MPI_Reduce_scatter_block"), std::string::npos);
}

TEST(TiBadInput, waits) {
    EXPECT_EQ(refused({"wait 1 0 5"}),
              "3: rank 0 waits for a message from 1 to 0 with tag 5, but no isend or irecv of that kind is "
              "pending (0 others are)");
    EXPECT_EQ(refused({"irecv 1 5 1 6", "wait 1 0 5", "wait 1 0 5"}).substr(0, 30),
              "3: rank 0 waits for a message ");
    EXPECT_EQ(refused({"isend 1 5 1 6", "wait 1 0 5"}).substr(0, 30),
              "3: rank 0 waits for a message "); // the other way round
    EXPECT_EQ(refused({"wait"}), "3: rank 0 waits, but no request of it is pending");
    EXPECT_EQ(refused({"wait -333 -333 -5"}),
              "3: rank 0 waits for a nonblocking collective, but none is pending");
    EXPECT_EQ(refused({"wait req=3"}), "3: request 3 of rank 0 is not pending");
    EXPECT_EQ(refused({"waitall req=3"}), "3: request 3 of rank 0 is not pending");
    EXPECT_EQ(refused({"wait 1 0"}), "11: the line ends here; expected its tag");
    EXPECT_EQ(refused({"wait req=x"}), "12: expected a number after =");
    EXPECT_EQ(refused({"Start 0 2 16 1"}).substr(0, 40), "3: the start of a persistent receive doe");
}

TEST(TiBadInput, communicators) {
    EXPECT_EQ(refused({"allreduce 5 0 6 element=0"}), "19: an element of a reduction has no size");
    EXPECT_NE(refused({"bcast 5 0 6 element=4"}).find("after the arguments"), std::string::npos);
    EXPECT_NE(refused({"allgather 5 5 6 6 ordered"}).find("after the arguments"), std::string::npos);
    EXPECT_EQ(refused({"bcast 5 comm=7"}),
              "3: rank 0 has not made communicator 7 (by comm_split, comm_dup or comm_create)");
    EXPECT_EQ(refused({"comm_free 7"}), "13: rank 0 has no communicator 7");
    EXPECT_EQ(refused({"comm_dup 0"}), "12: expected the number of a communicator: 1 or more (0 is all ranks)");
    EXPECT_EQ(refused({"comm_dup 1", "comm_dup 1"}), "12: rank 0 has a communicator 1 already; free it first");
    EXPECT_EQ(refused({"comm_split 1 0 -2147483649"}),
              "14: the key -2147483649 is not in -2147483648 to 2147483647");
    EXPECT_EQ(refused({"comm_split 1 0"}), "17: the line ends here; expected a key");
    EXPECT_EQ(refused({"comm_create 1"}), "16: the line ends here; expected the ranks of the members");
    EXPECT_EQ(refused({"comm_create 1 4"}), "17: rank 4 is outside of the trace, which has 4 ranks");
    EXPECT_EQ(refused({"comm_create 1 2 0 2"}), "15: a rank is named twice among the members");
    EXPECT_EQ(refused({"comm_create 1 2 0", "send 2 0 5 6 comm=1"}),
              "3: the destination 2 is outside of communicator 1, which has 2 ranks");
    EXPECT_EQ(refused({"comm_create 1 2 3", "send 1 0 5 6 comm=1"}).substr(0, 40),
              "3: rank 0 has not made communicator 1 (b");
    EXPECT_NE(refused({"comm_split 1 0 0", "allgatherv 5 1 2 comm=1"}).find("none may be left out"),
              std::string::npos);
}

TEST(TiBadInput, one_sided) {
    EXPECT_EQ(refused({"rma"}), "6: the line ends here; expected the rank whose memory is accessed");
    EXPECT_EQ(refused({"rma x 1 2"}), "7: found \"x\"; expected the rank whose memory is accessed");
    EXPECT_EQ(refused({"rma 1 8"}), "10: the line ends here; expected a number of bytes that come back");
    EXPECT_EQ(refused({"rma 1 -8 0"}), "9: -8 is negative; expected a number of bytes");
    EXPECT_EQ(refused({"rma 1 0 0"}), "9: no bytes in either direction; expected some");
    EXPECT_EQ(refused({"rma 1 0 1e18"}), "3: a message of 1000000000000000000 elements is too large");
    EXPECT_EQ(refused({"rma 4 8 0"}), "3: the target 4 is outside of the trace, which has 4 ranks");
    EXPECT_EQ(refused({"irma -555 8 0"}), "3: the target -555 is outside of the trace, which has 4 ranks");
    EXPECT_EQ(refused({"rma 1 8 0 6"}),
              "13: found \"6\" after the arguments; expected rma <target> <bytes> <bytes back>");
    EXPECT_EQ(refused({"rma 1 8 0 comm=7"}),
              "3: rank 0 has not made communicator 7 (by comm_split, comm_dup or comm_create)");
    EXPECT_EQ(refused({"comm_create 1 2 0", "rma 2 8 0 comm=1"}),
              "3: the target 2 is outside of communicator 1, which has 2 ranks");
}

TEST(TiBadInput, windows) {
    EXPECT_EQ(refused({"win_fence 0"}), "13: found \"0\" after the arguments; expected win_fence ");
    EXPECT_EQ(refused({"win_fence comm=7"}).substr(0, 40), "3: rank 0 has not made communicator 7 (b");
    EXPECT_EQ(refused({"win_lock"}), "11: the line ends here; expected the rank whose memory is accessed");
    EXPECT_EQ(refused({"win_lock 1"}), "13: the line ends here; expected flags");
    EXPECT_EQ(refused({"win_lock 1 8"}), "14: there are no flags 8; expected 0 to 7");
    EXPECT_EQ(refused({"win_lock_all -1"}), "16: -1 is negative; expected flags");
    EXPECT_EQ(refused({"win_lock 4 0"}), "3: the target 4 is outside of the trace, which has 4 ranks");
    EXPECT_EQ(refused({"win_unlock 1 0"}), "16: found \"0\" after the arguments; expected win_unlock <target>");
    EXPECT_EQ(refused({"win_start 0 1 4"}), "17: rank 4 is outside of the trace, which has 4 ranks");
    EXPECT_EQ(refused({"win_post"}), "11: the line ends here; expected flags");
    EXPECT_EQ(refused({"win_post 0 1 comm=7"}).substr(0, 40), "3: rank 0 has not made communicator 7 (b");
}

TEST(TiBadInput, pauses_and_waits_that_take_nothing) {
    EXPECT_EQ(refused({"sleep 1 5"}), "11: a pause is of a kind below 5");
    EXPECT_EQ(refused({"sleep 1 2"}), "12: the line ends here; expected how long it lasts at most");
    EXPECT_EQ(refused({"win_post 0 1 1"}), "3: a rank is named twice");
    EXPECT_EQ(refused({"await"}), "8: expected the requests: req=<number>");
    EXPECT_EQ(refused({"await req=3"}), "3: request 3 of rank 0 is not pending");
    EXPECT_EQ(refused({"recv 1 0 5 6 msg=3"}).substr(0, 30), "16: found \"msg=3\" after the ar");
    EXPECT_EQ(refused({"send 1 0 5 6 tag=3"}).substr(0, 30), "16: found \"tag=3\" after the ar");
}

TEST(TiBadInput, cancelled_sends_and_asides) {
    EXPECT_EQ(refused({"cancel"}), "9: expected the request that is cancelled: req=<number>");
    EXPECT_EQ(refused({"cancel req=3"}), "3: request 3 of rank 0 is not pending");
    EXPECT_EQ(refused({"isend 1 0 5 6", "cancel req=0", "cancel req=0"}),
              "3: request 0 of rank 0 is not pending");
    EXPECT_EQ(refused({"aside 0 1 0 0 8"}), "9: the steps of an algorithm are not whole");
    EXPECT_EQ(refused({"aside 99 1 0 0 8 0"}), "9: a step of an algorithm is of no kind");
    EXPECT_EQ(refused({"aside 0 4 0 0 8 0"}), "9: a peer is out of range");
    EXPECT_EQ(refused({"aside 0 1 0 1e8 8 0"}), "9: the number of a request is too large");
    EXPECT_EQ(refused({"aside 0 1 0 0 4611686018427387904 0"}), "9: a message is too large");
    EXPECT_EQ(refused({"aside 0 -1 0 0 8 0"}), "11: -1 is negative; expected a number of a step");
    EXPECT_EQ(refused({"aside comm=7"}).substr(0, 40), "3: rank 0 has not made communicator 7 (b");
}

TEST(TiBadInput, files) {
    const Folder folder;
    EXPECT_EQ(error_of(folder / "absent"), "absent: no such file or directory");
    EXPECT_EQ(error_of(folder.write("empty", "")),
              "empty: no actions: expected lines of the form <rank> <action>, such as 0 compute 1e6");
    EXPECT_EQ(error_of(folder.write("comments", "# nothing\n\n")),
              "comments: no actions: expected lines of the form <rank> <action>, such as 0 compute 1e6");
    EXPECT_EQ(error_of(folder.write("junk", std::string("\x01\x02\x03\xff\n\x00x", 7))).substr(0, 40),
              "junk:1:1: found \"\\x01\\x02\\x03\\xff\"; expe");
    const std::string cut = error_of(folder.write("cut", "0 init\n0 send 0 0 5 6\n0 sen"));
    EXPECT_EQ(
        cut,
        "cut:3:3: found \"sen\"; expected an action; did you mean send? (the file ends in this line, without a "
        "newline: it may have been cut off)");
    EXPECT_EQ(read_all(folder.write("fine", "0 init\n0 compute 5"))[0].size(), 1U); // no newline is no error
    EXPECT_EQ(error_of(folder.write("z.gz", "\x1f\x8b\x08junk")).substr(0, 40),
              "z.gz: cannot be unpacked (gzip): unknown");
    EXPECT_EQ(error_of(folder.write("z.zst", "\x28\xb5\x2f\xfdjunkjunk")).substr(0, 32),
              "z.zst: cannot be unpacked (zstd)");
}

TEST(TiBadInput, rank_files) {
    const Folder folder;
    folder.write("a/rank-0.txt", "0 init\n");
    folder.write("a/rank-1.txt", "1 init\n1 compute 5\n0 compute 5\n");
    EXPECT_EQ(error_of(folder / "a"), "rank-1.txt:3:1: a line of rank 0; expected rank 1, whose file this is");
    folder.write("a/rank-1.txt", "# nothing\n");
    EXPECT_EQ(error_of(folder / "a"),
              "rank-1.txt: no actions: expected lines of the form 1 <action>, such as 1 init");
    folder.write("b/rank-0.txt", "0 init\n");
    folder.write("b/rank-2.txt", "2 init\n");
    EXPECT_EQ(error_of(folder / "b"),
              "rank-*.txt: a rank is missing: there are 2 files with numbers from 0 to 2, but none with 1");
    EXPECT_TRUE(looks_like_ti(folder / "b")); // it is one, if a bad one
    folder.write("c/other", "text\n");
    EXPECT_EQ(error_of(folder / "c").substr(0, 35), "c: no time-independent trace here: ");
    EXPECT_EQ(error_of(folder.write("LIST", "a/rank-0.txt\na/rank-9.txt\n")),
              "LIST:2:1: there is no file a/rank-9.txt");
    folder.write("d/x0.txt", "0 init\n");
    folder.write("d/y0.txt", "0 init\n");
    EXPECT_EQ(error_of(folder / "d"),
              "d: more than one trace here (x*.txt, y*.txt); name the file or list that is meant");
}

} // namespace
} // namespace orrery::bad_input_test
