// However a traced program ends, and whatever becomes of its files: the outcome is clear, and what was recorded
// before can be read.
#include "cli/program_test.h"
#include "engine/error.h"
#include "formats/ort/recorded_trace.h"
#include "places.h"
#include "trace/outcome_programs.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace orrery::test::outcomes_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class Outcomes : public testing::TestWithParam<MpiKind> {
  protected:
    void SetUp() override {
        const std::string why = cannot_trace(GetParam());
        if (!why.empty()) GTEST_SKIP() << why;
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    // `orrery trace` of `program` with these options and arguments: its standard output; the other one is in
    // said_.
    Answer trace(const std::string& options, const std::string& arguments,
                 const std::string& program = "outcome") {
        const std::string path =
            program.find('/') == std::string::npos ? outcome_program(GetParam(), program) : program;
        const Answer answer =
            run_command(fmt::format("cd {} && {} trace -n 2 {} -- {} {} 2> said < /dev/null", folder_.string(),
                                    orrery_program(), options, path, arguments));
        said_ = read("said");
        return answer;
    }
    std::string read(const std::string& name) {
        std::ifstream file(folder_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::string in(const std::string& name) { return (folder_ / name).string(); }
    RecordedTrace open(const std::string& name, bool truncated = false) {
        return RecordedTrace::open(in(name), {.allow_truncated = truncated});
    }
    // What is wrong with the trace, as it stands: read to its end.
    std::string problem(const std::string& name, bool truncated = false) {
        try {
            const RecordedTrace recorded = open(name, truncated);
            for (std::uint32_t rank = 0; rank < recorded.ranks(); ++rank)
                (void)count(recorded, rank, ActionKind::send);
        } catch (const InputError& error) {
            return error.what();
        }
        return {};
    }
    static std::uint64_t count(const RecordedTrace& trace, std::uint32_t rank, ActionKind kind) {
        const auto source = trace.source();
        std::uint64_t found = 0;
        for (auto actions = source->next(RankId{rank}); !actions.empty();
             actions = source->next(RankId{rank})) {
            for (const Action& action : actions) found += action.kind == kind ? 1 : 0;
        }
        return found;
    }
    void expect_said(const std::string& words) {
        EXPECT_NE(said_.find(words), std::string::npos) << "expected: " << words << "\nsaid: " << said_;
    }
    [[nodiscard]] bool openmpi() const { return GetParam() == MpiKind::openmpi; }
    [[nodiscard]] MpiKind other() const { return openmpi() ? MpiKind::mpich : MpiKind::openmpi; }

    fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("outcomes_{}", ::getpid());
    std::string said_;
};

TEST_P(Outcomes, AsItShouldBe) {
    const Answer answer = trace("-o t --summary s.json", "finalize 100");
    EXPECT_EQ(answer.code, 0) << said_;
    EXPECT_EQ(answer.out, "ring of 2, 100 steps\n"); // and nothing of ours
    const RecordedTrace recorded = open("t");
    ASSERT_EQ(recorded.ranks(), 2U);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        EXPECT_EQ(count(recorded, rank, ActionKind::send), 100U);
        EXPECT_EQ(count(recorded, rank, ActionKind::irecv), 100U);
        EXPECT_EQ(count(recorded, rank, ActionKind::wait), 100U);
        EXPECT_TRUE(recorded.rank(RankId{rank}).end.finalized);
        EXPECT_GT(recorded.rank(RankId{rank}).end.volume, 0);
    }
    expect_said("orrery: t: trace of 2 ranks on 1 host");
    expect_said("orrery replay t --on");
    const auto manifest = nlohmann::json::parse(read("t/manifest.json"));
    EXPECT_EQ(manifest["ranks"], 2);
    EXPECT_EQ(manifest["exit_code"], 0);
    EXPECT_EQ(manifest["mpi"], name_of(GetParam()));
    EXPECT_EQ(manifest["run"], fmt::format("{:016x}", recorded.begin().run));
    const auto summary = nlohmann::json::parse(read("s.json"));
    EXPECT_EQ(summary["ranks_finalized"], 2);
    EXPECT_EQ(summary["truncated"], false);
    EXPECT_GT(summary["peak_rank_bytes"], 1'000'000);
    EXPECT_LT(summary["peak_rank_bytes"], 1'000'000'000);
}

TEST_P(Outcomes, OneFileHoldsTheSame) {
    ASSERT_EQ(trace("-o x.ort", "finalize 100").code, 0) << said_;
    EXPECT_FALSE(fs::exists(folder_ / "x.ort.parts"));
    const RecordedTrace recorded = open("x.ort");
    ASSERT_EQ(recorded.ranks(), 2U);
    EXPECT_EQ(count(recorded, 1, ActionKind::send), 100U);
    EXPECT_EQ(trace("-o x.ort", "finalize 100").code, 2);
    expect_said("x.ort is there already; --force replaces it");
    EXPECT_EQ(trace("-o x.ort --force", "finalize 50").code, 0) << said_;
    EXPECT_EQ(count(open("x.ort"), 1, ActionKind::send), 50U);
}

TEST_P(Outcomes, GatheredOverMpi) {
    ASSERT_EQ(trace("-o t --gather", "finalize 100").code, 0) << said_;
    EXPECT_TRUE(fs::exists(folder_ / "t/trace.ort"));
    EXPECT_FALSE(fs::exists(folder_ / "t/rank-1.ort"));
    EXPECT_EQ(count(open("t"), 1, ActionKind::send), 100U);
    ASSERT_EQ(trace("-o x.ort --gather=3", "finalize 100").code, 0) << said_;
    EXPECT_EQ(count(open("x.ort"), 1, ActionKind::send), 100U);
}

TEST_P(Outcomes, Abort) {
    EXPECT_EQ(trace("-o t", "abort 1000").code, 3);
    expect_said("the application failed: exit code 3");
    const RecordedTrace recorded = open("t", true);
    EXPECT_TRUE(recorded.rank(RankId{1}).complete);
    EXPECT_FALSE(recorded.rank(RankId{1}).end.finalized);
    EXPECT_NE(recorded.rank(RankId{1}).end.how.find("MPI_Abort"), std::string::npos)
        << recorded.rank(RankId{1}).end.how;
    EXPECT_GE(recorded.rank(RankId{1}).actions, 3U * 501U); // all that it had done
    expect_said("MPI_Abort");
}

TEST_P(Outcomes, ExitWithoutFinalize) {
    (void)trace("-o t", "exit 100"); // Open MPI calls it a failure, MPICH may not
    const RecordedTrace recorded = open("t", true);
    int told = 0;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        EXPECT_FALSE(recorded.rank(RankId{rank}).end.finalized);
        told += recorded.rank(RankId{rank}).end.how.find("without MPI_Finalize") != std::string::npos ? 1 : 0;
    }
    EXPECT_GE(told, 1); // mpirun may kill the other before it can say so
    expect_said("without MPI_Finalize");
}

TEST_P(Outcomes, TheExitCodeAfterFinalizeIsPassedOn) {
    EXPECT_EQ(trace("-o t", "return 100").code, 7);
    expect_said("the application failed: exit code 7");
    EXPECT_EQ(problem("t"), "");
}

// What was written before it was killed is there: all but some 32,768 actions at the end, four to seven of
// which belong to a message. The error without permission names rank, file and byte.
TEST_P(Outcomes, OneRankKilled) {
    const int code = trace("-o t --buffer '4 KiB'", "kill 48000").code;
    EXPECT_EQ(code, openmpi() ? 128 + SIGKILL : SIGKILL) << said_;
    const RecordedTrace recorded = open("t", true);
    // mpirun kills the other one too, and it may be the first of the two that is named.
    const int named = recorded.rank(RankId{0}).complete ? 1 : 0;
    const std::string file = fmt::format("rank-{}.ort", named);
    const std::string words = problem("t");
    EXPECT_NE(words.find(fmt::format("rank {} stops after {} bytes in {}", named,
                                     fs::file_size(folder_ / "t" / file), file)),
              std::string::npos)
        << words;
    const std::uint64_t sends = count(recorded, 1, ActionKind::send);
    EXPECT_GT(sends, 5000U);
    EXPECT_LE(sends, 24050U); // half of them, and the rest of a batch
    EXPECT_FALSE(recorded.rank(RankId{1}).complete);
    expect_said("--allow-truncated");
    EXPECT_EQ(nlohmann::json::parse(read("t/manifest.json"))["exit_code"], code);
}

TEST_P(Outcomes, AllRanksKilled) {
    EXPECT_NE(trace("-o x.ort --buffer '4 KiB'", "killall 48000").code, 0);
    EXPECT_NE(problem("x.ort"), "");
    const RecordedTrace recorded = open("x.ort", true);
    EXPECT_GT(count(recorded, 0, ActionKind::send), 5000U);
    EXPECT_GT(count(recorded, 1, ActionKind::send), 5000U);
}

TEST_P(Outcomes, SegmentationFault) {
    const int code = trace("-o t --buffer '4 KiB'", "segv 48000").code;
    EXPECT_EQ(code, openmpi() ? 128 + SIGSEGV : SIGSEGV) << said_;
    expect_said("the application failed");
    EXPECT_GT(count(open("t", true), 1, ActionKind::send), 5000U);
}

TEST_P(Outcomes, AFullDiskStopsTheTraceAndNotTheProgram) {
    const Answer answer = trace("-o t --buffer '4 KiB'", "full 48000");
    EXPECT_EQ(answer.out, "ring of 2, 48000 steps\n");
    EXPECT_EQ(answer.code, 3);
    expect_said("the trace ends here, the program goes on");
    expect_said("rank 1");
    const RecordedTrace recorded = open("t", true);
    EXPECT_TRUE(recorded.rank(RankId{0}).complete);
    EXPECT_FALSE(recorded.rank(RankId{1}).complete);
}

TEST_P(Outcomes, AChildProcessLeavesTheTraceAlone) {
    EXPECT_EQ(trace("-o t", "fork 100").code, 0) << said_;
    const RecordedTrace recorded = open("t");
    EXPECT_EQ(count(recorded, 0, ActionKind::send), 100U);
    EXPECT_TRUE(recorded.rank(RankId{0}).end.finalized);
}

TEST_P(Outcomes, ThreadsThatBothCommunicate) {
    const Answer answer = trace("-o t", "500", "threads");
    EXPECT_EQ(answer.code, 0) << said_;
    if (answer.out.find("no MPI_THREAD_MULTIPLE") != std::string::npos) GTEST_SKIP() << answer.out;
    const RecordedTrace recorded = open("t");
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        EXPECT_EQ(count(recorded, rank, ActionKind::isend), 1000U);
        EXPECT_EQ(count(recorded, rank, ActionKind::recv), 1000U);
        EXPECT_EQ(count(recorded, rank, ActionKind::wait), 1000U);
    }
}

