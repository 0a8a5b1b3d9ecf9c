// A recorded trace on disk: found, checked and read; whatever is wrong with it has its words.
#include "../ti/ti_text.h"
#include "formats/ort/layout.h"
#include "trace_files.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace orrery::trace_test {
namespace {

using namespace recorded_test;
using ti_test::Folder;
using ti_test::Words;

constexpr std::uint32_t ranks = 4;

// The files of a whole run, and what is done to them before they are written.
struct SavedRun {
    Folder folder;
    std::vector<std::vector<std::string>> blocks; // of each rank

    explicit SavedRun(std::uint64_t run = 0xABC, int turns = 6) {
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            blocks.push_back(RankFile(rank, ranks, run).blocks(ring(rank, ranks, turns)));
    }
    void replace(const RankFile& file, int turns = 6) {
        blocks[file.rank] = file.blocks(ring(file.rank, ranks, turns));
    }
    void write() const {
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            folder.write(fmt::format("rank-{}.ort", rank), joined(blocks[rank]));
    }
    // With the folder cut off.
    [[nodiscard]] std::string error(bool allow = false) const {
        write();
        return error_of(folder.path(), allow);
    }
    [[nodiscard]] std::string error_of(const std::string& path, bool allow = false) const {
        try {
            const RecordedTrace trace = RecordedTrace::open(path, {allow});
            (void)ti_test::read_all(*trace.source());
        } catch (const InputError& error) {
            std::string words = error.what();
            for (std::size_t at = 0; (at = words.find(folder.path(), at)) != std::string::npos;)
                words.replace(at, folder.path().size(), "F");
            return words;
        }
        return {};
    }
};

TEST(RecordedTraces, directory_is_read) {
    SavedRun run;
    RankFile first(0, ranks);
    first.begin.mpi = "Open MPI 4.1.4";
    first.begin.cpu = "EPYC";
    first.end.seconds = 1.5;
    first.end.volume = 6000;
    first.end.peak_bytes = 1U << 20;
    first.end.calls = {{"MPI_Send", 6, true}};
    run.replace(first);
    run.write();
    run.folder.write("manifest.json", "{}");
    EXPECT_TRUE(looks_recorded(run.folder.path()));
    EXPECT_TRUE(looks_recorded(run.folder / "rank-0.ort"));
    EXPECT_FALSE(looks_recorded(run.folder / "manifest.json"));
    const RecordedTrace trace = RecordedTrace::open(run.folder.path());
    ASSERT_EQ(trace.ranks(), ranks);
    EXPECT_EQ(trace.begin().run, 0xABCU);
    EXPECT_EQ(trace.begin().mpi, "Open MPI 4.1.4");
    const RecordedRank& rank = trace.rank(RankId{0});
    EXPECT_TRUE(rank.complete);
    EXPECT_EQ(rank.actions, 30U);
    EXPECT_EQ(rank.end.calls.at(0).name, "MPI_Send");
    EXPECT_EQ(rank.end.seconds, 1.5);
    EXPECT_EQ(rank.stored_bytes, std::filesystem::file_size(run.folder / "rank-0.ort"));
    EXPECT_TRUE(trace.notes().empty());
    const std::unique_ptr<ActionSource> source = trace.source();
    EXPECT_EQ(source->file(RankId{2}), run.folder / "rank-2.ort");
    const Words words = ti_test::read_all(*source, true);
    ASSERT_EQ(words[1].size(), 30U);
    EXPECT_EQ(words[1][0], "isend 2 tag 3 100 B #0 line 1");
    EXPECT_EQ(words[1][28], "compute 1006 line 29");
    EXPECT_EQ(ti_test::read_all(*trace.source()), ti_test::read_all(*trace.source())); // from the beginning
}

TEST(RecordedTraces, blocks_of_ranks_may_alternate_in_one_file) {
    const SavedRun run;
    std::string mixed;
    for (std::size_t block = 0; block < run.blocks[0].size(); ++block) {
        for (std::uint32_t rank = ranks; rank > 0; --rank) mixed += run.blocks[rank - 1][block];
    }
    run.write();
    const Words words = ti_test::read_all(*RecordedTrace::open(run.folder.path()).source());
    const Folder other;
    EXPECT_EQ(ti_test::read_all(*RecordedTrace::open(other.write("all.ort", mixed)).source()), words);
    // The gathered file lies in a directory of its own.
    EXPECT_EQ(ti_test::read_all(*RecordedTrace::open(other.path()).source()), words);
}

TEST(RecordedTraces, times_belong_to_their_actions) {
    SavedRun run;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        RankFile file(rank, ranks);
        file.begin.timed = true;
        std::vector<Entry> entries = ring(rank, ranks, 100);
        for (std::size_t i = 0; i < entries.size(); ++i)
            entries[i].times = {static_cast<std::int64_t>(10 * i),
                                static_cast<std::int64_t>(10 * i + 5 + rank)};
        run.blocks[rank] = file.blocks(entries, 70);
    }
    run.write();
    const RecordedTrace trace = RecordedTrace::open(run.folder.path());
    const auto source = trace.timed_source();
    std::int64_t i = 0;
    for (std::span<const Action> window; !(window = source->next(RankId{3})).empty();) {
        ASSERT_EQ(source->times(RankId{3}).size(), window.size());
        for (const recorded::ActionTimes& times : source->times(RankId{3})) {
            EXPECT_EQ(times.begin, 10 * i);
            EXPECT_EQ(times.end, 10 * i + 8);
            ++i;
        }
    }
    EXPECT_EQ(i, 500);
    const SavedRun untimed;
    untimed.write();
    EXPECT_THROW((void)RecordedTrace::open(untimed.folder.path()).timed_source(), InputError);
}

