// What a rank copies to itself inside a collective costs time if the endpoint says so.
#include "drivers/action_script.h"
#include "simulation/simulation.h"

#include <gtest/gtest.h>
#include <memory>

namespace orrery::collective_copy_test {
namespace {

Time alltoall_time(const std::vector<std::string>& settings) {
    SimulationText text;
    text.machine = "graphene";
    text.network = "ideal";
    text.settings = settings;
    text.collectives = {"alltoall=linear"};
    auto script = std::make_shared<test::ActionScript>(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) script->collective(rank, Collective::alltoall, 1000);
    Simulation::Job job;
    job.actions = script;
    return Simulation(text, true).run(std::span(&job, 1), {}).base.time;
}

TEST(CollectiveCopy, TheOwnBlockIsCopied) {
    EXPECT_EQ(alltoall_time({"endpoint.copy=1ns/B"}) - alltoall_time({}), Time::us(1)); // 1000 B at 1 ns each
    EXPECT_EQ(alltoall_time({"endpoint.copy=3ns/B"}) - alltoall_time({}), Time::us(3));
}

} // namespace
} // namespace orrery::collective_copy_test
