#include "engine/units.h"

#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::units_test {
namespace {

TEST(Units, Times) {
    EXPECT_EQ(parse_time("2500ns"), Time::ns(2500));
    EXPECT_EQ(parse_time(" 1.3 us "), Time::ns(1300));
    EXPECT_EQ(parse_time("2.3us"), Time::ps(2'300'000));
    EXPECT_EQ(parse_time("1ps"), Time::ps(1));
    EXPECT_EQ(parse_time("2 min"), Time::ps(120'000'000'000'000));
    EXPECT_EQ(parse_time("0"), Time::zero());
    for (const char* wrong : {"", "5", "ns", "-1ns", "1 lightyear", "1e30 s", "nan ns", "inf s", "1ns 2"}) {
        EXPECT_THROW((void)parse_time(wrong), UsageError) << wrong;
    }
}

TEST(Units, TimesPerByteAndBandwidths) {
    EXPECT_DOUBLE_EQ(parse_time_per_byte("6ns/B"), 6000);
    EXPECT_DOUBLE_EQ(parse_time_per_byte("0.04 ns/B"), 40);
    EXPECT_DOUBLE_EQ(parse_time_per_byte("1 us/KiB"), 1e6 / 1024);
    EXPECT_DOUBLE_EQ(parse_time_per_byte("1 GB/s"), 1000);
    EXPECT_DOUBLE_EQ(parse_time_per_byte("200 Gbit/s"), 40);
    EXPECT_DOUBLE_EQ(parse_time_per_byte("0"), 0);
    for (const char* wrong : {"6ns", "6", "0 GB/s", "6ns/", "6 ns/s", "6 parsec/B"}) {
        EXPECT_THROW((void)parse_time_per_byte(wrong), UsageError) << wrong;
    }
}

TEST(Units, BytesAndCounts) {
    EXPECT_EQ(parse_bytes("65535B"), 65535U);
    EXPECT_EQ(parse_bytes("8"), 8U);
    EXPECT_EQ(parse_bytes("64 KiB"), 65536U);
    EXPECT_EQ(parse_bytes("1.5MB"), 1'500'000U);
    EXPECT_EQ(parse_count("8M"), 8U << 20);
    EXPECT_EQ(parse_count("1Ki"), 1024U);
    EXPECT_EQ(parse_count("6006"), 6006U);
    for (const char* wrong : {"0.5B", "-1", "1e40", "1 QB"})
        EXPECT_THROW((void)parse_bytes(wrong), UsageError) << wrong;
    EXPECT_THROW((void)parse_count("1.0001"), UsageError);
}

TEST(Units, Formatting) {
    EXPECT_EQ(format_time(Time::ns(127'466)), "127.466 us");
    EXPECT_EQ(format_time(Time::ps(999)), "999 ps");
    EXPECT_EQ(format_time(Time::zero()), "0 ps");
    EXPECT_EQ(format_bytes(8), "8 B");
    EXPECT_EQ(format_bytes(1'829'000'000), "1.83 GB");
    EXPECT_EQ(format_count(8'388'608), "8,388,608");
    EXPECT_EQ(format_count(12), "12");
    EXPECT_EQ(format_count(123), "123");
    EXPECT_EQ(format_count(1234), "1,234");
}

TEST(Units, NearestWord) {
    const std::vector<std::string> words{"dissemination", "binomial-bcast", "scatter"};
    EXPECT_EQ(nearest_word("disemination", words), "dissemination");
    EXPECT_EQ(nearest_word("scater", words), "scatter");
    EXPECT_EQ(nearest_word("quux", words), "");
}

// Capital and small letters go wrong most often.
TEST(Units, HintsAtTheUnitThatWasMeant) {
    const auto words = [](auto parse, const char* text) -> std::string {
        try {
            (void)parse(text);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "no complaint";
    };
    const auto ends = [](const std::string& text, const char* end) { return text.ends_with(end); };
    EXPECT_TRUE(ends(words(parse_bytes, "1kb"), "; did you mean 1kB or 1KiB?")) << words(parse_bytes, "1kb");
    EXPECT_TRUE(ends(words(parse_bytes, "1.5 gib"), "; did you mean 1.5GiB?")) << words(parse_bytes, "1.5 gib");
    EXPECT_TRUE(ends(words(parse_bytes, "64k"), "; did you mean 64kB or 64KiB?")) << words(parse_bytes, "64k");
    EXPECT_TRUE(ends(words(parse_time, "2US"), "; did you mean 2us?")) << words(parse_time, "2US");
    EXPECT_TRUE(ends(words(parse_bandwidth, "10gbit/s"), "; did you mean 10Gbit/s?"));
    EXPECT_TRUE(ends(words(parse_bandwidth, "200Gb"), "; did you mean 200Gbit/s or 200GB/s?"));
    EXPECT_TRUE(ends(words(parse_time, "5 usec"), "; did you mean 5us?"));
    EXPECT_TRUE(ends(words(parse_time, "5 \xCE\xBCs"), "; did you mean 5us?"));
    EXPECT_TRUE(ends(words(parse_time, "3 m"), "; did you mean 3ms or 3min?")) << words(parse_time, "3 m");
    EXPECT_TRUE(ends(words(parse_count, "8m"), "; did you mean 8M?")) << words(parse_count, "8m");
    EXPECT_EQ(words(parse_bytes, "3 parsec").find("did you mean"), std::string::npos);
}

} // namespace
} // namespace orrery::units_test
