#include "emulate/compute/burst_filter.h"

#include <gtest/gtest.h>
#include <vector>

namespace orrery::emulate::burst_filter_test {
namespace {

constexpr std::uint32_t filter_ranks = 64;
constexpr std::int64_t filter_usual = 10'000;

// Steps of a program whose ranks compute 10 us each, a little more or less, and one site.
class FilteredSteps : public testing::Test {
  protected:
    static double real(std::int64_t ns) { return static_cast<double>(ns); }
    std::int64_t judge(std::uint32_t rank, std::int64_t ns, bool disturbed = false, std::uint64_t site = 7) {
        const std::int64_t counted = filter_.judge({ns, site, rank, disturbed});
        counted_[rank] += counted;
        measured_ += ns;
        return counted;
    }
    static std::int64_t usual(std::uint32_t rank) { return filter_usual + rank * 37 % 400; }
    void step() {
        for (std::uint32_t rank = 0; rank < filter_ranks; ++rank) judge(rank, usual(rank));
    }
    std::int64_t counted() const {
        std::int64_t sum = 0;
        for (const std::int64_t each : counted_) sum += each;
        return sum;
    }

    BurstFilter filter_{filter_ranks};
    std::vector<std::int64_t> counted_ = std::vector<std::int64_t>(filter_ranks);
    std::int64_t measured_ = 0;
};

TEST_F(FilteredSteps, WhatIsUsualStays) {
    for (int i = 0; i < 20; ++i) step();
    EXPECT_EQ(counted(), measured_);
    EXPECT_EQ(filter_.figures().replaced(), 0U);
    EXPECT_LT(filter_.figures().spread, 0.05);
}

TEST_F(FilteredSteps, ADisturbedBurstIsReplacedByTheMedian) {
    step();
    EXPECT_NEAR(real(judge(3, 5'113'531, true)), filter_usual, 400);
    EXPECT_EQ(filter_.figures().replaced_seen, 1U);
    EXPECT_NEAR(real(filter_.figures().removed_ns), 5'113'531 - filter_usual, 400);
    EXPECT_EQ(judge(4, usual(4), true), usual(4)); // was not made longer
}

TEST_F(FilteredSteps, AShortDisturbanceNeedsNoEvidence) {
    step();
    EXPECT_NEAR(real(judge(3, 200'000)), filter_usual, 400);
    EXPECT_EQ(filter_.figures().replaced_unseen, 1U);
}

TEST_F(FilteredSteps, ALongBurstWithoutEvidenceIsTheProgramsOwn) {
    step();
    EXPECT_EQ(judge(0, 3'000'000), 3'000'000);
    EXPECT_EQ(judge(1, 50'000'000, true), 50'000'000); // no switch costs so much
    EXPECT_EQ(filter_.figures().kept_long, 2U);
    EXPECT_EQ(filter_.figures().replaced(), 0U);
}

TEST_F(FilteredSteps, FewRanksAreReplacedOnlyWithEvidence) {
    BurstFilter few(4);
    for (std::uint32_t i = 0; i < 40; ++i) few.judge({10'000, 7, i % 4, false});
    EXPECT_EQ(few.judge({200'000, 7, 1, false}), 200'000);
    EXPECT_EQ(few.judge({200'000, 7, 2, true}), 10'000);
}

// Rank 5 has twice the work of the others: none of it is lost, and it comes in its own steps.
TEST_F(FilteredSteps, ARankThatIsAlwaysSlowStaysSo) {
    for (int i = 0; i < 20; ++i) {
        for (std::uint32_t rank = 0; rank < filter_ranks; ++rank)
            judge(rank, rank == 5 ? 2 * filter_usual : usual(rank));
    }
    EXPECT_EQ(counted_[5], 20 * 2 * filter_usual);
    EXPECT_EQ(counted(), measured_);
    EXPECT_EQ(judge(5, 300'000), 2 * filter_usual); // compared with itself
}

// Every tenth step all ranks write output.
TEST_F(FilteredSteps, AStepThatIsLongForAllStaysSo) {
    for (int i = 1; i <= 40; ++i) {
        for (std::uint32_t rank = 0; rank < filter_ranks; ++rank)
            judge(rank, usual(rank) + (i % 10 == 0 ? 80'000 : 0));
    }
    step(); // what was withheld is paid back with the next burst
    EXPECT_NEAR(real(counted()), real(measured_), 0.01 * real(measured_));
}

// A tenth of the ranks have more to do, each once.
TEST_F(FilteredSteps, ASiteThatVariesByItselfIsLeftAlone) {
    std::int64_t extra = 0;
    for (std::uint32_t i = 0; i < 2000; ++i) {
        const bool more = i % 10 == 9;
        extra += more ? 50'000 : 0;
        judge(i % filter_ranks, usual(i % filter_ranks) + (more ? 50'000 : 0));
    }
    EXPECT_GT(real(counted()), real(measured_) - 0.1 * real(extra));
}

TEST_F(FilteredSteps, SitesAreJudgedApart) {
    step();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(judge(1, 200'000, false, 8), 200'000);
}

TEST_F(FilteredSteps, ManySitesTakeBoundedMemory) {
    for (std::uint64_t site = 0; site < 20'000; ++site) EXPECT_EQ(judge(0, 500, false, site), 500);
}

} // namespace
} // namespace orrery::emulate::burst_filter_test
