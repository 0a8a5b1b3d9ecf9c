// A trace of actions on a multiple of its ranks: messages stay within their copy, collectives over all ranks
// are those of more ranks.
#include "workload/extrapolation/extrapolated_actions.h"

#include "drivers/crossbar.h"
#include "formats/ort/ort_writer.h"
#include "formats/ti/ti_text.h"

namespace orrery::extrapolated_actions_test {
namespace {

using ti_test::Folder;
using ti_test::Words;

// Of a text of all ranks: the actions of `copies` times as many.
Words extrapolated_words(const std::string& text, std::uint32_t copies) {
    const Folder folder;
    const TiTrace trace = TiTrace::open(folder.write("t.txt", text));
    const TraceCommunicators communicators(*trace.source());
    ExtrapolatedActions source(trace.repeated_source(copies), communicators);
    return ti_test::read_all(source);
}

std::string extrapolation_error(const std::string& text, std::uint32_t copies) {
    try {
        (void)extrapolated_words(text, copies);
    } catch (const InputError& error) {
        Error what = error.error();
        what.file = std::filesystem::path(what.file).filename().string();
        return what.words();
    }
    return "no error";
}

ReplayPrediction predict_actions(ActionSource& source) {
    const Platform platform = test::crossbar(source.ranks());
    FlowNetwork network(platform, FlowParameters{});
    return replay({{&source, Time::zero(), test::one_each(source.ranks())}}, platform, network, {});
}

std::vector<Time> finish_times(const ReplayPrediction& prediction) {
    std::vector<Time> times;
    for (const auto& rank : prediction.base.ranks) times.push_back(rank.finish);
    return times;
}

// Each rank's lines, with its number before them.
template <typename Lines> std::string text_of(std::uint32_t ranks, Lines&& lines) {
    std::string text;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (const std::string& line : lines(rank, ranks)) text += fmt::format("{} {}\n", rank, line);
    }
    return text;
}

TEST(ExtrapolatedActions, messages_stay_within_their_copy) {
    const Words words =
        extrapolated_words("0 isend 1 7 100 6\n0 recv 1 -444 -1 6\n0 sendRecv 10 2 20 1 6 6\n"
                           "0 waitall\n"
                           "1 recv -555 7 100 6\n1 ssend 0 3 5 6\n1 probe -555 -444\n1 compute 5\n"
                           "2 compute 1\n",
                           2);
    ASSERT_EQ(words.size(), 6u);
    const Words traced =
        extrapolated_words("0 isend 1 7 100 6\n0 recv 1 -444 -1 6\n0 sendRecv 10 2 20 1 6 6\n"
                           "0 waitall\n"
                           "1 recv -555 7 100 6\n1 ssend 0 3 5 6\n1 probe -555 -444\n1 compute 5\n"
                           "2 compute 1\n",
                           1);
    EXPECT_EQ(Words(words.begin(), words.begin() + 3), traced);
    EXPECT_EQ(words[3], (std::vector<std::string>{"isend 4 tag 7 100 B #0", "probe 4 tag any",
                                                  "recv 4 tag any all", "sendrecv 5 10 B, 4 20 B", "waitall"}));
    EXPECT_EQ(words[4], (std::vector<std::string>{"recv any tag 7 100 B", "ssend 3 tag 3 5 B",
                                                  "probe any tag any", "compute 5"}));
    EXPECT_EQ(words[5], (std::vector<std::string>{"compute 1"}));
}

TEST(ExtrapolatedActions, roots_stay_and_counts_per_rank_are_repeated) {
    const Words words = extrapolated_words(
        text_of(2,
                [](std::uint32_t rank, std::uint32_t) -> std::vector<std::string> {
                    return {"bcast 8 1 6", "gatherv 3 3 4 1 6 6",
                            rank == 0 ? "alltoallv 9 1 2 9 3 4 6 6" : "alltoallv 9 4 5 9 2 6 6 6",
                            "allgatherv 3 3 4 6 6", "reducescatter 1 2 50 6"};
                }),
        3);
    ASSERT_EQ(words.size(), 6u);
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
        SCOPED_TRACE(rank);
        EXPECT_EQ(words[rank][0], "bcast root 1 8 B");
        EXPECT_NE(words[rank][1].find("gatherv root 1"), std::string::npos);
        // Only the root has counts; its copies keep theirs, of which they give their own.
        EXPECT_EQ(words[rank][1].find("[3 4 3 4 3 4]") != std::string::npos, rank % 2 == 1) << words[rank][1];
        EXPECT_NE(
            words[rank][2].find(rank % 2 == 0 ? "[1 2 1 2 1 2 3 4 3 4 3 4]" : "[4 5 4 5 4 5 2 6 2 6 2 6]"),
            std::string::npos)
            << words[rank][2];
        EXPECT_NE(words[rank][3].find("[3 4 3 4 3 4]"), std::string::npos) << words[rank][3];
        EXPECT_NE(words[rank][4].find("[1 2 1 2 1 2]"), std::string::npos) << words[rank][4];
    }
}