TEST(RecordedTraces, missing_ranks_are_named) {
    SavedRun run;
    run.write();
    std::filesystem::remove(run.folder / "rank-2.ort");
    EXPECT_EQ(run.error_of(run.folder.path()), "F: rank 2 is missing: the run had 4 ranks");
    EXPECT_EQ(
        run.error_of(run.folder / "rank-1.ort"),
        "F/rank-1.ort: ranks 0, 2 and 3 are missing: the run had 4 ranks; give the folder, which has a file "
        "for each");
    const Folder many;
    for (const std::uint32_t rank : {0U, 1U, 2U, 4U, 5U, 6U, 8U, 9U, 10U, 11U, 16U})
        many.write(fmt::format("rank-{}.ort", rank), joined(RankFile(rank, 20).blocks(ring(rank, 20, 1))));
    try {
        (void)RecordedTrace::open(many.path());
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.error().reason, "ranks 3, 7, 12 to 15 and 17 to 19 are missing: the run had 20 ranks");
    }
}

TEST(RecordedTraces, mixed_runs_are_both_named) {
    SavedRun run;
    RankFile other(3, ranks, 0xDEF);
    other.begin.program = "./app --large";
    other.begin.started = "2026-11-15T20:00:00Z";
    run.replace(other);
    EXPECT_EQ(run.error(),
              "F: 2 runs are mixed here; expected one:\n"
              "  ./app, started 2026-11-15T19:26:15Z (run 0000000000000abc: ranks 0 to 2; rank-0.ort)\n"
              "  ./app --large, started 2026-11-15T20:00:00Z (run 0000000000000def: rank 3; rank-3.ort)");
}

TEST(RecordedTraces, ranks_must_agree) {
    {
        SavedRun run;
        RankFile other(1, 8);
        run.replace(other);
        EXPECT_EQ(run.error(), "F/rank-1.ort: rank 1 says that there are 8 ranks, rank 0 says 4");
    }
    {
        SavedRun run;
        RankFile other(1, ranks);
        other.begin.counter = "cpu-time";
        run.replace(other);
        EXPECT_EQ(run.error(), "F/rank-1.ort: rank 1 counts cpu-time, rank 0 counts instructions");
    }
    {
        const SavedRun run;
        run.write();
        run.folder.write("rank-4.ort", joined(RankFile(4, ranks).blocks(ring(3, ranks, 6))));
        EXPECT_EQ(run.error_of(run.folder.path()), "F/rank-4.ort: rank 4 is one too many: there are 4 ranks");
    }
    {
        const SavedRun run;
        run.write();
        run.folder.write("copy.ort", joined(run.blocks[1]));
        EXPECT_EQ(run.error_of(run.folder.path()),
                  "F/rank-1.ort: byte 0: rank 1 begins again: it is in F/copy.ort, too");
    }
}

