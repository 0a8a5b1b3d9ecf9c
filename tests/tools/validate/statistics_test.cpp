#include "tools/validate/statistics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace orrery::statistics_test {
namespace {

using Numbers = std::vector<std::size_t>;

TEST(ValidationCleanRuns, TakesTheSubsetOfLeastDeviation) {
    // 5 of 7: without the two slow ones the deviation is least. Mean 1.02, squares 4+1+0+1+4 (x 1e-4).
    const std::vector<double> seconds{1.00, 1.50, 1.01, 1.02, 1.03, 2.00, 1.04};
    const CleanRuns clean = clean_runs(seconds);
    EXPECT_EQ(clean.kept, (Numbers{0, 2, 3, 4, 6}));
    EXPECT_EQ(clean.outliers, (Numbers{1, 5}));
    EXPECT_NEAR(clean.mean, 1.02, 1e-12);
    EXPECT_NEAR(clean.deviation, std::sqrt(10e-4 / 4), 1e-12);
    EXPECT_NEAR(clean.spread(), std::sqrt(10e-4 / 4) / 1.02, 1e-12);
}

TEST(ValidationCleanRuns, AFastRunCanBeAnOutlierToo) {
    const CleanRuns clean = clean_runs(std::vector<double>{0.5, 1, 1, 1});
    EXPECT_EQ(clean.outliers, (Numbers{0}));
    EXPECT_EQ(clean.mean, 1);
}

TEST(ValidationCleanRuns, RunsNearTheOthersStay) {
    // 3 of 4 are the core, mean 1.00; 1.015 is within 2 % of it, 1.03 would not be.
    EXPECT_TRUE(clean_runs(std::vector<double>{1, 1.015, 1, 1}).outliers.empty());
    EXPECT_EQ(clean_runs(std::vector<double>{1, 1.03, 1, 1}).outliers, (Numbers{1}));
    // The core 1.0, 1.1, 1.2 has the deviation 0.1: 1.39 is nearer than three of it.
    EXPECT_TRUE(clean_runs(std::vector<double>{1.0, 1.1, 1.39, 1.2}).outliers.empty());
    EXPECT_EQ(clean_runs(std::vector<double>{1.0, 1.1, 1.41, 1.2}).outliers, (Numbers{2}));
}

TEST(ValidationCleanRuns, FewRunsAreAllKept) {
    EXPECT_EQ(clean_runs({}).mean, 0);
    EXPECT_EQ(clean_runs(std::vector<double>{3}).deviation, 0);
    const CleanRuns two = clean_runs(std::vector<double>{1, 3});
    EXPECT_EQ(two.kept.size(), 2U);
    EXPECT_EQ(two.mean, 2);
}

// All subsets of the core's size, tried one by one.
TEST(ValidationCleanRuns, NoSubsetHasALowerDeviation) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> time(1, 10);
    for (int turn = 0; turn < 200; ++turn) {
        std::vector<double> seconds(3 + static_cast<std::size_t>(turn) % 8);
        for (double& each : seconds) each = time(random);
        const auto size =
            static_cast<std::size_t>(std::ceil(clean_share * static_cast<double>(seconds.size()) - 1e-9));
        double least = INFINITY;
        double mean_of_least = 0;
        for (std::uint32_t set = 0; set < (1U << seconds.size()); ++set) {
            if (static_cast<std::size_t>(__builtin_popcount(set)) != size) continue;
            double sum = 0;
            double squares = 0;
            for (std::size_t i = 0; i < seconds.size(); ++i) sum += (set >> i & 1U) != 0 ? seconds[i] : 0;
            const double mean = sum / static_cast<double>(size);
            for (std::size_t i = 0; i < seconds.size(); ++i)
                squares += (set >> i & 1U) != 0 ? (seconds[i] - mean) * (seconds[i] - mean) : 0;
            if (squares >= least) continue;
            least = squares;
            mean_of_least = mean;
        }
        const double deviation = std::sqrt(least / static_cast<double>(size - 1));
        Numbers expected;
        for (std::size_t i = 0; i < seconds.size(); ++i) {
            if (std::abs(seconds[i] - mean_of_least) > std::max(3 * deviation, 0.02 * mean_of_least))
                expected.push_back(i);
        }
        const CleanRuns clean = clean_runs(seconds);
        EXPECT_EQ(clean.outliers, expected) << "turn " << turn;
        EXPECT_GE(clean.kept.size(), size);
        EXPECT_EQ(clean.kept.size() + clean.outliers.size(), seconds.size());
    }
}

TEST(ValidationErrors, SplitsIntoPartsThatAddUp) {
    // Measured 10 s, traced run 10.2 s, predicted 9.5 s, with exact computation 10.5 s.
    const ErrorSplit split = split_error({10, 10.2, 9.5, 10.5});
    EXPECT_NEAR(split.total, -0.05, 1e-12);
    EXPECT_NEAR(split.computation, -0.10, 1e-12);
    EXPECT_NEAR(split.communication, 0.03, 1e-12);
    EXPECT_NEAR(split.traced_run, 0.02, 1e-12);
    EXPECT_NEAR(split.computation + split.communication + split.traced_run, split.total, 1e-12);
    EXPECT_EQ(split_error({0, 1, 1, 1}).total, 0); // nothing measured: nothing to relate to
}

TEST(ValidationErrors, SummaryHasBiasMeanAndWorst) {
    const std::vector<double> errors{0.02, -0.06, 0.01};
    const ErrorSummary summary = summarise(errors);
    EXPECT_NEAR(summary.bias, -0.01, 1e-12);
    EXPECT_NEAR(summary.mean_absolute, 0.03, 1e-12);
    EXPECT_EQ(summary.worst, 1U);
    EXPECT_EQ(summarise({}).mean_absolute, 0);
}

} // namespace
} // namespace orrery::statistics_test
