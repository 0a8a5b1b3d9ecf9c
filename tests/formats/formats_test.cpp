// Which format is which, from each to each, and the two verbs that show it.
#include "formats/formats.h"
#include "formats/goal/goal_text_writer.h"
#include "places.h"
#include "workload/schedule_statistics.h"
#include "workload/schedule_texts.h"

#include <nlohmann/json.hpp>

#include <map>
#include <random>

namespace orrery::formats_test {
namespace {

constexpr ScheduleFormat formats[] = {ScheduleFormat::goal_text, ScheduleFormat::loggopsim_binary,
                                      ScheduleFormat::compact};
const std::map<ScheduleFormat, std::string> extensions = {{ScheduleFormat::goal_text, ".goal"},
                                                          {ScheduleFormat::loggopsim_binary, ".bin"},
                                                          {ScheduleFormat::compact, ".orr"}};

void write(const std::vector<RankGraph>& ranks, const std::string& path, ScheduleFormat format) {
    feed(ranks, *make_writer(path, format));
}

std::vector<RankGraph> read(const std::string& path) {
    reference::GraphCollector collector;
    read_schedule_file(path, collector);
    return collector.ranks;
}

// The binary formats keep each operation's dependents in order, not the order of all dependencies.
std::vector<RankGraph> in_order_of_what_is_waited_for(std::vector<RankGraph> ranks) {
    for (RankGraph& graph : ranks) {
        std::stable_sort(graph.dependencies.begin(), graph.dependencies.end(),
                         [](const Dependency& a, const Dependency& b) {
                             return std::pair(a.before, a.on_start) < std::pair(b.before, b.on_start);
                         });
    }
    return ranks;
}

TEST(Formats, TextRoundTripIsIdentity) {
    std::mt19937_64 random(1);
    TemporaryDirectory directory;
    for (int round = 0; round < 100; ++round) {
        const std::vector<RankGraph> ranks = random_ranks(random);
        write(ranks, directory / "a.goal", ScheduleFormat::goal_text);
        const std::vector<RankGraph> back = read(directory / "a.goal");
        expect_same(ranks, back);
        write(back, directory / "b.goal", ScheduleFormat::goal_text);
        ASSERT_EQ(contents(directory / "a.goal"), contents(directory / "b.goal"));
    }
}

TEST(Formats, FromEachToEach) {
    std::mt19937_64 random(2);
    TemporaryDirectory directory;
    for (int round = 0; round < 50; ++round) {
        const std::vector<RankGraph> ranks = random_ranks(random);
        const auto expected = in_order_of_what_is_waited_for(ranks);
        for (const ScheduleFormat from : formats) {
            const std::string first = directory / ("first" + extensions.at(from));
            write(ranks, first, from);
            ASSERT_EQ(detect_format(first), from);
            expect_same(expected, in_order_of_what_is_waited_for(read(first)));
            for (const ScheduleFormat to : formats) {
                const std::string second = directory / ("second" + extensions.at(to));
                read_schedule_file(first, *make_writer(second, to));
                expect_same(expected, in_order_of_what_is_waited_for(read(second)));
            }
        }
    }
}

TEST(Formats, LoadGivesTheSameScheduleFromAll) {
    std::mt19937_64 random(4);
    TemporaryDirectory directory;
    const std::vector<RankGraph> ranks = random_ranks(random);
    for (const ScheduleFormat format : formats) {
        const std::string path = directory / ("x" + extensions.at(format));
        write(ranks, path, format);
        const Schedule schedule = load_schedule(path);
        reference::GraphCollector collector;
        expand(schedule, collector);
        expect_same(in_order_of_what_is_waited_for(ranks), in_order_of_what_is_waited_for(collector.ranks));
        EXPECT_EQ(schedule.mapped_from_file(), format == ScheduleFormat::compact);
        EXPECT_EQ(schedule.name(), path);
    }
}

TEST(Formats, TextIsWhatTxt2binReads) {
    TemporaryDirectory directory;
    write(read_text("num_ranks 2 rank 0 { c requires a\n a: recv 3b from -1 tag -1\n b: calc 5 cpu 2\n c: send "
                    "8b to 1 nic 1 cpu 300\n"
                    " b irequires a } rank 1 { }"),
          directory / "x.goal", ScheduleFormat::goal_text);
    EXPECT_EQ(contents(directory / "x.goal"), "num_ranks 2\n"
                                              "\nrank 0 {\n"
                                              "l1: recv 3b from -1 tag -1\n"
                                              "l2: calc 5 cpu 2\n"
                                              "l3: send 8b to 1 tag 0 cpu 300 nic 1\n"
                                              "l3 requires l1\n"
                                              "l2 irequires l1\n"
                                              "}\n"
                                              "\nrank 1 {\n"
                                              "}\n");
}

TEST(Formats, TextRefusesFractionsOfNanoseconds) {
    std::vector<RankGraph> ranks(1);
    ranks[0].add(calc_op(1500));
    TemporaryDirectory directory;
    const Error error = error_of([&] { write(ranks, directory / "x.goal", ScheduleFormat::goal_text); });
    EXPECT_EQ(error.file, directory / "x.goal");
    EXPECT_NE(error.reason.find("rank 0, operation 1 (calc 1500 ps) cannot be written"), std::string::npos);
    EXPECT_EQ(directory.files(), 0U);
    write(ranks, directory / "x.orr", ScheduleFormat::compact);
    expect_same(ranks, read(directory / "x.orr"));
}

TEST(Formats, AFailedConversionLeavesTheOldFile) {
    TemporaryDirectory directory;
    put(directory / "bad.goal", "num_ranks 2\nrank 0 { calc 1 }\nrank 1 { calc }");
    for (const ScheduleFormat format : formats) {
        const std::string out = directory / ("out" + extensions.at(format));
        put(out, "old");
        EXPECT_EQ(error_of([&] { read_schedule_file(directory / "bad.goal", *make_writer(out, format)); }).line,
                  3U);
        EXPECT_EQ(contents(out), "old");
    }
    EXPECT_EQ(directory.files(), 4U);
}

TEST(Formats, Detection) {
    TemporaryDirectory directory;
    const auto detect = [&directory](std::string_view bytes) {
        put(directory / "x", bytes);
        return detect_format(directory / "x");
    };
    const auto refusal = [&](std::string_view bytes) { return error_of([&] { detect(bytes); }).reason; };
    EXPECT_EQ(detect("num_ranks 1"), ScheduleFormat::goal_text);
    EXPECT_EQ(detect("// gr\xc3\xbc\xc3\x9f dich\r\n\t"), ScheduleFormat::goal_text);
    EXPECT_EQ(detect("rank 0 {"), ScheduleFormat::goal_text);
    EXPECT_NE(refusal("x").find("not a trace and not a schedule"), std::string::npos);
    EXPECT_EQ(detect("ORRERYSC"), ScheduleFormat::compact);
    EXPECT_EQ(detect({"\x7f\x10\0\0\0\0\0\0", 8}), ScheduleFormat::loggopsim_binary);
    EXPECT_EQ(detect({"\x26\x09\0\0\0\0\0\0", 8}), ScheduleFormat::loggopsim_binary);
    EXPECT_NE(refusal("").find("empty schedule"), std::string::npos);
    EXPECT_NE(refusal("\x1f\x8b\x08").find("gzip"), std::string::npos);
    EXPECT_NE(refusal("\x7f"
                      "ELF\x02")
                  .find("a program"),
              std::string::npos);
    EXPECT_NE(refusal({"\x01\x02\0\xff", 4}).find("begins with the bytes 01 02 00 ff"), std::string::npos);
    EXPECT_NE(error_of([&] { detect_format(directory / "none"); }).reason.find("cannot be opened"),
              std::string::npos);
    EXPECT_NE(error_of([&] { detect_format(directory / "."); }).reason.find("no trace in this folder"),
              std::string::npos);
    EXPECT_EQ(detect_format("-"), ScheduleFormat::goal_text);
}

TEST(Formats, UsedUpBinaryIsExplained) {
    TemporaryDirectory directory;
    put(directory / "x.bin", {"\x26\x09\0\0\0\0\0\0\1\0\0\0\0\0", 14});
    EXPECT_NE(error_of([&] { load_schedule(directory / "x.bin"); }).reason.find("--save-mem"),
              std::string::npos);
}

TEST(Formats, NamesAndExtensions) {
    EXPECT_EQ(format_of_extension("a/b.goal"), ScheduleFormat::goal_text);
    EXPECT_EQ(format_of_extension("b.bin"), ScheduleFormat::loggopsim_binary);
    EXPECT_EQ(format_of_extension("b.goal.orr"), ScheduleFormat::compact);
    EXPECT_EQ(format_of_extension("goal"), std::nullopt);
    EXPECT_EQ(parse_format("goal"), ScheduleFormat::goal_text);
    EXPECT_EQ(parse_format("bin"), ScheduleFormat::loggopsim_binary);
    EXPECT_EQ(parse_format("orr"), ScheduleFormat::compact);
    EXPECT_THROW(parse_format("txt"), UsageError);
    EXPECT_THROW(make_writer("-", ScheduleFormat::compact), UsageError);
}

TEST(Statistics, CountsEverything) {
    ScheduleStatistics counts;
    feed(read_text("num_ranks 3\nrank 0 {\na: send 0b to 1 tag 7\nb: send 1b to 1 tag 7 cpu 4\nc: send 4096b "
                   "to 2 tag 9 nic 2\n"
                   "d: calc 1500000000\nd requires a\nd irequires b c\n}\n"
                   "rank 1 {\nrecv 0b from 0 tag -1\nrecv 1b from -1 tag 7\ncalc 2000000000\n}\nrank 2 { }"),
         counts);
    EXPECT_EQ(counts.ranks(), 3U);
    EXPECT_EQ(counts.idle_ranks(), 1U);
    EXPECT_EQ(counts.operations(), 7U);
    EXPECT_EQ(counts.largest_rank(), 4U);
    EXPECT_EQ(counts.sends(), 3U);
    EXPECT_EQ(counts.recvs(), 2U);
    EXPECT_EQ(counts.calcs(), 2U);
    EXPECT_EQ(counts.any_source_recvs(), 1U);
    EXPECT_EQ(counts.any_tag_recvs(), 1U);
    EXPECT_EQ(counts.bytes_sent(), 4097U);
    EXPECT_EQ(counts.smallest_message(), 0U);
    EXPECT_EQ(counts.largest_message(), 4096U);
    EXPECT_EQ(counts.message_sizes()[0], 1U);
    EXPECT_EQ(counts.message_sizes()[1], 1U);
    EXPECT_EQ(counts.message_sizes()[13], 1U);
    EXPECT_EQ(counts.median_bucket(), 1U);
    EXPECT_DOUBLE_EQ(counts.computation_seconds(), 3.5);
    EXPECT_EQ(counts.longest_computation_ps(), 2'000'000'000'000U);
    EXPECT_EQ(counts.requires_count(), 1U);
    EXPECT_EQ(counts.irequires_count(), 2U);
    EXPECT_EQ(counts.cpus(), 5U);
    EXPECT_EQ(counts.nics(), 3U);
    EXPECT_EQ(counts.tags(), 2U);
    EXPECT_EQ(counts.smallest_tag(), 7U);
    EXPECT_EQ(counts.largest_tag(), 9U);
}

TEST(Statistics, SumsDoNotWrap) {
    std::vector<RankGraph> ranks(2);
    for (int i = 0; i < 10; ++i) {
        ranks[0].add(send_op(1, max_op_size));
        ranks[1].add(calc_op(max_op_size));
    }
    ScheduleStatistics counts;
    feed(ranks, counts);
    EXPECT_EQ(counts.bytes_sent(), ~std::uint64_t{0});
    EXPECT_NEAR(counts.computation_seconds(), 4.611686018427387903e7, 1e-3);
    EXPECT_EQ(counts.message_sizes()[62], 10U);
}

TEST(ConvertVerb, FromEachToEachAndBack) {
    TemporaryDirectory directory;
    const std::string text =
        "num_ranks 2\n\nrank 0 {\nl1: send 8b to 1 tag 0\n}\n\nrank 1 {\nl1: recv 8b from 0 tag 0\n}\n";
    put(directory / "a.goal", text);
    std::string from = directory / "a.goal";
    for (const char* name : {"b.orr", "c.bin", "d.orr", "e.goal", "f.bin", "g.goal"}) {
        const Answer answer = run_program("convert " + from + " " + (directory / name));
        EXPECT_EQ(answer.status, 0) << answer.text;
        EXPECT_EQ(answer.text.find("2 operations, 2 ranks: "), 0U) << answer.text;
        EXPECT_EQ(std::count(answer.text.begin(), answer.text.end(), '\n'), 1);
        from = directory / name;
    }
    EXPECT_EQ(contents(directory / "g.goal"), text);
    EXPECT_EQ(contents(directory / "c.bin"), contents(directory / "f.bin"));
}

TEST(ConvertVerb, OptionsAndStreams) {
    TemporaryDirectory directory;
    put(directory / "a.goal", "num_ranks 1 rank 0 { calc 5 }");
    EXPECT_EQ(run_program("convert " + (directory / "a.goal") + " " + (directory / "x") + " --to orr").status,
              0);
    EXPECT_EQ(detect_format(directory / "x"), ScheduleFormat::compact);
    const Answer piped = run_program("convert " + (directory / "x") + " - --to goal 2>/dev/null | " +
                                     orrery_program() + " convert - " + (directory / "y.goal"));
    EXPECT_EQ(piped.status, 0) << piped.text;
    EXPECT_EQ(contents(directory / "y.goal"), "num_ranks 1\n\nrank 0 {\nl1: calc 5\n}\n");
}

// The standard output may be a plain file: it is written where it stands, not replaced.
TEST(ConvertVerb, StandardOutputIntoAFile) {
    TemporaryDirectory directory;
    put(directory / "a.goal", "num_ranks 1 rank 0 { calc 5 }");
    const std::string convert = "convert " + (directory / "a.goal");
    const bool was_link = std::filesystem::is_symlink("/dev/stdout");
    const std::string into = " --to goal 2>/dev/null >>" + (directory / "z.goal") + " ; test $? = 0";
    EXPECT_EQ(run_program(convert + " -" + into).status, 0);
    EXPECT_EQ(run_program(convert + " -" + into).status, 0);
    const std::string text = "num_ranks 1\n\nrank 0 {\nl1: calc 5\n}\n";
    EXPECT_EQ(contents(directory / "z.goal"), text + text);
    EXPECT_EQ(std::filesystem::is_symlink("/dev/stdout"), was_link);
}

TEST(ConvertVerb, WrongUsageAndBadInput) {
    TemporaryDirectory directory;
    const std::string good = directory / "a.goal";
    put(good, "num_ranks 1 rank 0 { calc 5 }");
    put(directory / "bad.goal", "num_ranks 1\nrank 0 { cacl 5 }");
    const auto convert = [](const std::string& arguments, int status, std::string_view words) {
        const Answer answer = run_program("convert " + arguments);
        EXPECT_EQ(answer.status, status) << answer.text;
        EXPECT_NE(answer.text.find(words), std::string::npos) << answer.text;
    };
    convert(good + " " + good, 2, "the same file");
    convert(good + " " + (directory / "./a.goal"), 2, "the same file");
    convert(good + " " + (directory / "x"), 2, "cannot tell the format");
    convert(good + " " + (directory / "x") + " --to tar", 2, "unknown format \"tar\"");
    convert(good + " - --to bin", 2, "cannot go to the standard output");
    convert(good, 2, "OUTPUT is missing");
    convert((directory / "bad.goal") + " " + (directory / "x.orr"), 3, "bad.goal:2:15: expected \":\"");
    convert((directory / "none.goal") + " " + (directory / "x.orr"), 3, "cannot be opened");
    convert(good + " " + (directory / "no/such/x.orr"), 3, "cannot be created");
    EXPECT_EQ(directory.files(), 2U);
    EXPECT_EQ(contents(good), "num_ranks 1 rank 0 { calc 5 }");
}

TEST(InfoVerb, SaysTheSameOfAllFormats) {
    TemporaryDirectory directory;
    put(directory / "a.goal",
        "num_ranks 2\nrank 0 {\na: send 8b to 1\nb: calc 2000\nb requires a\n}\nrank 1 {\nrecv 8b from -1\n}");
    for (const ScheduleFormat format : formats) {
        const std::string path = directory / ("x" + extensions.at(format));
        read_schedule_file(directory / "a.goal", *make_writer(path, format));
        const Answer answer = run_program("info --json " + path);
        ASSERT_EQ(answer.status, 0) << answer.text;
        const auto json = nlohmann::json::parse(answer.text);
        EXPECT_EQ(json["format"], name_of(format));
        EXPECT_EQ(json["file_bytes"], std::filesystem::file_size(path));
        EXPECT_EQ(json["ranks"], 2);
        EXPECT_EQ(json["operations"], 3);
        EXPECT_EQ(json["messages"], 1);
        EXPECT_EQ(json["bytes_sent"], 8);
        EXPECT_EQ(json["message_sizes"][0]["to"], 15);
        EXPECT_EQ(json["computation_seconds"], 2e-6);
        EXPECT_EQ(json["requires"], 1);
        EXPECT_EQ(json["any_source_recvs"], 1);
        EXPECT_EQ(json["distinct_programs"].is_null(), format != ScheduleFormat::compact);

        const Answer text = run_program("info " + path);
        EXPECT_EQ(text.status, 0);
        EXPECT_NE(text.text.find("3: 1 send, 1 recv, 1 calc"), std::string::npos) << text.text;
        EXPECT_LE(std::count(text.text.begin(), text.text.end(), '\n'), 15);
    }
    EXPECT_EQ(run_program("info - < " + (directory / "a.goal")).status, 0);
    EXPECT_EQ(run_program("info " + (directory / "none.orr")).status, 3);
}

} // namespace
} // namespace orrery::formats_test
