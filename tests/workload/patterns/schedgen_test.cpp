// Our programs are, operation by operation and dependency by dependency, the ones that LogGOPSim's generator
// writes. Both the files and the short programs further down were written by it.
#include "formats/goal/goal_text_reader.h"
#include "places.h"
#include "reference/schedules.h"
#include "workload/patterns/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace orrery::schedgen_test {
namespace {

// The original writes some dependencies twice (binomial trees whose last rounds have no partner): once is
// enough.
std::vector<Dependency> without_repeats(const std::vector<Dependency>& dependencies) {
    std::vector<Dependency> once;
    for (const Dependency& d : dependencies) {
        if (std::find(once.begin(), once.end(), d) == once.end()) once.push_back(d);
    }
    return once;
}

struct FromFile {
    const char* file;
    const char* pattern;
    std::uint32_t ranks;
    PatternOptions options;
};

PatternOptions sized(Bytes bytes) { return {.bytes = bytes}; }

class SchedgenFile : public testing::TestWithParam<FromFile> {};

TEST_P(SchedgenFile, IsReproduced) {
    reference::GraphCollector original;
    read_goal_text(test_data() + "/loggopsim/cases/" + GetParam().file + ".goal", original);
    ASSERT_EQ(original.ranks.size(), GetParam().ranks);

    PatternOptions options = GetParam().options;
    options.ranks = GetParam().ranks;
    const auto pattern = make_pattern(GetParam().pattern, options);
    for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
        RankGraph ours;
        pattern->program({rank}, ours);
        EXPECT_EQ(ours.ops, original.ranks[rank].ops) << "rank " << rank;
        EXPECT_EQ(ours.dependencies, without_repeats(original.ranks[rank].dependencies)) << "rank " << rank;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, SchedgenFile,
    testing::Values(
        FromFile{"scatter_8_1024_paper", "scatter", 8, sized(1024)},
        FromFile{"gather_8_1024_paper", "gather", 8, sized(1024)},
        FromFile{"binomial_8_1_paper", "binomialtreebcast", 8, sized(1)},
        FromFile{"dissem_8_1_paper", "dissemination", 8, sized(1)},
        FromFile{"dissem_8_1024_paper", "dissemination", 8, sized(1024)},
        FromFile{"binomial_13_65536_paper", "binomialtreebcast", 13, sized(65536)},
        FromFile{"scatter_16_16384_odin", "scatter", 16, sized(16384)},
        FromFile{"scatter_16_131072_bigred_rdv", "scatter", 16, sized(131072)},
        FromFile{"scatter_64_100_default", "scatter", 64, sized(100)},
        FromFile{"binomial_128_131072_odin", "binomialtreebcast", 128, sized(131072)},
        FromFile{"binarytree_31_4096", "binarytreebcast", 31, sized(4096)},
        FromFile{"binomialreduce_21_4096", "binomialtreereduce", 21, sized(4096)},
        FromFile{"dissem_37_70000_rdv", "dissemination", 37, sized(70000)},
        FromFile{"dissem_1000_8_default", "dissemination", 1000, sized(8)},
        FromFile{"nwaydissem_27_w1", "nwaydissemination", 27, {.bytes = 256, .radix = 1, .reduce_cost = 1000}},
        FromFile{"pipelinedringdep_6_rdv", "pipelinedringdep", 6, {.bytes = 200'000, .segment = 40'000}},
        FromFile{"linbarrier_33", "linbarrier", 33, {}},
        FromFile{"alltoall_12_1000", "linear_alltoall", 12, sized(1000)},
        FromFile{"allreduce_ring_8_400K", "allreduce_ring", 8, sized(400'000)},
        FromFile{"allreduce_ring_16_1600_eager", "allreduce_ring", 16, sized(1600)},
        FromFile{"dissem_nb_cpu1", "dissemination", 16, {.bytes = 1024, .overlap = Time::us(100)}},
        FromFile{"binomial_zero_params", "binomialtreebcast", 16, sized(8)}),
    [](const auto& test) { return std::string(test.param.file); });

// One rank's program as text; the other ranks are empty.
RankGraph written(std::uint32_t ranks, std::uint32_t rank, const std::string& body) {
    std::string text = "num_ranks " + std::to_string(ranks) + "\n";
    for (std::uint32_t r = 0; r < ranks; ++r) {
        text += "rank " + std::to_string(r) + " {\n" + (r == rank ? body : "") + "}\n";
    }
    reference::GraphCollector graphs;
    read_goal_text(std::string_view(text), "longhand", graphs);
    return graphs.ranks[rank];
}

void expect_program(const std::string& name, PatternOptions options, std::uint32_t rank,
                    const std::string& body) {
    RankGraph ours;
    make_pattern(name, options)->program({rank}, ours);
    const RankGraph original = written(options.ranks, rank, body);
    ASSERT_GE(ours.ops.size(), original.ops.size());
    ours.ops.resize(original.ops.size()); // long ones are compared as far as they are written out
    EXPECT_EQ(ours.ops, original.ops);
    std::erase_if(ours.dependencies,
                  [&](const Dependency& d) { return std::max(d.before, d.after) >= original.ops.size(); });
    EXPECT_EQ(ours.dependencies, original.dependencies);
}

TEST(Schedgen, PipelinedRingFromAnotherRoot) {
    const PatternOptions options{.ranks = 4, .bytes = 100, .root = 2, .segment = 40};
    expect_program("pipelinedring", options, 2,
                   "l1: send 40b to 1 tag 0\nl2: send 40b to 1 tag 0\nl3: send 20b to 1 tag 0\n");
    expect_program("pipelinedring", options, 1, R"(l1: recv 40b from 2 tag 0
l2: send 40b to 0 tag 0
l2 requires l1
l3: recv 40b from 2 tag 0
l4: send 40b to 0 tag 0
l4 requires l3
l5: recv 20b from 2 tag 0
l6: send 20b to 0 tag 0
l6 requires l5
)");
}

TEST(Schedgen, DoubleRing) {
    expect_program("doublering", {.ranks = 5, .bytes = 9}, 1, R"(l1: send 9b to 2 tag 0
l2: recv 9b from 0 tag 0
l1 requires l2
l3: send 9b to 0 tag 0
l4: recv 9b from 2 tag 0
l3 requires l4
)");
}

TEST(Schedgen, ThreeWayDisseminationThatPassesTheNumberOfRanks) {
    expect_program("nwaydissemination", {.ranks = 6, .bytes = 10, .radix = 3, .reduce_cost = 1000}, 2,
                   R"(l1: send 10b to 3 tag 0
l2: send 10b to 4 tag 0
l3: send 10b to 5 tag 0
l4: recv 10b from 1 tag 0
l5: recv 10b from 0 tag 0
l6: recv 10b from 5 tag 0
l7: send 10b to 0 tag 0
l8: send 10b to 4 tag 0
l9: send 10b to 2 tag 0
l10: calc 10
l10 requires l5
l10 requires l4
l11: calc 10
l11 requires l6
l11 requires l10
l12: calc 10
l12 requires l4
l9 requires l11
l7 requires l12
l8 requires l12
l9 requires l12
l13: recv 10b from 4 tag 0
l14: recv 10b from 0 tag 0
l15: recv 10b from 2 tag 0
)");
}

TEST(Schedgen, AllreduceByHalvingAndDoubling) {
    expect_program("allreduce_recdoub", {.ranks = 4, .bytes = 101}, 1, R"(l1: send 50b to 0 tag 0
l2: recv 50b from 0 tag 0
l3: send 25b to 3 tag 0
l3 requires l2
l4: recv 25b from 3 tag 0
l5: send 25b to 3 tag 0
l5 requires l4
l6: recv 25b from 3 tag 0
l7: send 50b to 0 tag 0
l7 requires l6
l8: recv 50b from 0 tag 0
)");
    expect_program("allreduce_recdoub", {.ranks = 4, .bytes = 100, .pause = Time::ns(7)}, 3,
                   R"(l1: send 50b to 2 tag 0
l2: recv 50b from 2 tag 0
l3: calc 7
l4: send 25b to 1 tag 0
l4 requires l3
l5: recv 25b from 1 tag 0
l6: calc 7
l7: send 25b to 1 tag 0
l7 requires l6
l8: recv 25b from 1 tag 0
l9: calc 7
l10: send 50b to 2 tag 0
l10 requires l9
l11: recv 50b from 2 tag 0
)");
}

TEST(Schedgen, Resnet) {
    PatternOptions options = find_pattern("resnet").defaults;
    options.ranks = 3;
    expect_program("resnet", options, 1, R"(l1: calc 119000
l2: calc 23800
l2 requires l1
l3: calc 0
l3 requires l2
l4: send 26046368b to 2 tag 16877216
l5: recv 26046368b from 0 tag 16877216
l6: send 26046368b to 0 tag 16877216
l6 requires l5
l7: recv 26046368b from 2 tag 16877216
l4 requires l3
l6 requires l3
l7 requires l3
l8: calc 23800
l8 requires l1
l9: calc 0
l9 requires l8
)");
}

// The original marks the end of a dissemination by a send to a rank that does not exist; ours by an empty
// computation.
TEST(Schedgen, ChainedDissemination) {
    PatternOptions options = find_pattern("chained_dissem").defaults;
    options.ranks = 3;
    expect_program("chained_dissem", options, 1, R"(l1: send 10000b to 2 tag 16877216
l2: recv 10000b from 0 tag 16877216
l3: send 10000b to 0 tag 16877216
l3 requires l2
l4: recv 10000b from 2 tag 16877216
l5: calc 0
l5 requires l1
l5 requires l3
l5 requires l4
l6: send 10000b to 2 tag 16877217
l7: recv 10000b from 0 tag 16877217
l8: send 10000b to 0 tag 16877217
l8 requires l7
l9: recv 10000b from 2 tag 16877217
l10: calc 0
l6 requires l5
l7 requires l5
l9 requires l5
l10 requires l6
l10 requires l8
l10 requires l9
)");
}

TEST(Schedgen, OverlapInPieces) {
    expect_program(
        "dissemination",
        {.ranks = 2, .bytes = 3, .overlap = Time::ns(100), .overlap_chunk = Time::ns(30), .overlap_cpu = 3}, 0,
        R"(l1: calc 30 cpu 3
l2: calc 30 cpu 3
l2 requires l1
l3: calc 30 cpu 3
l3 requires l2
l4: calc 30 cpu 3
l4 requires l3
l5: send 3b to 1 tag 0
l6: recv 3b from 1 tag 0
)");
}

// Sizes are random there and here; the rest is the same.
TEST(Schedgen, AlltoallvButForItsRandomSizes) {
    reference::GraphCollector original;
    read_goal_text(test_data() + "/loggopsim/cases/alltoallv_16_5000.goal", original);
    const auto pattern = make_pattern("linear_alltoallv", {.ranks = 16, .bytes = 5000, .skew = 4});
    for (std::uint32_t rank = 0; rank < 16; ++rank) {
        RankGraph ours;
        pattern->program({rank}, ours);
        ASSERT_EQ(ours.ops.size(), original.ranks[rank].ops.size());
        for (std::size_t i = 0; i < ours.ops.size(); ++i) {
            Op expected = original.ranks[rank].ops[i];
            if (expected.size != 5000) {
                EXPECT_GE(ours.ops[i].size, 1u);
                EXPECT_LE(ours.ops[i].size, 1250u);
                EXPECT_LE(expected.size, 1250u); // the same range
                expected.size = ours.ops[i].size;
            }
            EXPECT_EQ(ours.ops[i], expected);
        }
        EXPECT_TRUE(ours.dependencies.empty());
    }
}

// Pairs are random: every rank has one, and the halves are not always the same.
TEST(Schedgen, RandomBisection) {
    std::vector<std::uint32_t> partner;
    for (const std::uint64_t seed : {1u, 2u}) {
        const auto pattern = make_pattern("random_bisect", {.ranks = 101, .bytes = 5, .seed = seed});
        const auto both_ways = make_pattern("random_bisect_fd_sym", {.ranks = 101, .bytes = 5, .seed = seed});
        for (std::uint32_t rank = 0; rank < 100; ++rank) {
            RankGraph one;
            RankGraph two;
            pattern->program({rank}, one);
            both_ways->program({rank}, two);
            ASSERT_EQ(one.ops.size(), 1u);
            ASSERT_EQ(two.ops.size(), 2u);
            EXPECT_EQ(one.ops[0], two.ops[0]);
            EXPECT_EQ(two.ops[0].peer, two.ops[1].peer);
            EXPECT_NE(two.ops[0].kind, two.ops[1].kind);
            partner.push_back(one.ops[0].peer);
        }
        RankGraph last;
        pattern->program({100}, last);
        EXPECT_TRUE(last.ops.empty());
    }
    EXPECT_FALSE(std::equal(partner.begin(), partner.begin() + 100, partner.begin() + 100));
}

} // namespace
} // namespace orrery::schedgen_test
