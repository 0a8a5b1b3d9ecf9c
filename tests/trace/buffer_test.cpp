#include "trace/buffer.h"

#include "trace/buffer_record.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

namespace orrery::trace::buffer_test {
namespace {

using namespace std::chrono_literals;

Action random_action(std::mt19937_64& random) {
    Action action;
    action.kind = static_cast<ActionKind>(random() % action_kinds);
    action.comm = static_cast<std::uint32_t>(random() % 5);
    const RecordLayout layout = layout_of(action.kind, false);
    if (layout == RecordLayout::volume) {
        action.volume = static_cast<double>(random() % 1000000);
        return action;
    }
    action.request = static_cast<std::uint32_t>(random());
    if (layout == RecordLayout::request) {
        return action;
    }
    action.peer = static_cast<std::uint32_t>(random());
    action.tag = static_cast<std::uint32_t>(random());
    action.other = static_cast<std::uint32_t>(random());
    action.bytes = random();
    if (layout == RecordLayout::full) {
        action.collective = static_cast<Collective>(random() % collective_count);
        action.nonblocking = random() % 2 == 0;
        action.commutative = random() % 2 == 0;
        action.element = static_cast<std::uint32_t>(random());
        action.more_bytes = random();
        action.volume = static_cast<double>(random() % 100);
    }
    return action;
}

void expect_same(const Action& a, const Action& b) {
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.collective, b.collective);
    EXPECT_EQ(a.nonblocking, b.nonblocking);
    EXPECT_EQ(a.commutative, b.commutative);
    EXPECT_EQ(a.comm, b.comm);
    EXPECT_EQ(a.peer, b.peer);
    EXPECT_EQ(a.other, b.other);
    EXPECT_EQ(a.tag, b.tag);
    EXPECT_EQ(a.request, b.request);
    EXPECT_EQ(a.element, b.element);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.more_bytes, b.more_bytes);
    EXPECT_EQ(a.volume, b.volume);
}

TEST(TraceRecord, ComesBackAsItWas) {
    std::mt19937_64 random(1);
    for (const bool timed : {false, true}) {
        for (int i = 0; i < 2000; ++i) {
            const Action action = random_action(random);
            std::vector<Bytes> counts(layout_of(action.kind, false) == RecordLayout::full ? random() % 5 : 0);
            std::generate(counts.begin(), counts.end(), random);
            const RecordTimes times{random(), random()};
            const RecordLayout layout = layout_of(action.kind, !counts.empty());
            const std::size_t bytes = record_bytes(layout, timed, counts.size());
            EXPECT_EQ(bytes % 8, 0U);
            std::vector<std::uint64_t> room(bytes / 8);
            auto* const data = reinterpret_cast<std::byte*>(room.data());
            pack_record(action, layout, timed ? &times : nullptr, counts, data);
            const UnpackedRecord record = unpack_record(data, timed);
            EXPECT_EQ(record.bytes, bytes);
            expect_same(record.action, action);
            EXPECT_TRUE(std::equal(counts.begin(), counts.end(), record.counts.begin(), record.counts.end()));
            if (timed) {
                EXPECT_EQ(record.times.begin, times.begin);
                EXPECT_EQ(record.times.end, times.end);
            }
        }
    }
}

void fill(Buffers& buffers, std::uint64_t value, std::size_t words) {
    std::byte* const room = buffers.room(words * 8);
    ASSERT_NE(room, nullptr);
    for (std::size_t i = 0; i < words; ++i) {
        std::memcpy(room + i * 8, &value, 8);
    }
    buffers.filled(words * 8);
}

// A fast and a slow side, either way round: every word arrives once and in order, whatever its record's size.
TEST(TraceBuffers, EverythingArrivesInOrder) {
    for (const bool slow_reader : {false, true}) {
        Buffers buffers;
        ASSERT_TRUE(buffers.open(4096));
        std::vector<std::uint64_t> got;
        std::thread reader([&] {
            std::span<const std::byte> records;
            for (;;) {
                const Buffers::Taken taken = buffers.take(1ms, records);
                if (taken == Buffers::Taken::closed) {
                    return;
                }
                if (taken == Buffers::Taken::nothing) {
                    buffers.hurry();
                    continue;
                }
                for (std::size_t i = 0; i < records.size(); i += 8) {
                    std::uint64_t value = 0;
                    std::memcpy(&value, records.data() + i, 8);
                    got.push_back(value);
                }
                if (slow_reader) {
                    std::this_thread::sleep_for(200us);
                }
                buffers.release();
            }
        });
        std::vector<std::uint64_t> given;
        std::mt19937_64 random(2);
        for (std::uint64_t i = 0; i < 5000; ++i) {
            // Now and then one that is larger than a buffer.
            const std::size_t words = i % 1000 == 999 ? 5000 : 1 + random() % 20;
            fill(buffers, i, words);
            given.insert(given.end(), words, i);
            if (!slow_reader && i % 500 == 0) {
                std::this_thread::sleep_for(3ms);
            }
        }
        buffers.close();
        reader.join();
        EXPECT_EQ(got, given);
        if (slow_reader) {
            EXPECT_GT(buffers.waited_ticks(), 0U);
        }
    }
}

TEST(TraceBuffers, WhatIsAskedForComesEarly) {
    Buffers buffers;
    ASSERT_TRUE(buffers.open(1U << 20U));
    std::span<const std::byte> records;
    fill(buffers, 1, 1);
    EXPECT_EQ(buffers.take(0ms, records), Buffers::Taken::nothing);
    buffers.hurry();
    EXPECT_EQ(buffers.take(0ms, records), Buffers::Taken::nothing);
    fill(buffers, 2, 1);
    EXPECT_EQ(buffers.take(0ms, records), Buffers::Taken::records);
    EXPECT_EQ(records.size(), 8U);
    buffers.hurry(); // the other one is still being emptied: no waiting
    fill(buffers, 3, 1);
    buffers.release();
    EXPECT_EQ(buffers.take(0ms, records), Buffers::Taken::nothing);
    buffers.close();
    EXPECT_EQ(buffers.take(0ms, records), Buffers::Taken::records);
    EXPECT_EQ(records.size(), 16U);
    buffers.release();
    EXPECT_EQ(buffers.take(0ms, records), Buffers::Taken::closed);
}

TEST(TraceBuffers, CalibrationLeavesNothing) {
    Buffers buffers;
    ASSERT_TRUE(buffers.open(4096));
    fill(buffers, 1, 10);
    buffers.discard();
    buffers.close();
    std::span<const std::byte> records;
    EXPECT_EQ(buffers.take(0ms, records), Buffers::Taken::closed);
}

} // namespace
} // namespace orrery::trace::buffer_test
