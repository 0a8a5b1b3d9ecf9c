// Rates of bursts, by hand.
#include "observe/compute_rates.h"

#include "engine/error.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace orrery::compute_rates_test {
namespace {

// One rank that computes, sends and computes, with the times of each action in nanoseconds.
class TimedScript final : public RecordedTrace::TimedSource {
  public:
    [[nodiscard]] std::uint32_t ranks() const override { return 2; }
    std::span<const Action> next(RankId rank) override {
        if (told_[rank.index()]) return {};
        told_[rank.index()] = true;
        return actions_;
    }
    [[nodiscard]] std::span<const Bytes> counts(RankId, const Action&) const override { return {}; }
    [[nodiscard]] std::string file(RankId) const override { return "test"; }
    [[nodiscard]] std::span<const recorded::ActionTimes> times(RankId) const override { return times_; }

    TimedScript() {
        for (Action& action : actions_) action.volume = 3000;
        actions_[1].kind = ActionKind::send;
    }

  private:
    std::array<Action, 3> actions_;
    std::array<recorded::ActionTimes, 3> times_{{{0, 1000}, {1000, 5000}, {5000, 8000}}};
    std::array<bool, 2> told_{};
};

TEST(ComputeRates, AreVolumeOverDuration) {
    TimedScript source;
    const ComputeRates rates(source);
    EXPECT_EQ(rates.bursts(), 4U); // the send is none
    EXPECT_DOUBLE_EQ(rates.volume(), 12'000);
    EXPECT_DOUBLE_EQ(rates.seconds(), 8e-6);
    EXPECT_DOUBLE_EQ(rates.average(), 1.5e9); // not the mean of 3e9 and 1e9
    ASSERT_EQ(rates.bins().size(), 2U);
    EXPECT_EQ(rates.bins().begin()->second, 2U);
}

TEST(ComputeRates, AreTakenByPowersOfTenOfTheSize) {
    ComputeRates rates;
    for (int i = 0; i < 8; ++i) rates.add(50, 50e-9);  // 1 G/s
    for (int i = 0; i < 2; ++i) rates.add(99, 99e-10); // 10 G/s
    rates.add(100, 100e-9);
    const std::vector<ComputeRates::Decade> decades = rates.decades();
    ASSERT_EQ(decades.size(), 2U);
    EXPECT_EQ(decades[0].decade, 1);
    EXPECT_EQ(decades[0].bursts, 10U);
    EXPECT_DOUBLE_EQ(decades[0].volume, 8 * 50 + 2 * 99);
    EXPECT_NEAR(decades[0].median, 1e9, 0.04e9); // to a bin
    EXPECT_NEAR(decades[0].ninetieth, 10e9, 0.4e9);
    EXPECT_EQ(decades[1].decade, 2);
    EXPECT_EQ(decades[1].bursts, 1U);
}

TEST(ComputeRates, WhatTheClockDoesNotSeeIsCountedApart) {
    ComputeRates rates;
    rates.add(5, 0);
    rates.add(0, 1e-6);
    rates.add(0.5, 1e-6); // less than one
    EXPECT_EQ(rates.bursts(), 3U);
    EXPECT_EQ(rates.unmeasured(), 2U);
    ASSERT_EQ(rates.decades().size(), 1U);
    EXPECT_EQ(rates.decades()[0].decade, -1);
}

TEST(ComputeRates, MillionsOfBurstsMakeASmallFile) {
    ComputeRates rates;
    for (int i = 1; i <= 1'000'000; ++i) rates.add(i, i * 1e-9 * (1 + i % 7));
    EXPECT_LT(rates.bins().size(), 2000U);
    const std::string svg = rates_svg(rates, "LU", {"instructions"});
    EXPECT_LT(svg.size(), 60'000U);
    EXPECT_NE(svg.find("1,000,000 bursts"), std::string::npos);
    EXPECT_NE(svg.find("average"), std::string::npos);
    EXPECT_NE(svg.find("instructions per second"), std::string::npos);
}

// CPU time is a part of a core, and the axes show what there is: 80 to 99 % here, not two decades.
TEST(ComputeRates, CpuTimeIsShownAsAPartOfACore) {
    ComputeRates rates;
    for (int i = 0; i < 100; ++i) rates.add(1e6 * (1 + i), 1e-3 * (1 + i) / (0.80 + 0.0019 * i));
    const std::string svg = rates_svg(rates, "heat", {"ns of CPU time", 1e9});
    EXPECT_NE(svg.find("CPU time per wall-clock time (% of a core)"), std::string::npos);
    EXPECT_NE(svg.find("CPU time of a burst"), std::string::npos);
    EXPECT_NE(svg.find(">10 ms<"), std::string::npos);
    EXPECT_NE(svg.find(">100 %<"), std::string::npos);
    EXPECT_EQ(svg.find(">10 %<"), std::string::npos) << "empty space";
    EXPECT_EQ(svg.find("M/s"), std::string::npos);
}

TEST(ComputeRates, TheTableHasTheBins) {
    ComputeRates rates;
    rates.add(1000, 1e-6);
    const std::string path = testing::TempDir() + "/rates_" + std::to_string(getpid()) + ".csv";
    write_rates(rates, path, "t", {"instructions"});
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    std::filesystem::remove(path);
    EXPECT_EQ(text.str(), "size_from,size_to,rate_from,rate_to,bursts\n1000,1154.78,1e+09,1.03663e+09,1\n");
    EXPECT_THROW(check_rates_name("rates.json"), UsageError);
    EXPECT_NO_THROW((void)rates_svg(ComputeRates(), "empty", {"instructions"}));
}

} // namespace
} // namespace orrery::compute_rates_test
