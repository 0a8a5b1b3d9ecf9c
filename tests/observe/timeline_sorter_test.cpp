#include "observe/timeline_sorter.h"

#include "engine/error.h"
#include "observe/temporary_file.h"

#include <gtest/gtest.h>

#include <random>

namespace orrery::timeline_sorter_test {
namespace {

using observe_test::temporary_file;

// The slow obvious twin: all in memory, stable by time.
std::vector<TimelineEvent> sorted(std::vector<TimelineEvent> events) {
    std::stable_sort(events.begin(), events.end(),
                     [](const TimelineEvent& a, const TimelineEvent& b) { return a.time < b.time; });
    return events;
}

void check(std::size_t count, std::size_t run_events, std::int64_t range) {
    std::mt19937_64 random(count + run_events);
    TimelineSorter sorter(temporary_file("sorter_test"), run_events);
    std::vector<TimelineEvent> events(count);
    for (std::size_t i = 0; i < count; ++i) {
        events[i].time = Time::ps(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(range)));
        events[i].number = i;
        events[i].bytes = random();
        events[i].rank = static_cast<std::uint32_t>(random());
        sorter.add(events[i]);
    }
    const std::vector<TimelineEvent> expected = sorted(std::move(events));
    std::size_t at = 0;
    sorter.drain([&](const TimelineEvent& event) {
        ASSERT_LT(at, expected.size());
        EXPECT_EQ(event.number, expected[at].number);
        EXPECT_EQ(event.time, expected[at].time);
        EXPECT_EQ(event.bytes, expected[at].bytes);
        EXPECT_EQ(event.rank, expected[at].rank);
        ++at;
    });
    EXPECT_EQ(at, count);
}

TEST(TimelineSorter, SortsInMemory) {
    check(0, 100, 10);
    check(1, 100, 10);
    check(99, 100, 10);
}

TEST(TimelineSorter, MergesRunsAndKeepsTheOrderOfEqualTimes) {
    check(100, 100, 10); // exactly one run
    check(101, 100, 10);
    check(5'000, 7, 50);
    check(5'000, 1, 1'000'000);
    check(50'000, 1'000, 2'000);
}

TEST(TimelineSorter, RefillsTheBuffersOfLongRuns) {
    check(300'000, 2'000, 100'000); // 150 runs
}

TEST(TimelineSorter, LeavesNoFileBehind) {
    const std::string path = temporary_file("sorter_leaves_nothing");
    {
        TimelineSorter sorter(path, 2);
        for (int i = 0; i < 10; ++i) sorter.add({});
    }
    for (const auto& entry : std::filesystem::directory_iterator(testing::TempDir()))
        EXPECT_EQ(entry.path().filename().string().find("sorter_leaves_nothing"), std::string::npos);
}

TEST(TimelineSorter, FailsWhereItCannotWrite) {
    TimelineSorter sorter(temporary_file("no/such/folder/x"), 2);
    sorter.add({});
    EXPECT_THROW(sorter.add({}), InputError);
}

} // namespace
} // namespace orrery::timeline_sorter_test
