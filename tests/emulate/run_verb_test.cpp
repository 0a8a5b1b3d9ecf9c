// `orrery run` as a user meets it: what it writes beside its summary, what it ends with, what it says when
// something is wrong.
#include "emulate/mpi_programs.h"
#include "places.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace orrery::test::run_verb_test {
namespace {

const char* const machine = " --on ideal-fat-tree --map-by roundrobin --compute none ";

// Begins as every program does, with the rank as `r` and the number of ranks as `n`.
std::string program(const std::string& body, const std::string& before = "") {
    return before +
           "\nint main(int c, char** v) { int r, n, x = 0; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r);"
           "MPI_Comm_size(MPI_COMM_WORLD, &n);" +
           body + "MPI_Finalize(); return 0; }";
}

const char* const busy_body =
    "int y; MPI_Request q[2]; orrery_execute(1e-5 * (r + 1));"
    "MPI_Irecv(&y, 1, MPI_INT, (r + n - 1) % n, 7, MPI_COMM_WORLD, &q[0]);"
    "MPI_Isend(&r, 1, MPI_INT, (r + 1) % n, 7, MPI_COMM_WORLD, &q[1]);"
    "MPI_Waitall(2, q, MPI_STATUSES_IGNORE);"
    "MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);"
    "if (r == 0) MPI_Send(&r, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);"
    "if (r == 1) MPI_Recv(&y, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
    "MPI_Allreduce(&r, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); orrery_execute(2e-5);";

class RunVerb : public EmulatedPrograms {
  protected:
    std::string build_busy() { return build_text(program(busy_body, "#include <orrery/emulate.h>")); }
    std::string text_of(const std::string& name) {
        std::ostringstream text;
        text << std::ifstream(folder_ / name).rdbuf();
        return text.str();
    }
    // One that computes on each of 4 ranks ends with this code and says these words.
    void expect_end(const std::string& app, int code, const std::string& words, const std::string& how = "") {
        const Answer answer = run("run -n 4" + std::string(machine) + how + " " + app, true);
        EXPECT_EQ(answer.code, code) << app << how << "\n" << answer.out;
        EXPECT_NE(answer.out.find(words), std::string::npos) << app << how << "\n" << answer.out;
    }
};

// The run's own timeline is the one of the replay of its trace.
TEST_F(RunVerb, TimelinesAreThoseOfTheReplay) {
    const std::string app = build_busy();
    const Answer answer =
        run("run -n 4 --trace t.ort --timeline run.paje --timeline run.svg --timeline run.pftrace "
            "--paraver run.prv --csv run.csv --csv run.events.csv" +
                std::string(machine) + app,
            true);
    ASSERT_EQ(answer.code, 0) << answer.out;
    ASSERT_EQ(
        run("replay t.ort --on ideal-fat-tree --map-by roundrobin --timeline replay.paje --csv replay.csv "
            "--csv replay.events.csv")
            .code,
        0);
    EXPECT_EQ(text_of("run.events.csv"), text_of("replay.events.csv"));
    EXPECT_NE(text_of("run.events.csv").find(",finish,3,"), std::string::npos);
    EXPECT_EQ(text_of("run.paje"), text_of("replay.paje"));
    EXPECT_EQ(text_of("run.csv"), text_of("replay.csv"));
    for (const char* const words : {"waitall", "allreduce", "bcast", "recv", "compute"})
        EXPECT_NE(text_of("run.paje").find(words), std::string::npos) << words;
    EXPECT_NE(text_of("run.svg").find("</svg>"), std::string::npos);
    EXPECT_FALSE(text_of("run.pftrace").empty());
    EXPECT_NE(text_of("run.prv").find("#Paraver"), std::string::npos);
    EXPECT_NE(answer.out.find("  timeline        run.svg"), std::string::npos) << answer.out;
}

// Calls that no trace has are seen too.
TEST_F(RunVerb, ATimelineShowsOneSidedCommunication) {
    const std::string app =
        build_text(program("MPI_Win w; MPI_Win_create(&x, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &w);"
                           "MPI_Win_fence(0, w); MPI_Put(&r, 1, MPI_INT, (r + 1) % n, 0, 1, MPI_INT, w);"
                           "MPI_Win_fence(0, w); MPI_Win_free(&w);"));
    ASSERT_EQ(run("run -n 4 --timeline run.paje" + std::string(machine) + app).code, 0);
    EXPECT_NE(text_of("run.paje").find("barrier"), std::string::npos);
}

// Whatever the machine says of its speed: computation took what it took.
TEST_F(RunVerb, EfficienciesAreThoseOfTheReplay) {
    const std::string app = build_busy();
    const auto efficiencies = [&](const std::string& command) {
        const auto json = nlohmann::json::parse(run(command).out, nullptr, false);
        return json.is_discarded() ? nlohmann::json("no result") : json["efficiencies"];
    };
    const auto ran = efficiencies("run -n 4 --json --efficiencies --trace t.ort" + std::string(machine) + app);
    EXPECT_TRUE(ran.contains("transfer")) << ran.dump();
    EXPECT_EQ(ran, efficiencies("replay t.ort --json --efficiencies --on ideal-fat-tree --map-by roundrobin"));
    EXPECT_EQ(ran,
              efficiencies("run -n 4 --json --efficiencies --set host.speed=3Gf" + std::string(machine) + app));
}

// Volumes are nanoseconds, as in other recorded traces: a core of 2 units per nanosecond is twice as fast. Odd
// picoseconds survive.
TEST_F(RunVerb, TheTraceHoldsCpuTime) {
    const std::string app =
        build_text(program("orrery_execute(0.004000000002);", "#include <orrery/emulate.h>"));
    const std::string how = " --json --on ideal-fat-tree ";
    EXPECT_EQ(predicted("run -n 1 --compute none --trace t.ort" + how + app), 4'000'000'002);
    EXPECT_EQ(predicted("replay t.ort" + how), 4'000'000'002);
    EXPECT_EQ(predicted("replay t.ort --set 'host.speed=2 Ginstr/s'" + how), 2'000'000'001);
}

// The path of the run is that of the replay of its trace.
TEST_F(RunVerb, TheCriticalPathIsThatOfTheReplay) {
    const std::string app = build_busy();
    for (const std::string network : {"flow", "loggops"}) {
        const std::string how = " --critical-path --json --network " + network;
        const Answer answer = run("run -n 4 --trace t.ort" + std::string(machine) + how + " " + app);
        ASSERT_EQ(answer.code, 0) << answer.out;
        const Answer again = run("replay t.ort --on ideal-fat-tree --map-by roundrobin" + how);
        ASSERT_EQ(again.code, 0) << again.out;
        const nlohmann::json path = nlohmann::json::parse(answer.out)["critical_path"];
        EXPECT_TRUE(path["consistent"]) << path;
        EXPECT_EQ(path["made_of_ps"], nlohmann::json::parse(again.out)["critical_path"]["made_of_ps"]);
    }
    expect_end(app, 2, "no end yet", "--until 1us --critical-path");
}

TEST_F(RunVerb, WhatNeedsATraceSaysHowToGetIt) {
    const std::string app = build_busy();
    const Answer answer = run("run -n 4 --on ideal-fat-tree --map-by metis " + app, true);
    EXPECT_EQ(answer.code, 2);
    EXPECT_NE(answer.out.find("orrery replay x.ort --map-by metis"), std::string::npos) << answer.out;
    // Before the program runs, not after.
    const Answer nowhere = run("run -n 4 --trace nowhere/x.ort" + std::string(machine) + app, true);
    EXPECT_EQ(nowhere.code, 3);
    EXPECT_EQ(nowhere.out.find("orrery: nowhere/x.ort: cannot be created"), 0U) << nowhere.out;
}

TEST_F(RunVerb, EndsWithTheCodeOfTheProgram) {
    expect_end(build_text(program("if (r == 2) exit(3);")), 3, "rank 2 ended with code 3");
    expect_end(build_text(program("if (r == 2) exit(3); MPI_Barrier(MPI_COMM_WORLD);")), 3,
               "rank 2 ended with code 3");
    expect_end(build_text(program("MPI_Finalize(); return r == 1 ? 5 : 0;")), 5, "rank 1 ended with code 5");
    expect_end(build_text(program("if (r == 1) MPI_Abort(MPI_COMM_WORLD, 7); MPI_Barrier(MPI_COMM_WORLD);")), 7,
               "rank 1 calls MPI_Abort with code 7");
    expect_end(build_text(program("if (r == 1) MPI_Abort(MPI_COMM_WORLD, 512);")), 1, "with code 512");
    expect_end(build_text(program("if (r == 1) abort(); MPI_Barrier(MPI_COMM_WORLD);")), 134,
               "rank 1: abort() was called");
    expect_end(build_text("int main(void) { int r; return MPI_Comm_rank(MPI_COMM_WORLD, &r); }"), 1,
               "rank 0 calls MPI_Comm_rank before MPI_Init");
}

TEST_F(RunVerb, FaultsAreNamed) {
    expect_end(build_text(program("if (r == 2) *(volatile int*)0 = 1;")), 139, "rank 2: segmentation fault");
    expect_end(build_text(program("volatile int zero = 0; if (r == 1) x = 5 / zero; if (x) puts(\"\");")), 136,
               "rank 1: arithmetic error");
    expect_end(build_text(program(
                   "if (r == 1) x = deep(1); if (x) puts(\"\");",
                   "int deep(int n) { volatile char a[4096]; a[n % 4096] = 1; return deep(n + 1) + a[5]; }")),
               1, "rank 1: stack overflow");
}

// Wherever the rank is: nothing ends in std::terminate.
TEST_F(RunVerb, ARunBeyondAllTimeIsRefused) {
    const std::string emulate = "#include <orrery/emulate.h>\n#include <unistd.h>";
    expect_end(build_text(program("for (;;) sleep(1000000);", emulate)), 1, "longer than 26 days");
    expect_end(build_text(program("for (;;) orrery_execute(1e6);", emulate)), 1, "longer than 26 days");
    expect_end(build_text(program("orrery_execute_flops(1e30);", emulate)), 1, "longer than 26 days");
    expect_end(build_text(program("orrery_execute(1e30);", emulate)), 1, "longer than 26 days");
    expect_end(build_text(program("sleep(27 * 86400);", emulate)), 1, "longer than 26 days");
    expect_end(build_text(program("sleep(4000000000u);", emulate)), 1, "longer than 26 days");
}

TEST_F(RunVerb, WorkBelowZeroIsRefused) {
    const std::string emulate = "#include <orrery/emulate.h>";
    expect_end(build_text(program("if (r == 1) orrery_execute(-5);", emulate)), 1,
               "orrery_execute: -5 s is not a duration");
    expect_end(build_text(program("if (r == 1) orrery_execute_flops(-1e12);", emulate)), 1,
               "orrery_execute_flops: -1000000000000 is not a number of operations");
}

TEST_F(RunVerb, WhatIsNoProgramIsRefused) {
    write("script", "#!/bin/sh\necho hello\n");
    write("short", "x");
    expect_end("./script", 3, "./script: not a program (no ELF header)");
    expect_end("./short", 3, "./short: not a program (no ELF header)");
    expect_end("./nothing", 3, "./nothing: cannot open the program");
    expect_end(".", 3, "not a regular file");
    write("plain.c", "int main(void) { return 0; }");
    ASSERT_EQ(run_command("cd " + folder_.string() + " && cc -fPIE -pie plain.c -o plain").code, 0);
    expect_end("./plain", 3, "./plain: not built for 'orrery run'");
    EXPECT_EQ(run("run -n 0" + std::string(machine) + "./plain").code, 2);
    EXPECT_EQ(run("run -n 4" + std::string(machine)).code, 2);
    expect_end("./plain", 3, "kernels.toml: cannot be read", "--kernels kernels.toml");
}

TEST_F(RunVerb, NotesSayWhatTheProgramForgot) {
    expect_end(build_text(program("return 0;")), 0, "4 ranks ended without MPI_Finalize");
    expect_end(build_text("int main(void) { return 0; }"), 0, "no rank called MPI_Init");
    expect_end(build_text(program("MPI_Request q; MPI_Irecv(&x, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &q);")), 0,
               "4 requests of 4 ranks were neither completed nor freed");
    const std::string app = build_text(program("MPI_Send(&r, 1, MPI_INT, (r + 1) % n, 5, MPI_COMM_WORLD);"));
    expect_end(app, 0, "4 messages were sent but never received");
    write("hosts", "n0 slots=40\n");
    const Answer crowded = run("run -n 40 --on stampede --hostfile hosts " + app, true);
    EXPECT_NE(crowded.out.find("more ranks than cores: 40 ranks share 16 cores of n0 and take turns"),
              std::string::npos)
        << crowded.out;
}

TEST_F(RunVerb, SaysThatComputationIsThatOfThisComputer) {
    const std::string app = build_text(program(""));
    const auto says = [&](const std::string& how) {
        const Answer answer = run("run -n 2 --on stampede " + how + " " + app, true);
        EXPECT_EQ(answer.code, 0) << answer.out;
        return answer.out.find(
                   "warning         computation runs at the speed of this computer: --reference-speed") !=
               std::string::npos;
    };
    EXPECT_TRUE(says(""));
    EXPECT_FALSE(says("--compute none"));
    EXPECT_FALSE(says("--compute scale=0.5"));
    EXPECT_FALSE(says("--reference-speed 10Gflop/s"));
    write("here.toml", "include = 'stampede'\n[host]\ncounts = 'cpu-time'\nspeed = '1 Ginstr/s'\n");
    EXPECT_EQ(run("run -n 2 --on here.toml " + app, true).out.find("warning"), std::string::npos);
    const Answer vain = run("run -n 2 --on stampede --compute none --set host.speed=5Gflop/s " + app, true);
    EXPECT_NE(vain.out.find("host.speed: not used: computation takes the time that was measured"),
              std::string::npos)
        << vain.out;
}

TEST_F(RunVerb, TheSummarySaysWhereComputationCameFrom) {
    const std::string app = build_text(program(""));
    const auto validity = [&](const std::string& how) {
        const std::string lines = " | grep -A1 validity | tr -s '\\n ' ' '"; // it may go on in the next line
        return run("run -n 2 --on ideal-fat-tree " + how + " " + app + lines).out;
    };
    EXPECT_NE(validity("").find("; computation as measured here "), std::string::npos);
    EXPECT_NE(validity("--compute scale=0.5").find("as measured here, times 0.5 "), std::string::npos);
    EXPECT_NE(validity("--reference-speed 12Gflop/s").find("here, at 12Gflop/s for the speed of"),
              std::string::npos);
    EXPECT_NE(validity("--compute none --kernels stampede")
                  .find("the program's own computation takes no time; kernels as stampede models them "),
              std::string::npos);
}

// Time that a rank sleeps is not its next call's.
TEST_F(RunVerb, SleepIsNotCountedAsCommunication) {
    const std::string app =
        build_text(program("sleep(1); MPI_Barrier(MPI_COMM_WORLD);", "#include <unistd.h>"));
    const Answer answer = run("run -n 4" + std::string(machine) + app);
    EXPECT_NE(answer.out.find("where it went   other 100.0 %"), std::string::npos) << answer.out;
}

// SimGrid's, over rank 0: two messages for each other rank. An allgather as its default selector does it would
// be 64 * 63.
TEST_F(RunVerb, SplitsAsSimGridDoes) {
    const std::string app = build_text(
        program("MPI_Comm half; MPI_Comm_split(MPI_COMM_WORLD, r % 2, r, &half); MPI_Comm_free(&half);"));
    write("cluster.xml",
          "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-63\" speed=\"1Gf\" "
          "bw=\"10Gbps\" lat=\"1us\"/></platform>\n");
    const std::string how = " --on cluster.xml --model smpi-compat --json ";
    const auto json = nlohmann::json::parse(run("run -n 64 --compute none --trace t.ort" + how + app).out);
    EXPECT_EQ(json["messages"], 2 * 63);
    EXPECT_EQ(json["predicted_time_ps"].get<std::int64_t>(), predicted("replay t.ort" + how));
}

// The bar is on stderr, if that is a terminal, and makes way for what the program says.
TEST_F(RunVerb, ProgressIsShownOnATerminal) {
    if (!installed("script")) GTEST_SKIP() << "there is no script(1)";
    // It is told every 65,536 actions, four of which are a turn here; and for long enough to be shown.
    const std::string app = build_text(
        program("double end = real() + 1.6;"
                "for (int go = 1; go; ++x) { int own = r || x < 40001 || real() < end;"
                "MPI_Allreduce(&own, &go, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);"
                "if (x % 10000 == 0 && r == 0) puts(\"still here\"); }",
                "#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n"
                "double real(void) { struct timespec t; syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);"
                "return t.tv_sec + 1e-9 * t.tv_nsec; }"));
    const std::string command = "run -n 4" + std::string(machine) + app;
    const Answer shown = run_command("cd " + folder_.string() + " && script -qec '" + orrery_program() + " " +
                                     command + "' /dev/null");
    EXPECT_NE(shown.out.find("actions/s  simulated"), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find("\r\x1b[Kstill here"), std::string::npos) << shown.out;
    EXPECT_EQ(run(command, true).out.find("actions/s  simulated"), std::string::npos);
}

class SlowRunVerb : public RunVerb {};

TEST_F(SlowRunVerb, AHundredThousandRanks) {
    const std::string app = build_text(program(
        "int left = 0, one; MPI_Sendrecv(&r, 1, MPI_INT, (r + 1) % n, 0, &left, 1, MPI_INT, (r + n - 1) % n, 0,"
        "MPI_COMM_WORLD, MPI_STATUS_IGNORE); one = left == (r + n - 1) % n;"
        "MPI_Allreduce(&one, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); if (r == 0) printf(\"%d agree\\n\", "
        "x);"));
    const Answer answer = run("run -n 100000 --on stampede --compute none --json " + app);
    EXPECT_EQ(answer.code, 0);
    EXPECT_EQ(answer.out.find("100000 agree\n"), 0U) << answer.out.substr(0, 200);
    const auto json = nlohmann::json::parse(answer.out.substr(answer.out.find('{')));
    EXPECT_LT(json["peak_rss_bytes"].get<double>(), 4e9);
}

// A block of 512 MiB on 16 MiB of memory.
TEST_F(RunVerb, CountsFoldedMemoryOnce) {
    const std::string app =
        build_text(program("char* p = malloc(1 << 29); for (int i = 0; i < 1 << 29; i += 4096)"
                           "p[i] = 1; MPI_Barrier(MPI_COMM_WORLD); free(p);",
                           "#include <stdlib.h>"));
    const auto memory = [&](const std::string& how) {
        const Answer answer = run("run -n 2 --json" + std::string(machine) + how + app);
        EXPECT_EQ(answer.code, 0) << answer.out;
        const auto json = nlohmann::json::parse(answer.out);
        EXPECT_GE(json["peak_rss_bytes"].get<std::uint64_t>(), std::uint64_t{1} << 29U);
        return json.value("memory_bytes", std::uint64_t{0});
    };
    EXPECT_EQ(memory(""), 0U); // the peak is right
    const std::uint64_t folded = memory("--share-above 1MiB ");
    EXPECT_GE(folded, std::uint64_t{1} << 24U);
    EXPECT_LE(folded, std::uint64_t{1} << 28U);
    const Answer words = run("run -n 2 --share-above 1MiB" + std::string(machine) + app, true);
    EXPECT_NE(words.out.find("memory at the end"), std::string::npos) << words.out;
}

// A run that is stopped has what happened until then, and no more.
TEST_F(RunVerb, StopsWhenToldTo) {
    const std::string app = build_text(program("for (int i = 0; i < 100; ++i) { orrery_execute(1);"
                                               "MPI_Allreduce(&r, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }",
                                               "#include <orrery/emulate.h>"));
    const auto run_until = [&](const std::string& until) {
        const Answer answer = run("run -n 4 --json" + std::string(machine) + until + app);
        EXPECT_EQ(answer.code, 0) << answer.out;
        const auto json = nlohmann::json::parse(answer.out);
        return std::pair(json["predicted_time_ps"].get<std::int64_t>(), json["messages"].get<std::uint64_t>());
    };
    const auto whole = run_until("");
    const auto part = run_until("--until 10.5s ");
    EXPECT_EQ(part.first, 10'500'000'000'000);
    EXPECT_EQ(part.second * 10, whole.second);
    EXPECT_EQ(run_until("--until 1h "), whole);
    expect_end(app, 0, "stopped after 10.500 s of simulated time, before 4 of 4 ranks had ended",
               "--until 10.5s");
    ASSERT_EQ(run("run -n 4 --until 10.5s --csv part.events.csv" + std::string(machine) + app).code, 0);
    EXPECT_NE(text_of("part.events.csv").find(",compute,3,"), std::string::npos);
    EXPECT_EQ(text_of("part.events.csv").find(",finish,"), std::string::npos);
    expect_end(app, 2, "--until: what ranks have begun", "--until 1s --trace t.ort");
    expect_end(build_text(program("MPI_Recv(&x, 1, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);")), 1,
               "deadlock", "--until 1h");
}

} // namespace
} // namespace orrery::test::run_verb_test
