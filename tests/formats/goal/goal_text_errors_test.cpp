// Everything that can be wrong with GOAL text: what is said, and where.
#include "workload/schedule_texts.h"

namespace orrery::goal_text_errors_test {
namespace {

struct Mistake {
    const char* text;
    std::uint64_t line;
    std::uint64_t column;
    const char* reason; // part of it
};

void expect_error(const std::string& text, std::uint64_t line, std::uint64_t column,
                  const std::string& reason) {
    const Error error = error_of([&] { read_text(text); });
    EXPECT_EQ(error.file, "test.goal") << text;
    EXPECT_EQ(error.line, line) << text << "\n" << error.words();
    EXPECT_EQ(error.column, column) << text << "\n" << error.words();
    EXPECT_NE(error.reason.find(reason), std::string::npos) << text << "\n" << error.words();
}

TEST(GoalTextErrors, Files) {
    const Mistake mistakes[] = {
        {"", 1, 1, "empty schedule"},
        {"\n// nothing\n", 3, 1, "empty schedule"},
        {"num_ranks 0", 1, 1, "empty schedule: num_ranks is 0"},
        {"num_ranks 2\nrank 0 { }\nrank 1 { }\n", 4, 1, "empty schedule: no rank has an operation"},
        {"num_ranks 2\n", 2, 1, "the file ends before rank 0: num_ranks is 2"},
        {"num_ranks 2\nrank 0 { calc 1 }", 2, 18, "the file ends before rank 1: num_ranks is 2"},
        {"num_ranks 2147483648", 1, 11, "num_ranks 2147483648 is too large (limit 2147483647)"},
        {"num_ranks 99999999999999999999999", 1, 11, "too large"},
        {"num_ranks -1", 1, 11, "expected a number, found \"-1\""},
        {"num_ranks two", 1, 11, "expected a number, found \"two\""},
        {"num_ranks", 1, 10, "expected a number, found the end of the file"},
        {"num_ranks 2\nnum_ranks 3", 2, 1, "num_ranks is 3 here, but was 2 before"},
        {"rank 0 {\ncalc 1\n}", 3, 1, "num_ranks is missing"},
        {"num_ranks 2\nrank 1 {", 2, 6, "expected rank 0, found rank 1"},
        {"num_ranks 3 rank 0 { calc 1 }\nrank 2 {", 2, 6, "expected rank 1, found rank 2"},
        {"num_ranks 1 rank 0 { calc 1 }\nrank 0 {", 2, 6, "expected rank 1, found rank 0"},
        {"num_ranks 1 rank 0 { calc 1 }\nrank 1 {", 2, 6, "rank 1 does not exist: num_ranks is 1"},
        {"num_ranks 1 rank 0 { calc 1 } }", 1, 31, "expected nothing more after rank 0, found \"}\""},
        {"num_ranks 1\nl1: calc 1", 2, 1, "expected \"num_ranks\" or \"rank 0 {\", found \"l1\""},
        {"num_ranks 1\nrank 0\n  (", 3, 3, "expected \"{\", found \"(\""},
        {"num_ranks 1 rank x {", 1, 18, "expected a number, found \"x\""},
        {"num_ranks 1\nrank 0 {\nl1: calc 1\n", 4, 1, "the file ends within rank 0, opened in line 2"},
        {"num_ranks 1\nrank 0 {\nl1: calc 1", 3, 11, "the file ends within rank 0, opened in line 2"},
        {"num_ranks 1 rank 0 {\nl1: calc 1\nrank 1 {", 3, 1, "rank 0 is not closed"},
        {"num_ranks 1 /* no\nend", 1, 13, "this comment is not closed"},
        {"num_ranks 1 / rank", 1, 13, "found \"/\""},
        {"\x7f"
         "ELF",
         1, 1, "found the byte 0x7f"},
    };
    for (const Mistake& mistake : mistakes)
        expect_error(mistake.text, mistake.line, mistake.column, mistake.reason);
}

TEST(GoalTextErrors, Statements) {
    // Each is line 3 of a schedule of four ranks.
    const Mistake mistakes[] = {
        {"l1", 3, 3, "expected \":\", \"requires\" or \"irequires\" after \"l1\", found the end of the line"},
        {"l1 calc 1", 3, 4, "expected \":\", \"requires\" or \"irequires\" after \"l1\", found \"calc\""},
        {"11: calc 1", 3, 1, "expected a label, \"send\", \"recv\", \"calc\" or \"}\", found \"11\""},
        {": calc 1", 3, 1, "expected a label"},
        {"l1: clac 1", 3, 5, "expected \"send\", \"recv\" or \"calc\", found \"clac\""},
        {"l1:", 3, 4, "found the end of the line"},
        {"send", 3, 5, "expected a number, found the end of the line"},
        {"send8b to 1", 3, 8, "expected \":\", \"requires\" or \"irequires\" after \"send8b\""},
        {"l1: send b to 1", 3, 10, "expected a number, found \"b\""},
        {"l1: send 8 to 1", 3, 12, "expected \"b\" after the size, found \"to\""},
        {"l1: send 8b from 1", 3, 13, "expected \"to\", found \"from\""},
        {"l1: recv 8b to 1", 3, 13, "expected \"from\", found \"to\""},
        {"l1: send 8b to", 3, 15, "expected a number, found the end of the line"},
        {"l1: send 8b to x", 3, 16, "expected a number, found \"x\""},
        {"l1: send 8b to -1", 3, 16, "expected the rank to send to, found \"-1\""},
        {"l1: send 8b to 1 tag -1", 3, 22, "expected the tag to send with, found \"-1\""},
        {"l1: recv 8b from -2", 3, 18, "expected a rank, or -1 for any source, found \"-2\""},
        {"l1: recv 8b from -12", 3, 18, "expected a rank, or -1 for any source, found \"-12\""},
        {"l1: recv 8b from 1 tag -2", 3, 24, "expected a tag, or -1 for any tag, found \"-2\""},
        {"l1: send 8b to 4", 3, 16, "rank 4 does not exist: num_ranks is 4"},
        {"l1: recv 8b from 4", 3, 18, "rank 4 does not exist: num_ranks is 4"},
        {"l1: recv 8b from 4294967295", 3, 18, "peer rank 4294967295 is too large"},
        {"l1: send -8b to 1", 3, 10, "expected a number, found \"-8\""},
        {"l1: send 4611686018427387904b to 1", 3, 10,
         "size 4611686018427387904 is too large (limit 4611686018427387903)"},
        {"l1: send 18446744073709551624b to 1", 3, 10, "size 18446744073709551624 is too large"},
        {"l1: calc 4611686018427388", 3, 10, "calc 4611686018427388 is too large (limit 4611686018427387)"},
        {"l1: calc 1.5", 3, 11, "expected \"cpu\" or the end of the line, found \".\""},
        {"l1: calc 5 tag 1", 3, 12, "expected \"cpu\" or the end of the line, found \"tag\""},
        {"l1: calc 5 nic 1", 3, 12, "expected \"cpu\" or the end of the line, found \"nic\""},
        {"l1: send 8b to 1 tag 4294967295", 3, 22,
         "tag 4294967295 is -1, any tag: a send needs a tag of its own"},
        {"l1: send 8b to 1 tag 18446744073709551616", 3, 22, "tag 18446744073709551616 is too large"},
        {"l1: send 8b to 1 cpu 65536", 3, 22, "cpu 65536 is too large (limit 65535)"},
        {"l1: send 8b to 1 nic 65536", 3, 22, "nic 65536 is too large (limit 65535)"},
        {"l1: send 8b to 1 cpu -1", 3, 22, "expected a number, found \"-1\""},
        {"l1: send 8b to 1 tag 1 tag 2", 3, 24, "\"tag\" is given twice"},
        {"l1: send 8b to 1 cpu 1 cpu 1", 3, 24, "\"cpu\" is given twice"},
        {"l1: send 8b to 1 nic 1 tag 0 nic 1", 3, 30, "\"nic\" is given twice"},
        {"l1: send 8b to 1 core 2", 3, 18,
         "expected \"tag\", \"cpu\", \"nic\" or the end of the line, found \"core\""},
        {"l1: calc 1 l2: calc 2", 3, 12, "expected \"cpu\" or the end of the line, found \"l2\""},
        {"l1: calc 1; l2: calc 2", 3, 11, "found \";\""},
        {"l1: calc 1\nl1 requires", 4, 12, "expected a label, found the end of the line"},
        {"l1: calc 1\nl2: calc 1\nl1 requires l2,", 5, 16, "expected a label, found the end of the line"},
        {"l1: calc 1\nl1 requires 5", 4, 13, "expected a label, found \"5\""},
        {"l1: calc 1\nl2: calc 1\nl1 requires l2: calc 5", 5, 15, "expected the end of the line, found \":\""},
        {"l1: calc 1\nl1 requirez l1", 4, 4, "expected \":\", \"requires\" or \"irequires\" after \"l1\""},
        {"l1: calc 1\n\n  l1: calc 2", 5, 3, "label \"l1\" is defined twice in rank 0: first in line 3"},
        {"foo: calc 1\nfoo: calc 2", 4, 1, "label \"foo\" is defined twice in rank 0: first in line 3"},
        {"l1: calc 1\nl1 requires l1", 3, 0, "cycle"},
        {"l1: calc 1\nl2: calc 1\nl1 requires l2\nl2 irequires l1", 3, 0, "cycle"},
        {"l1: calc 1 \x01", 3, 12, "found the byte 0x01"},
        {"l1: calc 1 \xc3\xa9", 3, 12, "found the byte 0xc3"},
    };
    for (const Mistake& mistake : mistakes) {
        expect_error("num_ranks 4\nrank 0 {\n" + std::string(mistake.text) +
                         "\n}\nrank 1 {\n}\nrank 2 {\n}\nrank 3 {\ncalc 1\n}\n",
                     mistake.line, mistake.column, mistake.reason);
    }
}

TEST(GoalTextErrors, UnknownLabels) {
    const std::string head = "num_ranks 1\nrank 0 {\n";
    expect_error(head + "recv_left: calc 1\nb: calc 2\n  b requires recv_lfet\n}", 5, 14,
                 "rank 0 has no label \"recv_lfet\": did you mean \"recv_left\"?");
    expect_error(head + "l1: calc 1\nl22: calc 2\nl2 requires l1\n}", 5, 1,
                 "rank 0 has no label \"l2\": did you mean \"l1\"?");
    expect_error(head + "l1: calc 1\nl1 requires quite_another_word\n}", 4, 13,
                 "rank 0 has no label \"quite_another_word\"");
    // The first of several, where it is used first, though found at the end of the rank.
    expect_error(head + "l1: calc 1\nl1 requires l1 l7 l8 l7\nl8: calc 1\nl7 requires l9\n}", 4, 16,
                 "no label \"l7\"");
}

TEST(GoalTextErrors, LabelsOfOtherRanks) {
    expect_error("num_ranks 2 rank 0 {\na: calc 1\n}\nrank 1 {\nb: calc 1\nb requires a\n}", 6, 12,
                 "rank 1 has no label \"a\"");
}

TEST(GoalTextErrors, PeersBeforeTheNumberOfRanksIsKnown) {
    expect_error("rank 0 {\nsend 1b to 2\nnum_ranks 2\n}\nrank 1 { }", 2, 0, "peer rank 2 does not exist");
}

TEST(GoalTextErrors, EndlessNamesAndNumbers) {
    expect_error("num_ranks 1\nrank 0 {\n" + std::string(100'000, 'x') + ": calc 1\n}", 3, 1,
                 "a name of more than 1000 characters");
    expect_error("num_ranks 1\nrank 0 {\nl" + std::string(100'000, '1') + ": calc 1\n}", 3, 1,
                 "a name of more than 1000 characters");
    expect_error("num_ranks 1\nrank 0 {\ncalc " + std::string(100'000, '0') + "\n}", 3, 6,
                 "a number of more than 64 digits");
    expect_error("num_ranks 1" + std::string(100'000, ' ') + "x", 1, 100'012, "found \"x\"");
}

TEST(GoalTextErrors, EveryTruncationIsAnError) {
    const std::string text =
        "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 3 cpu 1 nic 2\nl2: recv 8b from -1 tag -1\n"
        "/* comment */ l2 requires l1\n}\nrank 1 {\nx: calc 12\ny: calc 1 // end\ny irequires x\n}";
    EXPECT_EQ(error_of([&] { read_text(text); }).reason, "no error");
    for (std::size_t length = 0; length < text.size(); ++length) {
        EXPECT_NE(error_of([&] { read_text(text.substr(0, length)); }).reason, "no error")
            << text.substr(0, length);
    }
}

TEST(GoalTextErrors, EveryChangedByteIsReadOrRefused) {
    const std::string text =
        "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 3 cpu 1 nic 2\nl2: recv 8b from -1 tag -1\n"
        "l2 requires l1\n}\nrank 1 {\nx: calc 12\n}";
    for (std::size_t at = 0; at < text.size(); ++at) {
        for (int byte = 0; byte < 256; ++byte) {
            std::string changed = text;
            changed[at] = static_cast<char>(byte);
            const Error error = error_of([&] { read_text(changed); });
            EXPECT_TRUE(error.reason == "no error" || error.line > 0) << changed << "\n" << error.words();
        }
    }
}

TEST(GoalTextErrors, FilesThatCannotBeRead) {
    reference::GraphCollector collector;
    EXPECT_NE(
        error_of([&] { read_goal_text("/no/such/file.goal", collector); }).reason.find("cannot be opened"),
        std::string::npos);
    EXPECT_NE(error_of([&] { read_goal_text("/", collector); }).reason.find("cannot be read: Is a directory"),
              std::string::npos);
}

} // namespace
} // namespace orrery::goal_text_errors_test
