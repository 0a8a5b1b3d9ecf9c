// `orrery generate`, run as a user runs it.
#include "formats/formats.h"
#include "places.h"
#include "reference/schedules.h"
#include "workload/patterns/pattern.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery::generate_verb_test {
namespace {

struct Answer {
    std::string text;
    int exit_code = -1;
};

Answer orrery_generate(const std::string& arguments) {
    Answer answer;
    FILE* pipe = popen((orrery_program() + " generate " + arguments + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return answer;
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
        answer.text.append(buffer.data(), got);
    }
    const int status = pclose(pipe);
    if (WIFEXITED(status)) answer.exit_code = WEXITSTATUS(status);
    return answer;
}

// A directory that is gone after the test.
class GenerateVerb : public testing::Test {
  protected:
    GenerateVerb() : folder_(testing::TempDir() + "orrery-generate-" + std::to_string(getpid())) {
        std::filesystem::create_directories(folder_);
    }
    ~GenerateVerb() override { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

    void expect_refused(const std::string& arguments, const std::string& words) {
        const Answer answer = orrery_generate(arguments);
        EXPECT_EQ(answer.exit_code, 2) << arguments;
        EXPECT_NE(answer.text.find(words), std::string::npos) << arguments << "\n" << answer.text;
    }

  private:
    std::string folder_;
};

TEST_F(GenerateVerb, ListNamesEveryPattern) {
    const Answer all = orrery_generate("--list");
    EXPECT_EQ(all.exit_code, 0);
    for (const PatternInfo& info : patterns()) {
        EXPECT_NE(all.text.find(std::string(info.name) + " "), std::string::npos) << info.name;
    }
    const Answer one = orrery_generate("binomialtreebcast --list");
    EXPECT_EQ(one.exit_code, 0);
    EXPECT_NE(one.text.find("binomial-bcast: broadcast over a binomial tree"), std::string::npos) << one.text;
    EXPECT_NE(one.text.find("--root"), std::string::npos);
    EXPECT_EQ(one.text.find("--segment"), std::string::npos);
}

TEST_F(GenerateVerb, WritesEachFormat) {
    reference::GraphCollector expected;
    generate(*make_pattern("stencil-2d", {.ranks = 12, .bytes = 100, .compute = Time::us(3), .periodic = true}),
             12, expected);
    for (const char* name : {"x.goal", "x.bin", "x.orr"}) {
        const Answer answer =
            orrery_generate("stencil-2d -n 12 --bytes 100 --compute 3us --periodic -o " + path(name));
        ASSERT_EQ(answer.exit_code, 0) << answer.text;
        EXPECT_NE(answer.text.find("108 operations"), std::string::npos) << answer.text;
        reference::GraphCollector written;
        read_schedule_file(path(name), written);
        ASSERT_EQ(written.ranks.size(), 12u);
        for (std::size_t rank = 0; rank < 12; ++rank) {
            EXPECT_EQ(written.ranks[rank].ops, expected.ranks[rank].ops) << name;
            EXPECT_EQ(written.ranks[rank].dependencies.size(), expected.ranks[rank].dependencies.size());
        }
    }
    const Answer text = orrery_generate("scatter -n 2 -o - 2>/dev/null");
    EXPECT_EQ(text.exit_code, 0);
    EXPECT_NE(text.text.find("send 8b to 1"), std::string::npos) << text.text;
}

TEST_F(GenerateVerb, SimulatesWithoutAFile) {
    const Answer answer = orrery_generate(
        "binomial-bcast -n 1k --bytes 8 --json --loggops \"L=2500ns o=1500ns g=1000ns G=6ns/B O=1ns/B\"");
    ASSERT_EQ(answer.exit_code, 0) << answer.text;
    const auto json = nlohmann::json::parse(answer.text);
    EXPECT_EQ(json["ranks"], 1024);
    EXPECT_EQ(json["messages"], 1023);
    EXPECT_EQ(json["predicted_time_ps"], 10 * (2 * 1'500'000 + 2'500'000 + 7 * 6000)); // equation (3)
}

TEST_F(GenerateVerb, RefusesWhatDoesNotFit) {
    expect_refused("", "which pattern?");
    expect_refused("dissemination", "how many ranks?");
    expect_refused("disemination -n 8", "did you mean 'dissemination'?");
    expect_refused("dissemination -n 0", "number of ranks");
    expect_refused("dissemination -n many", "'many' is not a count");
    expect_refused("dissemination -n 8 --root 3", "dissemination has no use for --root; its options: --bytes");
    expect_refused("linear-barrier -n 8 --bytes 8", "its options: none");
    expect_refused("scatter -n 8 --root 8", "--root 8: ranks are 0 to 7");
    expect_refused("scatter -n 8 --bytes lots", "'lots' is not a size");
    expect_refused("scatter -n 8 --overlap-cpu 2", "need an --overlap");
    expect_refused("stencil-2d -n 8 --dims 3x3", "--dims 3x3 makes 9 ranks, not 8");
    expect_refused("scatter -n 8 -o " + path("x.txt"), "cannot tell the format");
    expect_refused("scatter -n 8 --on odin -o " + path("x.goal"), "--on is of no use with -o");
    expect_refused("scatter -n 8 --seeed 3", "did you mean --seed?");
    EXPECT_FALSE(std::filesystem::exists(path("x.goal")));
}

} // namespace
} // namespace orrery::generate_verb_test
