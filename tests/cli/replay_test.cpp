// `orrery replay` as a script sees it: JSON, exit codes, files.
#include "cli/program_test.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

namespace orrery::replay_test {

namespace {

namespace fs = std::filesystem;
using orrery::test::Answer;

class Replay : public orrery::test::ProgramTest {
  protected:
    const std::string paper_ = "--loggops \"L=2500ns o=1500ns g=4000ns G=6ns/B O=8ns/B S=65535B\"";
    const std::string ping_ = "num_ranks 2\nrank 0 {\n send 1b to 1\n}\nrank 1 {\n recv 1b from 0\n}\n";
};

TEST_F(Replay, JsonHasWhatScriptsRelyOn) {
    write("ping.goal", ping_);
    const Answer answer = run("replay ping.goal " + paper_ + " --json --per-rank");
    ASSERT_EQ(answer.code, 0);
    const auto json = nlohmann::json::parse(answer.out);
    EXPECT_EQ(json["predicted_time_ps"], 5'500'000);
    EXPECT_EQ(json["ranks"], 2);
    EXPECT_EQ(json["messages"], 1);
    EXPECT_EQ(json["events"], 3);
    EXPECT_TRUE(json["simulation_seconds"].is_number());
    EXPECT_GT(json["peak_rss_bytes"], 1'000'000);
    EXPECT_EQ(json["finish_times_ps"], (std::vector<std::int64_t>{1'500'000, 5'500'000}));
    EXPECT_FALSE(nlohmann::json::parse(run("replay ping.goal --json").out).contains("finish_times_ps"));
}

TEST_F(Replay, EveryFormatGivesTheSame) {
    write("ping.goal", ping_);
    ASSERT_EQ(run("convert ping.goal ping.orr").code, 0);
    ASSERT_EQ(run("convert ping.orr ping.bin").code, 0);
    for (const char* file : {"ping.goal", "ping.orr", "ping.bin"}) {
        const auto json =
            nlohmann::json::parse(run(std::string("replay ") + file + " " + paper_ + " --json").out);
        EXPECT_EQ(json["predicted_time_ps"], 5'500'000) << file;
    }
}

TEST_F(Replay, TheSummaryFitsOnAScreen) {
    write("ping.goal", ping_);
    const Answer answer = run("replay ping.goal " + paper_);
    EXPECT_LE(std::count(answer.out.begin(), answer.out.end(), '\n'), 15);
    EXPECT_NE(answer.out.find("5.500 us"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("no contention inside the network"), std::string::npos);
}

TEST_F(Replay, ExitCodes) {
    write("ping.goal", ping_);
    write("bad.goal", "num_ranks 1\nrank 0 {\n send 1b to 7\n}\n");
    write("stuck.goal", "num_ranks 2\nrank 0 {\n recv 1b from 1 tag 3\n}\nrank 1 {\n calc 1\n}\n");
    write("empty.goal", "");
    EXPECT_EQ(run("replay ping.goal --lopgops x").code, 2);
    EXPECT_EQ(run("replay ping.goal --on nowhere").code, 2);
    EXPECT_EQ(run("replay").code, 2);
    EXPECT_EQ(run("replay bad.goal").code, 3);
    EXPECT_EQ(run("replay empty.goal").code, 3);
    EXPECT_EQ(run("replay missing.goal").code, 3);
    EXPECT_EQ(run("replay stuck.goal").code, 1);
    EXPECT_NE(run("replay bad.goal", true).out.find("bad.goal:3:"), std::string::npos);
    const std::string stuck = run("replay stuck.goal", true).out;
    EXPECT_NE(stuck.find("rank 0, operation 1: recv 1 B from 1 tag 3"), std::string::npos) << stuck;
}

TEST_F(Replay, MisspellingsGetASuggestion) {
    write("ping.goal", ping_);
    EXPECT_NE(run("replya ping.goal", true).out.find("did you mean 'orrery replay'"), std::string::npos);
    EXPECT_NE(run("replay ping.goal --lopgops x", true).out.find("did you mean --loggops"), std::string::npos);
    EXPECT_NE(run("replay ping.goal --on odn", true).out.find("did you mean 'odin'"), std::string::npos);
}

TEST_F(Replay, NothingIsHalfWritten) {
    write("stuck.goal", "num_ranks 1\nrank 0 {\n recv 1b from 0 tag 3\n}\n");
    EXPECT_EQ(run("replay stuck.goal --timeline x.svg --timeline x.pftrace").code, 1);
    EXPECT_EQ(run("convert missing.goal x.orr").code, 3);
    write("bad.goal", "num_ranks 1\nrank 0 {\n calc 5\n");
    EXPECT_EQ(run("convert bad.goal x.orr").code, 3);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(Replay, DrawsTimelines) {
    write("ping.goal", ping_);
    ASSERT_EQ(run("replay ping.goal --timeline x.svg --timeline x.pftrace --critical-path").code, 0);
    EXPECT_GT(fs::file_size(folder_ / "x.svg"), 1000U);
    EXPECT_GT(fs::file_size(folder_ / "x.pftrace"), 100U);
    EXPECT_EQ(run("replay ping.goal --timeline x.png").code, 2);
}

} // namespace

} // namespace orrery::replay_test
