// How `orrery run` measures computation, keeps it for other runs, and stops when it is told to.
#include "emulate/mpi_programs.h"
#include "places.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace orrery::test::measured_run_test {
namespace {

class MeasuredRun : public EmulatedPrograms {};

const char* const measured_machine = " --on ideal-fat-tree --map-by roundrobin --compute none ";

// Begins as every program does, with the rank as `r` and the number of ranks as `n`.
std::string measured_program(const std::string& body, const std::string& before = "") {
    return before +
           "\nint main(int c, char** v) { int r, n, x = 0; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r);"
           "MPI_Comm_size(MPI_COMM_WORLD, &n);" +
           body + "MPI_Finalize(); return 0; }";
}

// Steps of a few microseconds, with messages to the neighbours.
std::string stepping_program(const std::string& steps) {
    return measured_program("volatile double y = 1; for (int s = 0; s < " + steps +
                            "; ++s) { for (int i = 0; i < 2000; ++i) y = y * 1.0000001;"
                            "MPI_Sendrecv(&r, 1, MPI_INT, (r + 1) % n, 7, &x, 1, MPI_INT, (r + n - 1) % n, 7, "
                            "MPI_COMM_WORLD, MPI_STATUS_IGNORE); }");
}

// One measurement serves any number of runs, to the last bit.
TEST_F(MeasuredRun, RecordedComputationComesAgain) {
    const std::string app = build_text(stepping_program("50"));
    const auto predicted = [&](const std::string& how) {
        const Answer answer = run("run -n 8 --json --compute " + how + " " + app);
        EXPECT_EQ(answer.code, 0) << how << answer.out;
        nlohmann::json json = nlohmann::json::parse(answer.out);
        for (const char* const cost :
             {"simulation_seconds", "peak_rss_bytes", "model", "rank_memory_bytes", "command", "inputs"})
            json.erase(cost);
        return json.dump();
    };
    const std::string first = predicted("record=b.bursts --on stampede");
    EXPECT_EQ(predicted("from=b.bursts --on stampede"), first);
    EXPECT_EQ(predicted("from=b.bursts --on stampede"), first);
    EXPECT_NE(predicted("from=b.bursts --on ideal-fat-tree"), first);
    EXPECT_NE(predicted("scale=2,from=b.bursts --on stampede"), first);
}

TEST_F(MeasuredRun, ARecordingOfAnotherRunIsRefused) {
    const std::string app = build_text(stepping_program("(c > 1 ? 5 : 3)"));
    ASSERT_EQ(run("run -n 4 --on ideal-fat-tree --compute record=b.bursts " + app).code, 0);
    const auto refused = [&](const std::string& how, const std::string& words) {
        const Answer answer = run("run " + how, true);
        EXPECT_EQ(answer.code, 3) << answer.out;
        EXPECT_NE(answer.out.find(words), std::string::npos) << answer.out;
    };
    const std::string on = " --on ideal-fat-tree --compute from=";
    refused("-n 8" + on + "b.bursts " + app, "recorded with 4 ranks, not with 8");
    refused("-n 4" + on + "b.bursts " + app + " x", "recorded with other arguments");
    refused("-n 4" + on + "missing.bursts " + app, "missing.bursts: cannot be read");
    write("junk.bursts", "junk");
    refused("-n 4" + on + "junk.bursts " + app, "no recording of bursts");
    std::filesystem::resize_file(folder_ / "b.bursts", std::filesystem::file_size(folder_ / "b.bursts") - 9);
    refused("-n 4" + on + "b.bursts " + app, "damaged or cut off");
    const Answer usage = run("run -n 4" + on + " " + app, true);
    EXPECT_EQ(usage.code, 2) << usage.out;
}

// A program that asks for the time does on a faster machine what it did not do on a slower one.
TEST_F(MeasuredRun, AProgramThatDoesOtherwiseThanRecordedIsRefused) {
    const std::string app = build_text(
        measured_program("while (MPI_Wtime() < 1e-3) MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);"));
    ASSERT_EQ(run("run -n 1 --on stampede --compute record=b.bursts " + app).code, 0);
    const Answer answer = run("run -n 1 --on stampede --compute scale=50,from=b.bursts " + app, true);
    EXPECT_EQ(answer.code, 3) << answer.out;
    EXPECT_NE(answer.out.find("otherwise than when it was recorded"), std::string::npos) << answer.out;
}

TEST_F(MeasuredRun, MemoryOfARankIsSaid) {
    const std::string app = build_text(
        measured_program("char* p = malloc(1 << 20); for (int i = 0; i < 1 << 20; i += 64) p[i] = 1; x = p[r];"
                         "MPI_Barrier(MPI_COMM_WORLD);",
                         "#include <stdlib.h>\nstatic char own[100000];"));
    const nlohmann::json json = nlohmann::json::parse(
        run("run -n 16 --json" + std::string(measured_machine) + app).out)["rank_memory_bytes"];
    if (!sanitized) { // whose heap is another
        EXPECT_GE(json["heap_mean"], 1 << 20);
        EXPECT_LT(json["heap_mean"], 3 << 20);
    }
    EXPECT_GE(json["stack_most"], 4096);
    EXPECT_LE(json["stack_most"], 256 << 10);
    const Answer answer = run("run -n 16" + std::string(measured_machine) + app);
    EXPECT_NE(answer.out.find(sanitized ? "per rank on average: heap " : "per rank on average: heap 1."),
              std::string::npos)
        << answer.out;
}

TEST_F(MeasuredRun, CtrlCSaysHowFarItCame) {
    const auto interrupted = [&](const std::string& app, const std::string& words) {
        Answer answer;
        for (int tries = 0; tries < 5 && answer.out.find(words) == std::string::npos; ++tries)
            answer = run_command("cd " + folder_.string() + " && timeout --preserve-status -s INT 1 " +
                                 orrery_program() + " run -n 4" + measured_machine + "--trace t.ort " + app +
                                 " 2>&1");
        EXPECT_EQ(answer.code, 130) << answer.out;
        EXPECT_NE(answer.out.find(words), std::string::npos) << answer.out;
        EXPECT_FALSE(std::filesystem::exists(folder_ / "t.ort"));
    };
    // Unless a rank is computing just then, which a busy computer makes likely: it says that instead.
    interrupted(build_text(measured_program("for (;;) MPI_Barrier(MPI_COMM_WORLD);")),
                "before 4 of 4 ranks had ended");
    interrupted(build_text(measured_program("for (volatile int i = 1; i;) ;")), "orrery: stopped");
}

} // namespace
} // namespace orrery::test::measured_run_test
