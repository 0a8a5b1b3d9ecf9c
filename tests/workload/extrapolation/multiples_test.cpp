#include "workload/extrapolation/multiples.h"

#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::multiples_test {
namespace {

std::string refusal_of(std::uint32_t traced, std::uint64_t total) {
    try {
        check_extrapolated_ranks(traced, total);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(ExtrapolatedRanks, are_a_multiple_and_the_nearest_are_named) {
    EXPECT_EQ(refusal_of(4, 4), "");
    EXPECT_EQ(refusal_of(1, 7), "");
    EXPECT_EQ(refusal_of(4, 4096), "");
    EXPECT_NE(refusal_of(4, 10).find("next to it are 8 and 12"), std::string::npos);
    EXPECT_NE(refusal_of(8, 4).find("next to it is 8; for fewer ranks, trace a smaller run"),
              std::string::npos);
    EXPECT_NE(refusal_of(4, std::uint64_t{1} << 40).find("at most 100000000 ranks"), std::string::npos);
    EXPECT_NE(refusal_of(4, 0).find("not to 0"), std::string::npos);
}

TEST(ExtrapolatedRanks, what_is_assumed_is_said_if_there_are_more) {
    EXPECT_TRUE(extrapolation_assumptions(4, 4).empty());
    const std::vector<std::string> lines = extrapolation_assumptions(4, 4096);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_NE(lines[0].find("weak scaling from 4 ranks, 1,024 copies"), std::string::npos) << lines[0];
    EXPECT_NE(lines[1].find("rebuilt for 4,096 ranks"), std::string::npos) << lines[1];
}

} // namespace
} // namespace orrery::multiples_test
