// MPI programs under their own mpirun: found, started with what the ranks need, ended with all they started.
#include "engine/error.h"
#include "tools/acquire/launch.h"
#include "tools/acquire/mpirun.h"
#include "tools/acquire/supervise.h"
#include "trace/outcome_programs.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace orrery::launch_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::outcome_program;

std::string said_of(const std::function<void()>& what) {
    try {
        what();
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

class LaunchFolder : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }
    std::string in(const std::string& name) { return (folder_ / name).string(); }
    std::string read(const std::string& name) {
        std::ifstream file(folder_ / name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::string script(const std::string& name, const std::string& text) {
        std::ofstream(folder_ / name) << "#!/bin/sh\n" << text;
        fs::permissions(folder_ / name, fs::perms::owner_all);
        return in(name);
    }
    fs::path folder_ = fs::path(testing::TempDir()) /
                       (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
                        std::to_string(::getpid()));
};

using MpiProgram = LaunchFolder;

TEST_F(MpiProgram, WhatCannotBeStartedIsNamed) {
    EXPECT_EQ(said_of([] { inspect_program("./no-such-thing"); }), "./no-such-thing: there is no such program");
    EXPECT_THROW(inspect_program("./no-such-thing"), InputError);
    EXPECT_NE(said_of([] { inspect_program("no-such-thing-either"); }).find("not in PATH"), std::string::npos);
    EXPECT_NE(said_of([this] { inspect_program(folder_.string()); }).find("a folder"), std::string::npos);
    std::ofstream(folder_ / "plain") << "text";
    EXPECT_NE(said_of([this] { inspect_program(in("plain")); }).find("not executable; 'chmod +x"),
              std::string::npos);
}

TEST_F(MpiProgram, ItsMpiIsThatOfItsLibraries) {
    for (const MpiKind kind : {MpiKind::openmpi, MpiKind::mpich}) {
        const std::string program = outcome_program(kind, "outcome");
        if (!fs::exists(program)) continue;
        const ProgramFacts facts = inspect_program(program);
        EXPECT_EQ(facts.form, ProgramForm::dynamic);
        ASSERT_TRUE(facts.mpi.has_value()) << program;
        EXPECT_EQ(*facts.mpi, kind);
        EXPECT_TRUE(facts.library.starts_with(kind == MpiKind::openmpi ? "libmpi.so.40" : "libmpich.so.12"))
            << facts.library;
        EXPECT_EQ(facts.missing, "");
        EXPECT_EQ(mpi_of(program), kind);
    }
}

TEST_F(MpiProgram, ScriptsAndStaticProgramsAreToldApart) {
    EXPECT_EQ(inspect_program(script("run", "true\n")).form, ProgramForm::script);
    EXPECT_FALSE(inspect_program(in("run")).mpi.has_value());
    EXPECT_EQ(inspect_program("sh").form, ProgramForm::dynamic);
    EXPECT_FALSE(inspect_program("sh").mpi.has_value());
    if (!fs::exists(test::plain_program("no_mpi_static"))) GTEST_SKIP() << "no C compiler";
    EXPECT_EQ(inspect_program(test::plain_program("no_mpi_static")).form, ProgramForm::statically_linked);
}

TEST_F(MpiProgram, LaunchersTellTheirMpi) {
    EXPECT_EQ(mpi_of_launcher(script("a", "echo 'mpirun (Open MPI) 5.0.3'\n")), MpiKind::openmpi);
    EXPECT_EQ(mpi_of_launcher(script("b", "echo 'HYDRA build details:'\n")), MpiKind::mpich);
    EXPECT_EQ(mpi_of_launcher(script("c", "echo 'Intel(R) MPI Library for Linux* OS'\n")), MpiKind::mpich);
    EXPECT_EQ(mpi_of_launcher(script("d", "echo 'slurm 22.05.8'\n")), std::nullopt);
    EXPECT_EQ(mpi_of_launcher(in("missing")), std::nullopt);
}

Launch example() {
    Launch what;
    what.command = {"./app", "a b"};
    what.ranks = 4;
    what.environment = {{"NAME", "va lue"}};
    what.mpirun_options = {"--more"};
    return what;
}

TEST(MpirunCommand, SpeaksTheDialectOfItsMpi) {
    const Mpirun open{"mpirun", MpiKind::openmpi};
    const Mpirun mpich{"mpirun", MpiKind::mpich};
    const Mpirun other{"srun", std::nullopt};
    Launch what = example();
    EXPECT_EQ(shell_words(mpirun_command(what, open, 4, false)),
              "mpirun -n 4 --oversubscribe -x 'NAME=va lue' --more ./app 'a b'");
    EXPECT_EQ(shell_words(mpirun_command(what, open, 2, true)),
              "mpirun --allow-run-as-root -n 4 --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 "
              "-x 'NAME=va lue' --more ./app 'a b'");
    EXPECT_EQ(shell_words(mpirun_command(what, mpich, 2, true)),
              "mpirun -genv NAME 'va lue' -n 4 --more ./app 'a b'");
    EXPECT_EQ(shell_words(mpirun_command(what, other, 2, true)),
              "srun -n 4 --more env 'NAME=va lue' ./app 'a b'");
    what.hostfile = "hosts";
    what.map_by = "node";
    what.environment.clear();
    EXPECT_EQ(shell_words(mpirun_command(what, open, 2, false)),
              "mpirun -n 4 --oversubscribe --hostfile hosts --map-by node --more ./app 'a b'");
    EXPECT_EQ(shell_words(mpirun_command(what, mpich, 2, false)),
              "mpirun -f hosts -map-by node -n 4 --more ./app 'a b'");
    what.ranks = 33;
    EXPECT_EQ(
        shell_words(mpirun_command(what, open, 2, false)),
        "mpirun -n 33 --oversubscribe --mca odls_base_num_threads 0 --hostfile hosts --map-by node --more "
        "./app 'a b'");
    what.mpirun_options = {"--mca", "odls_base_num_threads", "2"};
    EXPECT_EQ(shell_words(mpirun_command(what, open, 2, false)),
              "mpirun -n 33 --oversubscribe --hostfile hosts --map-by node --mca odls_base_num_threads 2 ./app "
              "'a b'");
}

TEST(MpirunCommand, OnePreloadedLibraryComesBeforeTheUsers) {
    Launch what = example();
    what.environment.clear();
    what.preload = "/lib/ours.so";
    ::setenv("LD_PRELOAD", "", 1);
    EXPECT_NE(
        shell_words(mpirun_command(what, {"m", MpiKind::openmpi}, 4, false)).find(" LD_PRELOAD=/lib/ours.so "),
        std::string::npos);
    ::unsetenv("LD_PRELOAD");
}

TEST(MpirunCommand, QuotesAsAShellReads) {
    EXPECT_EQ(shell_words({"it's", "", "a/b-c=1"}), R"('it'\''s' '' a/b-c=1)");
}

TEST_F(LaunchFolder, AnMpirunOfTheOtherMpiIsRefused) {
    const std::string open = script("open", "echo 'mpirun (Open MPI) 4.1.4'\n");
    EXPECT_NE(said_of([&] { find_mpirun(open, MpiKind::mpich); }).find("starts programs of Open MPI"),
              std::string::npos);
    EXPECT_THROW(find_mpirun(open, MpiKind::mpich), UsageError);
    EXPECT_EQ(find_mpirun(open, MpiKind::openmpi).path, open);
}

TEST_F(LaunchFolder, WithoutAnMpirunThePackageIsNamed) {
    const std::string before = std::getenv("PATH");
    ::setenv("PATH", folder_.c_str(), 1);
    const std::string open = said_of([] { find_mpirun("", MpiKind::openmpi); });
    const std::string mpich = said_of([] { find_mpirun("", MpiKind::mpich); });
    ::setenv("PATH", before.c_str(), 1);
    EXPECT_NE(open.find("openmpi-bin"), std::string::npos) << open;
    EXPECT_NE(mpich.find("package mpich"), std::string::npos) << mpich;
}

TEST_F(LaunchFolder, AMissingLibraryNamesTheFolders) {
    ::setenv("ORRERY_LIBRARY_DIR", folder_.c_str(), 1);
    const std::string words = said_of([] { tracer_library(MpiKind::mpich); });
    std::ofstream(folder_ / "liborrery-trace-mpich.so") << "";
    const std::string found = tracer_library(MpiKind::mpich);
    ::unsetenv("ORRERY_LIBRARY_DIR");
    EXPECT_NE(words.find("liborrery-trace-mpich.so in " + folder_.string()), std::string::npos) << words;
    EXPECT_EQ(found, in("liborrery-trace-mpich.so"));
}

bool alive(pid_t process) { return ::kill(process, 0) == 0; }

using Supervise = LaunchFolder;

TEST_F(Supervise, TellsTheExitCodeAndTheSignal) {
    EXPECT_EQ(supervise({"/bin/sh", "-c", "exit 5"}, "", 0).exit_code, 5);
    EXPECT_EQ(supervise({"/bin/sh", "-c", "kill -9 $$"}, "", 0).exit_code, 128 + 9);
    EXPECT_EQ(supervise({"/bin/sh", "-c", "echo said; echo wrong >&2"}, in("out"), 0).exit_code, 0);
    EXPECT_EQ(read("out"), "said\nwrong\n");
    EXPECT_THROW(supervise({in("missing")}, "", 0), UsageError);
    EXPECT_THROW(supervise({"/bin/true"}, in("no/such/folder"), 0), InputError);
}

// mpirun keeps some files open for each rank, and the usual limit is 1,024.
TEST_F(Supervise, RaisesTheLimitOfOpenFilesAsFarAsItMay) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const auto limit_with = [this](rlim_t soft, rlim_t most, std::uint64_t files) {
        // In a process of its own: a hard limit that is lowered stays low.
        const pid_t child = ::fork();
        if (child == 0) {
            const rlimit limit{soft, most};
            const bool set = ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
            ::_exit(set ? supervise({"/bin/sh", "-c", "ulimit -n"}, in("out"), 0, {.files = files}).exit_code
                        : 1);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
        return read("out");
    };
    ASSERT_GE(before.rlim_max, 512U);
    EXPECT_EQ(limit_with(128, 512, 0), "128\n");
    EXPECT_EQ(limit_with(128, 512, 100), "128\n");
    EXPECT_EQ(limit_with(128, 512, 300), "300\n");
    EXPECT_EQ(limit_with(128, 512, 5000), "512\n");
}

TEST_F(Supervise, LetsWhatItStartsSleepLonger) {
    const std::string own = "cat /proc/self/timerslack_ns";
    EXPECT_EQ(supervise({"/bin/sh", "-c", own}, in("out"), 0).exit_code, 0);
    const std::string usual = read("out");
    EXPECT_EQ(supervise({"/bin/sh", "-c", own}, in("out"), 0, {.late_ns = 1'000'000}).exit_code, 0);
    EXPECT_EQ(read("out"), "1000000\n");
    EXPECT_NE(usual, "1000000\n");
}

// The grandchild is in a session of its own, as the ranks of an mpirun may be.
TEST_F(Supervise, ATimeoutEndsAllThatWasStarted) {
    const std::string text = "setsid sleep 600 & echo $! > " + in("child") + "; wait";
    // On a busy machine the shell may need longer than that to begin.
    for (double seconds = 0.3; seconds < 100 && read("child").empty(); seconds *= 4) {
        const auto began = std::chrono::steady_clock::now();
        const Supervised ended = supervise({"/bin/sh", "-c", text}, "", seconds);
        EXPECT_TRUE(ended.timed_out);
        EXPECT_EQ(ended.exit_code, 128 + SIGTERM);
        EXPECT_LT(std::chrono::steady_clock::now() - began, 100s);
    }
    const pid_t child = std::stoi(read("child"));
    EXPECT_FALSE(alive(child));
}

TEST_F(Supervise, OrphansAreEndedToo) {
    const std::string text = "trap '' TERM; sleep 600 & echo $! > " + in("child");
    EXPECT_EQ(supervise({"/bin/sh", "-c", text}, "", 0).exit_code, 0);
    EXPECT_FALSE(alive(std::stoi(read("child"))));
}

TEST_F(Supervise, ASignalToThisProcessIsPassedOn) {
    const pid_t supervisor = ::fork();
    if (supervisor == 0) {
        const Supervised ended =
            supervise({"/bin/sh", "-c", "echo $$ > " + in("child") + "; exec sleep 600"}, "", 0);
        ::_exit(ended.stopped_by == SIGTERM && ended.exit_code == 128 + SIGTERM ? 42 : 1);
    }
    for (int i = 0; i < 6000 && read("child").empty(); ++i) std::this_thread::sleep_for(10ms);
    ::kill(supervisor, SIGTERM);
    int status = 0;
    ::waitpid(supervisor, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    EXPECT_FALSE(alive(std::stoi(read("child"))));
}

TEST_F(Supervise, ItIsToldIfThisProcessIsKilled) {
    const pid_t supervisor = ::fork();
    if (supervisor == 0) {
        supervise({"/bin/sh", "-c",
                   "trap 'echo told > " + in("told") + "; exit' TERM; echo $$ > " + in("child") +
                       "; while :; do sleep 0.05; done"},
                  "", 0);
        ::_exit(0);
    }
    for (int i = 0; i < 6000 && read("child").empty(); ++i) std::this_thread::sleep_for(10ms);
    ::kill(supervisor, SIGKILL);
    ::waitpid(supervisor, nullptr, 0);
    for (int i = 0; i < 6000 && read("told").empty(); ++i) std::this_thread::sleep_for(10ms);
    EXPECT_EQ(read("told"), "told\n");
}

TEST_F(Supervise, ChildrenOfBeforeAreLeftAlone) {
    const pid_t before = ::fork();
    if (before == 0) {
        for (;;) ::pause();
    }
    EXPECT_EQ(supervise({"/bin/true"}, "", 0).exit_code, 0);
    EXPECT_TRUE(alive(before));
    ::kill(before, SIGKILL);
    ::waitpid(before, nullptr, 0);
}

class LaunchMpi : public testing::TestWithParam<MpiKind> {
  protected:
    void SetUp() override {
        const std::string why = test::cannot_launch(GetParam());
        if (!why.empty()) GTEST_SKIP() << why;
    }
};

TEST_P(LaunchMpi, EveryRankHasTheEnvironmentAndMpirunHasNot) {
    const std::string out = testing::TempDir() + "launch_environment_" + std::to_string(::getpid());
    Launch what;
    // They take their time: mpirun of MPICH 4.0 dies of SIGPIPE if all ranks have ended before it has told them
    // of the end of its input, in one run of some thousand.
    what.command = {"/bin/sh", "-c", "echo [$OF_THE_RANKS]; sleep 0.3"};
    what.ranks = 3;
    what.environment = {{"OF_THE_RANKS", "a b;c"}};
    what.output = out;
    EXPECT_EQ(launch(what, GetParam()).exit_code, 0);
    std::ifstream file(out);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(text, "[a b;c]\n[a b;c]\n[a b;c]\n");
    fs::remove(out);
    EXPECT_EQ(std::getenv("OF_THE_RANKS"), nullptr);
}

TEST_P(LaunchMpi, TheExitCodeIsThatOfTheRank) {
    Launch what;
    what.command = {outcome_program(GetParam(), "outcome"), "return"};
    what.ranks = 2;
    what.output = "/dev/null";
    EXPECT_EQ(launch(what, GetParam()).exit_code, 7);
}

// mpirun must not miss the end of one.
TEST_P(LaunchMpi, ManyRanksThatEndAtOnce) {
    Launch what;
    what.command = {"/bin/true"};
    if (GetParam() == MpiKind::mpich) what.command = {"/bin/sleep", "0.3"};
    what.ranks = 50;
    what.output = "/dev/null";
    what.timeout_seconds = 60;
    for (int i = 0; i < 10; ++i) {
        const Launched run = launch(what, GetParam());
        ASSERT_FALSE(run.timed_out);
        ASSERT_EQ(run.exit_code, 0);
    }
}

TEST_P(LaunchMpi, ATimeoutLeavesNoRank) {
    Launch what;
    // A duration of its own, so that what is left of it cannot be that of a test that runs beside it.
    const std::string duration = "60." + std::to_string(getpid()) + "1";
    what.command = {"/bin/sh", "-c", "sleep " + duration};
    what.ranks = 2;
    what.output = "/dev/null";
    what.timeout_seconds = 0.5;
    EXPECT_TRUE(launch(what, GetParam()).timed_out);
    int left = 0;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator("/proc", failed)) {
        std::ifstream file(entry.path() / "cmdline");
        const std::string line{std::istreambuf_iterator<char>(file), {}};
        left += line.find(duration) != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(left, 0);
}

std::string mpi_name(const testing::TestParamInfo<MpiKind>& info) {
    return info.param == MpiKind::openmpi ? "OpenMpi" : "Mpich";
}
INSTANTIATE_TEST_SUITE_P(Both, LaunchMpi, testing::Values(MpiKind::openmpi, MpiKind::mpich), mpi_name);

} // namespace
} // namespace orrery::launch_test
