// The collectives do what they are for: the data gets where it should, through what the sends wait for.
#include "cases.h"
#include "play.h"

#include <gtest/gtest.h>

#include <bitset>

namespace orrery::delivery_test {
namespace {

std::vector<play::Ranks> known(const std::string& pattern, PatternOptions options, bool carries_all = false) {
    const auto made = make_pattern(pattern, options);
    return play::Player(play::programs(*made, options.ranks), {false, 0, carries_all}).run().known;
}

PatternOptions defaults(const std::string& pattern, std::uint32_t ranks) {
    PatternOptions options = find_pattern(pattern).defaults;
    options.ranks = ranks;
    return options;
}

void expect_everybody_hears_everybody(const std::string& pattern, double reduce_cost, bool carries_all) {
    for (const std::uint32_t ranks : play::rank_counts()) {
        PatternOptions options = defaults(pattern, ranks);
        options.reduce_cost = reduce_cost;
        for (const auto& who : known(pattern, options, carries_all)) {
            ASSERT_EQ(who.count(), ranks) << pattern << " over " << ranks;
        }
    }
}

TEST(Delivery, EverybodyHearsFromEverybody) {
    for (const char* pattern :
         {"linear-barrier", "ring-allgather", "ring-allreduce", "recursive-doubling-allgather",
          "recursive-doubling-allreduce", "rabenseifner-allreduce", "linear-alltoall", "linear-alltoallv",
          "pairwise-alltoall", "rolling-alltoall", "bruck-alltoall"}) {
        expect_everybody_hears_everybody(pattern, 0, false);
    }
    for (const char* pattern : {"ring-allreduce", "recursive-doubling-allreduce", "rabenseifner-allreduce"}) {
        expect_everybody_hears_everybody(pattern, 100, false);
    }
}

// In these, which follow LogGOPSim, a send waits for the receive before it and not for all before: that is
// enough only as long as the ranks keep step.
TEST(Delivery, EverybodyHearsFromEverybodyInStep) {
    for (const char* pattern : {"dissemination", "nway-dissemination", "chained-dissemination", "resnet",
                                "halving-doubling-allreduce"}) {
        expect_everybody_hears_everybody(pattern, 0, true);
        expect_everybody_hears_everybody(pattern, 100, true);
    }
}

TEST(Delivery, BroadcastsReachAllFromAnyRoot) {
    for (const char* pattern :
         {"binomial-bcast", "binary-bcast", "kary-bcast", "scatter", "pipelined-ring", "pipelined-ring-dep"}) {
        for (const std::uint32_t ranks : play::rank_counts()) {
            for (const std::uint32_t root : {0u, ranks / 2, ranks - 1}) {
                PatternOptions options = defaults(pattern, ranks);
                options.root = root;
                for (const auto& who : known(pattern, options)) {
                    ASSERT_TRUE(who[root]) << pattern << " over " << ranks << " from " << root;
                }
            }
        }
    }
}

TEST(Delivery, ReductionsReachAnyRootFromAll) {
    for (const char* pattern : {"binomial-reduce", "binary-reduce", "kary-reduce", "gather", "incast"}) {
        for (const std::uint32_t ranks : play::rank_counts()) {
            for (const std::uint32_t root : {0u, ranks / 2, ranks - 1}) {
                PatternOptions options = defaults(pattern, ranks);
                options.root = root;
                ASSERT_EQ(known(pattern, options)[root].count(), ranks) << pattern << " to " << root;
                if (std::string_view(pattern).ends_with("reduce")) {
                    options.reduce_cost = 100;
                    ASSERT_EQ(known(pattern, options)[root].count(), ranks) << pattern << " to " << root;
                }
            }
        }
    }
}

// A wavefront that starts at one corner reaches the opposite one through every rank between.
TEST(Delivery, SweepReachesTheOppositeCorner) {
    PatternOptions options = defaults("sweep", 20);
    options.dims = {5, 4, 0};
    options.octants = 1;
    const auto one = known("sweep", options);
    EXPECT_EQ(one[19].count(), 20u);
    EXPECT_EQ(one[0].count(), 1u);
    options.octants = 8;
    for (const auto& who : known("sweep", options)) EXPECT_EQ(who.count(), 20u);
}

TEST(Delivery, StencilHearsFromAsFarAsItIterates) {
    PatternOptions options = defaults("stencil-2d", 49);
    options.dims = {7, 7, 0};
    options.iterations = 2;
    EXPECT_EQ(known("stencil-2d", options)[24].count(), 13u); // all within two steps of the centre
    options.periodic = true;
    for (const auto& who : known("stencil-2d", options)) EXPECT_EQ(who.count(), 13u);
    PatternOptions cube = defaults("stencil-3d", 27);
    EXPECT_EQ(known("stencil-3d", cube)[13].count(), 7u);
    EXPECT_EQ(known("stencil-3d", cube)[0].count(), 4u);
}

TEST(Delivery, ShiftsHearFromTheirPartnersOnly) {
    PatternOptions options = defaults("shift-exchange", 12);
    options.distance = 4;
    const auto once = known("shift-exchange", options);
    EXPECT_EQ(once[0].count(), 2u); // itself and rank 4
    EXPECT_TRUE(once[0][4]);
    EXPECT_EQ(once[5].count(), 3u); // and ranks 1 and 9
    EXPECT_TRUE(once[5][1] && once[5][9]);
    options.iterations = 2;
    EXPECT_TRUE(known("shift-exchange", options)[0][8]);
    options.periodic = true;
    options.distance = 6; // both partners are the same rank
    EXPECT_EQ(known("shift-exchange", options)[0].count(), 2u);
}

// Bytes over the wire: what the algorithms' papers say.
std::uint64_t sent_by(const std::string& pattern, const PatternOptions& options, std::uint32_t rank) {
    RankGraph graph;
    make_pattern(pattern, options)->program({rank}, graph);
    std::uint64_t sum = 0;
    for (const Op& op : graph.ops) sum += op.kind == OpKind::send ? op.size : 0;
    return sum;
}

TEST(Delivery, VolumesAreThoseOfTheAlgorithms) {
    PatternOptions options;
    options.ranks = 16;
    options.bytes = 1600;
    EXPECT_EQ(sent_by("rabenseifner-allreduce", options, 3), 2 * 1500u); // 2 s (P-1)/P
    EXPECT_EQ(sent_by("halving-doubling-allreduce", options, 3), 2 * 1500u);
    EXPECT_EQ(sent_by("ring-allreduce", options, 3), 2 * 1500u);
    EXPECT_EQ(sent_by("recursive-doubling-allreduce", options, 3), 4 * 1600u);
    EXPECT_EQ(sent_by("recursive-doubling-allgather", options, 3), 15 * 1600u);
    EXPECT_EQ(sent_by("ring-allgather", options, 3), 15 * 1600u);
    EXPECT_EQ(sent_by("bruck-alltoall", options, 3), 4 * 8 * 1600u); // half of the blocks in each round
    options.ranks = 11;
    std::uint64_t blocks = 0; // each travels as many times as its distance has bits
    for (unsigned distance = 1; distance < 11; ++distance) blocks += std::bitset<8>(distance).count();
    EXPECT_EQ(sent_by("bruck-alltoall", options, 3), blocks * 1600u);
}

// 1000 bytes do not divide by 16: nothing is lost, each rank ends with all of it.
TEST(Delivery, RabenseifnerKeepsEveryByte) {
    PatternOptions options;
    options.ranks = 16;
    options.bytes = 1000;
    std::uint64_t sent = 0;
    for (std::uint32_t rank = 0; rank < 16; ++rank) sent += sent_by("rabenseifner-allreduce", options, rank);
    EXPECT_EQ(sent, 2u * 15 * 1000);
}

} // namespace
} // namespace orrery::delivery_test
