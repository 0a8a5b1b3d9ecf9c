#include "engine/error.h"
#include "machine/start_skew.h"

#include <gtest/gtest.h>

#include <set>

namespace orrery::start_skew_test {
namespace {

std::string complaint(const char* text) {
    try {
        (void)StartSkew::parse(text, 1);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

TEST(StartSkew, NoneIsNone) {
    EXPECT_FALSE(StartSkew().any());
    EXPECT_FALSE(StartSkew::parse("", 1).any());
    EXPECT_EQ(StartSkew().of(RankId{7}), Time::zero());
    EXPECT_EQ(StartSkew().describe(), "");
}

TEST(StartSkew, UniformStaysWithinItsRangeAndFillsIt) {
    const StartSkew skew = StartSkew::parse("uniform:10us", 1);
    double sum = 0;
    Time most;
    for (std::uint32_t rank = 0; rank < 10'000; ++rank) {
        const Time late = skew.of(RankId{rank});
        EXPECT_GE(late, Time::zero());
        EXPECT_LT(late, Time::us(10));
        sum += late.seconds();
        most = later(most, late);
    }
    EXPECT_NEAR(sum / 10'000, 5e-6, 0.1e-6); // 3.5 standard deviations
    EXPECT_GT(most, Time::ns(9'980));
}

TEST(StartSkew, ExponentialHasItsMean) {
    const StartSkew skew = StartSkew::parse("exponential:10us", 1);
    double sum = 0;
    std::uint32_t above = 0;
    for (std::uint32_t rank = 0; rank < 10'000; ++rank) {
        sum += skew.of(RankId{rank}).seconds();
        if (skew.of(RankId{rank}) > Time::us(10)) ++above;
    }
    EXPECT_NEAR(sum / 10'000, 10e-6, 0.4e-6);
    EXPECT_NEAR(above, 3679, 200); // 1/e of them
}

TEST(StartSkew, DependsOnSeedAndRankOnly) {
    const StartSkew skew = StartSkew::parse("uniform:1ms", 7);
    std::set<Time> all;
    for (std::uint32_t rank = 0; rank < 100; ++rank) {
        EXPECT_EQ(skew.of(RankId{rank}), StartSkew::parse("uniform:1ms", 7).of(RankId{rank}));
        all.insert(skew.of(RankId{rank}));
        all.insert(StartSkew::parse("uniform:1ms", 8).of(RankId{rank}));
    }
    EXPECT_EQ(all.size(), 200U);
    EXPECT_NE(skew.describe().find("seed 7"), std::string::npos);
}

TEST(StartSkew, ComplainsOfWhatItDoesNotUnderstand) {
    EXPECT_NE(complaint("10us").find("expected uniform:TIME"), std::string::npos);
    EXPECT_NE(complaint("uniform").find("expected uniform:TIME"), std::string::npos);
    EXPECT_NE(complaint("unifrom:10us").find("did you mean uniform?"), std::string::npos);
    EXPECT_NE(complaint("uniform:0").find("above 0"), std::string::npos);
    EXPECT_NE(complaint("uniform:2h").find("up to an hour"), std::string::npos);
    EXPECT_NE(complaint("uniform:10"), "no error"); // no unit
    EXPECT_NE(complaint("exponential:-1us"), "no error");
}

} // namespace
} // namespace orrery::start_skew_test
