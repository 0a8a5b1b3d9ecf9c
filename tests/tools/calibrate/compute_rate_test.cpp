#include "tools/calibrate/compute_rate.h"

#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "tools/calibrate/machine_text.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace orrery::compute_rate_test {
namespace {

TEST(ComputeRate, OneRateForBurstsThatAreAlike) {
    std::vector<Burst> bursts;
    for (int i = 1; i <= 100; ++i) bursts.push_back({1e5 * i, 1e5 * i / 2e9});
    const ComputeRate rate = fit_rate(bursts);
    EXPECT_NEAR(rate.average, 2e9, 1);
    EXPECT_EQ(rate.bursts, 100U);
    ASSERT_EQ(rate.classes.size(), 1U);
    EXPECT_EQ(rate.classes[0].from, 0);
    EXPECT_NEAR(rate.average_error, 0, 1e-12);
}

TEST(ComputeRate, SmallBurstsMayBeSlower) {
    std::vector<Burst> bursts;
    for (int i = 0; i < 50; ++i) {
        bursts.push_back({2e3 + i, (2e3 + i) / 1e9});
        bursts.push_back({5e6 + i, (5e6 + i) / 3e9});
    }
    bursts.push_back({0, 1e-6}); // does not count
    const ComputeRate rate = fit_rate(bursts);
    ASSERT_EQ(rate.classes.size(), 2U);
    EXPECT_EQ(rate.classes[0].from, 0);
    EXPECT_NEAR(rate.classes[0].rate, 1e9, 1e3);
    EXPECT_EQ(rate.classes[1].from, 1e6);
    EXPECT_NEAR(rate.classes[1].rate, 3e9, 1e3);
    EXPECT_NEAR(rate.class_error, 0, 1e-9);
    EXPECT_GT(rate.average_error, 0);
    EXPECT_NEAR(rate.average, (50 * 2024.5 + 50 * 5000024.5) / rate.seconds, 1e3);
}

TEST(ComputeRate, InterruptedBurstsAreLeftOutIfTheyAreFew) {
    std::vector<Burst> bursts;
    for (int i = 0; i < 100; ++i) bursts.push_back({1e5, i < 5 ? 4e-3 : 1e-4});
    const ComputeRate rate = fit_rate(bursts);
    EXPECT_EQ(rate.interrupted, 5U);
    EXPECT_NEAR(rate.average, 1e9, 1);
    for (std::size_t i = 0; i < 20; ++i) bursts[i].seconds = 4e-4; // that is how it computes
    const ComputeRate slow = fit_rate(bursts);
    EXPECT_EQ(slow.interrupted, 0U);
    EXPECT_NEAR(slow.average, 100 * 1e5 / (20 * 4e-4 + 80 * 1e-4), 1);
}

TEST(ComputeRate, NothingToComputeFrom) {
    EXPECT_THROW(fit_rate({}), InputError);
    EXPECT_THROW(fit_rate({{0, 1}, {1, 0}}), InputError);
}

TEST(ComputeRate, AMachineGetsTheRateInANewFile) {
    const auto folder = std::filesystem::path(testing::TempDir()) / "compute_rate_test";
    std::filesystem::create_directories(folder);
    const std::string old = (folder / "old.toml").string();
    std::ofstream(old)
        << "[host]\ncores = 3\nspeed = \"5 Gflop/s\"\n[link]\nbandwidth = \"1 GB/s\"\nlatency = \"1 "
           "us\"\n[topology]\ntype = \"crossbar\"\nhosts = 2\n";
    std::vector<Burst> bursts;
    for (int i = 0; i < 10; ++i) {
        bursts.push_back({2e3, 2e3 / 1e9});
        bursts.push_back({5e6, 5e6 / 3e9});
    }
    ComputeRate rate = fit_rate(bursts);
    rate.trace = "app \"x\".trace";
    rate.counter = "instructions";
    const Machine machine = machine_from_text(machine_with_rate(old, rate, "test"), "new.toml");
    EXPECT_EQ(machine.platform->host(HostId{0}).cores, 3U);
    EXPECT_NEAR(machine.platform->speed(HostId{0}, 1e3), 1e9, 1e4);
    EXPECT_NEAR(machine.platform->speed(HostId{1}, 1e7), 3e9, 1e4);
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace orrery::compute_rate_test
