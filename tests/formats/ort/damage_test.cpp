// Segments whose checksum is right and whose contents are not: refused or sound, never a crash.
#include "engine/error.h"
#include "formats/ort/column_writer.h"
#include "formats/ort/layout.h"
#include "formats/ort/segment_layout.h"
#include "streams.h"

#include <array>
#include <gtest/gtest.h>

namespace orrery::damage_test {
namespace {

using namespace recorded_test;

// A segment by hand: its columns as numbers.
struct ByHand {
    std::uint32_t actions = 1;
    std::vector<std::uint64_t> head{0, 0, 0}; // flags, farthest repeat in actions and in fields
    std::array<std::vector<std::uint64_t>, recorded::columns> columns{};

    [[nodiscard]] std::string bytes() const {
        std::string out;
        const recorded::SegmentHead front{actions, 0};
        out.append(reinterpret_cast<const char*>(&front), sizeof front);
        const auto put = [&](std::uint64_t value, std::string& to) {
            std::array<std::uint8_t, 10> room{};
            const auto* const end = recorded::put_varint(room.data(), value);
            to.append(reinterpret_cast<const char*>(room.data()), static_cast<std::size_t>(end - room.data()));
        };
        for (const std::uint64_t value : head) put(value, out);
        std::array<std::string, recorded::columns> packed;
        for (std::size_t i = 0; i < recorded::columns; ++i) {
            for (const std::uint64_t value : columns[i]) put(value, packed[i]);
            put(packed[i].size(), out);
        }
        for (const std::string& column : packed) out += column;
        return out;
    }
    // Without the words that all have.
    [[nodiscard]] std::string error() const {
        try {
            (void)decoded(std::vector{bytes()});
        } catch (const InputError& error) {
            const std::string words = error.what();
            const std::string same = "segments: block 1 of rank 0, at byte 0, is damaged: ";
            return words.starts_with(same) ? words.substr(same.size()) : words;
        }
        return {};
    }
};

constexpr std::uint64_t barrier = static_cast<std::uint64_t>(ActionKind::collective);
constexpr std::uint64_t volume_only = 1U << static_cast<unsigned>(recorded::Field::volume);
constexpr std::uint64_t list_only = 1U << static_cast<unsigned>(recorded::Field::list);
constexpr std::uint64_t wait_all = static_cast<std::uint64_t>(ActionKind::wait_all);
constexpr std::size_t volume_column =
    recorded::first_field_column + static_cast<std::size_t>(recorded::Field::volume);
constexpr std::size_t list_column =
    recorded::first_field_column + static_cast<std::size_t>(recorded::Field::list);

TEST(RecordedDamage, by_hand_is_as_the_encoder_does_it) {
    ByHand segment;
    segment.actions = 1'000'000;
    segment.head = {0, 1, 0};
    segment.columns[0] = {0, barrier, 0, 0, 2, 999'998};
    EXPECT_EQ(segment.error(), "");
    ByHand compute;
    compute.columns[0] = {0, 0, 0, volume_only};
    compute.columns[volume_column] = {20};
    EXPECT_EQ(decoded(std::vector{compute.bytes()}).entries.at(0).action.volume, 10);
}

TEST(RecordedDamage, what_cannot_be_is_refused) {
    const auto with = [](std::uint32_t actions, std::vector<std::uint64_t> head,
                         std::vector<std::uint64_t> shapes) {
        ByHand segment;
        segment.actions = actions;
        segment.head = std::move(head);
        segment.columns[0] = std::move(shapes);
        return segment.error();
    };
    EXPECT_EQ(with(0, {0, 0, 0}, {}), "it has no actions, or too many");
    EXPECT_EQ(with(4'000'000'000U, {0, 1, 0}, {0, barrier, 0, 0, 2, 4'000'000'000U}),
              "it has no actions, or too many");
    EXPECT_EQ(with(10, {0, 1, 0}, {0, barrier, 0, 0, 2, 4'000'000'000U}),
              "a repeat is longer than the segment");
    EXPECT_EQ(with(10, {0, 1, 0}, {0, barrier, 0, 0, 2, 7}), "a column ends too early");
    EXPECT_EQ(with(10, {0, 1, 0}, {0, barrier, 0, 0, 2, 8, 1}), "its columns hold more than its actions");
    EXPECT_EQ(with(10, {0, 1, 0}, {0, barrier, 0, 0, 4, 8}), "a repeat goes back too far");
    EXPECT_EQ(with(10, {0, 0, 0}, {0, barrier, 0, 0, 2, 8}), "a repeat goes back too far");
    EXPECT_EQ(with(1, {0, 0, 0}, {3}), "an action has a shape that is not there");
    EXPECT_EQ(with(1, {0, 0, 0}, {0, action_kinds, 0, 0}), "an action of an unknown kind");
    EXPECT_EQ(with(1, {0, 0, 0}, {0, barrier, collective_count, 0}), "an unknown collective operation");
    EXPECT_EQ(with(1, {0, 0, 0}, {0, barrier, 0, 1U << 11}), "an action with unknown fields");
    EXPECT_EQ(with(1, {2, 0, 0}, {0, barrier, 0, 0}), "its head holds a number that is too large");
    EXPECT_EQ(with(1, {0, 5000, 0}, {0, barrier, 0, 0}), "its head holds a number that is too large");
    EXPECT_EQ(with(1, {0, 0, 50'000}, {0, barrier, 0, 0}), "its head holds a number that is too large");
}

TEST(RecordedDamage, values_that_cannot_be_are_refused) {
    ByHand volume;
    volume.columns[0] = {0, 0, 0, volume_only};
    volume.columns[volume_column] = {1};
    EXPECT_EQ(volume.error(), "a volume is out of range");
    volume.columns[volume_column] = {};
    EXPECT_EQ(volume.error(), "a column ends too early");
    volume.columns[volume_column] = {2, 2, 5};
    EXPECT_EQ(volume.error(), "its columns hold more than its actions");
    ByHand peer;
    peer.columns[0] = {0, 2, 0, 1U << static_cast<unsigned>(recorded::Field::peer)};
    peer.columns[recorded::first_field_column + 1] = {std::uint64_t{1} << 33};
    EXPECT_EQ(peer.error(), "a number is too large");
}

TEST(RecordedDamage, lists_that_cannot_be_are_refused) {
    const auto with = [](std::vector<std::uint64_t> numbers, std::vector<std::uint64_t> lengths,
                         std::vector<std::uint64_t> elements) {
        ByHand segment;
        segment.columns[0] = {0, wait_all, 0, list_only};
        segment.columns[list_column] = std::move(numbers);
        segment.columns[recorded::length_column] = std::move(lengths);
        segment.columns[recorded::element_column] = std::move(elements);
        return segment.error();
    };
    EXPECT_EQ(with({2}, {2}, {2}), "");
    EXPECT_EQ(with({4}, {2}, {2}), "an action has a list that is not there");
    EXPECT_EQ(with({2}, {0, 0}, {}), "a list has no elements, or too many");
    EXPECT_EQ(with({2}, {std::uint64_t{1} << 40}, {0, 1U << 30}), "a list has no elements, or too many");
    EXPECT_EQ(with({2}, {80'000}, {0, 39'999}), "too many lists are to be remembered");
    EXPECT_EQ(with({0, 0}, {80'000}, {0, 39'999}), ""); // without a number it may be long
    EXPECT_EQ(with({2}, {20}, {2}), "a column ends too early");
}

TEST(RecordedDamage, any_byte_may_be_wrong) {
    Stream s = irregular(200);
    const Stream more = stencil(20);
    s.entries.insert(s.entries.end(), more.entries.begin(), more.entries.end());
    s.collective(Collective::alltoallv, 3, std::vector<Bytes>(30, 17)).comm = 3;
    const std::vector<std::string> segments = encoded(s.entries, 100'000, true);
    ASSERT_EQ(segments.size(), 1U);
    std::size_t refused = 0;
    std::size_t read = 0;
    for (std::size_t byte = 0; byte < segments[0].size(); ++byte) {
        for (const int bit : {0, 3, 7}) {
            std::vector<std::string> damaged = segments;
            damaged[0][byte] = static_cast<char>(damaged[0][byte] ^ (1 << bit));
            try {
                read += decoded(damaged, true).entries.size();
            } catch (const InputError&) {
                ++refused;
            }
        }
    }
    EXPECT_GT(refused, segments[0].size());
    EXPECT_GT(read, 0U);
    for (std::size_t bytes = 0; bytes < segments[0].size(); ++bytes) {
        const std::vector<std::string> cut{segments[0].substr(0, bytes)};
        EXPECT_THROW((void)decoded(cut, true), InputError) << bytes;
    }
}

} // namespace
} // namespace orrery::damage_test
