// Programs under many ranks: what is private, how a rank begins and ends, what is said about faults.
#include "emulate/program/run_program.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace orrery::emulate::program_tests::program_test {
namespace {

std::vector<std::string> sorted_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    return lines;
}

constexpr const char* letters = " -ab one -x7 --size 10 --quick two --level --lev=3 -y -- -three";

TEST(EmulatedProgram, VariablesArePrivate) {
    const std::string program = build("gcc", "globals.c", "globals");
    const Ran alone = run_command(program);
    EXPECT_EQ(alone.code, 0) << alone.err;
    EXPECT_EQ(alone.out, "all well\n");
    for (const unsigned int ranks : {1U, 2U, 100U})
        for (const char* how : {"segments", "copy"}) {
            const Ran ran = run_ranks(ranks, fmt::format("--privatize {}", how), program);
            EXPECT_EQ(ran.code, 0) << ranks << " " << how << " " << ran.err;
            EXPECT_EQ(ran.out, "all well\n");
        }
}

TEST(EmulatedProgram, BytesOfARankThatIsNotInAreFound) {
    const std::string program = build("gcc", "globals.c", "globals_where");
    const Ran ran = run_command("ASAN_OPTIONS=detect_leaks=0 EXPECT_COPY=1 " + build_folder() +
                                "/orrery_program_runner -n 10 --privatize copy " + program);
    EXPECT_EQ(ran.code, 0);
}

TEST(EmulatedProgram, WithoutPrivatisationVariablesAreShared) {
    const std::string program = build("gcc", "globals.c", "globals_shared");
    EXPECT_NE(run_ranks(2, "--privatize none", program).code, 0);
    EXPECT_EQ(run_ranks(1, "--privatize none", program).code, 0);
    EXPECT_EQ(run_ranks(1, "--privatize some", program).code, 2);
}

TEST(EmulatedProgram, LifeOfARank) {
    const std::string program = build("g++", "life.cpp", "life");
    const std::string story = "+first+second+local+lazy-local-on_exit3-atexit-lazy-second-first";
    const Ran alone = run_command(program + " 3");
    EXPECT_EQ(alone.code, 3);
    EXPECT_EQ(alone.out, "0 " + story + "\n");
    for (const char* how : {"segments", "copy"})
        for (const char* arguments : {" 3", " 3 by-exit"}) {
            const Ran ran = run_ranks(3, fmt::format("--privatize {}", how), program + arguments);
            EXPECT_EQ(ran.code, 3);
            EXPECT_EQ(sorted_lines(ran.out),
                      (std::vector<std::string>{"0 " + story, "1 " + story, "2 " + story}));
        }
}

TEST(EmulatedProgram, ExceptionsInManyCopies) {
    const std::string program = build("g++", "life.cpp", "life_many");
    for (const unsigned int ranks : {1U, 100U, 4096U}) {
        const Ran ran = run_ranks(ranks, "", program);
        EXPECT_EQ(ran.code, 0) << ran.err;
        EXPECT_EQ(sorted_lines(ran.out).size(), ranks);
    }
}

TEST(EmulatedProgram, TheCLibraryPerRank) {
    const std::string program = build("gcc", "library.c", "library");
    EXPECT_EQ(run_command(program + letters).code, 0);
    for (const char* how : {"segments", "copy", "none"}) {
        const Ran ran = run_ranks(50, fmt::format("--privatize {}", how), program + letters);
        EXPECT_EQ(ran.code, 0) << how << ran.out;
    }
}

TEST(EmulatedProgram, TaggedOutput) {
    const std::string program = build("gcc", "library.c", "library_tagged");
    const Ran ran = run_ranks(3, "--tag-output", program);
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.out, "[0] rank 0 well\n[1] rank 1 well\n[2] rank 2 well\n");
    EXPECT_EQ(ran.err, "[0] told\n[1] told\n[2] told\n");
}

TEST(EmulatedProgram, StackOverflowIsReported) {
    const std::string program = build("gcc", "deep.c", "deep");
    const Ran guarded = run_ranks(30, "", program);
    EXPECT_EQ(guarded.code, 1);
    EXPECT_EQ(guarded.err, "rank 15: stack overflow (256 KiB); try --stack 1MiB\n");
    const Ran checked = run_ranks(30, "--no-guard --stack 65536", program);
    EXPECT_EQ(checked.code, 1);
    EXPECT_EQ(checked.err, "rank 15: stack overflow (64 KiB); try --stack 1MiB\n");
}

TEST(EmulatedProgram, OtherFaultsAreReported) {
    const std::string program = build("gcc", "deep.c", "deep_faults");
    const Ran fault = run_ranks(30, "", program + " segv");
    EXPECT_EQ(fault.code, 139);
    EXPECT_NE(fault.err.find("rank 15: segmentation fault at address 0x8, in broken+0x"), std::string::npos)
        << fault.err;
    const Ran aborted = run_ranks(30, "", program + " abort");
    EXPECT_EQ(aborted.code, 1);
    EXPECT_EQ(aborted.err, "rank 15: abort() was called\n");
}

TEST(EmulatedProgram, Fortran) {
    if (!have("gfortran")) GTEST_SKIP() << "no gfortran";
    const std::string program = build("gfortran", "fortran.f90", "fortran");
    const Ran ran = run_ranks(3, "", program + " x");
    EXPECT_EQ(ran.code, 4) << ran.err; // of rank 1; 5 to 9 say what is wrong
    EXPECT_EQ(ran.err, "STOP 4\n");
    EXPECT_EQ(sorted_lines(ran.out).size(), 3U);
    const Ran tagged = run_ranks(3, "--tag-output", program + " x");
    EXPECT_EQ(tagged.out, "[0]  rank           0\n[1]  rank           1\n[2]  rank           2\n");
    EXPECT_EQ(tagged.err, "[1] STOP 4\n");
}

TEST(EmulatedProgram, FunctionsCanBeReplaced) {
    const std::string program = build("gcc", "replaced.c replaced_too.c", "replaced");
    EXPECT_EQ(run_ranks(1, "", program).code, 42);
    EXPECT_EQ(run_ranks(6, "--replace answer", program).code, 5); // runner_rank in its place
}

TEST(EmulatedProgram, WhatCannotBeLoadedIsRefused) {
    const Ran missing = run_ranks(1, "", "/nowhere/program");
    EXPECT_EQ(missing.code, 3);
    EXPECT_NE(missing.err.find("cannot open the program"), std::string::npos);
    const Ran script = run_ranks(1, "", program_sources() + "/globals.c");
    EXPECT_EQ(script.code, 3);
    EXPECT_NE(script.err.find("not a program"), std::string::npos);
    const std::string fixed = build("gcc", "globals.c", "globals_fixed_tls", "-ftls-model=initial-exec");
    const Ran refused = run_ranks(1, "", fixed);
    EXPECT_EQ(refused.code, 3);
    EXPECT_NE(refused.err.find("thread-local variable"), std::string::npos) << refused.err;
}

TEST(SlowEmulatedProgram, ManyRanks) {
    const std::string program = build("gcc", "globals.c", "globals_many");
    EXPECT_EQ(run_ranks(16384, "", program).code, 0);
    EXPECT_EQ(run_ranks(100'000, "--privatize copy --stack 65536", program).code, 0);
}

} // namespace
} // namespace orrery::emulate::program_tests::program_test
