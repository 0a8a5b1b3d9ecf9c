// The machines that come with the program are sound and say where their figures are from.
#include "machine/built_in.h"

#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "machine/survey.h"
#include "network/loggops/parameters.h"

#include <gtest/gtest.h>

namespace orrery::built_in_test {
namespace {

TEST(BuiltInMachines, LoadAndReachEveryHost) {
    const std::map<std::string, std::uint32_t> hosts{
        {"big-red", 768},        {"blue-gene-q", 49152}, {"blue-gene-q-rack", 1024}, {"frontier-like", 37888},
        {"fugaku-like", 158976}, {"graphene", 144},      {"ideal-fat-tree", 512},    {"ndr-fat-tree", 2048},
        {"odin", 128},           {"odin-measured", 128}, {"paper-figures", 1024},    {"stampede", 6400}};
    EXPECT_EQ(built_in_machines().size(), hosts.size());
    for (const BuiltInMachine& each : built_in_machines()) {
        const Machine machine = load_machine(std::string(each.name));
        EXPECT_EQ(machine.name, each.name);
        EXPECT_FALSE(machine.description.empty());
        ASSERT_TRUE(hosts.contains(machine.name)) << machine.name;
        EXPECT_EQ(machine.platform->host_count(), hosts.at(machine.name));
        EXPECT_GT(survey_routes(*machine.platform, 20'000).pairs, 0U);
        EXPECT_TRUE(machine.platform->topology().bisection().has_value());
        EXPECT_NE(machine.hardware.find("link.source"), nullptr)
            << machine.name << " says not where its links are from";
    }
}

TEST(BuiltInMachines, HaveThePublishedLogGOPSParameters) {
    for (const NamedLogGOPS& each : published_loggops()) {
        EXPECT_EQ(read_loggops(load_machine(std::string(each.name)).settings), each.parameters) << each.name;
    }
}

TEST(BuiltInMachines, LogGOPSKeysAreReadOverTheDefaults) {
    Settings settings;
    settings.set("loggops.G", "200 Gbit/s", "m.toml", 3);
    settings.set("loggops.S", "unlimited", "m.toml", 4);
    const LogGOPS read = read_loggops(settings);
    EXPECT_EQ(read.G, 40);
    EXPECT_EQ(read.S, unlimited);
    EXPECT_EQ(read.L, LogGOPS{}.L);
    settings.set("loggops.L", "5", "m.toml", 5);
    EXPECT_THROW((void)read_loggops(settings), InputError);
    EXPECT_EQ(loggops_keys().size(), loggops_parameters().size());
}

} // namespace
} // namespace orrery::built_in_test