// Members of each communicator that the actions of a source make, and what their messages mean in the world.
TEST(ExtrapolatedActions, groups_are_one_per_copy_and_those_of_all_ranks_are_one) {
    const std::string text = text_of(4, [](std::uint32_t rank, std::uint32_t) -> std::vector<std::string> {
        std::vector<std::string> lines{// Rows, in the reverse order of their ranks; all ranks reversed; a
                                       // duplicate of that; a triple; alone.
                                       fmt::format("comm_split 1 {} {}", 40 + rank / 2, 9 - rank),
                                       fmt::format("comm_split 2 7 {}", 100 - rank),
                                       "comm_dup 3 comm=2",
                                       fmt::format("comm_create 5 {}", rank),
                                       "allreduce 8 0 6 comm=1",
                                       "barrier comm=3",
                                       "barrier comm=5"};
        if (rank < 3) lines.insert(lines.begin() + 3, "comm_create 4 2 0 1");
        if (rank == 0) lines.insert(lines.end(), {"send 0 0 8 6 comm=1", "send 3 1 8 6 comm=2"});
        if (rank == 1) lines.emplace_back("recv 1 0 8 6 comm=1"); // rank 0 is the last of its reversed row
        return lines;
    });
    const Folder folder;
    const TiTrace trace = TiTrace::open(folder.write("t.txt", text));
    const TraceCommunicators traced(*trace.source());
    const auto open = [&] { return std::make_unique<ExtrapolatedActions>(trace.repeated_source(2), traced); };
    const TraceCommunicators found(*open());
    std::vector<std::vector<std::uint32_t>> members;
    for (std::uint32_t index = 1; index < found.all().count(); ++index) {
        std::vector<std::uint32_t>& own = members.emplace_back();
        for (std::uint32_t i = 0; i < found.all().size(index); ++i) own.push_back(found.all().member(index, i));
    }
    std::sort(members.begin(), members.end());
    const std::vector<std::uint32_t> reversed{3, 2, 1, 0, 7, 6, 5, 4};
    EXPECT_EQ(members, (std::vector<std::vector<std::uint32_t>>{{0},
                                                                {1},
                                                                {1, 0},
                                                                {2},
                                                                {2, 0, 1},
                                                                {3},
                                                                {3, 2},
                                                                reversed,
                                                                reversed,
                                                                {4},
                                                                {5},
                                                                {5, 4},
                                                                {6},
                                                                {6, 4, 5},
                                                                {7},
                                                                {7, 6}}));
    const Words words = ti_test::read_all(*open());
    EXPECT_EQ(words[4].end()[-2], "send 0 8 B in 1");       // within its own row
    EXPECT_EQ(words[4].end()[-1], "send 7 tag 1 8 B in 2"); // the last of its copy
    EXPECT_EQ(words[5].back(), "recv 1 8 B in 1");
}

TEST(ExtrapolatedActions, windows_and_neighbours_stay_within_their_copy) {
    const Words words =
        extrapolated_words("0 win_post 0 1\n0 win_start 0 1\n0 rma 1 800 0\n0 win_complete\n0 win_wait\n"
                           "0 win_lock 1 1\n0 win_unlock 1\n0 win_fence\n0 neighbours 1 1 1\n"
                           "1 win_post 0 0\n1 win_start 0 0\n1 win_complete\n1 win_wait\n1 win_fence\n"
                           "1 neighbours 1 0 0\n",
                           2);
    ASSERT_EQ(words.size(), 4u);
    EXPECT_EQ(words[2], (std::vector<std::string>{"win_post [3]", "win_start [3]", "rma 3 800 B, 0 B back",
                                                  "win_complete", "win_wait", "win_lock 3 flags 1",
                                                  "win_unlock 3", "win_fence", "neighbours 1 sources [3 3]"}));
    EXPECT_EQ(words[3][0], "win_post [2]");
}