TEST_P(Outcomes, WithoutMpiInit) {
    EXPECT_EQ(trace("-o t", "noinit").code, 3);
    expect_said("never called MPI_Init");
    EXPECT_FALSE(fs::exists(folder_ / "t"));
}

TEST_P(Outcomes, NoMpiProgram) {
    const Answer answer =
        trace(fmt::format("-o t --mpi {}", suffix_of(GetParam())), "", plain_program("no_mpi"));
    EXPECT_EQ(answer.code, 3);
    EXPECT_EQ(answer.out, "no MPI here\nno MPI here\n");
    expect_said("is not linked with an MPI library");
    EXPECT_FALSE(fs::exists(folder_ / "t"));
}

TEST_P(Outcomes, TheWrongMpi) {
    EXPECT_EQ(trace(fmt::format("-o t --mpi {}", suffix_of(other())), "finalize 10").code, 2);
    expect_said("is linked with");
    if (cannot_launch(other()).empty()) {
        EXPECT_EQ(trace(fmt::format("-o t --mpirun mpirun.{}", suffix_of(other())), "finalize 10").code, 2);
        expect_said("starts programs of");
    }
    EXPECT_FALSE(fs::exists(folder_ / "t"));
}

// A script hides what it starts, so the library of the wrong MPI gets into the program: it must keep out of it.
TEST_P(Outcomes, TheWrongMpiInAScript) {
    if (!cannot_trace(other()).empty()) GTEST_SKIP() << cannot_trace(other());
    std::ofstream(folder_ / "run") << "#!/bin/sh\nexec " << outcome_program(GetParam(), "outcome")
                                   << " finalize 0\n";
    fs::permissions(folder_ / "run", fs::perms::owner_all);
    EXPECT_NE(trace(fmt::format("-o t --mpi {} --timeout 20s", suffix_of(other())), "", "./run").code, 0);
    expect_said("MPI");
    EXPECT_EQ(trace(fmt::format("-o t --force --mpi {}", suffix_of(GetParam())), "", "./run").code, 0) << said_;
}

