// Tags of 64 bits: two match if and only if they are equal, and no conversion loses them without a word.
#include "workload/wide_tags.h"

#include "drivers/graph/simulate.h"
#include "engine/error.h"
#include "formats/formats.h"
#include "formats/goal/goal_text_reader.h"
#include "formats/ti/ti_text.h"
#include "reference/schedules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orrery::wide_tags_test {
namespace {

// As LogGOPSim's generator writes the tag of its first collective: 0xE00F4240, a negative number, in 64 bits.
constexpr std::uint64_t of_generator = 18446744073173680704U;

Schedule schedule_of_text(const std::string& text) {
    ScheduleBuilder builder("test");
    read_goal_text(text, "test.goal", builder);
    return builder.take();
}

std::string one_message(const std::string& sent, const std::string& received) {
    return fmt::format(
        "num_ranks 2\nrank 0 {{\nl1: send 8b to 1 tag {}\n}}\nrank 1 {{\nl1: recv 8b from 0 tag {}\n}}\n", sent,
        received);
}

bool matches(const std::string& sent, const std::string& received) {
    try {
        (void)simulate(schedule_of_text(one_message(sent, received)), {});
        return true;
    } catch (const SimulationError&) {
        return false;
    }
}

TEST(WideTags, match_if_and_only_if_they_are_equal) {
    const std::vector<std::string> tags{"0",
                                        "5",
                                        "2147483647",
                                        "2147483648",
                                        "3759096384", // the low half of the generator's
                                        "4294967294",
                                        "4294967296",
                                        "4294967301", // the low half is 5
                                        "8589934592",
                                        "18446744071562067968", // the lowest negative one
                                        "18446744073173680704",
                                        "18446744073709551614"};
    for (const std::string& sent : tags) {
        for (const std::string& received : tags)
            EXPECT_EQ(matches(sent, received), sent == received) << sent << " and " << received;
        EXPECT_TRUE(matches(sent, "-1")) << sent;
        // What LogGOPSim takes for -1.
        EXPECT_TRUE(matches(sent, "4294967295")) << sent;
        EXPECT_TRUE(matches(sent, "18446744073709551615")) << sent;
    }
}

TEST(WideTags, keep_their_low_half_as_in_LogGOPSim_unless_it_is_taken) {
    WideTags tags;
    EXPECT_EQ(tags.number_of(of_generator), 3759096384U);
    EXPECT_EQ(tags.number_of(of_generator), 3759096384U);
    EXPECT_EQ(tags.number_of(4000000000U), 4000000000U);
    EXPECT_EQ(tags.take_new(), (std::vector<WideTag>{{of_generator, 3759096384U, 0}}));
    const std::uint32_t moved = tags.number_of(3759096384U);
    EXPECT_NE(moved, 3759096384U);
    EXPECT_EQ(tags.take_new(), (std::vector<WideTag>{{3759096384U, moved, 0}}));
    EXPECT_TRUE(tags.take_new().empty());
}

TEST(WideTags, many_have_numbers_of_their_own) {
    WideTags tags;
    WrittenTags written;
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        all.push_back((i * 0x9E37'79B9'7F4A'7C15U) | first_numbered_tag); // spread over all 64 bits
        all.push_back(~std::uint64_t{1} - i);                             // negative ones
        all.push_back(std::uint64_t{any_tag} - 1 - i);                    // their low halves
    }
    std::vector<std::uint32_t> numbers;
    for (const std::uint64_t tag : all) numbers.push_back(tags.number_of(tag));
    for (const WideTag& tag : tags.take_new()) written.add(tag);
    for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_GE(numbers[i], first_numbered_tag);
        ASSERT_NE(numbers[i], any_tag);
        ASSERT_EQ(written.of(numbers[i]), all[i]);
    }
    EXPECT_EQ(written.of(17), 17u);
}

TEST(WideTags, survive_every_conversion_that_can_hold_them) {
    const ti_test::Folder folder;
    const std::string text =
        "num_ranks 2\n\nrank 0 {\nl1: send 8b to 1 tag 18446744073173680704\n"
        "l2: send 8b to 1 tag 3759096384\nl3: send 8b to 1 tag 77309411329\nl4: send 8b to 1 tag 7\n}\n"
        "\nrank 1 {\nl1: recv 8b from 0 tag 77309411329\nl2: recv 8b from 0 tag 3759096384\n"
        "l3: recv 8b from 0 tag 18446744073173680704\nl4: recv 8b from 0 tag -1\n}\n";
    const std::string original = folder.write("a.goal", text);
    const auto convert = [](const std::string& from, const std::string& to) {
        const std::unique_ptr<ScheduleSink> writer = make_writer(to, *format_of_extension(to));
        read_schedule_file(from, *writer);
    };
    convert(original, folder / "b.goal");
    EXPECT_EQ(ti_test::read_file(folder / "b.goal"), text);
    convert(original, folder / "c.orr");
    convert(folder / "c.orr", folder / "d.goal");
    EXPECT_EQ(ti_test::read_file(folder / "d.goal"), text);
    convert(folder / "c.orr", folder / "e.orr");
    EXPECT_EQ(ti_test::read_file(folder / "e.orr"), ti_test::read_file(folder / "c.orr"));
    // LogGOPSim's binary has 32 bits: the same messages match, under other numbers.
    convert(original, folder / "f.bin");
    convert(folder / "f.bin", folder / "g.goal");
    const Time expected = simulate(load_schedule(original), {}).time;
    for (const char* name : {"c.orr", "e.orr", "f.bin", "g.goal"})
        EXPECT_EQ(simulate(load_schedule(folder / name), {}).time, expected) << name;
}

TEST(WideTags, a_schedule_without_them_is_what_it_was) {
    const ti_test::Folder folder;
    const std::string path = folder / "x.orr";
    const std::unique_ptr<ScheduleSink> writer = make_writer(path, ScheduleFormat::compact);
    read_goal_text(one_message("4294967294", "4294967294"), "x", *writer);
    const Schedule schedule = Schedule::open(path);
    EXPECT_EQ(schedule.header().version, 1u);
    EXPECT_EQ(schedule.header().tags, 0u);
    EXPECT_TRUE(schedule.wide_tags().empty());
}

TEST(WideTags, a_damaged_table_is_refused) {
    const ti_test::Folder folder;
    const std::string path = folder / "x.orr";
    const std::unique_ptr<ScheduleSink> writer = make_writer(path, ScheduleFormat::compact);
    read_goal_text(one_message("18446744073173680704", "18446744073173680704"), "x", *writer);
    const std::string good = ti_test::read_file(path);
    ScheduleHeader header;
    std::memcpy(&header, good.data(), sizeof header);
    ASSERT_EQ(header.version, 2u);
    ASSERT_EQ(header.tags, 1u);
    const auto expect_refused = [&](std::size_t at, char value) {
        std::string bad = good;
        bad[at] = value;
        EXPECT_THROW((void)Schedule::open(folder.write("bad.orr", bad)), InputError) << at;
    };
    expect_refused(header.tags_at, 'x');                  // checksum
    expect_refused(offsetof(ScheduleHeader, tags), 2);    // beyond the end
    expect_refused(offsetof(ScheduleHeader, tags_at), 1); // not aligned
    expect_refused(offsetof(ScheduleHeader, version), 3);
}

TEST(WideTags, bad_ones_are_named) {
    const auto error = [](const std::string& text) -> std::string {
        try {
            (void)schedule_of_text(text);
        } catch (const InputError& found) {
            return found.error().words();
        }
        return "no error";
    };
    EXPECT_EQ(error(one_message("18446744073709551616", "1")),
              "test.goal:3:22: tag 18446744073709551616 is too large (limit 18446744073709551614)");
    EXPECT_EQ(error(one_message("1", "99999999999999999999999")),
              "test.goal:6:24: tag 99999999999999999999999 is too large (limit 18446744073709551614)");
    EXPECT_EQ(error(one_message("18446744073709551615", "1")),
              "test.goal:3:22: tag 18446744073709551615 is -1, any tag: a send needs a tag of its own");
    EXPECT_EQ(error(one_message("00018446744073709551614", "18446744073709551614")), "no error");
}

} // namespace
} // namespace orrery::wide_tags_test