TEST(ExtrapolatedActions, a_trace_of_one_rank_keeps_what_is_its_own) {
    const Words words =
        extrapolated_words("0 comm_create 1 0\n0 comm_dup 2\n0 comm_split 3 5 6\n0 barrier comm=1\n"
                           "0 sendRecv 1 0 1 0 6 6 comm=1\n0 sendRecv 1 0 1 0 6 6 comm=3\n",
                           3);
    ASSERT_EQ(words.size(), 3u);
    EXPECT_EQ(words[2], (std::vector<std::string>{"comm_create 1: [2]", "comm_dup 2:", "comm_split 3: 0 2",
                                                  "barrier in 1", "sendrecv 0 1 B, 0 1 B in 1",
                                                  "sendrecv 2 1 B, 2 1 B in 3"}));
}

// A program of collectives and local work only, which does the same on each rank, at any number of ranks.
std::vector<std::string> collective_loop(std::uint32_t, std::uint32_t ranks) {
    std::vector<std::string> lines;
    std::string counts;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) counts += " 700";
    for (int i = 0; i < 3; ++i) {
        lines.insert(lines.end(),
                     {"barrier", "compute 20000", "allreduce 1000 3000 6", "bcast 5000 0 6",
                      "alltoall 300 300 6 6", "allgather 400 400 6 6", "reduce 99 10 0 6", "iallreduce 64 0 6",
                      "compute 100", "waitall", "gatherv 700" + counts + " 0 6 6",
                      "alltoallv 0" + counts + " 0" + counts + " 6 6", "comm_dup 1", "scan 8 0 6 comm=1",
                      "comm_free 1"});
    }
    return lines;
}

TEST(ExtrapolatedActions, collectives_cost_what_they_cost_a_trace_of_as_many_ranks) {
    const Folder folder;
    for (const std::uint32_t traced_ranks : {1u, 2u, 3u, 4u}) {
        const TiTrace small = TiTrace::open(folder.write("small.txt", text_of(traced_ranks, collective_loop)));
        const TraceCommunicators communicators(*small.source());
        for (const std::uint32_t copies : {1u, 2u, 4u}) {
            const std::uint32_t total = traced_ranks * copies;
            const TiTrace large = TiTrace::open(folder.write("large.txt", text_of(total, collective_loop)));
            ExtrapolatedActions source(small.repeated_source(copies), communicators);
            EXPECT_EQ(finish_times(predict_actions(source)), finish_times(predict_actions(*large.source())))
                << traced_ranks << " to " << total;
        }
    }
}

// A ring, with groups, on four ranks.
std::vector<std::string> stencil_lines(std::uint32_t rank, std::uint32_t ranks) {
    std::vector<std::string> lines{fmt::format("comm_split 1 {} {}", rank % 2, rank)};
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t right = (rank + 1) % ranks;
        const std::uint32_t left = (rank + ranks - 1) % ranks;
        lines.insert(lines.end(),
                     {fmt::format("irecv {} 1 20000 6", left), fmt::format("irecv -555 2 20000 6"),
                      fmt::format("isend {} 1 20000 6", right), fmt::format("isend {} 2 20000 6", left),
                      fmt::format("compute {}", 10'000 + 3000 * rank), "waitall",
                      fmt::format("sendRecv 500 {} 500 {} 6 6", right, left), "allreduce 8 0 6 comm=1"});
    }
    return lines;
}

TEST(ExtrapolatedActions, as_many_ranks_take_the_same_time_and_copies_do_too) {
    const Folder folder;
    const TiTrace trace = TiTrace::open(folder.write("t.txt", text_of(4, stencil_lines)));
    const TraceCommunicators communicators(*trace.source());
    const std::vector<Time> traced = finish_times(predict_actions(*trace.source()));
    for (const std::uint32_t copies : {1u, 2u, 4u}) {
        ExtrapolatedActions source(trace.repeated_source(copies), communicators);
        std::vector<Time> expected;
        for (std::uint32_t copy = 0; copy < copies; ++copy)
            expected.insert(expected.end(), traced.begin(), traced.end());
        // The only collective over all ranks is comm_split; on a crossbar nobody else disturbs the copies.
        const std::vector<Time> found = finish_times(predict_actions(source));
        if (copies == 1) {
            EXPECT_EQ(found, expected);
        } else {
            ASSERT_EQ(found.size(), expected.size());
            for (std::uint32_t rank = 4; rank < found.size(); ++rank) EXPECT_GE(found[rank], traced[rank % 4]);
        }
    }
    const std::string without = [] {
        std::string text = text_of(4, stencil_lines);
        for (std::size_t at = 0; (at = text.find("comm", at)) != std::string::npos;) {
            const std::size_t begin = text.rfind('\n', at) + 1; // npos + 1 is 0
            text.erase(begin, text.find('\n', at) + 1 - begin);
            at = begin;
        }
        return text;
    }();
    const TiTrace messages = TiTrace::open(folder.write("m.txt", without));
    const TraceCommunicators only_world(*messages.source());
    const std::vector<Time> alone = finish_times(predict_actions(*messages.source()));
    ExtrapolatedActions source(messages.repeated_source(4), only_world);
    const std::vector<Time> found = finish_times(predict_actions(source));
    for (std::uint32_t rank = 0; rank < 16; ++rank) EXPECT_EQ(found[rank], alone[rank % 4]) << rank;
}