TEST_P(Outcomes, ASecondRunIntoTheSameFolder) {
    ASSERT_EQ(trace("-o t", "finalize 10").code, 0) << said_;
    const std::string before = read("t/rank-0.ort");
    EXPECT_EQ(trace("-o t", "finalize 20").code, 2);
    expect_said("holds a trace already; --force replaces it");
    EXPECT_EQ(read("t/rank-0.ort"), before);
    EXPECT_EQ(trace("-o t --force", "finalize 20").code, 0) << said_;
    EXPECT_EQ(count(open("t"), 0, ActionKind::send), 20U);
}

TEST_P(Outcomes, DamagedFiles) {
    ASSERT_EQ(trace("-o t", "finalize 300").code, 0) << said_;
    ASSERT_EQ(trace("-o u", "finalize 300").code, 0) << said_;
    const fs::path file = folder_ / "t/rank-1.ort";
    const std::uint64_t size = fs::file_size(file);

    fs::copy(folder_ / "t", folder_ / "cut");
    fs::resize_file(folder_ / "cut/rank-1.ort", size - 5);
    const std::string cut = problem("cut");
    EXPECT_NE(cut.find("rank-1.ort"), std::string::npos) << cut;
    EXPECT_EQ(problem("cut", true), "");

    fs::copy(folder_ / "t", folder_ / "missing");
    fs::remove(folder_ / "missing/rank-1.ort");
    const std::string missing = problem("missing");
    EXPECT_NE(missing.find("rank 1"), std::string::npos) << missing;
    EXPECT_NE(missing.find("missing"), std::string::npos) << missing;

    fs::copy(folder_ / "t", folder_ / "mixed");
    fs::copy(folder_ / "u/rank-1.ort", folder_ / "mixed/rank-1.ort", fs::copy_options::overwrite_existing);
    const std::string mixed = problem("mixed", true);
    EXPECT_NE(mixed.find("run"), std::string::npos) << mixed;

    fs::copy(folder_ / "t", folder_ / "flipped");
    std::string bytes = read("t/rank-1.ort");
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    std::ofstream(folder_ / "flipped/rank-1.ort", std::ios::binary) << bytes;
    const std::string flipped = problem("flipped");
    EXPECT_NE(flipped.find("rank-1.ort"), std::string::npos) << flipped;

    for (const char* const name : {"cut", "missing", "mixed", "flipped"}) {
        const Answer answer = run_program("info " + in(name));
        EXPECT_EQ(answer.code, 3) << name << "\n" << answer.out;
    }
}

