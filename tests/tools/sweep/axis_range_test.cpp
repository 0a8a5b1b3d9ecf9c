#include "engine/error.h"
#include "observe/quantity.h"
#include "tools/sweep/axis_range.h"

#include <gtest/gtest.h>

namespace orrery::axis_range_test {
namespace {

using Values = std::vector<std::string>;

Values by_step(std::string from, std::string to, std::string step) {
    return range_values({std::move(from), std::move(to), std::move(step), {}, {}, false});
}
Values by_factor(std::string from, std::string to, std::string factor) {
    return range_values({std::move(from), std::move(to), {}, std::move(factor), {}, false});
}
Values by_count(std::string from, std::string to, std::string count, bool log) {
    return range_values({std::move(from), std::move(to), {}, {}, std::move(count), log});
}

TEST(AxisRange, Steps) {
    EXPECT_EQ(by_step("1", "3", "1"), (Values{"1", "2", "3"}));
    EXPECT_EQ(by_step("1us", "2us", "500ns"), (Values{"1us", "1.5us", "2us"}));
    EXPECT_EQ(by_step("0", "0.3", "0.1"), (Values{"0", "0.1", "0.2", "0.3"}))
        << "0.1 x 3 is a little more than 0.3";
    EXPECT_EQ(by_step("3", "1", "-1"), (Values{"3", "2", "1"}));
    EXPECT_EQ(by_step("1", "2.5", "1"), (Values{"1", "2"})) << "the end need not be met";
    EXPECT_EQ(by_step("0", "2 KiB", "1 KiB"), (Values{"0KiB", "1KiB", "2KiB"}))
        << "a zero has no unit of its own";
}

TEST(AxisRange, Factors) {
    EXPECT_EQ(by_factor("4", "64", "2"), (Values{"4", "8", "16", "32", "64"}));
    EXPECT_EQ(by_factor("1Ki", "4Ki", "2"), (Values{"1Ki", "2Ki", "4Ki"}));
    EXPECT_EQ(by_factor("64 KiB", "1 MiB", "4"), (Values{"64KiB", "256KiB", "1024KiB"}));
    EXPECT_EQ(by_factor("400 Gbit/s", "100 Gbit/s", "0.5"), (Values{"400Gbit/s", "200Gbit/s", "100Gbit/s"}));
    EXPECT_EQ(by_factor("1", "1000", "10"), (Values{"1", "10", "100", "1000"}))
        << "log(1000)/log(10) is below 3";
    EXPECT_EQ(by_factor("6ns/B", "60ns/B", "10"), (Values{"6ns/B", "60ns/B"}));
}

TEST(AxisRange, Counts) {
    EXPECT_EQ(by_count("1", "2", "3", false), (Values{"1", "1.5", "2"}));
    EXPECT_EQ(by_count("1us", "1ms", "4", true), (Values{"1us", "10us", "100us", "1000us"}));
}

TEST(AxisRange, WhatIsNoRange) {
    EXPECT_THROW(by_step("1", "3", "-1"), UsageError);
    EXPECT_THROW(by_step("1", "3", "0"), UsageError);
    EXPECT_THROW(by_step("1us", "3 KiB", "1us"), UsageError);
    EXPECT_THROW(by_step("one", "3", "1"), UsageError);
    EXPECT_THROW(by_step("0", "1", "1e-9"), UsageError) << "too many values";
    EXPECT_THROW(by_factor("0", "8", "2"), UsageError);
    AxisRange endless; // the quotient of its ends is no number
    endless.from = "1e-308us";
    endless.to = "8us";
    endless.count = "3";
    endless.log = true;
    EXPECT_THROW(range_values(endless), UsageError);
    EXPECT_THROW(by_factor("1", "8", "0.5"), UsageError);
    EXPECT_THROW(by_factor("1", "8", "1"), UsageError);
    EXPECT_THROW(by_factor("1", "8", "2us"), UsageError);
    EXPECT_THROW(by_count("1", "8", "1", false), UsageError);
    EXPECT_THROW(range_values({"1", "8", "1", "2", "", false}), UsageError) << "step and factor";
    EXPECT_THROW(range_values({"1", "8", "", "", "", false}), UsageError);
    EXPECT_THROW(range_values({"", "8", "1", "", "", false}), UsageError);
}

TEST(Quantity, UnitsAreReadAndCompared) {
    EXPECT_DOUBLE_EQ(read_quantity("1.5 us")->base, 1.5e-6);
    EXPECT_DOUBLE_EQ(read_quantity("64KiB")->base, 65536);
    EXPECT_DOUBLE_EQ(read_quantity("8k")->base, 8192);
    EXPECT_DOUBLE_EQ(read_quantity("400 Gbit/s")->base, 50e9);
    EXPECT_DOUBLE_EQ(read_quantity("56Gbps")->base, 7e9);
    EXPECT_DOUBLE_EQ(read_quantity("6ns/B")->base, 6e-9);
    EXPECT_DOUBLE_EQ(read_quantity("3.5 Gflop/s")->base, 3.5e9);
    for (const char* no : {"", "odin", "2x2", "1 parsec", "nan", "inf", "1e999", "ns", "4/2", "1 us/s"}) {
        EXPECT_FALSE(read_quantity(no)) << no;
    }
    const auto common = [](const char* a, const char* b) {
        return common_measure(*read_quantity(a), *read_quantity(b));
    };
    EXPECT_EQ(common("8", "64KiB"), Measure::size);
    EXPECT_EQ(common("1us", "0"), Measure::time);
    EXPECT_EQ(common("8", "1us"), std::nullopt);
    EXPECT_EQ(common("1KiB", "1us"), std::nullopt);
}

TEST(Quantity, Words) {
    EXPECT_EQ(quantity_words(5e-6, Measure::time), "5 \u00B5s");
    EXPECT_EQ(quantity_words(65536, Measure::size), "64 KiB");
    EXPECT_EQ(quantity_words(1500, Measure::size), "1.5 kB");
    EXPECT_EQ(quantity_words(8192, Measure::count), "8,192");
    EXPECT_EQ(quantity_words(50e9, Measure::bandwidth), "50 GB/s");
    EXPECT_EQ(quantity_words(0.25, Measure::plain), "0.25");
    EXPECT_EQ(quantity_words(0, Measure::time), "0");
}

} // namespace
} // namespace orrery::axis_range_test