TEST(ExtrapolatedActions, every_form_of_a_trace_gives_the_same) {
    const Folder folder;
    std::string text = text_of(4, stencil_lines);
    const std::string merged = folder.write("t.txt", text);
    const TiTrace as_text = TiTrace::open(merged);
    write_oti(*as_text.source(), folder / "t.oti");
    write_ort(*as_text.source(), folder / "t.ort", "t");
    write_ti_text(*as_text.source(), folder / "per-rank/");
    std::string scattered; // ranks alternate line by line
    for (std::size_t i = 0; i < stencil_lines(0, 4).size(); ++i) {
        for (std::uint32_t rank = 0; rank < 4; ++rank)
            scattered += fmt::format("{} {}\n", rank, stencil_lines(rank, 4)[i]);
    }
    folder.write("scattered.txt", scattered);
    const Words expected = extrapolated_words(text, 3);
    for (const char* name : {"t.oti", "t.ort", "per-rank", "scattered.txt"}) {
        SCOPED_TRACE(name);
        const TiTrace trace = TiTrace::open(folder / name);
        const TraceCommunicators communicators(*trace.source());
        ExtrapolatedActions source(trace.repeated_source(3), communicators);
        EXPECT_EQ(ti_test::read_all(source), expected);
        // And once more from the beginning.
        ExtrapolatedActions again(trace.repeated_source(3), communicators);
        EXPECT_EQ(ti_test::read_all(again), expected);
    }
}

TEST(ExtrapolatedActions, many_ranks_have_small_windows) {
    const Folder folder;
    const TiTrace trace = TiTrace::open(folder.write("t.txt", text_of(2, stencil_lines)));
    const TraceCommunicators communicators(*trace.source());
    ExtrapolatedActions source(trace.repeated_source(50'000), communicators);
    EXPECT_LE(source.next(RankId{99'999}).size(), 4u);
    ExtrapolatedActions few(trace.repeated_source(2), communicators);
    EXPECT_GT(few.next(RankId{3}).size(), 16u);
}

TEST(ExtrapolatedActions, a_peer_that_does_not_exist_does_not_become_one_of_another_copy) {
    test::ActionScript traced(2);
    traced.dup(0, 1).dup(1, 1);
    auto repeated = std::make_unique<test::ActionScript>(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) repeated->dup(rank, 1);
    repeated->message(0, ActionKind::send, 3, 8, 0, 0, 1);
    const TraceCommunicators communicators(traced);
    ExtrapolatedActions source(std::move(repeated), communicators);
    try {
        (void)ti_test::read_all(source);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.error().words(), "rank0.txt:2: rank 0: names rank 3, but its communicator has 2 ranks");
    }
}

TEST(ExtrapolatedActions, what_cannot_be_is_named) {
    // An intercommunicator of all ranks: the steps of its collectives are those of the traced ranks.
    const std::string between = "0 comm_create 1 0 1\n0 aside 0 1 0 0 8 0 comm=1\n0 waitall\n"
                                "1 comm_create 1 0 1\n1 aside 1 0 0 0 0 8 comm=1\n1 waitall\n";
    EXPECT_NE(extrapolation_error(between, 2).find("t.txt:2: rank 0: "), std::string::npos);
    EXPECT_NE(extrapolation_error(between, 2).find("between two groups that together are all ranks"),
              std::string::npos)
        << extrapolation_error(between, 2);
    EXPECT_EQ(extrapolation_error(between, 1), "no error");
    // Between some of the ranks it is copied.
    EXPECT_EQ(extrapolation_error(between + "2 compute 1\n", 2), "no error");
    EXPECT_NE(extrapolation_error("0 alltoallv 9 1 2 3 9 3 4 5 6 6\n1 barrier\n", 2), "no error");
}

} // namespace
} // namespace orrery::extrapolated_actions_test
