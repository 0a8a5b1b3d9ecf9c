// `orrery calibrate`: from a file of measurements, kernels, wrong usage; and a real, short measurement.
#include "cli/program_test.h"
#include "places.h"
#include "tools/calibrate/synthetic.h"

#include <nlohmann/json.hpp>

namespace orrery::calibrate_test {
namespace {

class CalibrateProgram : public test::ProgramTest {};

TEST_F(CalibrateProgram, MakesAMachineThatCanBeUsed) {
    write("m.json", test::measurements_of({}));
    const test::Answer answer = run("calibrate --from m.json -o machine.toml --plots plots");
    ASSERT_EQ(answer.code, 0) << answer.out;
    EXPECT_NE(answer.out.find("eager up to 4"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("mean error"), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "plots" / "round-trip.svg"));
    EXPECT_EQ(run("machine check machine.toml").code, 0);
    write("t.oti", "0 init\n1 init\n0 send 1 0 100000\n1 recv 0 0 100000\n0 finalize\n1 finalize\n");
    for (const char* network : {"flow", "loggops"}) {
        const test::Answer replay =
            run(std::string("replay t.oti --on machine.toml --json --network ") + network, true);
        EXPECT_EQ(replay.code, 0) << replay.out;
    }
}

TEST_F(CalibrateProgram, SaysTheSameAsJson) {
    write("m.json", test::measurements_of({}));
    const test::Answer answer = run("calibrate --from m.json -o machine.toml --json");
    ASSERT_EQ(answer.code, 0);
    const nlohmann::json json = nlohmann::json::parse(answer.out);
    EXPECT_EQ(json["eager_limit_bytes"], 4096);
    EXPECT_LT(json["self_check"]["error"].get<double>(), 0.01);
}

TEST_F(CalibrateProgram, ModelsKernels) {
    write("p.csv", "routine,M,N,K,seconds\ndgemm,100,100,100,1.2e-3\ndgemm,200,200,200,8.2e-3\ndgemm,400,400,"
                   "400,6.42e-2\n");
    const test::Answer answer = run("calibrate --kernel p.csv -o k.toml");
    ASSERT_EQ(answer.code, 0) << answer.out;
    EXPECT_NE(answer.out.find("5.0000e-10 s"), std::string::npos) << answer.out;
    EXPECT_TRUE(std::filesystem::exists(folder_ / "k.toml"));
    EXPECT_EQ(run("calibrate --kernel p.csv --terms 'M*N*X, 1' -o k.toml --force", true).code, 3);
    EXPECT_EQ(run("calibrate --kernel p.csv --terms 'M**N' -o k.toml --force", true).code, 2);
}

TEST_F(CalibrateProgram, WrongUsageIsNamed) {
    write("m.json", test::measurements_of({}));
    EXPECT_EQ(run("calibrate -n 1 -o x.toml", true).code, 2);
    EXPECT_NE(run("calibrate -n 1 -o x.toml", true).out.find("between two ranks"), std::string::npos);
    EXPECT_EQ(run("calibrate --from m.json", true).code, 2);
    EXPECT_EQ(run("calibrate --from nowhere.json -o x.toml", true).code, 3);
    EXPECT_EQ(run("calibrate --terms M --from m.json -o x.toml", true).code, 2);
    write("bad.json", test::measurements_of({}).substr(0, 5000));
    const test::Answer damaged = run("calibrate --from bad.json -o x.toml", true);
    EXPECT_EQ(damaged.code, 3);
    EXPECT_NE(damaged.out.find("bad.json:"), std::string::npos) << damaged.out;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "x.toml"));
    const test::Answer none = run("calibrate --mpi openmpi --mpirun /nowhere/mpirun -o x.toml", true);
    EXPECT_EQ(none.code, 2) << none.out;
    EXPECT_EQ(run("calibrate --rate-from nowhere.trace", true).code, 3);
}

class SlowCalibrateProgram : public test::ProgramTest, public testing::WithParamInterface<const char*> {};

TEST_P(SlowCalibrateProgram, MeasuresThisMachine) {
    const std::string mpi = GetParam();
    const std::string beside = build_folder();
    if (!std::filesystem::exists(beside + "/orrery-calibrate-" + mpi))
        GTEST_SKIP() << "orrery-calibrate-" << mpi << " is not built here (no such MPI, or a sanitizer build)";
    const test::Answer answer = run("calibrate --quick --mpi " + mpi + " -o machine.toml --json 2>errors.txt");
    ASSERT_EQ(answer.code, 0) << answer.out;
    const nlohmann::json json = nlohmann::json::parse(answer.out);
    EXPECT_GT(json["samples"].get<int>(), 1000);
    // A busy machine measures badly; it must not be nonsense.
    EXPECT_LT(json["self_check"]["error"].get<double>(), 0.5);
    EXPECT_EQ(run("machine check machine.toml").code, 0);
    EXPECT_EQ(run("calibrate --from machine.measurements.json -o again.toml").code, 0);
}

INSTANTIATE_TEST_SUITE_P(SlowMpi, SlowCalibrateProgram, testing::Values("openmpi", "mpich"));

} // namespace
} // namespace orrery::calibrate_test
