// What `orrery convert` makes of traces, in the hands of those it is made for: SimGrid's own replay, where it
// is installed (Debian: libsimgrid-dev), and our replay of schedules.
#include "cli/program_test.h"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace orrery::exports_test {
namespace {

using test::Answer;
using test::run_command;

const char* const platform = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" bw="125MBps" lat="50us"/>
  </zone>
</platform>
)";

class Exports : public test::ProgramTest {
  protected:
    static constexpr int ranks = 8;

    void SetUp() override {
        ProgramTest::SetUp();
        write("platform.xml", platform);
        std::string hosts;
        for (int rank = 0; rank < ranks; ++rank) hosts += "n" + std::to_string(rank) + "\n";
        write("hosts", hosts);
    }
    // The same lines for all ranks: {r} is the rank, {+k} and {-k} the ranks k on and back in a ring.
    static std::string for_all(const std::string& lines) {
        std::string text;
        for (int rank = 0; rank < ranks; ++rank) {
            std::string own = lines;
            for (std::size_t at = 0; (at = own.find('{')) != std::string::npos;) {
                const std::size_t end = own.find('}', at);
                const std::string word = own.substr(at + 1, end - at - 1);
                const int shift = word == "r" ? 0 : std::atoi(word.c_str());
                own.replace(at, end - at + 1, std::to_string((rank + shift + ranks) % ranks));
            }
            text += own;
        }
        return text;
    }
    double ours(const std::string& input, const std::string& options) {
        const Answer answer = run("replay " + input + " --on platform.xml --hostfile hosts --json " + options);
        EXPECT_EQ(answer.code, 0) << run("replay " + input + " --on platform.xml " + options, true).out;
        if (answer.code != 0) return -1;
        return nlohmann::json::parse(answer.out)["predicted_time_ps"].get<double>() * 1e-12;
    }
    nlohmann::json replayed(const std::string& input, const std::string& options) {
        const Answer answer = run("replay " + input + " --json --per-rank " + options);
        return answer.code == 0 ? nlohmann::json::parse(answer.out) : nlohmann::json();
    }
    // SimGrid's: seconds, or -1. Its "lazy" update of shared bandwidths, the default, is off by up to some
    // 1e-4.
    double theirs(const std::string& list) {
        const Answer answer =
            run_command("cd " + folder_.string() + "/" + list +
                        " && smpirun -replay LIST -np 8 -platform ../platform.xml -hostfile ../hosts "
                        "--cfg=smpi/host-speed:1Gf --cfg=network/optim:Full '--log=root.fmt:%.12r|%m%n' 2>&1");
        const std::size_t words = answer.out.rfind("|Simulation time");
        EXPECT_NE(words, std::string::npos) << answer.out;
        if (words == std::string::npos) return -1;
        const std::size_t line = answer.out.rfind('\n', words) + 1;
        return std::atof(answer.out.c_str() + line);
    }
    // Both replay the trace in the same time.
    void expect_agreement(const std::string& trace, double tolerance) {
        const Answer converted = run("convert " + trace + " for-simgrid/ --to simgrid", true);
        ASSERT_EQ(converted.code, 0) << converted.out;
        const double expected = ours(trace, "--model smpi-compat");
        EXPECT_NEAR(theirs("for-simgrid"), expected, tolerance * expected);
        EXPECT_NEAR(ours("for-simgrid", "--model smpi-compat"), expected, 1e-9 * expected);
    }
    static bool simgrid_is_here() { return std::system("command -v smpirun >/dev/null 2>&1") == 0; }
};

const char* const halo = "{r} init\n{r} compute 3{r}00000\n{r} irecv {-1} 1 20000 6\n{r} irecv {+1} 2 90000 6\n"
                         "{r} isend {+1} 1 20000 6\n{r} isend {-1} 2 90000 6\n{r} wait {-1} {r} 1\n"
                         "{r} compute 100000\n{r} waitall\n{r} sendRecv 700 {+3} 700 {-3} 6 6\n{r} finalize\n";

