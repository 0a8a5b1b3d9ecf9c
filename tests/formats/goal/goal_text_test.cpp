// GOAL text: every statement of the grammar, and the freedoms that the reader allows.
#include "places.h"
#include "workload/schedule_texts.h"

#include <random>

namespace orrery::goal_text_test {
namespace {

std::vector<Op> ops(const std::string& statements) { return read_rank(statements).ops; }
std::vector<Dependency> dependencies(const std::string& statements) {
    return read_rank(statements).dependencies;
}

TEST(GoalText, Operations) {
    const std::vector<Op> expected = {send_op(1, 8), send_op(2, 10, 5, 3, 7), recv_op(3, 0, 9, 1, 2),
                                      calc_op(100'000), calc_op(0, 65535)};
    EXPECT_EQ(ops("a: send 8b to 1\n"
                  "b: send 10b to 2 tag 5 cpu 3 nic 7\n"
                  "c: recv 0b from 3 tag 9 cpu 1 nic 2\n"
                  "d: calc 100\n"
                  "e: calc 0 cpu 65535"),
              expected);
}

TEST(GoalText, OperationsNeedNoLabel) {
    const std::vector<Op> expected = {send_op(1, 8), recv_op(1, 8), recv_op(2, 9), calc_op(5'000)};
    EXPECT_EQ(ops("send 8b to 1\nrecv 8b from 1\nrcv 9b from 2\ncalc 5"), expected);
}

TEST(GoalText, PaperSpellsReceiveRcv) {
    EXPECT_EQ(ops("l1: rcv 10b from 1 tag 0 cpu 0 nic 0"), std::vector<Op>{recv_op(1, 10)});
}

TEST(GoalText, WildcardsOfReceives) {
    EXPECT_EQ(ops("recv 8b from -1 tag -1"), std::vector<Op>{recv_op(any_source, 8, any_tag)});
    EXPECT_EQ(ops("recv 8b from -1"), std::vector<Op>{recv_op(any_source, 8, 0)});
    EXPECT_EQ(ops("recv 8b from 2 tag -1 nic 1"), std::vector<Op>{recv_op(2, 8, any_tag, 0, 1)});
}

TEST(GoalText, AttributesInAnyOrder) {
    const std::vector<Op> expected = {send_op(1, 8, 2, 3, 4), send_op(1, 8, 2, 3, 4), recv_op(1, 8, 2, 3, 0)};
    EXPECT_EQ(ops("send 8b to 1 nic 4 cpu 3 tag 2\nsend 8b to 1 cpu 3 nic 4 tag 2\nrecv 8b from 1 cpu 3 tag 2"),
              expected);
}

TEST(GoalText, LargestValues) {
    EXPECT_EQ(ops("send 4611686018427387903b to 1 tag 4294967294 cpu 65535 nic 65535"),
              std::vector<Op>{send_op(1, max_op_size, 4294967294U, 65535, 65535)});
    EXPECT_EQ(ops("calc 4611686018427387"), std::vector<Op>{calc_op(4611686018427387000U)});
    EXPECT_EQ(ops("calc 000000000000000000000000000000012"), std::vector<Op>{calc_op(12'000)});
}

TEST(GoalText, Dependencies) {
    const std::vector<Dependency> expected = {{0, 1, false}, {0, 2, true}, {1, 2, false}};
    EXPECT_EQ(
        dependencies("l1: calc 1\nl2: calc 2\nl2 requires l1\nl3: calc 3\nl3 irequires l1\nl3 requires l2"),
        expected);
}

TEST(GoalText, DependenciesBeforeTheirLabels) {
    const std::vector<Dependency> expected = {{2, 0, false}, {1, 2, true}, {1, 0, false}};
    EXPECT_EQ(dependencies("a requires c\nc irequires b\na: calc 1\nb: calc 2\na requires b\nc: calc 3"),
              expected);
}

TEST(GoalText, SeveralTargets) {
    const std::vector<Dependency> expected = {
        {0, 3, false}, {1, 3, false}, {2, 3, false}, {0, 4, true}, {1, 4, true}};
    EXPECT_EQ(dependencies("a: calc 1\nb: calc 1\nc: calc 1\nd: calc 1\ne: calc 1\n"
                           "d requires a b, c\ne irequires a,b"),
              expected);
}

TEST(GoalText, BlanksAnywhereOrNowhere) {
    const std::vector<Op> expected = {send_op(1, 10, 2, 3, 4), calc_op(7'000, 1)};
    for (const char* text : {"l1:send 10b to 1 tag 2 cpu 3 nic 4\nl2:calc 7 cpu 1",
                             "  l1 :\tsend   10 b  to\t1  tag 2 cpu 3 nic 4   \r\n\t\v\fl2  :  calc 7  cpu 1\r",
                             "l1:send10bto1tag2cpu3nic4\nl2:calc7cpu1"}) {
        EXPECT_EQ(ops(text), expected) << text;
    }
}

TEST(GoalText, CommentsAnywhere) {
    const std::vector<Op> expected = {send_op(1, 10, 2), calc_op(7'000)};
    const char* text =
        "// a line\n# another\n/* a\nblock */ l1/*x*/:/*y*/send/**/10/***/b/*\n\n*/to 1 tag/*z*/2 // end\n"
        "l2: calc 7# end\n l2 /* why */ requires /* because */ l1 /* of that */ // end";
    EXPECT_EQ(ops(text), expected);
    EXPECT_EQ(dependencies(text), (std::vector<Dependency>{{0, 1, false}}));
}

TEST(GoalText, OneLineAndManyLines) {
    const auto expected = read_text("num_ranks 2\nrank 0 {\na: calc 1\n}\nrank 1 {\nb: calc 2\n}\n");
    for (const char* text :
         {"num_ranks 2 rank 0 { a: calc 1 } rank 1 { b: calc 2 }",
          "num_ranks\n2\nrank\n0\n{\n\na: calc 1}rank 1{b: calc 2\n\n}\n\n// end",
          "\xEF\xBB\xBFnum_ranks 2\r\nrank 0 {\r\na: calc 1\r\n}\r\nrank 1 {\r\nb: calc 2\r\n}",
          "/* head */num_ranks 2 # two\nrank 0 { // zero\na: calc 1 } /* between */ rank 1 { b: calc 2 } #"}) {
        expect_same(expected, read_text(text));
    }
}

TEST(GoalText, NumberOfRanksMayComeLate) {
    const auto expected = read_text("num_ranks 2 rank 0 { calc 1 } rank 1 { calc 2 }");
    expect_same(expected, read_text("rank 0 {\nnum_ranks 2\ncalc 1 }\nrank 1 { calc 2 }"));
    expect_same(expected, read_text("num_ranks 2 num_ranks 2 rank 0 { calc 1 } num_ranks 2 rank 1 { calc 2 }"));
}

TEST(GoalText, KeywordsMayBeLabels) {
    const std::string text =
        "send: calc 1\nrecv: calc 2\nrequires: calc 3\nrank: calc 4\nto: calc 5\nrcv: calc 6\n"
        "num_ranks: calc 7\ncalc: calc 8\n"
        "send requires recv\nrequires requires irequires\nrank irequires rcv to\nirequires: calc 9\n";
    EXPECT_EQ(ops(text).size(), 9U);
    const std::vector<Dependency> expected = {{1, 0, false}, {8, 2, false}, {5, 3, true}, {4, 3, true}};
    EXPECT_EQ(dependencies(text), expected);
}

TEST(GoalText, LabelsThatLookAlike) {
    // l1, l01, l1_, L1 and l1000000000 are five labels; the last is far away from the others.
    const std::string text =
        "l1: calc 1\nl01: calc 2\nl1_: calc 3\nL1: calc 4\nl1000000000: calc 5\nl0: calc 6\n"
        "l184467440737095516161: calc 7\n_: calc 8\n"
        "l0 requires l1 l01 l1_ L1 l1000000000 l184467440737095516161 _\n";
    const std::vector<Dependency> expected = {{0, 5, false}, {1, 5, false}, {2, 5, false}, {3, 5, false},
                                              {4, 5, false}, {6, 5, false}, {7, 5, false}};
    EXPECT_EQ(dependencies(text), expected);
}

TEST(GoalText, LabelsAreOfTheirRank) {
    const auto ranks = read_text("num_ranks 2 rank 0 {\nl1: calc 1\nx: calc 2\nx requires l1\n}\n"
                                 "rank 1 {\nx: calc 3\nl1: calc 4\nl1 requires x }");
    EXPECT_EQ(ranks[0].dependencies, (std::vector<Dependency>{{0, 1, false}}));
    EXPECT_EQ(ranks[1].dependencies, (std::vector<Dependency>{{0, 1, false}}));
}

TEST(GoalText, LabelsOfAllSchemes) {
    // Numbers that rise through the ranks, fall within them, jump, or have long names: all agree with l1, l2,
    // ...
    std::mt19937_64 random(7);
    for (int scheme = 0; scheme < 8; ++scheme) {
        std::string text = "num_ranks 20\n";
        std::string plain = text;
        std::uint64_t used = 0;
        for (int rank = 0; rank < 20; ++rank) {
            const std::uint64_t count = rank == 3 ? 20'000 : random() % 300 + 2;
            const auto name = [&](std::uint64_t i) -> std::string {
                switch (scheme) {
                case 0: return "l" + std::to_string(i);
                case 1: return "l" + std::to_string(used + i);
                case 2: return "l" + std::to_string(count - i);
                case 3: return "l" + std::to_string(i * 1'000'003 % 999'983);
                case 4: return "node_" + std::to_string(i);
                case 5: return std::string(900, 'x') + std::to_string(i);
                case 6: return "l" + std::to_string(i < 9 ? i * 100'000'000 : i); // far away first
                default: return (i % 2 == 0 ? "l" : "r") + std::to_string(i);
                }
            };
            const std::string open = "rank " + std::to_string(rank) + " {\n";
            text += open;
            plain += open;
            const std::uint64_t shown = scheme == 5 ? std::min<std::uint64_t>(count, 50) : count;
            for (std::uint64_t i = 0; i < shown; ++i) {
                const std::uint64_t other = random() % shown;
                const auto line = [&](const std::string& a, const std::string& b) {
                    return a + ": calc " + std::to_string(i) + "\n" +
                           (other < i   ? a + " requires " + b + "\n"
                            : other > i ? b + " requires " + a + "\n"
                                        : "");
                };
                text += line(name(i), name(other));
                plain += line("n" + std::to_string(i), "n" + std::to_string(other));
            }
            used += count;
            text += "}\n";
            plain += "}\n";
        }
        expect_same(read_text(plain), read_text(text));
    }
}

// The same words, with blanks, comments and ends of lines strewn in wherever they may be.
std::string strew(const std::vector<RankGraph>& ranks, std::mt19937_64& random) {
    const auto blank = [&](bool lines) -> std::string {
        switch (random() % 12) {
        case 0: return "  \t ";
        case 1: return "/* a\n * comment */";
        case 2: return std::string(random() % 3000, ' ');
        case 3: return "\r\t";
        case 4: return lines ? "// comment\n" : " ";
        case 5: return lines ? "\n\n # }{\n" : " ";
        case 6: return random() % 50 == 0 ? "/*" + std::string(random() % 20'000, '*') + "*/" : " ";
        default: return " ";
        }
    };
    std::string text = "num_ranks" + blank(true) + std::to_string(ranks.size());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        text += blank(true) + "rank" + blank(true) + std::to_string(rank) + blank(true) + "{";
        const auto name = [&](std::uint32_t op) { return (op % 3 == 0 ? "node" : "l") + std::to_string(op); };
        const auto word = [&](const std::string& words) { text += blank(false) + words; };
        const auto end = [&] { text += blank(false) + "\n" + blank(true); };
        text += blank(true);
        for (std::uint32_t i = 0; i < ranks[rank].ops.size(); ++i) {
            const Op& op = ranks[rank].ops[i];
            word(name(i) + ":");
            if (op.kind == OpKind::calc) {
                word("calc");
                word(std::to_string(op.size / 1000));
            } else {
                word(op.kind == OpKind::send ? "send" : "recv");
                word(std::to_string(op.size));
                word("b");
                word(op.kind == OpKind::send ? "to" : "from");
                word(op.peer == any_source ? "-1" : std::to_string(op.peer));
                word("tag");
                word(op.tag == any_tag ? "-1" : std::to_string(op.tag));
                word("nic");
                word(std::to_string(op.nic));
            }
            word("cpu");
            word(std::to_string(op.cpu));
            end();
        }
        for (const Dependency& dependency : ranks[rank].dependencies) {
            word(name(dependency.after));
            text += " ";
            word(dependency.on_start ? "irequires" : "requires");
            text += " ";
            word(name(dependency.before));
            end();
        }
        text += "}";
    }
    return text + blank(true);
}

TEST(GoalText, WindowsOfAnySizeGiveTheSame) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 30; ++round) {
        const std::vector<RankGraph> ranks = random_ranks(random);
        const std::string text = strew(ranks, random);
        expect_same(ranks, read_text(text, 0)); // the smallest window there is
        expect_same(ranks, read_text(text, 8191 + random() % 5000));
        expect_same(ranks, read_text(text));
    }
}

TEST(GoalText, ListsLongerThanTheWindow) {
    std::string text = "num_ranks 1 rank 0 {\nz: calc 1\nz requires";
    std::string labels;
    for (int i = 0; i < 100'000; ++i) {
        text += (i % 2 == 0 ? " l" : ",l") + std::to_string(i);
        labels += "l" + std::to_string(i) + ": calc 2\n";
    }
    const auto ranks = read_text(text + "\n" + labels + "}", 0);
    ASSERT_EQ(ranks[0].dependencies.size(), 100'000U);
    for (std::uint32_t i = 0; i < 100'000; ++i)
        ASSERT_EQ(ranks[0].dependencies[i], (Dependency{i + 1, 0, false}));
}

TEST(GoalText, LinesAreRemembered) {
    const RankGraph graph = read_rank("a: calc 1\n\n/*\n*/ b: /* \n */ calc 2\n c: calc 3");
    EXPECT_EQ(graph.lines, (std::vector<std::uint64_t>{3, 6, 8}));
}

TEST(GoalText, ReadsPipes) {
    TemporaryDirectory directory;
    const std::string fifo = directory / "pipe";
    ASSERT_EQ(std::system(("mkfifo " + fifo).c_str()), 0);
    // A few bytes at a time, so that words are cut.
    const std::string writer =
        "(printf 'num_ra'; sleep 0.05; printf 'nks 1 rank 0 {\\nl1: ca'; sleep 0.05; printf 'lc 12'; "
        "sleep 0.05; printf '3\\n}') > " +
        fifo + " &";
    ASSERT_EQ(std::system(writer.c_str()), 0);
    reference::GraphCollector collector;
    read_goal_text(fifo, collector);
    ASSERT_EQ(collector.ranks.size(), 1U);
    EXPECT_EQ(collector.ranks[0].ops, std::vector<Op>{calc_op(123'000)});
}

// The schedules that LogGOPSim was measured with: all but those that are wrong are read.
TEST(GoalText, SchedulesOfTheOriginal) {
    int read = 0;
    for (const auto& entry : std::filesystem::directory_iterator(test_data() + "/loggopsim/cases")) {
        if (entry.path().extension() != ".goal") continue;
        const std::string name = entry.path().stem().string();
        reference::GraphCollector collector;
        const Error error = error_of([&] { read_goal_text(entry.path().string(), collector); });
        if (name == "bug_cycle_silent" || name == "err_peer_out_of_range") {
            EXPECT_NE(error.reason, "no error") << name;
        } else {
            EXPECT_EQ(error.reason, "no error") << name;
            EXPECT_FALSE(collector.ranks.empty()) << name;
            ++read;
        }
    }
    EXPECT_GE(read, 49);
}

} // namespace
} // namespace orrery::goal_text_test