TEST(RecordedTraces, cut_off_file_is_noticed) {
    SavedRun run;
    const std::size_t before = run.blocks[1][0].size() + run.blocks[1][1].size();
    for (const std::size_t keep :
         {std::size_t{5}, sizeof(recorded::BlockHeader), run.blocks[1][2].size() - 1}) {
        SavedRun cut;
        cut.blocks[1].resize(3);
        cut.blocks[1][2].resize(keep);
        EXPECT_EQ(cut.error(),
                  fmt::format("F/rank-1.ort: byte {}: the file ends within a block: it has been cut off "
                              "(--allow-truncated takes the trace as far as it goes)",
                              before));
    }
    SavedRun empty;
    empty.blocks[2].clear();
    EXPECT_EQ(empty.error(), "F/rank-2.ort: the file is empty; expected a recorded trace");
    EXPECT_EQ(empty.error(true), "F/rank-2.ort: the file is empty; expected a recorded trace");
}

TEST(RecordedTraces, killed_program_is_taken_as_far_as_all_ranks_go) {
    SavedRun run;
    run.blocks[1].resize(3); // begin and two segments of ten actions: four turns
    run.blocks[3].pop_back();
    EXPECT_EQ(
        run.error(),
        fmt::format("F: ranks 1 and 3 have no end: the program was killed, its disk was full, or it is still "
                    "running; rank 1 stops after {} bytes in rank-1.ort (--allow-truncated takes the trace as "
                    "far as it goes)",
                    joined(run.blocks[1]).size()));
    const RecordedTrace trace = RecordedTrace::open(run.folder.path(), {true});
    const std::vector<std::string> notes = trace.notes();
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_EQ(notes[0], "ranks 1 and 3 did not reach MPI_Finalize: ended by being killed");
    EXPECT_EQ(notes[1],
              "all ranks end after 4 collective operations of all, which every rank has reached: 80 of 110 "
              "actions are used");
    for (const auto& rank : ti_test::read_all(*trace.source())) {
        EXPECT_EQ(rank.size(), 20U);
        EXPECT_EQ(rank.back(), "barrier");
    }
}

TEST(RecordedTraces, file_cut_within_a_block_is_taken_up_to_there) {
    SavedRun run;
    run.blocks[2].resize(2);
    run.blocks[2][1].pop_back();
    run.write();
    const RecordedTrace trace = RecordedTrace::open(run.folder.path(), {true});
    const std::vector<std::string> notes = trace.notes();
    ASSERT_EQ(notes.size(), 3U);
    EXPECT_EQ(notes[0],
              fmt::format("rank-2.ort: byte {}: the file ends within a block: it has been cut off; what is "
                          "before has been read",
                          run.blocks[2][0].size()));
    EXPECT_NE(notes[2].find("no collective operation of all in common"), std::string::npos);
}

TEST(RecordedTraces, aborted_program_says_how_it_ended) {
    SavedRun run;
    RankFile aborted(2, ranks);
    aborted.end.finalized = false;
    aborted.end.how = "MPI_Abort with code 3";
    run.replace(aborted);
    run.blocks[0].pop_back();
    EXPECT_EQ(run.error(),
              "F: the program did not reach MPI_Finalize: rank 2 ended by MPI_Abort with code 3; rank 0 "
              "stopped without a word (--allow-truncated takes the trace as far as it goes)");
    const std::vector<std::string> notes = RecordedTrace::open(run.folder.path(), {true}).notes();
    ASSERT_EQ(notes.size(), 3U);
    EXPECT_EQ(notes[0], "rank 2 did not reach MPI_Finalize: ended by MPI_Abort with code 3");
}

TEST(RecordedTraces, exit_without_finalize_keeps_all_actions) {
    SavedRun run;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        RankFile file(rank, ranks);
        file.end.finalized = false;
        file.end.how = "exit without MPI_Finalize";
        run.replace(file, 6 - static_cast<int>(rank % 2));
    }
    run.write();
    const RecordedTrace trace = RecordedTrace::open(run.folder.path(), {true});
    EXPECT_EQ(trace.notes(),
              std::vector<std::string>{
                  "ranks 0 to 3 did not reach MPI_Finalize: ended by exit without MPI_Finalize"});
    EXPECT_EQ(ti_test::read_all(*trace.source())[0].size(), 30U);
}

TEST(RecordedTraces, missing_and_doubled_blocks_are_noticed) {
    {
        SavedRun run;
        const std::size_t at = run.blocks[1][0].size();
        run.blocks[1].erase(run.blocks[1].begin() + 1);
        EXPECT_EQ(run.error(),
                  fmt::format("F/rank-1.ort: byte {}: block 1 of rank 1 is missing before this one", at));
        run.blocks[1].erase(run.blocks[1].begin() + 1);
        EXPECT_EQ(
            run.error(),
            fmt::format("F/rank-1.ort: byte {}: blocks 1 to 2 of rank 1 are missing before this one", at));
        run.blocks[1].erase(run.blocks[1].begin());
        EXPECT_EQ(run.error(), "F/rank-1.ort: byte 0: blocks 0 to 2 of rank 1 are missing before this one");
    }
    {
        SavedRun run;
        run.blocks[1].insert(run.blocks[1].begin() + 1, run.blocks[1][1]);
        EXPECT_NE(run.error().find("block 1 of rank 1 comes twice"), std::string::npos) << run.error();
    }
}

