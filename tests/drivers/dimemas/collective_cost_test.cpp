// The closed forms of a collective's cost.
#include "drivers/dimemas/collective_cost.h"

#include <gtest/gtest.h>

namespace orrery::collective_cost_test {
using namespace orrery::dimemas;

namespace {

// As the sum over levels i < ceil(log2 P) of ceil(c_i / B) says it, counting transfers one by one.
std::uint32_t counted_stages(std::uint32_t partners, std::uint32_t buses) {
    std::uint32_t levels = 0;
    while ((1U << levels) < partners) ++levels;
    if (buses == 0) return levels;
    std::uint32_t stages = 0;
    for (std::uint32_t level = 0; level < levels; ++level) {
        std::uint32_t transfers = 0;
        for (std::uint32_t j = (1U << level) - 1; j + 1 < partners; j += 1U << (level + 1)) ++transfers;
        stages += (transfers + buses - 1) / buses;
    }
    return stages;
}

constexpr Phase phase{10e6, 10'000, 8, 0}; // 10 us, 10 ns per byte

} // namespace

TEST(DimemasCollectiveCost, TreeStages) {
    EXPECT_EQ(tree_stages(8, 0), 3U);
    EXPECT_EQ(tree_stages(8, 2), 4U);
    EXPECT_EQ(tree_stages(8, 1), 7U);
    for (std::uint32_t partners = 1; partners <= 130; ++partners) {
        for (std::uint32_t buses = 0; buses <= 9; ++buses)
            EXPECT_EQ(tree_stages(partners, buses), counted_stages(partners, buses))
                << partners << ' ' << buses;
    }
}

TEST(DimemasCollectiveCost, Models) {
    const auto cost = [](FanModel model) {
        return cost_of(phase, {{model, FanSize::own}, {FanModel::none, FanSize::own}}, 1000, 5000);
    };
    EXPECT_EQ(cost(FanModel::none).in, 0);
    EXPECT_EQ(cost(FanModel::constant).in, 20e6);
    EXPECT_EQ(cost(FanModel::linear).in, 140e6);
    EXPECT_EQ(cost(FanModel::logarithmic).in, 60e6);
    EXPECT_EQ(cost(FanModel::logarithmic).in_latency, 30e6);
    EXPECT_EQ(cost(FanModel::constant).out, 0);
}

TEST(DimemasCollectiveCost, Sizes) {
    const auto bytes = [](FanSize in, FanSize out) {
        const PhaseCost cost =
            cost_of({0, 1, 2, 0}, {{FanModel::constant, in}, {FanModel::constant, out}}, 7, 20);
        return std::pair(cost.in, cost.out);
    };
    EXPECT_EQ(bytes(FanSize::own, FanSize::own), std::pair(7.0, 20.0));
    EXPECT_EQ(bytes(FanSize::least, FanSize::most), std::pair(7.0, 20.0));
    EXPECT_EQ(bytes(FanSize::mean, FanSize::twice_most), std::pair(13.0, 40.0));
    EXPECT_EQ(bytes(FanSize::sum, FanSize::sum), std::pair(27.0, 27.0));
}

} // namespace orrery::collective_cost_test
