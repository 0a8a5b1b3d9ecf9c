#include "engine/settings.h"

#include "engine/error.h"
#include "engine/units.h"

#include <array>
#include <gtest/gtest.h>

namespace orrery::settings_test {
namespace {

constexpr std::array table{Parameter{"flow.set", "word", "", ""},
                           Parameter{"flow.latency_factor", "table", "", ""}};

template <typename Call> std::string complaint(Call&& call) {
    try {
        call();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no complaint";
}

TEST(Settings, ReadsEachKindOfValue) {
    Settings settings;
    settings.set("a.time", "2 us", "f.toml", 3);
    settings.set("a.bytes", "64 KiB", "f.toml", 4);
    settings.set("a.much", "unlimited", "f.toml", 5);
    settings.set("a.number", "0.97", "f.toml", 6);
    settings.set("a.bandwidth", "10 Gbit/s", "f.toml", 7);
    settings.set("a.flag", "off", "f.toml", 8);
    settings.set("a.word", " ring ", "f.toml", 9);
    EXPECT_EQ(settings.time("a.time", Time::zero()), Time::us(2));
    EXPECT_EQ(settings.bytes("a.bytes", 0), 65536U);
    EXPECT_EQ(settings.bytes("a.much", 0), ~Bytes{0});
    EXPECT_EQ(settings.number("a.number", 0), 0.97);
    EXPECT_EQ(settings.bandwidth("a.bandwidth", 0), 1.25e9);
    EXPECT_FALSE(settings.flag("a.flag", true));
    EXPECT_EQ(settings.word("a.word", ""), "ring");
    EXPECT_EQ(settings.time("b.time", Time::ns(5)), Time::ns(5));
    EXPECT_EQ(settings.word("b.word", "x"), "x");
}

TEST(Settings, TheLaterOneHoldsAndSlashesAreDots) {
    Settings settings;
    settings.set("smpi/os", "1", "p.xml", 4);
    settings.set_from_option(" smpi.os = 2 ");
    ASSERT_NE(settings.find("smpi/os"), nullptr);
    EXPECT_EQ(settings.find("smpi.os")->value, "2");
    EXPECT_EQ(settings.find("smpi.os")->file, "--set");
    EXPECT_EQ(settings.all().size(), 1U);
}

TEST(Settings, ComplaintsSayWhereTheValueWasSaid) {
    Settings settings;
    settings.set("link.latency", "3", "m.toml", 12);
    settings.set("link.bandwidth", "125000000", "m.toml", 13);
    settings.set("flow.contention", "maybe", "m.toml", 14);
    settings.set("flow.precision", "1 us", "--set");
    EXPECT_EQ(
        complaint([&] { (void)settings.time("link.latency", {}); }),
        "m.toml:12: link.latency: '3' is not a time such as 2500ns, 1.3us or 2s (units: ps ns us ms s min h)");
    EXPECT_NE(complaint([&] { (void)settings.bandwidth("link.bandwidth", 0); }).find("the unit is missing"),
              std::string::npos);
    EXPECT_NE(
        complaint([&] { (void)settings.flag("flow.contention", true); }).find("m.toml:14: flow.contention"),
        std::string::npos);
    EXPECT_NE(complaint([&] { (void)settings.number("flow.precision", 0); }).find("--set: flow.precision"),
              std::string::npos);
    EXPECT_EQ(complaint([&] { settings.complain("flow.contention", "yes or no"); }),
              "m.toml:14: flow.contention = 'maybe'; expected yes or no");
    EXPECT_EQ(complaint([&] { settings.complain("no.key", "something"); }),
              "no.key is not set; expected something");
    // Whose fault it is: of the command line or of a file.
    EXPECT_THROW((void)settings.number("flow.precision", 0), UsageError);
    EXPECT_THROW((void)settings.flag("flow.contention", true), InputError);
    EXPECT_THROW(settings.complain("flow.precision", "a number"), UsageError);
}

TEST(Settings, UnknownKeysGetDidYouMean) {
    Settings settings;
    settings.set("flow.set", "smpi", "m.toml", 1);
    const std::array tables{std::span<const Parameter>(table)};
    EXPECT_NO_THROW(settings.check_known(tables));
    settings.set("flow.latency_facter", "1", "m.toml", 7);
    EXPECT_EQ(complaint([&] { settings.check_known(tables); }),
              "m.toml:7: unknown key 'flow.latency_facter'; did you mean 'flow.latency_factor'?");
}

TEST(Settings, OptionsNeedAnEqualsSign) {
    Settings settings;
    EXPECT_THROW(settings.set_from_option("link.latency"), UsageError);
    EXPECT_THROW(settings.set_from_option("=3us"), UsageError);
    EXPECT_NO_THROW(settings.set_from_option("a.b=x=y"));
    EXPECT_EQ(settings.word("a.b", ""), "x=y");
}

TEST(Rates, BandwidthsOfBothWorlds) {
    EXPECT_EQ(parse_bandwidth("10 Gbit/s"), 1.25e9);
    EXPECT_EQ(parse_bandwidth("1.25 GB/s"), 1.25e9);
    EXPECT_EQ(parse_bandwidth("56Gbps"), 7e9);
    EXPECT_EQ(parse_bandwidth("125MBps"), 125e6);
    EXPECT_EQ(parse_bandwidth("1.25E8Bps"), 125e6);
    EXPECT_EQ(parse_bandwidth("1KiBps"), 1024);
    EXPECT_EQ(parse_bandwidth("8 Kibps"), 1024);
    EXPECT_EQ(parse_bandwidth("4 GiB/s"), 4.0 * (1U << 30U));
    for (const char* bad :
         {"", "10", "10 Gb", "GB/s", "-1 GB/s", "1 XB/s", "1 GB/h", "nan GB/s", "1e999 GB/s"}) {
        EXPECT_THROW((void)parse_bandwidth(bad), UsageError) << bad;
    }
}

TEST(Rates, SpeedsOfBothWorlds) {
    EXPECT_EQ(parse_rate("3.5 Ginstr/s"), 3.5e9);
    EXPECT_EQ(parse_rate("8 Gflop/s"), 8e9);
    EXPECT_EQ(parse_rate("1Gf"), 1e9);
    EXPECT_DOUBLE_EQ(parse_rate("286.087kf"), 286087);
    EXPECT_EQ(parse_rate("2gigaflops"), 2e9);
    EXPECT_EQ(parse_rate("100f"), 100);
    for (const char* bad : {"", "5", "5 GHz", "-1Gf", "5 G"})
        EXPECT_THROW((void)parse_rate(bad), UsageError) << bad;
}

TEST(Rates, Words) {
    EXPECT_EQ(format_bandwidth(12.5e9), "12.5 GB/s");
    EXPECT_EQ(format_bandwidth(100), "100 B/s");
    EXPECT_EQ(format_rate(3.5e9), "3.5 G/s");
}

} // namespace
} // namespace orrery::settings_test
