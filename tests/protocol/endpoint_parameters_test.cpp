#include "engine/error.h"
#include "protocol/endpoint_parameters.h"

#include <gtest/gtest.h>

namespace orrery::endpoint_parameters_test {
namespace {

Settings with(std::initializer_list<std::pair<const char*, const char*>> values) {
    Settings settings;
    std::uint64_t line = 0;
    for (const auto& [key, value] : values) settings.set(key, value, "machine.toml", ++line);
    return settings;
}

std::string complaint(const Settings& settings) {
    try {
        (void)read_endpoint_parameters(settings);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(EndpointParameters, OurOwnDefaultsAreThoseOfRealLibraries) {
    const EndpointParameters ours = read_endpoint_parameters({});
    EXPECT_EQ(ours.eager_below, 65537U); // 64 KiB is still eager
    EXPECT_EQ(ours.flows_below, ours.eager_below);
    EXPECT_TRUE(ours.handshake);
    EXPECT_EQ(ours.envelope, 0U);
    EXPECT_EQ(ours.send_cost(1000), Time::zero());
}

TEST(EndpointParameters, SmpiHasItsQuirks) {
    const EndpointParameters smpi = read_endpoint_parameters(with({{"endpoint.set", "smpi"}}));
    EXPECT_EQ(smpi.eager_below, 65536U);
    EXPECT_EQ(smpi.flows_below, 0U);
    EXPECT_EQ(smpi.envelope, 16U);
    EXPECT_FALSE(smpi.handshake);
    EXPECT_EQ(smpi.test, Time::us(100));
}

TEST(EndpointParameters, TablesHoldAboveTheirThresholds) {
    const EndpointParameters read = read_endpoint_parameters(with(
        {{"endpoint.send_overhead", "1KiB:2us:0.2ns/B;0:1us:0.1ns/B"}, {"endpoint.recv_overhead", "3us"}}));
    EXPECT_EQ(read.send_cost(0), Time::us(1)); // the first piece also holds below its threshold
    EXPECT_EQ(read.send_cost(1000), Time::ps(1'100'000));
    EXPECT_EQ(read.send_cost(1024), Time::ps(1'102'400)); // strictly above
    EXPECT_EQ(read.send_cost(1025), Time::ps(2'205'000));
    EXPECT_EQ(read.recv_cost(5'000'000), Time::us(3));
}

TEST(EndpointParameters, SimGridsTablesAreInSeconds) {
    const EndpointParameters read = read_endpoint_parameters(with({{"endpoint.set", "smpi"},
                                                                   {"smpi/os", "0:1e-6:1e-10;1000:5e-6:2e-10"},
                                                                   {"smpi/async-small-thresh", "4096"},
                                                                   {"smpi/send-is-detached-thresh", "8192"},
                                                                   {"smpi/test", "2e-6"}}));
    EXPECT_EQ(read.send_cost(100), Time::ps(1'010'000));
    EXPECT_EQ(read.send_cost(2000), Time::ps(5'400'000));
    EXPECT_EQ(read.flows_below, 4096U);
    EXPECT_EQ(read.eager_below, 8192U);
    EXPECT_EQ(read.test, Time::us(2));
}

TEST(EndpointParameters, LogGOPSIsOne) {
    const EndpointParameters read = endpoint_of(parse_loggops("o=1us O=1ns/B S=1000B"));
    EXPECT_EQ(read.send_cost(0), Time::us(1));
    EXPECT_EQ(read.send_cost(1), Time::us(1));
    EXPECT_EQ(read.isend_cost(101), Time::ps(1'100'000));
    EXPECT_EQ(read.eager_below, 1001U);
    EXPECT_FALSE(read.handshake);
}

TEST(EndpointParameters, WhatCannotBeReadIsNamedWithItsPlace) {
    EXPECT_NE(complaint(with({{"endpoint.set", "simgrid"}})).find("machine.toml:1"), std::string::npos);
    for (const char* const bad : {"0:1:2:3", "0:5", "x:1us", "0:1us:7", ":", "-1us", "0:1us;;"}) {
        const std::string words = complaint(with({{"endpoint.send_overhead", bad}}));
        EXPECT_NE(words.find("machine.toml:1"), std::string::npos) << bad << ": " << words;
        EXPECT_NE(words.find("expected above:time:time_per_byte"), std::string::npos) << bad << ": " << words;
    }
    EXPECT_NE(complaint(with({{"smpi.os", "0:1us:0"}})).find("seconds"), std::string::npos);
    EXPECT_NE(complaint(with({{"endpoint.reduction", "fast"}})).find("a time per byte"), std::string::npos);
    EXPECT_NE(complaint(with({{"endpoint.copy", "fast"}})).find("a time per byte"), std::string::npos);
}

} // namespace
} // namespace orrery::endpoint_parameters_test