// Two halves, in the reverse order of ranks, and a duplicate of each.
const char* const parts = "{r} init\n{r} comm_split 1 0 {r}\n{r} comm_dup 2 comm=1\n{r} compute 1{r}0000\n"
                          "{r} isend {+1} 5 3000 6 comm=2\n{r} recv {-1} 5 3000 6 comm=2\n{r} waitall\n{r} "
                          "allreduce 1000 0 6 comm=1\n"
                          "{r} sendRecv 700 {+1} 700 {-1} 6 6 comm=2\n{r} barrier\n{r} finalize\n";

TEST_F(Exports, SimGridReplaysPointToPoint) {
    if (!simgrid_is_here()) GTEST_SKIP() << "smpirun (libsimgrid-dev) is not installed";
    write("halo.txt", for_all(halo));
    expect_agreement("halo.txt", 1e-6);
}

TEST_F(Exports, SimGridReplaysWhatItHasNoCommunicatorsFor) {
    if (!simgrid_is_here()) GTEST_SKIP() << "smpirun (libsimgrid-dev) is not installed";
    write("parts.txt", for_all(parts));
    expect_agreement("parts.txt", 1e-6);
    std::string halves;
    for (int rank = 0; rank < ranks; ++rank) {
        const std::string r = std::to_string(rank);
        halves += r + " init\n" + r + " comm_split 1 " + std::to_string(rank % 2) + " " +
                  std::to_string(9 - rank) + "\n" + r + " bcast 5000 1 6 comm=1\n" + r +
                  " alltoall 300 300 6 6 comm=1\n" + r + " reduce 64 0 2 6 comm=1\n" + r +
                  " allgather 40 40 6 6 comm=1\n" + r + " finalize\n";
    }
    write("halves.txt", halves);
    expect_agreement("halves.txt", 1e-6);
}

TEST_F(Exports, SimGridReplaysNonblockingCollectivesAndWildcards) {
    if (!simgrid_is_here()) GTEST_SKIP() << "smpirun (libsimgrid-dev) is not installed";
    write("overlap.txt", for_all("{r} init\n{r} ibcast 60000 0 6\n{r} compute 300000\n{r} iallreduce 800 0 6\n"
                                 "{r} wait -333 -333 0\n{r} wait -333 -333 0\n{r} barrier\n{r} finalize\n"));
    expect_agreement("overlap.txt", 1e-6);
    std::string farm = "0 init\n0 irecv -555 4 100 6\n";
    for (int i = 0; i < 7; ++i) farm += "0 recv -555 3 100 6\n";
    farm += "0 wait -555 0 4\n0 finalize\n";
    for (int rank = 1; rank < ranks; ++rank) {
        const std::string r = std::to_string(rank);
        farm += r + " init\n" + r + " compute " + r + "000000\n" + r + " send 0 3 100 6\n";
        if (rank == 5) farm += "5 send 0 4 100 6\n";
        farm += r + " finalize\n";
    }
    write("farm.txt", farm);
    expect_agreement("farm.txt", 1e-6);
}

TEST_F(Exports, SimGridReplaysWorldCollectivesAsWords) {
    if (!simgrid_is_here()) GTEST_SKIP() << "smpirun (libsimgrid-dev) is not installed";
    write("world.txt", for_all("{r} init\n{r} bcast 1000 3 6\n{r} allreduce 10 500 0\n{r} alltoall 50 50 6 6\n"
                               "{r} gather 100 100 2 6 6\n{r} scan 8 100 0\n{r} barrier\n{r} finalize\n"));
    const Answer converted = run("convert world.txt - --to simgrid");
    EXPECT_NE(converted.out.find("7 bcast 1000 3 6\n7 allreduce 10 500 0\n"), std::string::npos)
        << converted.out;
    expect_agreement("world.txt", 1e-6);
}

