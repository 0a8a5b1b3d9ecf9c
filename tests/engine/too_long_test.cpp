#include "engine/sums.h"
#include "engine/too_long.h"
#include "engine/units.h"

#include <gtest/gtest.h>
#include <limits>

namespace orrery::too_long_test {
namespace {

std::string refusal(double picoseconds) {
    try {
        (void)Time::from_ps(picoseconds, "a transfer");
        return "taken";
    } catch (const TooLong& error) {
        return error.what();
    }
}

TEST(TooLong, ARealNumberThatIsNoTimeIsRefused) {
    EXPECT_EQ(refusal(1e18), "taken");
    EXPECT_EQ(refusal(-1e18), "taken");
    EXPECT_EQ(refusal(0x1.fffffffffffffp60), "taken");
    EXPECT_EQ(refusal(4e19),
              "a transfer (4e+07 s) takes longer than 26 days, the longest time that can be simulated");
    for (const double value : {0x1p61, -0x1p61, 1e300, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()})
        EXPECT_NE(refusal(value), "taken") << value;
}

TEST(TooLong, TransfersNameTheirBytesAndTheirRate) {
    EXPECT_EQ(transfer_time(1000, 1e9, "a message"), Time::us(1));
    EXPECT_EQ(transfer_time(1000, std::numeric_limits<double>::infinity(), "a message"), Time::zero());
    try {
        (void)transfer_time(1000, 1e-9, "a message");
        FAIL();
    } catch (const TooLong& error) {
        EXPECT_STREQ(error.what(),
                     "a message of 1000 B at 1e-09 B/s (1e+12 s) takes longer than 26 days, the longest "
                     "time that can be simulated");
    }
    EXPECT_THROW((void)transfer_time(0, 0, "a message"), TooLong); // not a number
}

TEST(TooLong, FourTimesOfARunCanBeAdded) {
    const Time most = Time::longest() - Time::ps(1);
    EXPECT_GT(most + most + most + most, most + most + most);
    Time latency = most;
    EXPECT_THROW(add_latency(latency, Time::ps(1)), TooLong);
}

TEST(TooLong, FiguresThatAreAddedUpDoNotWrap) {
    Time busy = Time::max() - Time::ps(1);
    add_busy(busy, Time::ps(1));
    EXPECT_THROW(add_busy(busy, Time::ps(1)), TooLong);
    EXPECT_EQ(saturated_sum(busy, busy), Time::max());
    EXPECT_EQ(sum_up_to_longest(Time::longest(), Time::longest()), Time::longest());
    Bytes bytes = ~Bytes{0};
    EXPECT_THROW(add_bytes(bytes, 1), InputError);
}

TEST(TooLong, WrittenTimesHaveTheSameLimit) {
    EXPECT_EQ(parse_time("2305843s"), Time::us(2'305'843'000'000));
    EXPECT_THROW((void)parse_time("2305844s"), UsageError);
    EXPECT_EQ(format_picoseconds(1e30), "1e+18 s"); // no time of a run
}

} // namespace
} // namespace orrery::too_long_test
