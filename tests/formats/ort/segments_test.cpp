// Segments: every action comes back, loops vanish, and the sizes are as promised.
#include "engine/error.h"
#include "formats/ort/block_writer.h"
#include "formats/ort/layout.h"
#include "formats/ort/segment_layout.h"
#include "streams.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

namespace orrery::segments_test {
namespace {

using namespace recorded_test;

void expect_back(const std::vector<Entry>& entries, std::size_t segment_actions, bool timed = false) {
    const Decoded back = decoded(encoded(entries, segment_actions, timed), timed);
    ASSERT_EQ(back.entries.size(), entries.size());
    EXPECT_LE(back.largest_window, 256U);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        ASSERT_TRUE(same(back.entries[i], entries[i], timed)) << "action " << i;
        ASSERT_EQ(back.entries[i].action.line, i + 1);
    }
}

struct Size {
    double plain = 0;  // bytes per action before compression
    double packed = 0; // and after it, with the headers of the blocks
    double text = 0;
};

// As the tracing library cuts it.
Size size_of(const std::vector<Entry>& entries) {
    const std::vector<std::string> segments = encoded(entries, 16'384);
    recorded::BlockWriter writer(1, 0);
    std::string blocks;
    for (const std::string& segment : segments) writer.append(recorded::BlockKind::segment, segment, blocks);
    const auto n = static_cast<double>(entries.size());
    const Size size{static_cast<double>(bytes_of(segments)) / n, static_cast<double>(blocks.size()) / n,
                    static_cast<double>(text_bytes(entries)) / n};
    testing::Test::RecordProperty("bytes_per_action", std::to_string(size.plain));
    testing::Test::RecordProperty("bytes_per_action_packed", std::to_string(size.packed));
    testing::Test::RecordProperty("bytes_per_action_text", std::to_string(size.text));
    return size;
}

TEST(RecordedSegments, every_kind_comes_back) {
    Stream s;
    for (std::size_t kind = 0; kind < action_kinds; ++kind) s.put(static_cast<ActionKind>(kind));
    for (std::size_t operation = 0; operation < collective_count; ++operation) {
        for (const bool nonblocking : {false, true}) {
            Action& action = s.collective(static_cast<Collective>(operation), 7, {1, 2, 3});
            action.nonblocking = nonblocking;
            action.commutative = operation % 2 == 0;
            action.request = 4;
        }
    }
    std::vector<Entry> sound; // others are refused
    for (const Entry& entry : s.entries) {
        if (ti::fault_of(entry.action, entry.counts, {0xFFFF'FFFF, std::uint64_t{1} << 33}) == nullptr)
            sound.push_back(entry);
    }
    EXPECT_GT(sound.size(), action_kinds);
    expect_back(sound, 1000);
}

TEST(RecordedSegments, largest_and_strangest_values_come_back) {
    Stream s;
    for (const std::uint32_t number : {0U, 1U, 0x7FFF'FFFEU, 0x7FFF'FFFFU, 0x8000'0000U, any_source}) {
        s.message(ActionKind::irecv, number, any_bytes, number, 5);
        s.message(ActionKind::irecv, 1, max_op_size, 3, number);
        s.entries.back().action.comm = 0x7FFF'FFFE;
        Action& action = s.collective(Collective::allreduce, max_op_size);
        action.element = number == 0 ? 1 : number;
        action.volume = 0.1 * number;
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const double volume : {0.0, -0.0, 0.5, 1e-300, 5e-324, 9007199254740991.0, 9007199254740992.0, 1e18,
                                std::numeric_limits<double>::max(), 1.0, 1.25, 3.0})
        s.compute(volume);
    std::erase_if(s.entries, [](const Entry& entry) {
        return ti::fault_of(entry.action, entry.counts, {0xFFFF'FFFF, std::uint64_t{1} << 33}) != nullptr;
    });
    expect_back(s.entries, 1000);
    // What no clock can have measured is refused.
    for (const double volume : {-1.0, infinity, std::numeric_limits<double>::quiet_NaN()}) {
        Stream bad;
        bad.compute(volume);
        EXPECT_THROW((void)decoded(encoded(bad.entries, 10)), InputError);
    }
}

TEST(RecordedSegments, times_come_back) {
    Stream s = stencil(50);
    std::int64_t clock = 17;
    for (Entry& entry : s.entries) {
        entry.times.begin = clock + static_cast<std::int64_t>(s.below(20));
        clock = entry.times.end = entry.times.begin + static_cast<std::int64_t>(s.below(100'000));
    }
    s.entries[7].times = {-5, std::numeric_limits<std::int64_t>::max()};
    for (const std::size_t segment : {1U, 7U, 1000U}) expect_back(s.entries, segment, true);
}

TEST(RecordedSegments, may_be_cut_anywhere) {
    Stream s = irregular(300);
    const Stream regular = wavefront(2);
    s.entries.insert(s.entries.end(), regular.entries.begin(), regular.entries.end());
    for (const std::size_t segment : {1U, 2U, 3U, 5U, 64U, 255U, 256U, 257U, 100'000U})
        expect_back(s.entries, segment);
}

TEST(RecordedSegments, loop_of_any_length_is_stored_once) {
    const auto bytes = [](int turns) {
        Stream s;
        for (int turn = 0; turn < turns; ++turn) {
            s.message(ActionKind::irecv, 3, 800, 7);
            s.message(ActionKind::isend, 3, 800, 7, 1);
            s.compute(1000);
            s.put(ActionKind::wait_all, {0, 1});
        }
        return bytes_of(encoded(s.entries, recorded::most_segment_actions));
    };
    EXPECT_LT(bytes(100), 100U);
    EXPECT_LE(bytes(100'000), bytes(100) + 16);
}

TEST(RecordedSegments, nested_loops_are_stored_once) {
    const auto bytes = [](int turns) {
        Stream s;
        for (int turn = 0; turn < turns; ++turn) {
            for (int inner = 0; inner < 20; ++inner) {
                s.message(ActionKind::recv, 3, 800);
                for (int i = 0; i < 3; ++i) s.message(ActionKind::send, 4, 100);
                s.compute(1000);
            }
            s.collective(Collective::allreduce, 8);
            s.compute(5000);
            s.collective(Collective::barrier, 0);
        }
        return bytes_of(encoded(s.entries, recorded::most_segment_actions));
    };
    EXPECT_LE(bytes(1000), bytes(5) + 16);
}

// By shapes alone it would be a loop of two.
TEST(RecordedSegments, loop_round_neighbours_is_found) {
    const auto bytes = [](int turns) {
        Stream s;
        for (int turn = 0; turn < turns; ++turn) {
            for (const std::uint32_t peer : {3U, 9U, 4U, 20U}) {
                s.compute(1000 * peer);
                s.message(ActionKind::send, peer, 100 + peer);
            }
        }
        return bytes_of(encoded(s.entries, recorded::most_segment_actions));
    };
    EXPECT_LE(bytes(1000), bytes(10) + 16);
}

TEST(RecordedSegments, fields_that_step_evenly_vanish) {
    const auto bytes = [](int turns) {
        Stream s;
        for (int turn = 0; turn < turns; ++turn) {
            const auto t = static_cast<std::uint32_t>(turn);
            s.message(ActionKind::irecv, 3, 800 + 16 * t, 7 + t);
            s.message(ActionKind::send, 3, 900'000 - 8 * t, 7 + t);
            s.wait(0);
            s.put(ActionKind::comm_dup).request = 1 + t;
        }
        return bytes_of(encoded(s.entries, recorded::most_segment_actions));
    };
    EXPECT_LE(bytes(10'000), bytes(20) + 16);
}

TEST(RecordedSegments, lists_that_come_again_are_stored_once) {
    const auto bytes = [](int turns) {
        Stream s;
        for (int turn = 0; turn < turns; ++turn) {
            std::vector<Bytes> counts(2000);
            for (std::size_t i = 0; i < counts.size(); ++i)
                counts[i] = 1000 + i * i % 97 + (turn % 2 == 0 ? 0 : i % 5);
            s.collective(Collective::alltoallv, 5, counts).comm = 1;
            if (turn % 2 == 0) s.collective(Collective::barrier, 0);
        }
        return bytes_of(encoded(s.entries, recorded::most_segment_actions));
    };
    EXPECT_LE(bytes(100), bytes(4) + 16);
}

TEST(RecordedSegments, more_lists_and_shapes_than_have_numbers_come_back) {
    Stream s;
    for (std::uint32_t i = 0; i < 9000; ++i) {
        std::vector<Bytes> counts(1 + i % 40);
        for (Bytes& each : counts) each = s.below(i % 3 == 0 ? 4 : 1000);
        s.put(ActionKind::wait_all, counts);
        if (i % 1000 == 999) s.put(ActionKind::wait_any, std::vector<Bytes>(40'000 + i, 3));
    }
    // Any combination of fields is a shape.
    for (std::uint32_t mask = 0; mask < 256; ++mask) {
        for (int twice = 0; twice < 2; ++twice) {
            Action& action = s.put(ActionKind::compute);
            action.comm = mask & 1U;
            action.peer = mask >> 1 & 1U;
            action.other = mask >> 2 & 1U;
            action.tag = mask >> 3 & 1U;
            action.request = mask >> 4 & 1U;
            action.element = 1 + (mask >> 5 & 1U);
            action.bytes = mask >> 6 & 1U;
            action.more_bytes = mask >> 7 & 1U;
        }
    }
    expect_back(s.entries, recorded::most_segment_actions);
}

TEST(RecordedSegments, stencil_is_20_times_smaller_than_text) {
    const Size size = size_of(stencil(10'000).entries);
    EXPECT_LT(size.plain * 20, size.text) << size.plain << " bytes, text " << size.text;
    EXPECT_LT(size.packed * 20, size.text) << size.packed << " bytes, text " << size.text;
}

TEST(RecordedSegments, action_takes_a_quarter_of_the_text) {
    constexpr double most = 3.6;
    for (const auto& [name, stream] : {std::pair{"wavefront", wavefront(100)},
                                       {"conjugate gradient", conjugate_gradient(40)},
                                       {"irregular", irregular(100'000)}}) {
        const Size size = size_of(stream.entries);
        EXPECT_LT(size.plain, most) << name;
        EXPECT_LT(size.packed, most) << name;
        EXPECT_LT(size.plain * 4, size.text) << name;
    }
}

// docs/format.md explains these bytes.
TEST(RecordedSegments, example_of_the_manual) {
    Stream s;
    std::uint32_t tag = 7;
    for (const double volume : {1000.0, 1007.0, 998.0, 1003.0, 1001.0}) {
        s.message(ActionKind::isend, 0, 800, tag);
        s.message(ActionKind::recv, 0, 800, tag++);
        s.put(ActionKind::wait_all);
        s.compute(volume);
    }
    std::string hex;
    const std::vector<std::string> segments = encoded(s.entries, 100);
    for (const char byte : segments.at(0)) hex += fmt::format("{:02x} ", static_cast<unsigned char>(byte));
    EXPECT_EQ(hex,
              "14 00 00 00 01 00 00 00 00 04 08 15 00 02 00 09 02 00 08 00 06 00 00 00 00 00 00 "
              "00 04 00 5a 00 06 00 4a 00 0b 00 00 00 00 00 80 02 01 03 08 0d 00 09 0e 0e 00 02 02 02 00 00 02 "
              "00 04 c0 0c c0 0c 00 00 00 06 d0 0f 0e 11 0a 03 ");
}

TEST(RecordedSegments, size_is_known_while_it_grows) {
    recorded::SegmentEncoder encoder(false);
    EXPECT_EQ(encoder.bytes(), 0U);
    for (const Entry& entry : irregular(5000).entries) encoder.add(entry.action, entry.counts);
    const std::size_t about = encoder.bytes();
    EXPECT_EQ(encoder.actions(), decoded(encoded(irregular(5000).entries, 100'000)).entries.size());
    std::string segment;
    encoder.take(segment);
    EXPECT_NEAR(static_cast<double>(segment.size()), static_cast<double>(about), 64);
    EXPECT_EQ(encoder.bytes(), 0U);
    EXPECT_EQ(encoder.actions(), 0U);
}

} // namespace
} // namespace orrery::segments_test
