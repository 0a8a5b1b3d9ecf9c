// `orrery extrapolate` from the outside.
#include "places.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery::command_test {

namespace {

struct Answer {
    std::string text;
    int status = -1;
};

Answer orrery(const std::string& arguments) {
    Answer answer;
    FILE* pipe = popen((orrery_program() + " " + arguments).c_str(), "r");
    if (pipe == nullptr) return answer;
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
        answer.text.append(buffer.data(), got);
    }
    answer.status = WEXITSTATUS(pclose(pipe));
    return answer;
}

const std::string traces = test_data() + "/traces/";
const std::string odin = " --loggops 'L=5300ns o=2300ns g=2000ns G=3ns/B O=1ns/B S=32768B' --quiet --json";

std::int64_t predicted(const Answer& answer) {
    EXPECT_EQ(answer.status, 0) << answer.text;
    return nlohmann::json::parse(answer.text)["predicted_time_ps"];
}

TEST(AllprofCommand, simulates_the_trace_and_more_ranks) {
    // The numbers of the original tool chain, with its order of ties.
    const std::string compat = odin + " --model loggopsim-compat";
    const std::string more = "sweep3d-2x2/pmpi-trace-rank-0.txt -n 16";
    EXPECT_EQ(predicted(orrery("extrapolate " + traces + "sweep3d-2x2" + compat)), 42'283'315'522'000);
    EXPECT_EQ(predicted(orrery("extrapolate " + traces + more + compat)), 42'284'066'178'000);
    EXPECT_EQ(predicted(orrery("extrapolate " + traces + "sweep3d-2x2" + odin)), 42'283'315'522'000);
    EXPECT_EQ(predicted(orrery("extrapolate " + traces + more + odin)), 42'284'072'113'000);
}

TEST(AllprofCommand, writes_the_schedule) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("orrery-extrapolate-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    for (const std::string extension : {"goal", "bin", "orr"}) {
        const std::string file = (folder / ("sphot." + extension)).string();
        const Answer written = orrery("extrapolate " + traces + "sphot-4 -n 16 -o " + file);
        EXPECT_EQ(written.status, 0);
        EXPECT_NE(written.text.find("1,188 operations, 16 ranks"), std::string::npos) << written.text;
        EXPECT_EQ(predicted(orrery("replay " + file + odin)),
                  predicted(orrery("extrapolate " + traces + "sphot-4 -n 16" + odin)));
    }
    std::filesystem::remove_all(folder);
}

TEST(AllprofCommand, says_what_was_found_and_assumed) {
    const Answer answer = orrery("extrapolate " + traces + "sphot-4 2>&1");
    EXPECT_NE(answer.text.find("4 ranks, 112 calls; 9 sends, 9 receives, 40 calls of collectives"),
              std::string::npos)
        << answer.text;
    EXPECT_NE(answer.text.find("not part of the trace: input.dat"), std::string::npos);
    EXPECT_NE(answer.text.find("6 wildcard receives"), std::string::npos);
}

TEST(AllprofCommand, options_change_the_program) {
    const auto time = [](const std::string& options) {
        return predicted(orrery("extrapolate " + traces + "sweep3d-2x2" + odin + " " + options));
    };
    const std::int64_t plain = time("");
    EXPECT_LT(time("--compute-scale 0.5"), plain * 6 / 10);
    EXPECT_NE(time("--collective bcast=linear --collective allreduce=ring"), plain);
    EXPECT_NE(time("--no-p2p"), plain);
    EXPECT_NE(time("--no-collectives"), plain);
    EXPECT_LT(time("--first 5"), plain / 10);
    EXPECT_LT(time("--start 20 --first 5"), plain);
    EXPECT_LT(time("--collectives-early 10us"), plain);
}

TEST(AllprofCommand, errors_and_exit_codes) {
    const auto run = [](const std::string& arguments) { return orrery("extrapolate " + arguments + " 2>&1"); };
    EXPECT_EQ(run(traces + "sphot-4 -n 7").status, 2);
    EXPECT_NE(run(traces + "sphot-4 -n 7").text.find("next to it are 4 and 8"), std::string::npos);
    EXPECT_EQ(run(traces + "sphot-4 --collective bcast=binry").status, 2);
    EXPECT_EQ(run(traces + "sphot-4 --mpi lam").status, 2);
    EXPECT_EQ(run(traces + "sphot-4 -o x.txt").status, 2);
    EXPECT_EQ(run(traces + "sphot-4 -o x.goal --json").status, 2);
    EXPECT_EQ(run(traces + "bad/truncated").status, 3);
    EXPECT_EQ(run(traces + "bad/truncated --allow-truncated").status, 0);
    EXPECT_EQ(run(traces + "bad/one-sided").status, 3);
    EXPECT_EQ(run(traces + "bad/one-sided --skip-unsupported").status, 0);
    EXPECT_EQ(run(traces + "no-such-trace").status, 3);
}

} // namespace

} // namespace orrery::command_test
