#include "machine/noise.h"

#include "engine/error.h"
#include "engine/random.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace orrery::noise_test {
namespace {

class NoiseTest : public testing::Test {
  protected:
    void TearDown() override { std::filesystem::remove(path_); }
    std::string write(const std::string& text) {
        std::ofstream(path_) << text;
        return path_;
    }
    std::string path_ = testing::TempDir() + "noise_" + std::to_string(::getpid());
};

// Work of `busy` from `start` on, step by step over a bitmap of detours: the definition.
std::int64_t by_definition(const std::vector<bool>& detour, std::int64_t start, std::int64_t busy) {
    const auto period = static_cast<std::int64_t>(detour.size());
    std::int64_t at = start;
    while (busy > 0) {
        if (!detour[static_cast<std::size_t>(at % period)]) --busy;
        ++at;
    }
    return at;
}

TEST_F(NoiseTest, TraceAgreesWithItsDefinition) {
    // Detours at 2-4, 7-8 and 10-12 ns; the trace then starts again.
    const std::string path = write("# measured\n2 2\n7\t1 # short\n\n10 2\n");
    std::vector<bool> detour(12'000);
    for (const auto& [from, to] : {std::pair{2000, 4000}, std::pair{7000, 8000}, std::pair{10'000, 12'000}}) {
        for (int t = from; t < to; ++t) detour[static_cast<std::size_t>(t)] = true;
    }
    NoiseOptions options;
    options.coscheduled = true;
    const auto noise = noise_from_file(path, options);
    // The random point at which every rank starts is found from two probes, then all else must follow.
    const auto offset = static_cast<std::int64_t>(RandomStream(options.seed, 0).below(0, 12'000));
    for (std::int64_t start = 0; start < 30'000; start += 617) {
        for (const std::int64_t busy : {1, 500, 999, 2500, 7000, 7001, 14'000, 50'000}) {
            const Time delay = noise->delay(RankId{3}, 0, Time::ps(start), Time::ps(busy));
            // The work has ended once its last picosecond is done; a detour that starts then no longer counts.
            EXPECT_EQ(start + offset + busy + delay.ps(), by_definition(detour, start + offset, busy))
                << start << " " << busy;
        }
    }
    EXPECT_EQ(noise->delay(RankId{0}, 0, Time::ns(3), Time::zero()), Time::zero());
}

TEST_F(NoiseTest, RanksDifferUnlessCoscheduled) {
    const std::string path = write("1000 500\n");
    const auto delays = [&](const NoiseOptions& options) {
        const auto noise = noise_from_file(path, options);
        std::vector<Time> all;
        for (std::uint32_t rank = 0; rank < 50; ++rank)
            all.push_back(noise->delay(RankId{rank}, 0, {}, Time::ns(300)));
        return all;
    };
    const auto apart = delays({1, false});
    EXPECT_NE(*std::min_element(apart.begin(), apart.end()), *std::max_element(apart.begin(), apart.end()));
    EXPECT_EQ(apart, delays({1, false}));
    EXPECT_NE(apart, delays({2, false}));
    const auto together = delays({1, true});
    EXPECT_EQ(*std::min_element(together.begin(), together.end()),
              *std::max_element(together.begin(), together.end()));
}

TEST_F(NoiseTest, BadTraces) {
    const auto line_of = [&](const std::string& text) {
        try {
            (void)noise_from_file(write(text), {});
        } catch (const InputError& error) {
            return static_cast<int>(error.error().line);
        }
        return -1;
    };
    EXPECT_EQ(line_of("1 2\nx 3\n"), 2);
    EXPECT_EQ(line_of("1 2\n5\n"), 2);
    EXPECT_EQ(line_of("1 2 3\n"), 1);
    EXPECT_EQ(line_of("1 -2\n"), 1);
    EXPECT_EQ(line_of("10 5\n12 1\n"), 2);
    EXPECT_EQ(line_of("# nothing\n"), 0);
    EXPECT_EQ(line_of("0 100\n"), 0); // no time left
    EXPECT_THROW((void)noise_from_file("/no/such/file", {}), InputError);
}

TEST_F(NoiseTest, DistributionTakesItsShare) {
    const auto noise = noise_from_distribution("period=1us duration=100ns", {});
    Time at;
    Time delayed;
    for (int i = 0; i < 1000; ++i) {
        const Time delay = noise->delay(RankId{1}, 0, at, Time::ns(700));
        delayed += delay;
        at += Time::ns(700) + delay;
    }
    // 10 % of the elapsed time goes to detours.
    EXPECT_NEAR(delayed.seconds() / at.seconds(), 0.1, 0.001);
    const auto random =
        noise_from_distribution("period=1us duration=100ns interval=exponential length=exponential", {});
    delayed = at = Time::zero();
    for (int i = 0; i < 20'000; ++i) {
        const Time delay = random->delay(RankId{1}, 0, at, Time::ns(700));
        delayed += delay;
        at += Time::ns(700) + delay;
    }
    EXPECT_NEAR(delayed.seconds() / at.seconds(), 0.1, 0.01);
}

TEST_F(NoiseTest, DistributionIsRepeatable) {
    const auto run = [](std::uint64_t seed) {
        const auto noise =
            noise_from_distribution("period=10us duration=1us interval=exponential", {seed, false});
        std::vector<Time> all;
        for (std::uint32_t rank = 0; rank < 20; ++rank)
            all.push_back(noise->delay(RankId{rank}, 0, {}, Time::us(20)));
        return all;
    };
    EXPECT_EQ(run(7), run(7));
    EXPECT_NE(run(7), run(8));
}

TEST_F(NoiseTest, BadDistributions) {
    for (const char* text : {"", "period=1ms", "period=1ms duration=2ms", "period=1ns duration=1ps",
                             "period=2h duration=1s", "period=1ms duration=0", "every=1ms duration=1us",
                             "period=1ms duration=1us interval=gamma", "period=fast duration=1us"}) {
        EXPECT_THROW((void)noise_from_distribution(text, {}), UsageError) << text;
    }
}

} // namespace
} // namespace orrery::noise_test
