// LogGOPSim's binary schedules: the bytes, and every way in which they can be wrong.
#include "formats/loggopsim/loggopsim_binary.h"
#include "workload/schedule_texts.h"

#include <cstring>
#include <map>
#include <random>

namespace orrery::loggopsim_binary_test {
namespace {

std::string binary_of(const std::vector<RankGraph>& ranks) {
    TemporaryDirectory directory;
    LogGOPSimBinaryWriter writer(directory / "x.bin");
    feed(ranks, writer);
    return contents(directory / "x.bin");
}

std::vector<RankGraph> read_binary(const std::string& bytes) {
    reference::GraphCollector collector;
    read_loggopsim_binary(std::as_bytes(std::span(bytes)), "test.bin", collector);
    return collector.ranks;
}

// Little-endian bytes, written out field by field.
class Bytes {
  public:
    template <typename T> Bytes& operator<<(T value) {
        text_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_;
};

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Two ranks; rank 0: a send, a receive that waits for its start, a computation that waits for both.
std::vector<RankGraph> example() {
    return read_text(
        "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 5 cpu 1 nic 2\nb: recv 9b from -1 tag -1\n"
        "c: calc 100 cpu 3\nc requires a\nb irequires a\nc requires b\n}\nrank 1 {\nd: calc 7\n}\n");
}

std::string example_bytes() {
    Bytes bytes;
    bytes << u64{4223} << u32{2} << u8{3} << u8{2};
    bytes << u64{38} << u64{179} << u64{179} << u64{230}; // of each rank, counted from behind the cookie
    bytes << u32{3} << u32{1} << u32{0};                  // rank 0: three nodes, one root, which is node 0
    bytes << u32{0} << u8{1} << u32{1} << u64{8} << u32{5} << u8{1} << u8{2} << u32{1} << u32{0} << u32{1}
          << u32{1};
    bytes << u32{1} << u8{2} << ~u32{0} << u64{9} << ~u32{0} << u8{0} << u8{0} << u32{1} << u32{2} << u32{0}
          << u32{3};
    bytes << u32{2} << u8{3} << u32{0} << u64{100} << u32{0} << u8{3} << u8{0} << u32{0} << u32{3} << u32{0}
          << u32{3};
    bytes << u32{2} << u32{1} << u32{2}; // dependents: c; b at the start; c
    bytes << u32{1} << u32{1} << u32{0};
    bytes << u32{0} << u8{3} << u32{0} << u64{7} << u32{0} << u8{0} << u8{0} << u32{0} << u32{0} << u32{0}
          << u32{0};
    return bytes.text();
}

constexpr std::size_t rank0 = 8 + 38;
constexpr std::size_t nodes = rank0 + 12;
constexpr std::size_t node = 39;
constexpr std::size_t edges = nodes + 3 * node;

TEST(LogGOPSimBinary, WritesTheLayoutByteForByte) { EXPECT_EQ(binary_of(example()), example_bytes()); }

TEST(LogGOPSimBinary, ReadsTheLayout) {
    const auto ranks = read_binary(example_bytes());
    ASSERT_EQ(ranks.size(), 2U);
    EXPECT_EQ(ranks[0].ops, example()[0].ops);
    EXPECT_EQ(ranks[1].ops, example()[1].ops);
    EXPECT_EQ(ranks[0].dependencies, (std::vector<Dependency>{{0, 2, false}, {0, 1, true}, {1, 2, false}}));
}

TEST(LogGOPSimBinary, WhatHasNoMeaningIsNotLookedAt) {
    std::string bytes = example_bytes();
    const u32 junk = 999;
    std::memcpy(bytes.data() + nodes + 2 * node + 5, &junk, 4);  // the peer of a computation
    std::memcpy(bytes.data() + nodes + 2 * node + 27, &junk, 4); // where its dependents would be, if it had any
    bytes[nodes + 2 * node + 22] = 77;                           // its NIC
    EXPECT_EQ(read_binary(bytes)[0].ops, example()[0].ops);
}

// Patches `width` bytes of the example.
struct Damage {
    std::size_t at;
    std::size_t width;
    u64 value;
    std::size_t reported_at;
    const char* reason;
};

TEST(LogGOPSimBinary, DamageIsFoundWithItsPosition) {
    const Damage damages[] = {
        {0, 8, 2342, 0, "--save-mem"},
        {0, 8, 4224, 0, "begins with 4224, not with the cookie 4223"},
        {8, 4, 0, 8, "empty schedule"},
        {8, 4, 0x80000000, 8, "2147483648 ranks are too many"},
        {8, 4, 20, 238, "the file ends within its table of 20 ranks"},
        {12, 1, 2, nodes + 2 * node + 21, "cpu 3, but the header says 2 is the last"},
        {13, 1, 1, nodes + 22, "nic 2, but the header says 1 is the last"},
        {14, 8, 37, 14, "rank 0 has the offset 37, expected 38 to 230"},
        {14, 8, 231, 14, "rank 0 has the offset 231, expected 38 to 230"},
        {14, 8, ~u64{0}, 14, "rank 0 has the offset"},
        {22, 8, 37, 22, "rank 0 ends at the offset 37"},
        {22, 8, 231, 22, "rank 0 ends at the offset 231, expected 38 to 230"},
        {22, 8, ~u64{0}, 22, "rank 0 ends at the offset"},
        {22, 8, 45, rank0, "rank 0 is shorter than its counts"},
        {30, 8, 178, 30, "rank 1 has the offset 178, expected 179 to 230"},
        {22, 8, 178, edges, "no whole number of entries"},
        {22, 8, 175, nodes + node + 23, "the dependents 2 to 2 are named, but 2 are stored"},
        {rank0, 4, 4, rank0, "rank 0 has 4 operations"},
        {rank0, 4, ~u32{0}, rank0, "rank 0 has 4294967295 operations"},
        {rank0 + 4, 4, ~u32{0}, rank0, "4294967295 of them free to start"},
        {rank0 + 8, 4, 1, rank0 + 8, "operation 0 waits for nothing, but is not listed here"},
        {nodes, 4, 1, nodes, "operation 0 is said to wait for 1 others, but 0 name it"},
        {nodes + 2 * node, 4, 1, nodes + 2 * node, "operation 2 is said to wait for 1 others, but 2 name it"},
        {nodes + 4, 1, 0, nodes + 4, "unknown type of operation 0"},
        {nodes + 4, 1, 4, nodes + 4, "unknown type of operation 4"},
        {nodes + 5, 4, 2, nodes + 5, "rank 2 does not exist: there are 2 ranks"},
        {nodes + 5, 4, ~u32{0}, nodes + 5, "rank 4294967295 does not exist"},
        {nodes + node + 5, 4, 2, nodes + node + 5, "rank 2 does not exist"},
        {nodes + 9, 8, max_op_size + 1, nodes + 9, "size 4611686018427387904 is too large"},
        {nodes + 2 * node + 9, 8, 4611686018427388, nodes + 2 * node + 9, "calc 4611686018427388 is too large"},
        {nodes + 17, 4, ~u32{0}, nodes + 17, "a send needs a tag of its own"},
        {nodes + 23, 4, 4, nodes + 23, "the dependents 0 to 3 are named, but 3 are stored"},
        {nodes + 27, 4, 3, nodes + 23, "the dependents 3 to 3 are named, but 3 are stored"},
        {nodes + 23, 4, 0, edges, "3 dependents are stored, but the operations name 2"},
        {nodes + 23, 4, 3, nodes + 31, "are named, but 3 are stored"},
        {nodes + 23, 4, ~u32{0}, nodes + 23, "are named, but 3 are stored"},
        {edges, 4, 3, edges, "operation 3 is named as a dependent, but there are 3"},
        {edges, 4, 0, nodes, "operation 0 is said to wait for 0 others, but 1 name it"},
    };
    for (const Damage& damage : damages) {
        std::string bytes = example_bytes();
        std::memcpy(bytes.data() + damage.at, &damage.value, damage.width);
        const Error error = error_of([&] { read_binary(bytes); });
        EXPECT_EQ(error.file, "test.bin");
        EXPECT_EQ(error.reason.find("byte " + std::to_string(damage.reported_at) + ": "), 0U)
            << "byte " << damage.at << " = " << damage.value << ": " << error.words();
        EXPECT_NE(error.reason.find(damage.reason), std::string::npos) << error.words();
    }
}

TEST(LogGOPSimBinary, CyclesAreFound) {
    std::string bytes = binary_of(
        read_text("num_ranks 1 rank 0 {\nx: calc 0\na: calc 1\nb: calc 2\nb requires a\na requires x\n}"));
    // b, the dependent of a, becomes a itself.
    const std::size_t first_node = 14 + 16 + 8 + 4;
    const u32 a = 1;
    std::memcpy(bytes.data() + first_node + 3 * node + 4, &a, 4);
    const u32 two = 2;
    const u32 none = 0;
    std::memcpy(bytes.data() + first_node + node, &two, 4);
    std::memcpy(bytes.data() + first_node + 2 * node, &none, 4);
    // b is free to start now: list it.
    const u32 roots = 2;
    const u32 b = 2;
    std::memcpy(bytes.data() + 34, &roots, 4);
    bytes.insert(42, reinterpret_cast<const char*>(&b), 4);
    u64 end = 0;
    std::memcpy(&end, bytes.data() + 22, 8);
    end += 4;
    std::memcpy(bytes.data() + 22, &end, 8);
    const Error error = error_of([&] { read_binary(bytes); });
    EXPECT_NE(error.reason.find("cycle"), std::string::npos) << error.words();
}

TEST(LogGOPSimBinary, NoOperationsAtAll) {
    EXPECT_NE(error_of([] { read_binary(binary_of(std::vector<RankGraph>(3))); }).reason.find("empty schedule"),
              std::string::npos);
}

TEST(LogGOPSimBinary, EveryTruncationIsAnError) {
    const std::string bytes = example_bytes();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_NE(error_of([&] { read_binary(bytes.substr(0, length)); }).reason, "no error") << length;
    }
}

TEST(LogGOPSimBinary, EveryChangedByteIsReadOrRefused) {
    const std::string bytes = example_bytes();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (int byte = 0; byte < 256; ++byte) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(byte);
            const Error error = error_of([&] { read_binary(changed); });
            EXPECT_FALSE(error.reason.empty());
        }
    }
}