TEST(RecordedTraces, damage_is_noticed) {
    const auto error_after = [](std::size_t block, std::size_t byte) {
        SavedRun run;
        std::string& where = run.blocks[1][block];
        where[byte] = static_cast<char>(where[byte] ^ 0x10);
        return run.error();
    };
    const SavedRun run;
    const std::size_t second = run.blocks[1][0].size();
    const std::string of_checksum =
        fmt::format("F/rank-1.ort: block 1 of rank 1, at byte {}, is damaged: its checksum is wrong", second);
    EXPECT_EQ(error_after(1, sizeof(recorded::BlockHeader) + 3), of_checksum);
    EXPECT_EQ(error_after(1, run.blocks[1][1].size() - 1), of_checksum);
    EXPECT_EQ(error_after(0, 60),
              "F/rank-1.ort: block 0 of rank 1, at byte 0, is damaged: its checksum is wrong");
    EXPECT_EQ(error_after(1, 0),
              fmt::format("F/rank-1.ort: byte {}: damaged: no block of a recorded trace begins there "
                          "(expected ORT1) (--allow-truncated takes the trace as far as it goes)",
                          second));
    EXPECT_EQ(error_after(0, 0), "F/rank-1.ort: not a recorded trace (.ort): it does not begin with ORT1");
    // Every bit of a file is covered by something.
    const std::size_t bytes = joined(run.blocks[1]).size();
    for (std::size_t byte = 0; byte < bytes; byte += 7) {
        SavedRun damaged;
        std::string all = joined(damaged.blocks[1]);
        all[byte] = static_cast<char>(all[byte] ^ (1 << (byte % 8)));
        damaged.blocks[1] = {all};
        EXPECT_NE(damaged.error(), "") << byte;
    }
}

TEST(RecordedTraces, facts_that_are_no_facts_are_refused) {
    const auto error_with = [](recorded::BlockKind kind, const std::string& json) {
        SavedRun run;
        recorded::BlockWriter writer(0xABC, 1);
        std::string& begin = run.blocks[1].front();
        std::string& end = run.blocks[1].back();
        std::string other;
        if (kind == recorded::BlockKind::end) {
            std::string skipped;
            for (std::size_t i = 0; i + 1 < run.blocks[1].size(); ++i)
                writer.append(recorded::BlockKind::begin, "", skipped);
        }
        writer.append(kind, json, other);
        (kind == recorded::BlockKind::begin ? begin : end) = other;
        return run.error();
    };
    EXPECT_NE(error_with(recorded::BlockKind::begin, "[1]").find("is damaged: it should hold a JSON object"),
              std::string::npos);
    EXPECT_NE(error_with(recorded::BlockKind::begin, "{\"ranks\":0}")
                  .find("its \"ranks\" should be the number of ranks"),
              std::string::npos);
    EXPECT_NE(error_with(recorded::BlockKind::begin, "{\"ranks\":4,\"program\":7}")
                  .find("\"program\" should be a string"),
              std::string::npos);
    EXPECT_NE(
        error_with(recorded::BlockKind::end, "{\"finalized\":1}").find("\"finalized\" should be true or false"),
        std::string::npos);
    EXPECT_NE(
        error_with(recorded::BlockKind::end, "{\"finalized\":true,\"calls\":[3]}").find("\"calls\" should be"),
        std::string::npos);
    EXPECT_EQ(error_with(recorded::BlockKind::end, "{\"finalized\":true,\"of the future\":[3]}"), "");
}

