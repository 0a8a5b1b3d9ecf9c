// Programs are the same up to the renaming of peers wherever the algorithm allows it, so that a schedule of
// many ranks is stored in the space of a few.
#include "workload/patterns/pattern.h"
#include "workload/schedule.h"

#include <gtest/gtest.h>

namespace orrery::sharing_test {
namespace {

std::uint64_t distinct(const std::string& pattern, std::uint32_t ranks, PatternOptions options = {}) {
    options.ranks = ranks;
    ScheduleBuilder builder;
    generate(*make_pattern(pattern, options), ranks, builder);
    return builder.take().header().blocks;
}

TEST(Sharing, OneProgramForAllRanks) {
    for (const char* pattern : {"dissemination", "nway-dissemination", "chained-dissemination", "resnet",
                                "ring-allgather", "ring-allreduce", "linear-alltoall", "bruck-alltoall"}) {
        EXPECT_EQ(distinct(pattern, 1000), 1u) << pattern;
        EXPECT_EQ(distinct(pattern, 1024), 1u) << pattern;
    }
}

// The store may keep a program a second time before it finds how its peers are best named: hence factors of
// two.
TEST(Sharing, AFewPrograms) {
    for (const char* pattern : {"recursive-doubling-allgather", "recursive-doubling-allreduce",
                                "rabenseifner-allreduce", "halving-doubling-allreduce", "pairwise-alltoall"}) {
        EXPECT_LE(distinct(pattern, 1024, {.bytes = 4096}), 2u) << pattern;
    }
    EXPECT_LE(distinct("pairwise-alltoall", 1000), 2u);
    EXPECT_LE(distinct("ping-pong", 1000), 2 * 2u);
    EXPECT_LE(distinct("ring", 1000), 2 * 2u);
    EXPECT_LE(distinct("double-ring", 1000), 2 * 2u);
    EXPECT_LE(distinct("pipelined-ring", 1000), 2 * 3u);
    EXPECT_LE(distinct("scatter", 1000), 2 * 2u);
    EXPECT_LE(distinct("gather", 1000), 2 * 2u);
    EXPECT_LE(distinct("recursive-doubling-allreduce", 1000), 2 * 3u); // serving a folded rank, not, folded
    EXPECT_LE(distinct("binomial-bcast", 1 << 20), 2 * 21u);
    EXPECT_LE(distinct("binomial-bcast", 1'000'000), 100u);
    EXPECT_LE(distinct("stencil-2d", 400), 2 * 9u); // inside, edges, corners
    EXPECT_LE(distinct("stencil-3d", 1000), 2 * 27u);
    EXPECT_LE(distinct("sweep", 400), 2 * 9u);
}

} // namespace
} // namespace orrery::sharing_test
