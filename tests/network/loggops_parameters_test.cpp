#include "network/loggops/parameters.h"

#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::loggops_parameters_test {
namespace {

TEST(LogGOPSParameters, AreReadWithUnitsInAnyOrder) {
    const LogGOPS parameters = parse_loggops("S=65535B, o = 1500 ns L=2.5us g=4000ns G=6ns/B O=8ns/B");
    EXPECT_EQ(parameters.L, Time::ns(2500));
    EXPECT_EQ(parameters.o, Time::ns(1500));
    EXPECT_EQ(parameters.g, Time::ns(4000));
    EXPECT_DOUBLE_EQ(parameters.G, 6000);
    EXPECT_DOUBLE_EQ(parameters.O, 8000);
    EXPECT_EQ(parameters.S, 65535U);
}

TEST(LogGOPSParameters, OnlyWhatIsNamedChanges) {
    const LogGOPS base = published_loggops()[0].parameters;
    LogGOPS expected = base;
    expected.L = Time::ns(7);
    EXPECT_EQ(parse_loggops("L=7ns", base), expected);
    EXPECT_EQ(parse_loggops("", base), base);
    EXPECT_EQ(parse_loggops("S=unlimited").S, unlimited);
    EXPECT_DOUBLE_EQ(parse_loggops("G=200 Gbit/s o=1us").G, 40);
}

TEST(LogGOPSParameters, MistakesAreNamed) {
    for (const char* text : {"l=5ns", "L", "L=", "L=5", "G=6ns", "S=1.5", "L=5ns nonsense", "x=1 L=2ns"}) {
        EXPECT_THROW((void)parse_loggops(text), UsageError) << text;
    }
    try {
        (void)parse_loggops("L=2500ns q=5ns");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("'q' is not a LogGOPS parameter"), std::string::npos)
            << error.what();
    }
}

TEST(LogGOPSParameters, RoundTripThroughText) {
    for (const NamedLogGOPS& set : published_loggops())
        EXPECT_EQ(parse_loggops(to_string(set.parameters)), set.parameters);
}

TEST(LogGOPSParameters, OlderModelsLeaveThingsOut) {
    const LogGOPS all = parse_loggops("L=1ns o=2ns g=3ns G=4ns/B O=5ns/B S=6B");
    const LogGOPS logp = restrict_to_model(all, "logp");
    EXPECT_EQ(logp.G, 0);
    EXPECT_EQ(logp.O, 0);
    EXPECT_EQ(logp.S, unlimited);
    const LogGOPS loggp = restrict_to_model(all, "loggp");
    EXPECT_EQ(loggp.G, all.G);
    EXPECT_EQ(loggp.O, 0);
    EXPECT_EQ(loggp.S, unlimited);
    const LogGOPS loggps = restrict_to_model(all, "loggps");
    EXPECT_EQ(loggps.O, 0);
    EXPECT_EQ(loggps.S, 6U);
    EXPECT_EQ(restrict_to_model(all, "loggops"), all);
    EXPECT_THROW((void)restrict_to_model(all, "logpg"), UsageError);
}

TEST(LogGOPSParameters, PerByteCosts) {
    EXPECT_EQ(per_byte(0, 6000), Time::zero());
    EXPECT_EQ(per_byte(1, 6000), Time::zero());
    EXPECT_EQ(per_byte(8, 6000), Time::ns(42));
    EXPECT_EQ(per_byte(1001, 0.04), Time::ps(40));
}

} // namespace
} // namespace orrery::loggops_parameters_test
