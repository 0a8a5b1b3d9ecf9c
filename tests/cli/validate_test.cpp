// `orrery validate` as a script sees it: with real runs where there is an MPI, and with an mpirun that
// pretends.
#include "program_test.h"
#include "trace/outcome_programs.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

namespace orrery::test::validate_test {
namespace {

namespace fs = std::filesystem;

class ValidateVerb : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        write("here.toml", R"([host]
cores = 2
speed = "1 Gflop/s"
[link]
bandwidth = "10 GB/s"
latency = "500 ns"
[topology]
type = "crossbar"
hosts = 1
)");
        script("app", "true\n");
    }
    void script(const std::string& name, const std::string& text) {
        write(name, "#!/bin/sh\n" + text);
        fs::permissions(folder_ / name, fs::perms::owner_all);
    }
    void refuses(const std::string& arguments, int code, const std::string& words) {
        const Answer answer = run("validate " + arguments, true);
        EXPECT_EQ(answer.code, code) << arguments << "\n" << answer.out;
        EXPECT_NE(answer.out.find(words), std::string::npos) << arguments << "\n" << answer.out;
    }
};

TEST_F(ValidateVerb, WrongUsageIsNamed) {
    refuses("", 2, "what shall be validated?");
    refuses("./app x", 2, "how many ranks?");
    refuses("-n 2 -- ./app", 2, "a machine is needed");
    refuses("-n 2 --on nosuch -- ./app", 2, "nosuch");
    refuses("-n 2 --on here.toml --runs 0 -- ./app", 2, "--runs");
    refuses("-n 2 --on odin --store -- ./app", 2,
            "--store writes into a machine file (.toml); --on odin is none");
    refuses("-n 2 --on here.toml --set host.cores=4 --store -- ./app", 2, "leave out --set");
    refuses("-n 2 --on here.toml --rusn 3 -- ./app", 2, "did you mean --runs?");
    refuses("-n 2 --on here.toml --counter cycles -- ./app", 2, "cycles");
    refuses("-n 2 --on here.toml --timeout soon -- ./app", 2, "soon");
    refuses("-n 2 --on here.toml --mpirun-options \"'x\" -- ./app", 2, "is not closed");
    refuses("-n 2 --on here.toml -- ./missing", 3, "there is no such program");
    refuses("-n 2 --on here.toml --trace nothing --mpi mpich -- ./app", 3, "nothing");
    refuses("nothing.toml", 3, "there is no such study");
    refuses("study.toml --trace t", 2, "--trace and --name belong to one application");
    write("study.toml", "machine = 'here.toml'\nrusn = 3\n");
    refuses("study.toml", 3, "study.toml:2:8: unknown key 'rusn'; did you mean 'runs'?");
    write("other/x", "");
    fs::create_directories(folder_ / "other");
    write("other/x", "");
    refuses("-n 2 --on here.toml -o other -- ./app", 2, "this folder has other files in it");
}

// The library is looked for but never loaded: the mpirun is a script that writes the times itself.
class ValidateVerbPretending : public ValidateVerb {
  protected:
    void SetUp() override {
        ValidateVerb::SetUp();
        write("liborrery-trace-mpich.so", "");
        script("hydra", R"(if [ "$1" = --version ]; then echo HYDRA; exit; fi
dir=
mode=record
while [ $# -gt 0 ]; do
  case $2 in ORRERY_TRACE_DIR) dir=$3;; ORRERY_TRACE_MODE) mode=$3;; esac
  shift
done
echo "hello from $mode"
echo $mode >> log
runs=$(wc -l < log)
[ $runs = "$FAIL" ] && exit 3
[ $mode = clock ] || exit 0
for rank in 0 1; do echo "{\"rank\":$rank,\"seconds\":$runs.5,\"finalized\":true}" > $dir/clock-$rank.json; done
)");
        ::setenv("ORRERY_LIBRARY_DIR", folder_.c_str(), 1);
    }
    void TearDown() override {
        ::unsetenv("ORRERY_LIBRARY_DIR");
        ValidateVerb::TearDown();
    }
    [[nodiscard]] std::string log() const {
        std::ifstream in(folder_ / "log");
        return {std::istreambuf_iterator<char>(in), {}};
    }
    static constexpr const char* base = "validate -n 2 --on here.toml --mpi mpich --mpirun ./hydra ";
};

