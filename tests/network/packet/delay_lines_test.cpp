#include "network/packet/delay_lines.h"

#include "engine/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace orrery::packet::delay_lines_test {
namespace {

struct Expected {
    Time time;
    std::uint32_t about = 0;
    bool wanted = false;
};

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> list) {
    std::sort(list.begin(), list.end());
    return list;
}

TEST(PacketDelayLines, AreAListInTheOrderOfTime) {
    const RandomStream random(3, 1);
    std::uint64_t draw = 0;
    DelayLines lines;
    const std::vector<Time> delays{Time::zero(), Time::ns(7), Time::ns(400)};
    for (const Time delay : delays) EXPECT_EQ(lines.delay(lines.line(delay)), delay);
    std::vector<Expected> list;
    Time now;
    for (std::uint32_t about = 0; about < 5000; ++about) {
        const auto line = static_cast<std::uint32_t>(random.below(draw++, delays.size()));
        const bool wanted = random.below(draw++, 2) == 0;
        const Time time = now + delays[line];
        const std::uint32_t place = lines.push(line, time, about, wanted);
        list.push_back({time, about, wanted});
        if (!wanted && random.below(draw++, 2) == 0) {
            EXPECT_TRUE(lines.want(line, place));
            list.back().wanted = true;
        }
        if (random.below(draw++, 3) != 0) continue;
        now += Time::ns(static_cast<std::int64_t>(random.below(draw++, 30)));
        std::vector<std::uint32_t> due;
        std::vector<Expected> rest;
        for (const Expected& each : list) {
            if (each.time > now) rest.push_back(each);
            if (each.time <= now && each.wanted) due.push_back(each.about);
        }
        list = rest;
        std::vector<std::uint32_t> taken;
        lines.take(
            now, [&](std::uint32_t each) { taken.push_back(each); }, [](auto&&) {});
        EXPECT_EQ(sorted(taken), due);
    }
}

TEST(PacketDelayLines, DropWhatNobodyWants) {
    DelayLines lines;
    const std::uint32_t line = lines.line(Time::ns(10));
    const std::uint32_t first = lines.push(line, Time::ns(10), 1, false);
    const std::uint32_t second = lines.push(line, Time::ns(11), 2, false);
    EXPECT_TRUE(lines.want(line, second));
    EXPECT_EQ(lines.next(), Time::ns(10));
    EXPECT_EQ(lines.next_wanted(Time::ns(10)), Time::ns(10)); // not before the limit
    EXPECT_EQ(lines.next_wanted(Time::max()), Time::ns(11));
    EXPECT_FALSE(lines.want(line, first));
    std::vector<std::uint32_t> taken;
    lines.take(
        Time::ns(11), [&](std::uint32_t each) { taken.push_back(each); }, [](auto&&) {});
    EXPECT_EQ(taken, std::vector<std::uint32_t>{2});
    EXPECT_EQ(lines.next(), Time::max());
    EXPECT_FALSE(lines.want(line, second));
}

TEST(PacketDelayLines, AreFew) {
    DelayLines lines;
    std::int64_t made = 0;
    while (lines.line(Time::ns(made)) != none) ++made;
    EXPECT_EQ(made, 6);
    EXPECT_EQ(lines.line(Time::ns(2)), 2U);
}

} // namespace
} // namespace orrery::packet::delay_lines_test
