// Recorded traces among the others: whatever reads or writes a time-independent trace takes them, too.
#include "../ti/ti_text.h"
#include "cli/program_test.h"
#include "formats/ort/ort_writer.h"
#include "trace_files.h"

#include <gtest/gtest.h>

namespace orrery::conversion_test {
namespace {

using namespace recorded_test;
using ti_test::Folder;
using ti_test::read_all;
using ti_test::Words;

constexpr std::uint32_t ranks = 3;

void write_run(const Folder& folder, bool timed = false) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        RankFile file(rank, ranks);
        file.begin.timed = timed;
        std::vector<Entry> entries = ring(rank, ranks, 5);
        Stream more;
        more.message(ActionKind::isend, (rank + 1) % ranks, 5, 1);
        more.put(ActionKind::forget);
        more.message(ActionKind::recv, (rank + ranks - 1) % ranks, 5, 1);
        Action& made = more.put(ActionKind::comm_create, {0, 1, 2});
        made.request = 1;
        Action& neighbours = more.put(ActionKind::neighbours, {(rank + 2) % ranks, (rank + 1) % ranks});
        neighbours.comm = 1;
        neighbours.peer = 1;
        entries.insert(entries.end(), more.entries.begin(), more.entries.end());
        std::int64_t clock = 0;
        for (Entry& entry : entries) {
            entry.times = {clock, clock + 7};
            clock += 9;
        }
        file.end.calls = {{"MPI_Put", 5, false}};
        folder.write(fmt::format("run/rank-{}.ort", rank), joined(file.blocks(entries)));
    }
}

TEST(RecordedConversion, all_forms_hold_the_same_actions) {
    const Folder folder;
    write_run(folder);
    const std::string run = folder / "run";
    EXPECT_TRUE(looks_like_ti(run));
    const TiTrace trace = TiTrace::open(run);
    EXPECT_EQ(trace.format(), "recorded trace");
    ASSERT_NE(trace.recorded(), nullptr);
    EXPECT_EQ(trace.notes(), trace.recorded()->notes());
    const Words words = read_all(*trace.source());
    EXPECT_EQ(words[1][words[1].size() - 4], "forget #0");
    EXPECT_EQ(words[1].back(), "neighbours 1 sources in 1 [0 2]");

    write_oti(*trace.source(), folder / "t.oti");
    EXPECT_EQ(read_all(folder / "t.oti"), words);
    write_ti_text(*trace.source(), folder / "t.txt");
    EXPECT_EQ(read_all(folder / "t.txt"), words);
    const TiWritten written = write_ort(*trace.recorded(), folder / "t.ort");
    EXPECT_EQ(read_all(folder / "t.ort"), words);
    EXPECT_EQ(written.actions, 3 * words[0].size());
    EXPECT_EQ(written.bytes, std::filesystem::file_size(folder / "t.ort"));
    const TiTrace text = TiTrace::open(folder / "t.txt");
    write_ort(*text.source(), folder / "u.ort", "t.txt", [&] { return std::vector<std::string>{"from text"}; });
    EXPECT_EQ(read_all(folder / "u.ort"), words);
    EXPECT_EQ(TiTrace::open(folder / "u.ort").notes(), std::vector<std::string>{"from text"});
}

// Every call of a window, operations of both kinds, a send that is cancelled and an algorithm beside the rank.
std::vector<Entry> one_sided_entries(std::uint32_t rank) {
    const std::uint32_t next = (rank + 1) % ranks;
    Stream s;
    s.put(ActionKind::comm_create, {2, 1, 0}).request = 1;
    s.message(ActionKind::one_sided, next, 100);
    Action& fetched = s.put(ActionKind::one_sided);
    fetched.comm = 1;
    fetched.peer = next;
    fetched.more_bytes = 8;
    fetched.nonblocking = true;
    s.put(ActionKind::aside, {0, next, 0, 0, 16, 0, 1, next, 0, 0, 0, 24}).request = 1;
    s.wait(1);
    s.wait(0);
    for (std::uint32_t i = 0; i < window_calls; ++i) {
        const auto call = static_cast<WindowCall>(i);
        Action& action =
            s.window(call, has_ranks(call) ? std::vector<Bytes>{rank, next} : std::vector<Bytes>{});
        action.comm = i % 2;
        if (has_target(call)) action.peer = next;
        if (has_flags(call)) action.tag = window_shared | window_memory;
    }
    for (std::uint32_t how = 0; how < pauses; ++how) {
        Action& pause = s.put(ActionKind::sleep);
        pause.volume = 1e-6;
        pause.other = how;
        if (static_cast<Pause>(how) == Pause::timed_wait) pause.bytes = 5'000'000;
    }
    s.message(ActionKind::isend, next, 5, 1);
    s.put(ActionKind::await, {0});
    s.put(ActionKind::probe).other = 9;
    s.put(ActionKind::cancel);
    return s.entries;
}

