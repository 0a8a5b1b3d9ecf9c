// `orrery trace` as a script sees it: what it refuses before anything runs, and in which words.
#include "engine/cpu/counter_perf.h"
#include "places.h"
#include "program_test.h"
#include "trace/outcome_programs.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace orrery::test::trace_test {
namespace {

namespace fs = std::filesystem;

class TraceVerb : public ProgramTest {
  protected:
    // It fails with this code, says this and leaves nothing behind.
    void refuses(const std::string& arguments, int code, const std::string& words) {
        const Answer answer = run("trace " + arguments, true);
        EXPECT_EQ(answer.code, code) << arguments << "\n" << answer.out;
        EXPECT_NE(answer.out.find(words), std::string::npos) << arguments << "\n" << answer.out;
        EXPECT_FALSE(fs::exists(folder_ / "t")) << arguments;
    }
    // An mpirun or a program that is none.
    void script(const std::string& name, const std::string& text) {
        write(name, "#!/bin/sh\n" + text);
        fs::permissions(folder_ / name, fs::perms::owner_all);
    }
};

TEST_F(TraceVerb, WrongUsageIsNamed) {
    script("app", "true\n");
    refuses("-o t -- ./app", 2, "-n");
    refuses("-n 0 -o t -- ./app", 2, "-n");
    refuses("-n 2 -o t", 2, "which program?");
    refuses("-n 2 -o t --", 2, "which program?");
    refuses("-n 2 -o t --tmied -- ./app", 2, "did you mean --timed?");
    refuses("-n 2 -o t --counter cycles -- ./app", 2, "cycles");
    refuses("-n 2 -o t --buffer 1 -- ./app", 2, "4 KiB to 1 GiB");
    refuses("-n 2 -o t --buffer lots -- ./app", 2, "lots");
    refuses("-n 2 -o t --gather=0 -- ./app", 2, "1 to 1024");
    refuses("-n 2 -o t --mpi lam -- ./app", 2, "lam");
    refuses("-n 2 -o t --hostfile missing -- ./app", 3, "missing");
    refuses("-n 2 -o t --timeout soon -- ./app", 2, "soon");
}

TEST_F(TraceVerb, AProgramThatCannotBeTracedIsNamed) {
    refuses("-n 2 -o t -- ./missing", 3, "./missing: there is no such program");
    refuses("-n 2 -o t -- no-such-program", 3, "not in PATH");
    write("text", "no program");
    refuses("-n 2 -o t -- ./text", 3, "not executable");
    if (!fs::exists(plain_program("no_mpi_static"))) GTEST_SKIP() << "no C compiler";
    refuses("-n 2 -o t -- " + plain_program("no_mpi_static"), 3, "statically linked");
}

TEST_F(TraceVerb, WithoutAnMpirunItSaysWhichPackageHasIt) {
    script("app", "true\n");
    const Answer none = run_command("cd " + folder_.string() + " && PATH=/nowhere " + orrery_program() +
                                    " trace -n 2 -o t --mpi mpich -- ./app 2>&1");
    EXPECT_EQ(none.code, 2);
    EXPECT_NE(none.out.find("Debian has it in the package mpich"), std::string::npos) << none.out;
    refuses("-n 2 -o t --mpi mpich --mpirun no-such-mpirun -- ./app", 2, "no-such-mpirun");
    script("open", "echo 'mpirun (Open MPI) 4.1.4'\n");
    refuses("-n 2 -o t --mpi mpich --mpirun ./open -- ./app", 2, "starts programs of Open MPI");
}

TEST_F(TraceVerb, WithoutItsLibraryItSaysWhereItLooked) {
    script("app", "true\n");
    script("hydra", "echo HYDRA\n");
    const Answer none =
        run_command("cd " + folder_.string() + " && ORRERY_LIBRARY_DIR=" + folder_.string() + " " +
                    orrery_program() + " trace -n 2 -o t --mpi mpich --mpirun ./hydra -- ./app 2>&1");
    EXPECT_EQ(none.code, 2);
    EXPECT_NE(none.out.find("there is no liborrery-trace-mpich.so in " + folder_.string()), std::string::npos)
        << none.out;
}

TEST_F(TraceVerb, InstructionsAreRefusedWhereTheyCannotBeCounted) {
    const std::string why = trace::why_no_instructions();
    if (why.empty()) GTEST_SKIP() << "this computer counts them";
    script("app", "true\n");
    refuses("-n 2 -o t --counter instructions -- ./app", 2, why);
    refuses("-n 2 -o t --counter instructions -- ./app", 2, "--counter cpu-time works here");
}

// The library is looked for but never loaded: the mpirun is a script that runs nothing.
class TraceVerbPretending : public TraceVerb {
  protected:
    void SetUp() override {
        TraceVerb::SetUp();
        write("liborrery-trace-mpich.so", "");
        script("app", "true\n");
        script("hydra", "if [ \"$1\" = --version ]; then echo HYDRA; exit; fi\n"
                        "echo to the terminal; echo $@ >&2; exit ${CODE:-0}\n");
        ::setenv("ORRERY_LIBRARY_DIR", folder_.c_str(), 1);
    }
    void TearDown() override {
        ::unsetenv("ORRERY_LIBRARY_DIR");
        TraceVerb::TearDown();
    }
    static constexpr const char* base = "trace -n 3 --mpi mpich --mpirun ./hydra ";
};

TEST_F(TraceVerbPretending, TheRanksAreToldWhatTheyNeed) {
    const Answer answer =
        run(std::string(base) + "-o t --timed --counter cpu-time --gather=4 --buffer '64 KiB' "
                                "--mpirun-options '-ppn 2' -- ./app --timed -x 2>&1",
            true);
    for (const std::string& words :
         {"to the terminal\n-genv ORRERY_TRACE_DIR " + fs::canonical(folder_).string() +
              "/t -genv ORRERY_TRACE_RUN ",
          std::string(
              " -genv ORRERY_TRACE_COUNTER cpu-time -genv ORRERY_TRACE_TIMED 1 -genv ORRERY_TRACE_GATHER 4 "
              "-genv ORRERY_TRACE_BUFFER 65536 -genv LD_PRELOAD "),
          std::string(" -n 3 -ppn 2 ./app --timed -x\n")}) {
        EXPECT_NE(answer.out.find(words), std::string::npos) << words << "\n" << answer.out;
    }
    const Answer plain = run(std::string(base) + "-o t --gather -- ./app", true);
    EXPECT_NE(plain.out.find(" -genv ORRERY_TRACE_GATHER 2 "), std::string::npos) << plain.out;
    EXPECT_NE(plain.out.find(" -genv ORRERY_TRACE_COUNTER auto -genv ORRERY_TRACE_TIMED 0 "),
              std::string::npos);
}

TEST_F(TraceVerbPretending, NoTraceIsSaidAndLeavesNoFolder) {
    const Answer answer = run(std::string(base) + "-o t --summary s.json -- ./app", true);
    EXPECT_EQ(answer.code, 3);
    EXPECT_NE(answer.out.find("./app is a script, and no program of MPICH that it started called MPI_Init"),
              std::string::npos)
        << answer.out;
    EXPECT_FALSE(fs::exists(folder_ / "t"));
    std::ifstream file(folder_ / "s.json");
    const auto summary = nlohmann::json::parse(file);
    EXPECT_NE(summary["problem"], "");
    EXPECT_EQ(summary["exit_code"], 0);
}

TEST_F(TraceVerbPretending, TheExitCodeOfTheApplicationIsOurs) {
    ::setenv("CODE", "57", 1);
    const Answer answer = run(std::string(base) + "-o t -- ./app", true);
    ::unsetenv("CODE");
    EXPECT_EQ(answer.code, 57);
    EXPECT_NE(answer.out.find("the application failed: exit code 57"), std::string::npos) << answer.out;
}

TEST_F(TraceVerbPretending, ATimeoutEndsIt) {
    script("hydra", "if [ \"$1\" = --version ]; then echo HYDRA; exit; fi\nexec sleep 600\n");
    const Answer answer = run(std::string(base) + "-o t --timeout '300 ms' -- ./app", true);
    EXPECT_EQ(answer.code, 1);
    EXPECT_NE(answer.out.find("ended after 300 ms (--timeout)"), std::string::npos) << answer.out;
}

TEST_F(TraceVerbPretending, OtherFilesAreNeverTouched) {
    fs::create_directories(folder_ / "mine");
    write("mine/notes.txt", "precious");
    const Answer answer = run(std::string(base) + "-o mine --force -- ./app", true);
    EXPECT_EQ(answer.code, 2);
    EXPECT_NE(answer.out.find("holds 'notes.txt', which is no part of a trace"), std::string::npos)
        << answer.out;
    EXPECT_TRUE(fs::exists(folder_ / "mine/notes.txt"));
    write("x.ort", "notes too");
    const Answer file = run(std::string(base) + "-o x.ort --force -- ./app", true);
    EXPECT_EQ(file.code, 2);
    EXPECT_NE(file.out.find("x.ort is there and is not a trace"), std::string::npos) << file.out;
    EXPECT_TRUE(fs::exists(folder_ / "x.ort"));
}

TEST_F(TraceVerbPretending, AnExistingTraceNeedsForce) {
    fs::create_directories(folder_ / "app.trace");
    write("app.trace/rank-0.ort", "something");
    const Answer answer = run(std::string(base) + "-- ./app", true);
    EXPECT_EQ(answer.code, 2);
    EXPECT_NE(answer.out.find("holds a trace already; --force replaces it"), std::string::npos) << answer.out;
    EXPECT_TRUE(fs::exists(folder_ / "app.trace/rank-0.ort"));
    EXPECT_EQ(run(std::string(base) + "--force -- ./app", true).code, 3); // and records nothing
    EXPECT_FALSE(fs::exists(folder_ / "app.trace"));
}

} // namespace
} // namespace orrery::test::trace_test