pid_t start_in_background(const std::string& folder, const std::string& program) {
    const pid_t process = ::fork();
    if (process != 0) return process;
    if (::chdir(folder.c_str()) != 0 || std::freopen("out", "w", stdout) == nullptr ||
        std::freopen("said", "w", stderr) == nullptr) {
        ::_exit(1);
    }
    ::execl(orrery_program().c_str(), orrery_program().c_str(), "trace", "-n", "2", "-o", "t", "--",
            program.c_str(), "hang", "40000", nullptr);
    ::_exit(1);
}

bool runs(const std::string& program) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator("/proc", failed)) {
        if (fs::read_symlink(entry.path() / "exe", failed) == program) return true;
    }
    return false;
}

// Interrupted: the application ends, the trace is kept and summed up, and the shell is told of the signal.
TEST_P(Outcomes, Interrupted) {
    const std::string program = in("hanging"); // a name of its own, to look for what is left
    fs::copy(outcome_program(GetParam(), "outcome"), program);
    const pid_t process = start_in_background(folder_.string(), program);
    for (int i = 0; i < 6000 && read("out").empty(); ++i) std::this_thread::sleep_for(10ms);
    EXPECT_NE(read("out"), "") << "the program has not come to its end";
    ::kill(process, SIGINT);
    int status = 0;
    ::waitpid(process, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
    said_ = read("said");
    expect_said("trace of 2 ranks");
    EXPECT_GT(count(open("t", true), 0, ActionKind::send), 5000U);
    EXPECT_FALSE(runs(program));
}

// Killed itself: mpirun is told to end, and the ranks have left what they had written.
TEST_P(Outcomes, KilledItself) {
    const std::string program = in("hanging");
    fs::copy(outcome_program(GetParam(), "outcome"), program);
    const pid_t process = start_in_background(folder_.string(), program);
    for (int i = 0; i < 6000 && read("out").empty(); ++i) std::this_thread::sleep_for(10ms);
    EXPECT_NE(read("out"), "") << "the program has not come to its end";
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
    for (int i = 0; i < 1000 && runs(program); ++i) std::this_thread::sleep_for(10ms);
    EXPECT_FALSE(runs(program));
    EXPECT_GT(count(open("t", true), 0, ActionKind::send), 5000U);
}

// Many ranks on the cores that there are, and from a shell that lets too few files be open for them: 1,024, the
// usual limit, for 256 ranks of MPICH. Open MPI takes minutes of both cores to start as many, so it gets half
// of both.
class SlowFoldedOutcomes : public Outcomes {};

TEST_P(SlowFoldedOutcomes, ManyRanksOnFewCores) {
    const std::uint32_t ranks = openmpi() ? 128 : 256;
    const Answer answer = run_command(fmt::format(
        "cd {} && ulimit -Sn {} && {} trace -n {} -o t --summary s.json -- {} "
        "finalize 20 2> said",
        folder_.string(), 4 * ranks, orrery_program(), ranks, outcome_program(GetParam(), "outcome")));
    said_ = read("said");
    ASSERT_EQ(answer.code, 0) << said_;
    const RecordedTrace recorded = open("t");
    ASSERT_EQ(recorded.ranks(), ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) EXPECT_EQ(count(recorded, rank, ActionKind::send), 20U);
    expect_said("at most per rank");
    EXPECT_LT(nlohmann::json::parse(read("s.json"))["peak_rank_bytes"], 200'000'000);
}

std::string folder_name(const testing::TestParamInfo<MpiKind>& info) {
    return info.param == MpiKind::openmpi ? "OpenMpi" : "Mpich";
}
// Open MPI takes its time to end a failed job, a second for each.
INSTANTIATE_TEST_SUITE_P(Fast, Outcomes, testing::Values(MpiKind::mpich), folder_name);
INSTANTIATE_TEST_SUITE_P(SlowToEnd, Outcomes, testing::Values(MpiKind::openmpi), folder_name);
INSTANTIATE_TEST_SUITE_P(Both, SlowFoldedOutcomes, testing::Values(MpiKind::openmpi, MpiKind::mpich),
                         folder_name);

} // namespace
} // namespace orrery::test::outcomes_test