TEST(RecordedConversion, one_sided_communication_in_all_forms) {
    const Folder folder;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        folder.write(fmt::format("run/rank-{}.ort", rank),
                     joined(RankFile(rank, ranks).blocks(one_sided_entries(rank))));
    }
    const TiTrace trace = TiTrace::open(folder / "run");
    const Words words = read_all(*trace.source());
    EXPECT_EQ(words[2][1], "rma 0 100 B, 0 B back");
    EXPECT_EQ(words[2][2], "irma 0 0 B, 8 B back #0 in 1");
    EXPECT_EQ(words[2][3], "aside #1 [0 0 0 0 16 0 1 0 0 0 0 24]");
    EXPECT_EQ(words[2][6], "win_fence");
    EXPECT_EQ(words[2][7], "win_lock 0 flags 5 in 1");
    EXPECT_EQ(words[2][17], "win_post flags 5 in 1 [2 0]");
    EXPECT_EQ(words[2][21], "sleep 1e-06 pause 2 at most 5000000");
    EXPECT_EQ(words[2].back(), "cancel #0");

    write_oti(*trace.source(), folder / "t.oti");
    EXPECT_EQ(read_all(folder / "t.oti"), words);
    write_ti_text(*trace.source(), folder / "t.txt");
    EXPECT_EQ(read_all(folder / "t.txt"), words);
    write_ort(*trace.recorded(), folder / "t.ort");
    EXPECT_EQ(read_all(folder / "t.ort"), words);
    const TiTrace text = TiTrace::open(folder / "t.txt");
    write_ort(*text.source(), folder / "u.ort", "t.txt", [] { return std::vector<std::string>{}; });
    EXPECT_EQ(read_all(folder / "u.ort"), words);
}

TEST(RecordedConversion, one_file_keeps_what_is_known_of_the_run) {
    const Folder folder;
    write_run(folder, true);
    write_ort(RecordedTrace::open(folder / "run"), folder / "t.ort");
    const RecordedTrace trace = RecordedTrace::open(folder / "t.ort");
    EXPECT_EQ(trace.begin().program, "./app");
    EXPECT_EQ(trace.begin().run, 0xABCU);
    EXPECT_EQ(trace.rank(RankId{2}).end.calls.at(0).calls, 5U);
    const auto source = trace.timed_source();
    ASSERT_FALSE(source->next(RankId{2}).empty());
    EXPECT_EQ(source->times(RankId{2})[3].begin, 27);
    EXPECT_EQ(source->times(RankId{2})[3].end, 34);
}

TEST(RecordedConversion, options_of_other_traces_are_refused) {
    const Folder folder;
    write_run(folder);
    TiOptions options;
    options.same_for_all = 4;
    EXPECT_THROW((void)TiTrace::open(folder / "run", options), UsageError);
}

TEST(RecordedConversion, words_of_text_are_checked) {
    using ti_test::error_of_text;
    EXPECT_EQ(error_of_text("0 forget\n"), "t:1:9: expected the request that is forgotten: req=<number>");
    EXPECT_EQ(error_of_text("0 forget req=3\n"), "t:1:3: request 3 of rank 0 is not pending");
    EXPECT_EQ(error_of_text("0 neighbours 2 0\n"), "t:1:14: 2 sources, but the ranks of 1 neighbours follow");
    EXPECT_EQ(error_of_text("0 neighbours 1 7\n"), "t:1:16: rank 7 is outside of the trace, which has 1 ranks");
    EXPECT_EQ(error_of_text("0 neighbours 0 comm=4\n"),
              "t:1:3: rank 0 has not made communicator 4 (by comm_split, comm_dup or comm_create)");
    const Words words =
        ti_test::read_text("0 isend 0 0 5 6\n0 isend 0 1 5 6\n0 forget req=0\n0 isend 0 2 5 6\n");
    EXPECT_EQ(words[0][2], "forget #0");
    EXPECT_EQ(words[0][3], "isend 0 tag 2 5 B #0"); // its number is free again
}

TEST(RecordedConversion, program_takes_them) {
    const Folder folder;
    write_run(folder);
    const std::string run = folder / "run";
    EXPECT_EQ(test::run_program(fmt::format("convert {} {}", run, folder / "t.ort")).code, 0);
    EXPECT_EQ(read_all(folder / "t.ort"), read_all(run));
    const test::Answer shown = test::run_program("info " + (folder / "t.ort"));
    EXPECT_EQ(shown.code, 0);
    EXPECT_NE(shown.out.find("recorded trace"), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find("15 MPI_Put"), std::string::npos) << shown.out;
    EXPECT_EQ(test::run_program(fmt::format("replay {} --on graphene", folder / "t.ort")).code, 0);
    std::filesystem::remove(folder / "run/rank-1.ort");
    const test::Answer missing = test::run_program("info " + run);
    EXPECT_EQ(missing.code, 3);
    EXPECT_NE(missing.out.find("rank 1 is missing"), std::string::npos) << missing.out;
}

} // namespace
} // namespace orrery::conversion_test