TEST(RecordedTraces, actions_that_cannot_be_replayed_are_refused) {
    const auto error_with = [](void (*put)(Stream&)) {
        SavedRun run;
        Stream s;
        put(s);
        run.blocks[0] = RankFile(0, ranks).blocks(s.entries);
        return run.error();
    };
    const auto ends_in = [](const std::string& words, const std::string& end) { return words.ends_with(end); };
    EXPECT_PRED2(ends_in, error_with([](Stream& s) { s.message(ActionKind::send, 4, 1); }),
                 "is damaged: a peer is out of range");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) { s.wait(5); }),
                 "is damaged: the number of a request is too large");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) { s.put(ActionKind::forget).request = 9; }),
                 "is damaged: the number of a request is too large");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) {
                     s.put(ActionKind::neighbours, {1, 4});
                 }),
                 "is damaged: a neighbour is out of range");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) {
                     s.put(ActionKind::neighbours, {1, 2}).peer = 3;
                 }),
                 "is damaged: a rank has more sources than neighbours");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) { s.put(ActionKind::cancel).request = 9; }),
                 "is damaged: the number of a request is too large");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) { s.message(ActionKind::one_sided, 4, 1); }),
                 "is damaged: a peer is out of range");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) { s.message(ActionKind::one_sided, 1, any_bytes); }),
                 "is damaged: a message is too large");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) { s.message(ActionKind::one_sided, 1, 0); }),
                 "is damaged: a one-sided operation moves nothing");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) { s.window(static_cast<WindowCall>(window_calls)); }),
                 "is damaged: an unknown call of a window");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) { s.window(WindowCall::flush).peer = 4; }),
                 "is damaged: a peer is out of range");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) { s.window(WindowCall::lock).tag = 8; }),
                 "is damaged: a call of a window has unknown flags");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) { s.window(WindowCall::unlock).tag = 1; }),
                 "is damaged: a call of a window has unknown flags");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) { s.window(WindowCall::complete, {1}); }),
                 "is damaged: a call of a window has ranks that it cannot have");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) {
                     s.window(WindowCall::post, {1, 4});
                 }),
                 "is damaged: a peer is out of range");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) {
                     s.put(ActionKind::aside, {0, 1, 0, 0, 8});
                 }),
                 "is damaged: the steps of an algorithm are not whole");
    EXPECT_PRED2(ends_in, error_with([](Stream& s) { s.message(ActionKind::isend, 1, 1, 0, 2'000'000'000); }),
                 "rank 0 has more requests at once than actions, or than can be replayed");
}

TEST(RecordedTraces, calls_that_are_not_replayed_are_named) {
    SavedRun run;
    for (const std::uint32_t rank : {0U, 1U}) {
        RankFile file(rank, ranks);
        file.end.calls = {{"MPI_Win_fence", 600, false}, {"MPI_Send", 4, true}, {"MPI_Put", 2000, false}};
        run.replace(file);
    }
    for (const std::uint32_t rank : {2U, 3U}) run.replace(RankFile(rank, ranks));
    RankFile last(3, ranks);
    last.end.notes = {"it was cold"};
    run.replace(last);
    run.write();
    const std::vector<std::string> notes = RecordedTrace::open(run.folder.path()).notes();
    EXPECT_EQ(notes, (std::vector<std::string>{
                         "calls that are counted but not replayed: 4,000 MPI_Put, 1,200 MPI_Win_fence",
                         "it was cold"}));
}

TEST(RecordedTraces, volumes_of_cpu_time_are_named) {
    SavedRun run;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        RankFile file(rank, ranks);
        file.begin.counter = "cpu-time";
        file.begin.reference = 1e9;
        file.begin.cpu = "EPYC";
        run.replace(file);
    }
    run.write();
    EXPECT_EQ(RecordedTrace::open(run.folder.path()).notes(),
              std::vector<std::string>{"computation is counted as CPU time, 1e+09 for a second of EPYC"});
}

TEST(RecordedTraces, nothing_there_is_said) {
    const SavedRun run;
    EXPECT_EQ(run.error_of(run.folder / "absent"), "F/absent: no such file or directory");
    EXPECT_EQ(run.error_of(run.folder.path()), "F: no recorded trace (.ort) here");
    EXPECT_FALSE(looks_recorded(run.folder.path()));
}

TEST(RecordedTraces, more_ranks_than_open_files) {
    constexpr std::uint32_t many = 300;
    const Folder folder;
    for (std::uint32_t rank = 0; rank < many; ++rank)
        folder.write(fmt::format("rank-{}.ort", rank),
                     joined(RankFile(rank, many).blocks(ring(rank, many, 4))));
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit few{64, 64};
    // The hard limit could not be raised again: only a child may lower it.
    ASSERT_EXIT(
        {
            if (::setrlimit(RLIMIT_NOFILE, &few) != 0) std::_Exit(2);
            const RecordedTrace trace = RecordedTrace::open(folder.path());
            const Words words = ti_test::read_all(*trace.source());
            std::_Exit(words.size() == many && words[299].size() == 20 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace orrery::trace_test
