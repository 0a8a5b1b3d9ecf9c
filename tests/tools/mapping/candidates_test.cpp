#include "tools/mapping/candidates.h"

#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "workload/patterns/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace orrery::candidates_test {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers numbers(const std::vector<HostId>& hosts) {
    Numbers out;
    for (const HostId host : hosts) out.push_back(host.value);
    return out;
}

TEST(MappingCandidates, WordsRunFastestOnTheRight) {
    const HostGrid grid{{2, 3}, 2}; // host = a + 2 b
    EXPECT_EQ(numbers(cores_by_word(grid, "ABT")), (Numbers{0, 0, 2, 2, 4, 4, 1, 1, 3, 3, 5, 5}));
    EXPECT_EQ(numbers(cores_by_word(grid, "BAT")), (Numbers{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}));
    EXPECT_EQ(numbers(cores_by_word(grid, "TBA")), (Numbers{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(numbers(cores_by_word(grid, "BTA")), (Numbers{0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5}));
    for (const char* wrong : {"AB", "AAT", "ABCT", "abt", ""})
        EXPECT_THROW((void)cores_by_word(grid, wrong), UsageError) << wrong;
}

TEST(MappingCandidates, RanksInBlocks) {
    EXPECT_EQ(ranks_by_block({4, 2, 1}, {1, 1, 1}), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(ranks_by_block({4, 2, 1}, {2, 2, 1}), (Numbers{0, 1, 4, 5, 2, 3, 6, 7}));
    EXPECT_EQ(ranks_by_block({3, 2, 1}, {2, 2, 2}), (Numbers{0, 1, 3, 4, 2, 5})); // cut off at the edge
}

TEST(MappingCandidates, HostsInBoxes) {
    const HostGrid grid{{4, 2}, 1};
    EXPECT_EQ(numbers(cores_by_box(grid, 2)), (Numbers{0, 1, 4, 5, 2, 3, 6, 7}));
}

TEST(MappingCandidates, EightyFourOnARackOfBlueGene) {
    const Machine rack = load_machine("blue-gene-q-rack");
    const CommunicationPattern pattern = parse_benchmark("near-neighbour", 16384, 1);
    const auto systematic = systematic_mappings(*rack.platform, pattern);
    EXPECT_EQ(systematic.size(), 84U);
    EXPECT_EQ(systematic.front().name, "ABCDET");
    const auto common = common_mappings(*rack.platform, pattern);
    EXPECT_EQ(common.size(), 2U);
    const auto further = further_mappings(*rack.platform, pattern, 3);
    std::set<std::string> names;
    std::set<Numbers> different;
    for (const auto* each : {&systematic, &common, &further}) {
        for (const CandidateMapping& candidate : *each) {
            EXPECT_TRUE(names.insert(candidate.name).second) << candidate.name;
            if (candidate.name == "metis") continue;
            const Numbers map = numbers(candidate.make());
            ASSERT_EQ(map.size(), 16384U);
            Numbers count(1024, 0);
            for (const std::uint32_t host : map) ++count[host];
            EXPECT_EQ(count, Numbers(1024, 16)) << candidate.name; // all cores, each once
            EXPECT_TRUE(different.insert(map).second) << candidate.name;
        }
    }
    EXPECT_TRUE(names.contains("TDABCE 4x4x4"));
    EXPECT_TRUE(names.contains("random:3"));
}

TEST(MappingCandidates, OnOtherMachines) {
    const CommunicationPattern pattern = parse_benchmark("near-neighbour", 24, 1);
    const auto tree = load_machine("ideal-fat-tree", std::vector<std::string>{"host.cores=1"});
    for (const auto& each : systematic_mappings(*tree.platform, pattern)) EXPECT_EQ(each.make().size(), 24U);
    for (const auto& each : common_mappings(*tree.platform, pattern)) EXPECT_EQ(each.make().size(), 24U);
    for (const auto& each : further_mappings(*tree.platform, pattern, 1)) EXPECT_EQ(each.make().size(), 24U);
    const auto small = load_machine("odin", std::vector<std::string>{"topology.hosts=4", "host.cores=4"});
    EXPECT_THROW((void)systematic_mappings(*small.platform, pattern), UsageError); // 24 ranks on 16 cores
}

TEST(MappingPatterns, TheStencilHasFourteenMessages) {
    EXPECT_EQ(balanced_grid(16384), (std::array<std::uint32_t, 3>{32, 32, 16}));
    EXPECT_EQ(balanced_grid(7), (std::array<std::uint32_t, 3>{7, 1, 1}));
    const CommunicationPattern pattern = parse_benchmark("near-neighbour", 64, 100); // 4 x 4 x 4
    EXPECT_EQ(pattern.messages.size(), 64U * 14);
    std::set<std::uint32_t> partners;
    for (const RankMessage& message : pattern.messages) {
        if (message.from == 0) partners.insert(message.to);
    }
    EXPECT_EQ(partners, (std::set<std::uint32_t>{1, 3, 4, 12, 16, 48, 21, 23, 29, 31, 53, 55, 61, 63}));
}

TEST(MappingPatterns, AlltoallStaysInItsGroup) {
    const CommunicationPattern pattern = parse_benchmark("alltoall:4", 8, 100);
    EXPECT_EQ(pattern.messages.size(), 8U * 3);
    for (const RankMessage& message : pattern.messages) EXPECT_EQ(message.from / 4, message.to / 4);
    EXPECT_EQ(pattern.messages[3], (RankMessage{1, 2, 100}));
    for (const char* wrong : {"alltoall:3", "alltoall:1", "alltoall:16", "alltoall:", "alltoall:x", "near"})
        EXPECT_THROW((void)parse_benchmark(wrong, 8, 100), UsageError) << wrong;
}

// Every pattern can be mapped, with its options; and how its ranks lie is its
// own.
TEST(MappingPatterns, TakesEveryName) {
    for (const PatternInfo& info : patterns()) {
        const CommunicationPattern pattern = parse_benchmark(std::string(info.name), 16, 1000);
        EXPECT_FALSE(pattern.messages.empty()) << info.name;
        const auto& grid = pattern.grid;
        EXPECT_EQ(grid[0] * grid[1] * grid[2], 16U) << info.name;
    }
    const CommunicationPattern stencil = parse_benchmark("stencil-3d:dims=4x2x3:bytes=5", 24, 1000);
    EXPECT_EQ(stencil.grid, (std::array<std::uint32_t, 3>{3, 2, 4}));
    EXPECT_EQ(stencil.messages.front(), (RankMessage{0, 6, 5}));
    EXPECT_EQ(parse_benchmark("stencil-2d:periodic", 16, 1000).messages.size(), 16U * 4);
    for (const char* wrong :
         {"stencil-3d:dims=4x4", "stencil-3d:seed=3", "hotspot", "ring:2", "stencil-3d:periodic:periodic"})
        EXPECT_THROW((void)parse_benchmark(wrong, 24, 100), UsageError) << wrong;
}

} // namespace
} // namespace orrery::candidates_test
