// A trace that holds CPU time runs as fast as it was recorded, unless the machine rates CPU time.
#include "engine/error.h"
#include "simulation/simulation.h"

#include "drivers/action_script.h"

#include <gtest/gtest.h>

namespace orrery::cpu_time_test {
namespace {

double seconds_on(const std::string& settings_speed, double cpu_time_rate) {
    SimulationText text;
    text.machine = "graphene"; // 8 Gflop/s
    if (!settings_speed.empty()) text.settings = {settings_speed};
    const Simulation simulation(text, true);
    auto script = std::make_shared<test::ActionScript>(1);
    script->compute(0, 4e9);
    Simulation::Job job;
    job.actions = script;
    job.cpu_time_rate = cpu_time_rate;
    return simulation.run(std::span(&job, 1), {}).base.time.seconds();
}

TEST(CpuTimeTraces, InstructionsRunAtTheSpeedOfTheHost) { EXPECT_DOUBLE_EQ(seconds_on("", 0), 0.5); }
TEST(CpuTimeTraces, RunAsFastAsTheyWereRecorded) { EXPECT_DOUBLE_EQ(seconds_on("", 1e9), 4.0); }
TEST(CpuTimeTraces, RunAtASpeedThatWasSet) { EXPECT_DOUBLE_EQ(seconds_on("host.speed=2 Ginstr/s", 1e9), 2.0); }
TEST(CpuTimeTraces, RunAtTheSpeedOfAMachineThatRatesThem) {
    EXPECT_DOUBLE_EQ(seconds_on("host.counts=cpu-time", 1e9), 0.5);
}
TEST(CpuTimeTraces, OnlyThreeThingsCanBeCounted) {
    EXPECT_THROW(seconds_on("host.counts=joules", 1e9), UsageError);
}

} // namespace
} // namespace orrery::cpu_time_test
