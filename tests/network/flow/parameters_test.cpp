#include "network/flow/parameters.h"

#include "engine/error.h"

#include <gtest/gtest.h>

#include <string>

namespace orrery::parameters_test {
namespace {

FlowParameters read(const std::vector<std::pair<std::string, std::string>>& said) {
    Settings settings;
    std::uint64_t line = 0;
    for (const auto& [key, value] : said) settings.set(key, value, "machine.toml", ++line);
    return read_flow_parameters(settings);
}

TEST(FlowParameters, OursIsALosslessFabric) {
    const FlowParameters ours = read({});
    EXPECT_EQ(FlowParameters::factor(ours.latency_factor, 100), 1);
    EXPECT_EQ(FlowParameters::factor(ours.bandwidth_factor, 100), 1);
    EXPECT_EQ(ours.tcp_gamma, 0);
    EXPECT_EQ(ours.cross_traffic, 0);
    EXPECT_TRUE(ours.equal_weights);
    EXPECT_TRUE(ours.contention);
}

TEST(FlowParameters, PublishedSets) {
    const FlowParameters smpi = read({{"flow.set", "smpi"}});
    EXPECT_EQ(smpi.weight_S, 8775);
    EXPECT_EQ(smpi.tcp_gamma, 4194304);
    EXPECT_EQ(smpi.cross_traffic, 0.05);
    EXPECT_FALSE(smpi.equal_weights);
    EXPECT_EQ(FlowParameters::factor(smpi.bandwidth_factor, 1'000'000), 0.940694);
    EXPECT_EQ(FlowParameters::factor(smpi.bandwidth_factor, 65472), 0.697866); // strictly more than
    EXPECT_EQ(FlowParameters::factor(smpi.latency_factor, 1), 2.01467);
    const FlowParameters lv08 = read({{"flow.set", "lv08"}});
    EXPECT_EQ(FlowParameters::factor(lv08.latency_factor, 5), 13.01);
    EXPECT_EQ(FlowParameters::factor(lv08.latency_factor, 0), 13.01);
    EXPECT_EQ(FlowParameters::factor(lv08.bandwidth_factor, 5), 0.97);
    EXPECT_EQ(lv08.weight_S, 20537);
    const FlowParameters cm02 = read({{"flow.set", "cm02"}});
    EXPECT_EQ(FlowParameters::factor(cm02.latency_factor, 5), 1);
    EXPECT_EQ(cm02.weight_S, 0);
    EXPECT_EQ(cm02.cross_traffic, 0.05);
}

TEST(FlowParameters, KeysOfOurOwn) {
    const FlowParameters set = read({{"flow.set", "smpi"},
                                     {"flow.latency_factor", "1.5"},
                                     {"flow.bandwidth_factor", "64 KiB: 0.9; 0: 0.5; "},
                                     {"flow.weight_size", "1 kB"},
                                     {"flow.window", "unlimited"},
                                     {"flow.cross_traffic", "0.1"},
                                     {"flow.contention", "no"},
                                     {"flow.precision", "1e-6"}});
    EXPECT_EQ(FlowParameters::factor(set.latency_factor, 7), 1.5);
    EXPECT_EQ(FlowParameters::factor(set.bandwidth_factor, 65536), 0.5);
    EXPECT_EQ(FlowParameters::factor(set.bandwidth_factor, 65537), 0.9);
    EXPECT_EQ(set.weight_S, 1000);
    EXPECT_EQ(set.tcp_gamma, 0);
    EXPECT_EQ(set.cross_traffic, 0.1);
    EXPECT_FALSE(set.contention);
    EXPECT_EQ(set.precision, 1e-6);
}

TEST(FlowParameters, KeysOfSimGrid) {
    const FlowParameters set = read({{"smpi/bw-factor", "0:0.8;65472:0.94"}, // in any order
                                     {"network/latency-factor", "2"},
                                     {"network/crosstraffic", "1"},
                                     {"network/TCP-gamma", "20000"},
                                     {"network/weight-S", "20537.14"}});
    EXPECT_EQ(FlowParameters::factor(set.bandwidth_factor, 65473), 0.94);
    EXPECT_EQ(FlowParameters::factor(set.bandwidth_factor, 65472), 0.8);
    EXPECT_EQ(FlowParameters::factor(set.latency_factor, 10), 2);
    EXPECT_EQ(set.cross_traffic, 0.05);
    EXPECT_EQ(set.tcp_gamma, 20000);
    EXPECT_EQ(set.weight_S, 20537.14);
    EXPECT_FALSE(set.equal_weights); // who gives weights wants them
    EXPECT_EQ(read({{"flow.set", "smpi"}, {"network/crosstraffic", "no"}}).cross_traffic, 0);
    EXPECT_EQ(FlowParameters::factor(
                  read({{"flow.latency_factor", "3"}, {"smpi/lat-factor", "4"}}).latency_factor, 1),
              3);
}

TEST(FlowParameters, ValuesThatCannotBeSayWhereTheyWereSet) {
    for (const auto& [key, value] :
         std::vector<std::pair<std::string, std::string>>{{"flow.set", "tcp"},
                                                          {"flow.latency_factor", ""},
                                                          {"flow.latency_factor", "fast"},
                                                          {"flow.latency_factor", "0:-1"},
                                                          {"flow.latency_factor", "0:1;0:2"},
                                                          {"flow.bandwidth_factor", "0"},
                                                          {"flow.bandwidth_factor", "0:1;7"},
                                                          {"smpi.bw-factor", "-5:1"},
                                                          {"flow.bandwidth_factor", "1e999"},
                                                          {"flow.weight_size", "heavy"},
                                                          {"flow.window", "-1"},
                                                          {"flow.cross_traffic", "2"},
                                                          {"network.crosstraffic", "maybe"},
                                                          {"flow.contention", "some"},
                                                          {"flow.precision", "0"},
                                                          {"flow.precision", "nan"}}) {
        try {
            read({{"flow.equal_weights", "no"}, {key, value}});
            ADD_FAILURE() << key << " = " << value << " was accepted";
        } catch (const InputError& error) {
            EXPECT_EQ(error.error().file, "machine.toml");
            EXPECT_EQ(error.error().line, 2U);
            EXPECT_NE(error.error().reason.find(key), std::string::npos) << error.what();
        }
    }
}

TEST(FlowParameters, EveryKeyOfTheTableIsRead) {
    for (const Parameter& row : flow_parameters()) {
        EXPECT_THROW(read({{std::string(row.key), "#!"}}), InputError) << row.key;
    }
}

} // namespace
} // namespace orrery::parameters_test
