#include "tools/validate/predict.h"
#include "tools/validate/runs.h"

#include "engine/error.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace orrery::runs_test {
namespace {

namespace fs = std::filesystem;

class ValidationClocks : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }
    void clock(int rank, const std::string& text) {
        std::ofstream(folder_ / ("clock-" + std::to_string(rank) + ".json")) << text;
    }
    [[nodiscard]] std::string complaint() const {
        try {
            (void)read_clocks(folder_.string(), 2);
        } catch (const InputError& error) {
            return error.what();
        }
        return {};
    }
    fs::path folder_ = fs::path(testing::TempDir()) / ("clocks_" + std::to_string(getpid()));
};

TEST_F(ValidationClocks, TheSlowestRankCounts) {
    clock(0, R"({"rank":0,"seconds":1.25,"cpu_seconds":1.2,"finalized":true})");
    clock(1, R"({"rank":1,"seconds":1.5,"cpu_seconds":1.2,"finalized":true})");
    EXPECT_EQ(read_clocks(folder_.string(), 2), 1.5);
}

TEST_F(ValidationClocks, EachRankMustHaveOne) {
    clock(0, R"({"rank":0,"seconds":1.25,"finalized":true})");
    EXPECT_NE(complaint().find("clock-1.json: rank 1 left no time"), std::string::npos) << complaint();
    clock(1, R"({"rank":1,"seconds":1.25,"finalized":false})");
    EXPECT_NE(complaint().find("rank 1 did not reach MPI_Finalize"), std::string::npos);
    for (const char* const bad : {"", "[]", "{}", R"({"seconds":"x"})", R"({"seconds":-1,"finalized":true})"}) {
        clock(1, bad);
        EXPECT_NE(complaint().find("expected {\"seconds\""), std::string::npos) << bad;
    }
}

TEST(ValidationTraces, TheMedianVolumeIsTaken) {
    EXPECT_EQ(median_volume(std::vector<double>{5}), 0U);
    EXPECT_EQ(median_volume(std::vector<double>{5, 9, 7}), 2U);
    EXPECT_EQ(median_volume(std::vector<double>{9, 5}), 1U);
    EXPECT_EQ(median_volume(std::vector<double>{3, 3, 3}), 1U);
}

TEST(ValidationRuns, ThePredictionIsTheMeanOverTheTraces) {
    std::vector<ValidationResult> each(2);
    each[0].clean.mean = each[1].clean.mean = 2.0;
    each[0].predicted = Time::from_ps(1.8e12);
    each[1].predicted = Time::from_ps(2.4e12);
    each[0].traced = 2.0;
    each[1].traced = 2.2;
    each[0].exact.emplace().predicted = Time::from_ps(1.9e12);
    each[1].exact.emplace().predicted = Time::from_ps(2.3e12);
    ValidationResult result = each[1];
    average_predictions(each, result);
    EXPECT_EQ(result.predicted, Time::from_ps(2.1e12));
    EXPECT_NEAR(result.error, 0.05, 1e-12);
    EXPECT_NEAR(result.traced, 2.1, 1e-12);
    EXPECT_EQ(result.exact->predicted, Time::from_ps(2.1e12));
}

// With exact computation a volume must stand for one duration, whatever its size.
TEST(ValidationTraces, ExactComputationHasOneRate) {
    SimulationText text;
    text.machine = "graphene";
    text.settings = {"host.speed=3 Gflop/s", "host.speed_by_burst=0: 1 Gflop/s; 1e6: 2 Gflop/s"};
    const Simulation simulation(text, true);
    EXPECT_EQ(simulation.platform().speed(HostId{0}, 10), 1e9);
    const Simulation even(with_one_rate(text, simulation.platform()), true);
    for (const double volume : {0.0, 10.0, 1e6, 1e12}) EXPECT_EQ(even.platform().speed(HostId{0}, volume), 3e9);
    text.settings.pop_back();
    EXPECT_EQ(with_one_rate(text, Simulation(text, true).platform()).settings.size(), 1U); // nothing to change
}

TEST(ValidationTraces, AProgramThatIsNotThereIsSaidBeforeAnythingRuns) {
    ValidationPlan plan;
    plan.simulation.machine = "graphene";
    plan.applications.push_back({"no", {"./no-such-program"}, 2, {}});
    const std::string folder = testing::TempDir() + "/validate_none_" + std::to_string(getpid());
    EXPECT_THROW((void)validate(plan, folder, {}), InputError);
    plan.simulation.machine = "graphine";
    EXPECT_THROW((void)validate(plan, folder, {}), UsageError);
    plan.simulation.machine = "graphene";
    plan.applications[0].trace = "no/such/trace";
    EXPECT_THROW((void)validate(plan, folder, {}), InputError);
    fs::remove_all(folder);
}

} // namespace
} // namespace orrery::runs_test
