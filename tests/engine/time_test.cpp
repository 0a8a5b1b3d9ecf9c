// Ticks of one picosecond, and of more.
#include "engine/time.h"

#include "engine/error.h"
#include "engine/time_text.h"
#include "engine/too_long.h"

#include <gtest/gtest.h>

namespace orrery::time_test {
namespace {

// The tests around this one count in picoseconds.
class Ticks : public testing::Test {
  protected:
    void TearDown() override { Time::set_tick_bits(0); }
};

TEST_F(Ticks, ArePicosecondsAtFirst) {
    EXPECT_EQ(Time::ps(7).ticks(), 7);
    EXPECT_EQ(Time::ns(-3).ticks(), -3000);
    EXPECT_EQ(Time::from_ps(2.5).ticks(), 3);
    EXPECT_EQ(Time::tick().ps(), 1);
    EXPECT_EQ(Time::ns(1999).whole_ns(), 1999);
    EXPECT_EQ(Time::ps(1999).whole_ns(), 1);
    EXPECT_EQ(longest_in_words(), "26 days");
}

TEST_F(Ticks, OfMoreRoundToTheNearest) {
    set_resolution("32ps");
    EXPECT_EQ(Time::tick().ps(), 32);
    EXPECT_EQ(Time::ps(15).ticks(), 0);
    EXPECT_EQ(Time::ps(16).ticks(), 1);
    EXPECT_EQ(Time::ps(47).ticks(), 1);
    EXPECT_EQ(Time::ps(48).ticks(), 2);
    EXPECT_EQ(Time::ps(-32).ticks(), -1);
    EXPECT_EQ(Time::from_ps(47.9).ticks(), 1);
    EXPECT_EQ(Time::from_ps(48.1).ticks(), 2);
    EXPECT_EQ(Time::ticks(3).picoseconds(), 96);
    EXPECT_EQ(Time::us(32).ps(), 32'000'000);
    EXPECT_DOUBLE_EQ(Time::us(32).seconds(), 32e-6);
}

TEST_F(Ticks, OfMoreLastLonger) {
    set_resolution("32ps");
    EXPECT_EQ(longest_in_words(), "854 days");
    const Time year = Time::of_clock(365 * 86400, 7);
    EXPECT_EQ(year.whole_ns(), 365 * 86400 * 1'000'000'000LL + 7);
    EXPECT_EQ(exact_ps(year), "31536000000000007008"); // the nearest multiple of 32 ps
    EXPECT_THROW((void)year.ps(), TooLong);
    EXPECT_EQ(Time::of_clock(900LL * 86400, 0), Time::longest());
    EXPECT_EQ(exact_ps(Time::ticks(-1)), "-32");
    EXPECT_NO_THROW((void)Time::from_ps(0x1p65, "a year or so"));
    EXPECT_THROW((void)Time::from_ps(0x1p66), TooLong);
}

TEST_F(Ticks, ArePowersOfTwo) {
    for (const char* const wrong :
         {"0", "3ps", "1ns", "2097152ps", "-32ps", "32", "x", "", "0.5ps", "31.6ps", "0.0315ns"})
        EXPECT_THROW(set_resolution(wrong), UsageError) << wrong;
    EXPECT_EQ(Time::tick_bits(), 0);
    set_resolution("1.048576us");
    EXPECT_EQ(Time::tick_bits(), Time::most_tick_bits);
}

} // namespace
} // namespace orrery::time_test
