// Times and numbers in tables, against a formatter.
#include "engine/random.h"
#include "observe/exact_seconds.h"

#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

namespace orrery::exact_seconds_test {
namespace {

std::string number(std::uint64_t value) {
    std::array<char, 24> digits{};
    return {digits.data(), put_number(digits.data(), value)};
}

std::string seconds(std::int64_t ps) {
    return fmt::format("{}.{:012}", ps / 1'000'000'000'000, ps % 1'000'000'000'000);
}

TEST(ExactSeconds, NumbersOfAllLengthsAreWritten) {
    std::uint64_t power = 1;
    for (int digits = 1; digits <= 20; ++digits, power *= 10) {
        for (const std::uint64_t value : {power - 1, power, power + 1, 2 * power + 37})
            EXPECT_EQ(number(value), fmt::format("{}", value));
    }
    EXPECT_EQ(number(~std::uint64_t{0}), "18446744073709551615");
    const RandomStream stream(1, 1);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const std::uint64_t value = stream.below(2 * i, ~std::uint64_t{0}) >> stream.below(2 * i + 1, 64);
        EXPECT_EQ(number(value), fmt::format("{}", value));
    }
}

TEST(ExactSeconds, TimesKeepAllTheirPicoseconds) {
    for (const std::int64_t ps : {std::int64_t{0}, std::int64_t{1}, std::int64_t{999}, std::int64_t{1000},
                                  std::int64_t{999'999'999'999}, std::int64_t{1'000'000'000'000},
                                  std::int64_t{1'234'567'890'123'456}, Time::longest().ps()})
        EXPECT_EQ(exact_seconds(Time::ps(ps)), seconds(ps));
    const RandomStream stream(2, 1);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const auto ps = static_cast<std::int64_t>(stream.below(i, std::uint64_t{1} << 60) >> (i % 60));
        EXPECT_EQ(exact_seconds(Time::ps(ps)), seconds(ps));
    }
}

} // namespace
} // namespace orrery::exact_seconds_test