TEST_F(ValidateVerbPretending, ARunThatFailsIsNamedAndItsOutputKept) {
    ::setenv("FAIL", "3", 1); // a warm-up, a run, and the second run
    const Answer answer = run(std::string(base) + "--runs 4 -o out -- ./app", true);
    ::unsetenv("FAIL");
    EXPECT_EQ(answer.code, 1);
    EXPECT_NE(answer.out.find("app, 2 ranks: run-2 failed with exit code 3"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("which ends with\nhello from clock"), std::string::npos) << answer.out;
    EXPECT_TRUE(fs::exists(folder_ / "out/app-2/run-2.txt"));
    EXPECT_FALSE(fs::exists(folder_ / "out/manifest.json"));
}

TEST_F(ValidateVerbPretending, AnInterruptedOneLeavesNoFolder) {
    script("hydra", "if [ \"$1\" = --version ]; then echo HYDRA; exit; fi\nsleep 20\n");
    for (const auto& [signal, code] : {std::pair{"INT", 130}, std::pair{"TERM", 143}, std::pair{"HUP", 129}}) {
        fs::create_directories(folder_ / "tmp");
        const Answer answer =
            run_command("cd " + folder_.string() + " && TMPDIR=$PWD/tmp timeout --preserve-status -s " +
                        signal + " 1 " + orrery_program() + " " + base + "--runs 4 -- ./app 2>&1");
        EXPECT_EQ(answer.code, code) << answer.out;
        EXPECT_NE(answer.out.find(std::string("stopped by SIG") + signal + " during a run; no result is kept"),
                  std::string::npos)
            << answer.out;
        EXPECT_TRUE(fs::is_empty(folder_ / "tmp")) << signal;
    }
}

TEST_F(ValidateVerbPretending, ATraceIsTakenInTheMiddleAndMissed) {
    const Answer answer = run(std::string(base) + "--runs 4 --warm-ups 1 -- ./app", true);
    EXPECT_EQ(answer.code, 3) << answer.out;
    EXPECT_EQ(log(), "clock\nclock\nclock\nrecord\n"); // this one left nothing
}

TEST_F(ValidateVerbPretending, RanksThatLeaveNoTimeAreNamed) {
    const Answer answer = run("validate -n 3 --on here.toml --mpi mpich --mpirun ./hydra -- ./app", true);
    EXPECT_EQ(answer.code, 3);
    EXPECT_NE(answer.out.find("rank 2 left no time"), std::string::npos) << answer.out;
    // The file is gone with its folder, so no path to it is printed.
    EXPECT_EQ(answer.out.find("orrery-validate-"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("app-3/warm-up-1/clock-2.json"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("-o FOLDER keeps the files of all runs"), std::string::npos) << answer.out;
    const Answer kept = run("validate -n 3 --on here.toml --mpi mpich --mpirun ./hydra -o out -- ./app", true);
    EXPECT_EQ(kept.code, 3);
    EXPECT_NE(kept.out.find("out/app-3/warm-up-1/clock-2.json"), std::string::npos) << kept.out;
    EXPECT_EQ(kept.out.find("keeps the files"), std::string::npos) << kept.out;
}

// With a folder nothing is written elsewhere: there need be no folder for temporary files.
TEST_F(ValidateVerbPretending, WorksInsideItsFolder) {
    ::setenv("TMPDIR", (folder_ / "nowhere").c_str(), 1);
    const Answer elsewhere = run(std::string(base) + "--runs 1 -- ./app", true);
    const Answer inside = run(std::string(base) + "--runs 1 --warm-ups 0 -o out -- ./app", true);
    ::unsetenv("TMPDIR");
    EXPECT_EQ(elsewhere.code, 3);
    EXPECT_NE(elsewhere.out.find("give -o FOLDER"), std::string::npos) << elsewhere.out;
    EXPECT_EQ(inside.out.find("nowhere"), std::string::npos) << inside.out;
    EXPECT_TRUE(fs::exists(folder_ / "out/app-2/trace-1.txt")) << inside.out;
    EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
}

class ValidateVerbRuns : public ValidateVerb, public testing::WithParamInterface<MpiKind> {
  protected:
    void SetUp() override {
        ValidateVerb::SetUp();
        if (const std::string why = cannot_trace(GetParam()); !why.empty()) GTEST_SKIP() << why;
    }
    [[nodiscard]] std::string program() const { return outcome_program(GetParam(), "outcome"); }
};

TEST_P(ValidateVerbRuns, MeasuresTracesAndPredicts) {
    const Answer answer = run("validate -n 2 --on here.toml --runs 3 -o out --plot out.svg --json -- " +
                              program() + " finalize 300");
    ASSERT_EQ(answer.code, 0) << answer.out;
    const nlohmann::json json = nlohmann::json::parse(answer.out);
    const auto& app = json["applications"][0];
    EXPECT_EQ(app["name"], "outcome");
    EXPECT_EQ(app["measured"]["runs_seconds"].size(), 3U);
    EXPECT_GT(app["measured"]["mean_seconds"].get<double>(), 0);
    EXPECT_GT(app["predicted_time_ps"].get<std::int64_t>(), 0);
    EXPECT_GE(app["calls"].get<int>(), 2 * 3 * 300);
    // The parts of the error add up to it.
    EXPECT_NEAR(app["error_of_computation"].get<double>() + app["error_of_communication"].get<double>() +
                    app["error_of_traced_run"].get<double>(),
                app["error"].get<double>(), 1e-9);
    // With exact computation the ranks compute as long as they did.
    const auto& seconds = app["mean_seconds_of_a_rank"];
    EXPECT_NEAR(seconds["exact_computation"]["outside_mpi"].get<double>(),
                seconds["traced_run"]["outside_mpi"].get<double>(), 1e-6);
    for (const char* const file :
         {"out/manifest.json", "out/measured.json", "out/predictions.json", "out/outcome-2/run-3/clock-1.json",
          "out/outcome-2/trace-1/rank-1.ort", "out/outcome-2/run-1.txt", "out.svg"})
        EXPECT_TRUE(fs::exists(folder_ / file)) << file;
    // Again from the trace alone, and from a study with two numbers of ranks.
    write("study.toml",
          "machine = 'here.toml'\nruns = 1\nwarm-ups = 0\n[[application]]\nname = 'ring'\ncommand = '" +
              program() + " finalize 50'\nranks = [1, 2]\n");
    const Answer study = run("validate study.toml --traces 3");
    EXPECT_EQ(study.code, 0) << study.out;
    EXPECT_NE(study.out.find("ring, 1 rank "), std::string::npos) << study.out;
    EXPECT_NE(study.out.find("ring, 2 ranks "), std::string::npos) << study.out;
    EXPECT_NE(study.out.find("mean absolute error"), std::string::npos) << study.out;
    const Answer again =
        run("validate -n 2 --on here.toml --runs 1 --warm-ups 0 --trace out/outcome-2/trace-1 -- " + program() +
            " finalize 300");
    EXPECT_EQ(again.code, 0) << again.out;
    EXPECT_EQ(again.out.find("orrery-validate-"), std::string::npos) << again.out;
    const Answer detailed = run(
        "validate -n 2 --on here.toml --runs 1 --warm-ups 0 --details -- " + program() + " finalize 300", true);
    EXPECT_EQ(detailed.code, 0) << detailed.out;
    EXPECT_NE(detailed.out.find("; the trace counts"), std::string::npos) << detailed.out;
    EXPECT_EQ(detailed.out.find("orrery-validate-"), std::string::npos) << "a path that is deleted";
    // Its error stays with the machine, and stands beside predictions for it.
    const std::string replay = "replay out/outcome-2/trace-1 --on here.toml --json";
    EXPECT_TRUE(nlohmann::json::parse(run(replay).out)["error"].is_null());
    const Answer stored = run("validate -n 2 --on here.toml --runs 1 --warm-ups 0 --store --trace "
                              "out/outcome-2/trace-1 -- " +
                              program() + " finalize 300");
    EXPECT_EQ(stored.code, 0) << stored.out;
    EXPECT_NE(stored.out.find("stored    here.toml"), std::string::npos) << stored.out;
    const nlohmann::json error = nlohmann::json::parse(run(replay).out)["error"];
    EXPECT_GT(error["relative"].get<double>(), 0) << error;
    EXPECT_NE(error["source"].get<std::string>().find("largest error of 1 program, validated 20"),
              std::string::npos);
    const Answer other =
        run("validate -n 1 --on here.toml --runs 1 --warm-ups 0 --trace out/outcome-2/trace-1 -- " + program() +
                " finalize 300",
            true);
    EXPECT_EQ(other.code, 3);
    EXPECT_NE(other.out.find("this is a trace of 2 ranks; 1 are asked for"), std::string::npos) << other.out;
}

TEST_P(ValidateVerbRuns, AnApplicationThatFailsIsAnError) {
    const Answer answer =
        run("validate -n 2 --on here.toml --runs 2 -o out -- " + program() + " abort 20", true);
    EXPECT_EQ(answer.code, 1) << answer.out;
    EXPECT_NE(answer.out.find("outcome, 2 ranks: warm-up-1 failed with exit code"), std::string::npos)
        << answer.out;
    EXPECT_TRUE(fs::exists(folder_ / "out/outcome-2/warm-up-1.txt"));
}

INSTANTIATE_TEST_SUITE_P(Mpi, ValidateVerbRuns, testing::Values(MpiKind::openmpi, MpiKind::mpich),
                         [](const auto& each) { return std::string(suffix_of(each.param)); });

} // namespace
} // namespace orrery::test::validate_test
