// The event log: numbers and contents of events, in memory and in the file.
#include "results/event_log.h"

#include <gtest/gtest.h>

namespace orrery::event_log_test {
namespace {

LoggedEvent numbered(std::uint32_t number) {
    LoggedEvent event;
    event.start = Time::ps(number);
    event.end = Time::ps(2 * std::int64_t{number});
    event.bytes = std::uint64_t{number} << 20;
    event.cause = number / 2;
    event.rank = number % 7;
    event.how = EventCause::arrival;
    return event;
}

void write_and_read(std::size_t in_memory, bool spills) {
    constexpr std::uint32_t count = 300'000; // 12 MB
    EventLog log(in_memory);
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(log.add(numbered(i)), i);
    EXPECT_EQ(log.size(), count);
    EXPECT_EQ(log.spilled_bytes() > 0, spills);
    std::uint32_t read = 0;
    for (std::uint32_t i = count; i-- > 0; i = i > 1000 ? i - i % 13 : i) {
        const LoggedEvent event = log.read(i);
        ASSERT_EQ(event.start, Time::ps(i));
        ASSERT_EQ(event.end, Time::ps(2 * std::int64_t{i}));
        ASSERT_EQ(event.bytes, std::uint64_t{i} << 20);
        ASSERT_EQ(event.cause, i / 2);
        ASSERT_EQ(event.rank, i % 7);
        ASSERT_EQ(event.how, EventCause::arrival);
        ++read;
    }
    EXPECT_GT(read, count / 20);
}

TEST(EventLog, KeepsItsEventsInMemory) { write_and_read(std::size_t{64} << 20, false); }
TEST(EventLog, PutsWhatDoesNotFitIntoMemoryIntoAFile) { write_and_read(std::size_t{3} << 20, true); }
TEST(EventLog, WorksWithLittleMemory) { write_and_read(0, true); }

} // namespace
} // namespace orrery::event_log_test