TEST(LogGOPSimBinary, KeepsEachOperationsDependentsInOrder) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 100; ++round) {
        const std::vector<RankGraph> ranks = random_ranks(random);
        const std::string bytes = binary_of(ranks);
        const std::vector<RankGraph> back = read_binary(bytes);
        ASSERT_EQ(back.size(), ranks.size());
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            EXPECT_EQ(back[rank].ops, ranks[rank].ops);
            const auto dependents = [](const RankGraph& graph) {
                std::map<std::pair<u32, bool>, std::vector<u32>> lists;
                for (const Dependency& d : graph.dependencies) lists[{d.before, d.on_start}].push_back(d.after);
                return lists;
            };
            EXPECT_EQ(dependents(back[rank]), dependents(ranks[rank]));
        }
        EXPECT_EQ(binary_of(back), bytes);
    }
}

TEST(LogGOPSimBinary, ManyRanks) {
    // More than the writer keeps of its table, and an uneven number.
    std::vector<RankGraph> ranks(140'001);
    for (std::size_t rank = 0; rank < ranks.size(); rank += 7) ranks[rank].add(calc_op(rank * 1000));
    expect_same(ranks, read_binary(binary_of(ranks)));
}

TEST(LogGOPSimBinary, WhatDoesNotFitIsAnError) {
    const auto refusal = [](const Op& op) {
        std::vector<RankGraph> ranks(2);
        ranks[1].add(calc_op(1000));
        ranks[1].add(op);
        TemporaryDirectory directory;
        const std::string path = directory / "x.bin";
        const Error error = error_of([&] {
            LogGOPSimBinaryWriter writer(path);
            feed(ranks, writer);
        });
        const bool refused = error.reason != "no error";
        EXPECT_EQ(error.file, refused ? path : "");
        EXPECT_EQ(directory.files(), refused ? 0U : 1U) << "nothing is left behind";
        return error.reason;
    };
    EXPECT_NE(refusal(calc_op(1001)).find("rank 1, operation 2 (calc 1001 ps) cannot be written"),
              std::string::npos);
    EXPECT_NE(refusal(send_op(0, 1, 0, 256)).find("rank 1, operation 2 (send 1 B to 0 tag 0) uses cpu 256"),
              std::string::npos);
    EXPECT_NE(refusal(recv_op(0, 1, 0, 0, 256)).find("nic 256"), std::string::npos);
    EXPECT_EQ(refusal(recv_op(0, max_op_size, 0, 255, 255)), "no error");
}

TEST(LogGOPSimBinary, FilesThatCannotBeMapped) {
    reference::GraphCollector collector;
    TemporaryDirectory directory;
    put(directory / "empty.bin", "");
    EXPECT_NE(error_of([&] {
                  read_loggopsim_binary(directory / "empty.bin", collector);
              }).reason.find("byte 0: the file ends"),
              std::string::npos);
    EXPECT_NE(error_of([&] {
                  read_loggopsim_binary(directory / "none.bin", collector);
              }).reason.find("cannot be opened"),
              std::string::npos);
    EXPECT_NE(error_of([&] { read_loggopsim_binary("/", collector); }).reason.find("not a regular file"),
              std::string::npos);
}

} // namespace
} // namespace orrery::loggopsim_binary_test