TEST_F(Exports, TheOlderGrammarGoesThroughSimGridsOwnConverter) {
    if (!simgrid_is_here() || std::system("command -v simgrid_convert_TI_traces >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "smpirun and simgrid_convert_TI_traces (libsimgrid-dev) are not installed";
    write("parts.txt", for_all(parts));
    const Answer converted = run("convert parts.txt old/ --to old-simgrid", true);
    ASSERT_EQ(converted.code, 0) << converted.out;
    EXPECT_NE(converted.out.find("messages lost their tag"), std::string::npos);
    const Answer newer =
        run_command("cd " + folder_.string() + " && simgrid_convert_TI_traces -o newer old/LIST 2>&1");
    ASSERT_EQ(newer.code, 0) << newer.out;
    const double expected = ours("parts.txt", "--model smpi-compat");
    EXPECT_NEAR(theirs("newer"), expected, 1e-6 * expected);
}

// Over a network the schedule is replayed as the trace is; under LogGOPS alone both agree while CPUs cost
// nothing.
TEST_F(Exports, ASchedulePredictsWhatItsTraceDoes) {
    write("halo.txt", for_all(halo));
    write("parts.txt", for_all(parts));
    for (const std::string name : {"halo", "parts"}) {
        ASSERT_EQ(run("convert " + name + ".txt " + name + ".orr --speed 1Gf").code, 0);
        ASSERT_EQ(run("convert " + name + ".txt " + name + ".goal --speed 1Gf").code, 0);
        const std::string on = "--on platform.xml --hostfile hosts --network ";
        const nlohmann::json trace = replayed(name + ".txt", on + "flow");
        for (const char* const format : {".orr", ".goal"}) {
            const nlohmann::json goal = replayed(name + format, on + "flow");
            EXPECT_EQ(trace["messages"], goal["messages"]);
            EXPECT_EQ(trace["bytes"], goal["bytes"]);
            EXPECT_EQ(trace["finish_times_ps"], goal["finish_times_ps"]) << name << format;
        }
        const std::string latency = " --loggops \"L=2500ns o=0 g=0 G=0 O=0 S=65535B\"";
        EXPECT_EQ(replayed(name + ".txt", on + "loggops" + latency)["finish_times_ps"],
                  replayed(name + ".orr", latency)["finish_times_ps"]);
    }
}

TEST_F(Exports, CollectivesOfAScheduleAreThoseAskedFor) {
    write("world.txt", for_all("{r} init\n{r} bcast 1000 0 6\n{r} finalize\n"));
    ASSERT_EQ(run("convert world.txt linear.goal --speed 1Gf --collective bcast=linear").code, 0);
    const nlohmann::json info = nlohmann::json::parse(run("info linear.goal --json").out);
    EXPECT_EQ(info["sends"], 7);
    EXPECT_EQ(info["operations_of_largest_rank"], 7); // rank 0 sends them all
}

TEST_F(Exports, WhatCannotBeSaidIsRefused) {
    write("halo.txt", for_all(halo));
    EXPECT_EQ(run("convert halo.txt x.goal").code, 2); // how fast?
    const Answer older = run("convert halo.txt old/ --to old-simgrid", true);
    EXPECT_EQ(older.code, 3);
    EXPECT_NE(older.out.find("halo.txt:7: rank 0: waits for a request that is neither the latest one"),
              std::string::npos)
        << older.out;
    write("a.goal", "num_ranks 1\nrank 0 {\n}\n");
    EXPECT_EQ(run("convert a.goal x/ --to simgrid").code, 2);
    EXPECT_EQ(run("convert a.goal a.orr --speed 1Gf").code, 2);
    EXPECT_EQ(run("convert halo.txt x.goal --speed 1Gf --collective bcast=nonsense").code, 2);
}

} // namespace
} // namespace orrery::exports_test
