// Breaks and lines are found again in points made from known ones.
#include "tools/calibrate/piecewise_fit.h"

#include "engine/error.h"
#include "engine/random.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace orrery::piecewise_fit_test {
namespace {

struct Known {
    double above;
    double base;
    double per_byte;
};

double value_of(const std::vector<Known>& pieces, double bytes) {
    const Known* holds = &pieces.front();
    for (const Known& each : pieces) {
        if (each.above < bytes) holds = &each;
    }
    return holds->base + holds->per_byte * bytes;
}

std::vector<FitPoint> points_of(const std::vector<Known>& pieces, double noise, std::uint64_t seed) {
    const RandomStream random(seed, 0);
    std::vector<FitPoint> points;
    for (std::uint64_t i = 0; i <= 88; ++i) {
        const double bytes = std::floor(std::exp2(static_cast<double>(i) / 4));
        const double value = value_of(pieces, bytes) * (1 + noise * (2 * random.uniform(i) - 1));
        points.push_back({bytes, value, value});
    }
    return points;
}

const std::vector<Known> three{{0, 200, 0.05}, {1024, 500, 0.3}, {65536, 12000, 0.08}};

TEST(PiecewiseFit, FindsKnownBreaksAndLines) {
    const PiecewiseFit fit = fit_piecewise(points_of(three, 0.01, 1));
    ASSERT_EQ(fit.pieces.size(), 3U);
    EXPECT_NEAR(fit.pieces[1].above, 1024, 200);
    EXPECT_NEAR(fit.pieces[2].above, 65536, 12000);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(fit.pieces[i].base, three[i].base, 0.08 * three[i].base) << i;
        EXPECT_NEAR(fit.pieces[i].per_byte, three[i].per_byte, 0.15 * three[i].per_byte) << i;
    }
    EXPECT_LT(fit.mean_error, 0.01);
    EXPECT_LT(fit.worst_error, 0.03);
}

TEST(PiecewiseFit, OneLineIsNotCutUp) {
    const PiecewiseFit fit = fit_piecewise(points_of({{0, 300, 0.1}}, 0.02, 7));
    ASSERT_EQ(fit.pieces.size(), 1U);
    EXPECT_NEAR(fit.pieces[0].base, 300, 6);
    EXPECT_NEAR(fit.pieces[0].per_byte, 0.1, 0.003);
}

TEST(PiecewiseFit, LinesThatMeetBreakWhereTheyMeet) {
    // 100 + 0.1 s and 50 + 0.2 s, in ns, meet at 500 bytes.
    std::vector<FitPoint> points;
    for (const double bytes : {1, 64, 128, 256, 330, 430}) points.push_back({bytes, 100 + 0.1 * bytes, 100});
    for (const double bytes : {580, 1024, 2048, 4096, 8192, 16384})
        points.push_back({bytes, 50 + 0.2 * bytes, 50 + 0.2 * bytes});
    const PiecewiseFit fit = fit_piecewise(points);
    ASSERT_EQ(fit.pieces.size(), 2U);
    EXPECT_NEAR(fit.pieces[1].above, 500, 1);
}

TEST(PiecewiseFit, AGivenBreakIsAlwaysThere) {
    FitOptions options;
    options.breaks = {777};
    const PiecewiseFit fit = fit_piecewise(points_of({{0, 300, 0.1}}, 0.01, 3), options);
    ASSERT_EQ(fit.pieces.size(), 2U);
    EXPECT_EQ(fit.pieces[1].above, 777);
}

TEST(PiecewiseFit, StraysAreLeftOutAndCounted) {
    std::vector<FitPoint> points = points_of(three, 0.01, 5);
    points[20].value *= 4;
    points[20].scale = points[20].value;
    points[60].value *= 3;
    points[60].scale = points[60].value;
    const PiecewiseFit fit = fit_piecewise(points);
    EXPECT_EQ(fit.outliers, 2U);
    EXPECT_LT(fit.worst_error, 0.05);
    EXPECT_EQ(fit.pieces.size(), 3U);
}

TEST(PiecewiseFit, RandomModelsAreMetToWithinTheirNoise) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const RandomStream random(seed, 9);
        std::vector<Known> pieces{{0, 50 + 500 * random.uniform(0), random.uniform(1)}};
        for (const double above : {512.0, 20000.0}) {
            const std::uint64_t n = 4 * pieces.size();
            const double before = value_of(pieces, above);
            pieces.push_back({above, before * (1.3 + 2 * random.uniform(n)), 0.3 * random.uniform(n + 1)});
        }
        const std::vector<FitPoint> points = points_of(pieces, 0.02, seed);
        const PiecewiseFit fit = fit_piecewise(points);
        EXPECT_LT(fit.mean_error, 0.02) << seed;
        // Between the points as well, if not right at a break.
        for (double bytes = 3; bytes < 4e6; bytes *= 1.37) {
            if (std::abs(std::log(bytes / 512)) < 0.2 || std::abs(std::log(bytes / 20000)) < 0.2) continue;
            EXPECT_NEAR(fit.at(bytes) / value_of(pieces, bytes), 1, 0.04) << seed << " at " << bytes;
        }
        EXPECT_EQ(fit.at(0), fit.pieces.front().base);
    }
}

TEST(PiecewiseFit, FewPoints) {
    EXPECT_THROW(fit_piecewise({}), InputError);
    const PiecewiseFit one = fit_piecewise({{8, 100, 100}});
    ASSERT_EQ(one.pieces.size(), 1U);
    EXPECT_EQ(one.at(1e6), 100);
    const PiecewiseFit two = fit_piecewise({{8, 100, 100}, {1008, 200, 200}});
    ASSERT_EQ(two.pieces.size(), 1U);
    EXPECT_NEAR(two.at(508), 150, 1e-9);
    const PiecewiseFit same = fit_piecewise({{8, 100, 100}, {8, 200, 200}, {8, 100, 100}});
    EXPECT_EQ(same.pieces.size(), 1U);
    EXPECT_GT(same.at(8), 99);
}

TEST(PiecewiseFit, ConstantsAndZeros) {
    std::vector<FitPoint> points;
    for (double bytes = 1; bytes < 1e6; bytes *= 2) points.push_back({bytes, 42, 42});
    const PiecewiseFit fit = fit_piecewise(points);
    ASSERT_EQ(fit.pieces.size(), 1U);
    EXPECT_NEAR(fit.at(12345), 42, 1e-6);
    EXPECT_TRUE(fit.notes.empty());
    for (FitPoint& point : points) point.value = 0;
    EXPECT_EQ(fit_piecewise(points).at(1e9), 0);
}

TEST(PiecewiseFit, TimesThatFallAreTakenAsConstantWithANote) {
    std::vector<FitPoint> points;
    for (double bytes = 0; bytes < 1000; bytes += 100) points.push_back({bytes, 1000 - bytes / 2, 700});
    FitOptions options;
    options.most_pieces = 1;
    const PiecewiseFit fit = fit_piecewise(points, options);
    EXPECT_EQ(fit.pieces[0].per_byte, 0);
    EXPECT_NEAR(fit.pieces[0].base, 775, 1);
    ASSERT_EQ(fit.notes.size(), 1U);
    EXPECT_NE(fit.notes[0].find("fall with the size"), std::string::npos);
}

} // namespace
} // namespace orrery::piecewise_fit_test
