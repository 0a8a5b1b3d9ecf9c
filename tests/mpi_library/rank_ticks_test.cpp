// Loops without end: who runs, where, and how it is stopped.
#include "emulate/four_ranks.h"

#include <fmt/format.h>
#include <sys/resource.h>

namespace orrery::test::rank_ticks_test {
namespace {

const char* const spin = "void __attribute__((noinline)) spin(void) { for (volatile int i = 0;; i = i + 1); }";

double processor_seconds_of_children() {
    rusage use{};
    EXPECT_EQ(getrusage(RUSAGE_CHILDREN, &use), 0);
    return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

class RankTicks : public FourRanks {
  protected:
    void expect_stall(const std::string& body, const std::string& words, const std::string& before = "") {
        const std::string app = build_text(program(body, before), "-g");
        const Answer answer = expect_end(app, 1, words, "--stall 300ms");
        EXPECT_NE(answer.out.find("\n  in main (app.c:"), std::string::npos) << answer.out;
    }
    Answer interrupted(const std::string& app) {
        return run_command("cd " + folder_.string() + " && timeout -s INT 1 " + orrery_program() +
                           " run -n 4 --on ideal-fat-tree --map-by roundrobin --compute none " + app + " 2>&1");
    }
};

TEST_F(RankTicks, NameARankThatStalls) {
    expect_stall(
        "if (r == 1) spin();",
        "no rank has got on for 300.000 ms of processor time (--stall): rank 1 computes without calling MPI",
        spin);
    expect_stall("if (r == 1) while (!x) sched_yield();", "rank 1 computes without calling MPI",
                 "#include <sched.h>");
    expect_stall("int y; MPI_Request q; if (r == 2) { MPI_Irecv(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &q);"
                 "while (!x) MPI_Test(&q, &x, MPI_STATUS_IGNORE); }",
                 "rank 2 calls MPI_Test again and again");
    expect_end(
        build_text(program("if (r == 1) while (!x) MPI_Iprobe(0, 0, MPI_COMM_WORLD, &x, MPI_STATUS_IGNORE);")),
        1, "rank 1 calls MPI_Iprobe again and again",
        sanitized ? "--stall 300ms" : ""); // it takes minutes there
    // What gets on is left alone.
    expect_end(build_text(program(std::string("for (int i = 0; i < ") + (sanitized ? "3000" : "300000") +
                                  "; ++i) MPI_Allreduce(&r, &x, 1, MPI_INT, MPI_SUM, "
                                  "MPI_COMM_WORLD);")),
               0, "4 ranks, ", "--stall 200ms");
    expect_end(build_text(program("if (r == 0) for (volatile int i = 0; i < 500000000; i = i + 1);")), 0,
               "4 ranks, ", "--stall 0s");
}

TEST_F(RankTicks, SayWhoRunsWhenInterrupted) {
    const std::string loop = build_text(program("if (r == 1) spin();", spin), "-g");
    const Answer answer = interrupted(loop);
    EXPECT_NE(answer.out.find("stopped by Ctrl-C after "), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("when rank 1 was running; no result is kept\n  in spin (app.c:"),
              std::string::npos)
        << answer.out;
}

TEST_F(RankTicks, EndALoopAtTheTimeOfUntil) {
    const std::string app = build_text(program("if (r == 1) spin(); orrery_execute(r * 1e-3);",
                                               std::string(spin) + "\n#include <orrery/emulate.h>"));
    const Answer answer = run("run -n 4 --on ideal-fat-tree --map-by roundrobin --until 100ms --json " + app);
    EXPECT_EQ(answer.code, 0) << answer.out;
    EXPECT_EQ(nlohmann::json::parse(answer.out)["predicted_time_ps"].get<std::int64_t>(), 100'000'000'000);
}

// No simulated time passes in it: the stall ends it, and the run goes on without these ranks.
TEST_F(RankTicks, EndALoopThatTakesNoTimeByTheStall) {
    const auto warnings = [&](const std::string& app, int ranks) {
        const Answer answer =
            run(fmt::format("run -n {} --on ideal-fat-tree --map-by roundrobin --compute none "
                            "--until 100ms --stall 300ms --json {}",
                            ranks, app),
                false);
        EXPECT_EQ(answer.code, 0) << answer.out;
        const auto json = nlohmann::json::parse(answer.out, nullptr, false);
        EXPECT_EQ(json["predicted_time_ps"].get<std::int64_t>(), 100'000'000'000);
        return json["warnings"].dump();
    };
    const std::string one = warnings(build_text(program("if (r == 1) spin(); orrery_execute(r * 40e-3);",
                                                        std::string(spin) + "\n#include <orrery/emulate.h>"),
                                                "-g"),
                                     4);
    EXPECT_NE(one.find("1 rank computed for longer than --stall permits (300.000 ms of processor time)"),
              std::string::npos)
        << one;
    EXPECT_NE(one.find("the first was rank 1, "), std::string::npos) << one;
    EXPECT_NE(one.find(" after the start, in spin (app.c:"), std::string::npos) << one;
    // All ranks together take twice as long as one at most, and some ticks: not 32 times.
    const double before = processor_seconds_of_children();
    const std::string all = warnings(build_text(program("spin();", spin), "-g"), 32);
    EXPECT_LT(processor_seconds_of_children() - before, 6);
    EXPECT_NE(all.find("32 ranks computed for longer"), std::string::npos) << all;
}

// A loop on the clock comes to its end, in simulated time and in ours.
TEST_F(RankTicks, ClocksCostWhatTheMachineSays) {
    const std::string app =
        build_text(program("double t = MPI_Wtime(); long n0 = 0; while (MPI_Wtime() - t < 0.02) "
                           "++n0; if (r == 0) printf(\"%ld looks\\n\", n0);"));
    expect_end(app, 0, "2000000 looks");
    expect_end(app, 0, "20000 looks", "--set endpoint.clock=1us");
    // The time is that of a program that sleeps as long, to the next look.
    const auto predicted_time = [&](const std::string& body) {
        const std::string one = build_text(program(body, "#include <time.h>\n#include <unistd.h>"));
        return predicted("run -n 4 --on ideal-fat-tree --map-by roundrobin --compute none --json " + one);
    };
    const std::int64_t looked =
        predicted_time("struct timespec t; do clock_gettime(CLOCK_MONOTONIC, &t); while "
                       "(t.tv_nsec < 5000000); ");
    const std::int64_t slept = predicted_time("usleep(5000);");
    EXPECT_NEAR(static_cast<double>(looked - slept), 0, 20e6) << "in picoseconds"; // MPI_Init took some of it
}

} // namespace
} // namespace orrery::test::rank_ticks_test
