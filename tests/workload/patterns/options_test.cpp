// Names, options and what is said when they do not fit.
#include "engine/error.h"
#include "places.h"
#include "workload/patterns/pattern.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace orrery::options_test {
namespace {

// The words of the UsageError that `action` throws.
template <typename Action> std::string complaint(Action action) {
    try {
        action();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "nothing was thrown";
}

std::string complaint_of(const std::string& name, const PatternOptions& options) {
    return complaint([&] { make_pattern(name, options); });
}

void set(PatternOptions& options, std::string_view name, std::string_view text) {
    for (const PatternOptionInfo& row : pattern_options()) {
        if (row.name == name) return row.set(options, text);
    }
    FAIL() << name;
}

TEST(Patterns, TableIsSound) {
    std::set<std::string_view> names;
    PatternOptionSet known = 0;
    for (const PatternOptionInfo& row : pattern_options()) {
        EXPECT_EQ(known & row.bit, 0u) << row.name;
        EXPECT_FALSE(row.meaning.empty());
        known |= row.bit;
    }
    for (const PatternInfo& info : patterns()) {
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        if (info.alias != info.name && !info.alias.empty()) {
            EXPECT_TRUE(names.insert(info.alias).second) << info.alias;
        }
        EXPECT_EQ(&find_pattern(info.name), &info);
        if (!info.alias.empty()) {
            EXPECT_EQ(&find_pattern(info.alias), &info);
        }
        EXPECT_EQ(info.argument_option & ~info.uses, 0u) << info.name;
        EXPECT_TRUE(info.make != nullptr && (info.users & pattern_user::generate) != 0) << info.name;
        EXPECT_EQ(info.uses & ~known, 0u) << info.name;
        EXPECT_LE(info.description.size(), 80u) << info.name;
        EXPECT_FALSE(info.messages.empty()) << info.name;
    }
}

TEST(Patterns, EveryNameOfTheOriginalIsThere) {
    for (const char* name :
         {"binomialtreebcast", "binomialtreereduce", "binarytreebcast", "nwaydissemination", "pipelinedring",
          "pipelinedringdep", "doublering", "gather", "scatter", "linbarrier", "dissemination", "random_bisect",
          "random_bisect_fd_sym", "linear_alltoall", "linear_alltoallv", "allreduce_recdoub", "allreduce_ring",
          "resnet", "chained_dissem"}) {
        EXPECT_NO_THROW(find_pattern(name)) << name;
    }
}

TEST(Patterns, ManualDescribesEachPatternAndOption) {
    std::ifstream file(test_data() + "/../../docs/patterns.md");
    std::stringstream text;
    text << file.rdbuf();
    for (const PatternInfo& info : patterns()) {
        EXPECT_NE(text.str().find("`" + std::string(info.name) + "`"), std::string::npos) << info.name;
        EXPECT_NE(text.str().find("orrery generate " + std::string(info.name) + " "), std::string::npos)
            << "an example of " << info.name;
        if (!info.alias.empty()) {
            EXPECT_NE(text.str().find(info.alias), std::string::npos) << info.alias;
        }
    }
    for (const PatternOptionInfo& row : pattern_options()) {
        EXPECT_NE(text.str().find("`" + std::string(row.name)), std::string::npos) << row.name;
    }
}

TEST(Patterns, OneGrammarForTheirNames) {
    const PatternChoice shift = choose_pattern("shift:16", pattern_user::generate);
    EXPECT_EQ(shift.info->name, "shift");
    EXPECT_EQ(shift.options.distance, 16u);
    EXPECT_EQ(shift.given, option::distance);
    const PatternChoice grid = choose_pattern("stencil-2d:periodic:dims=8x4:bytes=1kB", pattern_user::map);
    EXPECT_EQ(grid.options.dims, (std::array<std::uint32_t, 3>{8, 4, 0}));
    EXPECT_TRUE(grid.options.periodic);
    EXPECT_EQ(grid.options.bytes, 1000u);
    EXPECT_EQ(choose_pattern("exchange:3:iterations=2", pattern_user::machine).info->name, "shift-exchange");
    EXPECT_EQ(choose_pattern("hotspot:0.5", pattern_user::traffic).argument, "0.5");
    const auto complaint = [](const char* text, PatternUsers user) {
        try {
            (void)choose_pattern(text, user);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(complaint("hotspot", pattern_user::generate).find("is for 'orrery traffic'"), std::string::npos);
    EXPECT_NE(complaint("shift:4:distance=3", pattern_user::map).find("given twice"), std::string::npos);
    EXPECT_NE(complaint("ring:4", pattern_user::map).find("'ring:4' is not ring"), std::string::npos);
    EXPECT_NE(complaint("shift:", pattern_user::map).find("'shift:' is not shift:K"), std::string::npos);
    EXPECT_NE(complaint("shift:4:5", pattern_user::map).find("is not shift:K"), std::string::npos);
    EXPECT_NE(complaint("unifrom", pattern_user::traffic).find("did you mean 'uniform'?"), std::string::npos);
    EXPECT_NE(complaint("", pattern_user::traffic).find("no pattern is called ''"), std::string::npos);
}

TEST(Patterns, SizesThatDoNotFitAreRefused) {
    EXPECT_NE(complaint_of("bit-reverse", {.ranks = 12}).find("needs 2^n ranks, not 12"), std::string::npos);
    EXPECT_NE(complaint_of("transpose", {.ranks = 8}).find("needs 4^n ranks, not 8"), std::string::npos);
    EXPECT_NE(complaint_of("group", {.ranks = 8, .group = 3}).find("cannot be split"), std::string::npos);
}

TEST(Patterns, UnknownNameGetsTheNearest) {
    EXPECT_NE(complaint_of("binomial-bcst", {.ranks = 8}).find("did you mean 'binomial-bcast'"),
              std::string::npos);
    EXPECT_NE(complaint_of("linear_alltoal", {.ranks = 8}).find("did you mean 'linear_alltoall'"),
              std::string::npos);
    EXPECT_EQ(complaint_of("zzzzzzzz", {.ranks = 8}).find("did you mean"), std::string::npos);
    EXPECT_NE(complaint_of("", {.ranks = 8}).find("no pattern is called ''"), std::string::npos);
}

TEST(Patterns, OptionsThatDoNotFit) {
    EXPECT_NE(complaint_of("scatter", {.ranks = 0}).find("number of ranks"), std::string::npos);
    EXPECT_NE(complaint_of("scatter", {.ranks = 0x8000'0000}).find("number of ranks"), std::string::npos);
    EXPECT_NE(complaint_of("scatter", {.ranks = 8, .root = 8}).find("--root 8: ranks are 0 to 7"),
              std::string::npos);
    EXPECT_NE(complaint_of("scatter", {.ranks = 8, .bytes = max_op_size + 1}).find("--bytes"),
              std::string::npos);
    EXPECT_NE(complaint_of("kary-bcast", {.ranks = 8, .radix = 0}).find("--radix"), std::string::npos);
    EXPECT_NE(complaint_of("nway-dissemination", {.ranks = 8, .radix = 0}).find("--radix"), std::string::npos);
    EXPECT_NE(complaint_of("incast", {.ranks = 8, .fan = 8}).find("--fan"), std::string::npos);
    EXPECT_NE(complaint_of("random-bipartite", {.ranks = 8, .fan = 5}).find("--fan"), std::string::npos);
    EXPECT_NE(complaint_of("pipelined-ring", {.ranks = 8, .segment = 0}).find("--segment"), std::string::npos);
    EXPECT_NE(complaint_of("ring", {.ranks = 8, .iterations = 0}).find("--iterations"), std::string::npos);
    EXPECT_NE(complaint_of("linear-alltoallv", {.ranks = 8, .bytes = 0}).find("--bytes"), std::string::npos);
    EXPECT_NE(complaint_of("linear-alltoallv", {.ranks = 8, .skew = 0.5}).find("--skew"), std::string::npos);
    EXPECT_NE(complaint_of("sweep", {.ranks = 8, .octants = 9}).find("--octants"), std::string::npos);
    EXPECT_NE(complaint_of("sweep", {.ranks = 8, .blocks = 0}).find("--blocks"), std::string::npos);
    EXPECT_NE(
        complaint_of("dissemination", {.ranks = 8, .bytes = 1 << 30, .reduce_cost = 1e12}).find("too long"),
        std::string::npos);
    EXPECT_NE(complaint_of("bruck-alltoall", {.ranks = 8, .bytes = max_op_size}).find("too large"),
              std::string::npos);
    EXPECT_NE(
        complaint_of("ring", {.ranks = 8, .overlap = Time::ns(1), .overlap_cpu = 65'536}).find("--overlap-cpu"),
        std::string::npos);
}

TEST(Patterns, ProgramsThatWouldNotFitAreRefused) {
    EXPECT_NE(complaint_of("ring", {.ranks = 8, .iterations = 1ULL << 40}).find("operations"),
              std::string::npos);
    EXPECT_NE(
        complaint_of("pipelined-ring", {.ranks = 2, .bytes = 1ULL << 40, .segment = 1}).find("operations"),
        std::string::npos);
    EXPECT_NE(complaint_of("ring-allreduce", {.ranks = 0x7FFF'FFFF}).find("operations"), std::string::npos);
    EXPECT_NE(complaint_of("dissemination",
                           {.ranks = 2, .overlap = Time::us(1'000'000), .overlap_chunk = Time::ps(1)})
                  .find("operations"),
              std::string::npos);
}

TEST(Patterns, GridMustHoldTheRanks) {
    EXPECT_NE(
        complaint_of("stencil-2d", {.ranks = 16, .dims = {4, 3, 0}}).find("--dims 4x3 makes 12 ranks, not 16"),
        std::string::npos);
    EXPECT_NE(complaint_of("stencil-2d", {.ranks = 16, .dims = {4, 2, 2}}).find("3 axes where 2"),
              std::string::npos);
    EXPECT_NE(complaint_of("stencil-3d", {.ranks = 16, .dims = {4, 4, 0}}).find("2 axes where 3"),
              std::string::npos);
    constexpr std::uint32_t huge = 0xFFFF'FFFF;
    EXPECT_NE(complaint_of("stencil-3d", {.ranks = 16, .dims = {huge, huge, huge}}).find("too many"),
              std::string::npos);
    EXPECT_NO_THROW(make_pattern("stencil-3d", {.ranks = 16, .dims = {4, 2, 2}}));
}

// Without --dims the grid is as square as the factors allow: 36 ranks are 6 by 6.
TEST(Patterns, GridIsChosenNearCubic) {
    const auto messages = [](const char* name, std::uint32_t ranks) {
        return make_pattern(name, {.ranks = ranks})->messages();
    };
    EXPECT_EQ(messages("stencil-2d", 36), 2u * (5 * 6 + 6 * 5));
    EXPECT_EQ(messages("stencil-2d", 12), 2u * (3 * 3 + 4 * 2));
    EXPECT_EQ(messages("stencil-3d", 64), 2u * 3 * (3 * 4 * 4));
    EXPECT_EQ(messages("stencil-2d", 7), 2u * 6);
    EXPECT_EQ(messages("stencil-3d", 1), 0u);
}

TEST(Patterns, OptionTexts) {
    PatternOptions options;
    set(options, "--bytes", "64KiB");
    EXPECT_EQ(options.bytes, 65536u);
    set(options, "--compute", "1.5us");
    EXPECT_EQ(options.compute, Time::ns(1500));
    set(options, "--reduce-cost", "0.1ns/B");
    EXPECT_DOUBLE_EQ(options.reduce_cost, 100);
    set(options, "--dims", "4x3");
    EXPECT_EQ(options.dims, (std::array<std::uint32_t, 3>{4, 3, 0}));
    set(options, "--dims", "4x3x2");
    EXPECT_EQ(options.dims, (std::array<std::uint32_t, 3>{4, 3, 2}));
    set(options, "--pause", "0");
    EXPECT_EQ(options.pause, Time::zero());
    set(options, "--skew", "2.5");
    EXPECT_EQ(options.skew, 2.5);
    set(options, "--periodic", "");
    EXPECT_TRUE(options.periodic);
    for (const char* bad : {"", "4", "4x", "x4", "4x4x4x4", "4x-1", "0x4", "4x4 ", "a", "99999999999x1"}) {
        if (std::string_view(bad) == "4") continue; // one axis is a grid, if not one that any pattern takes
        EXPECT_THROW(set(options, "--dims", bad), UsageError) << bad;
    }
    for (const char* bad : {"", "0.9", "-1", "nan", "inf", "2x"}) {
        EXPECT_THROW(set(options, "--skew", bad), UsageError) << bad;
    }
    EXPECT_THROW(set(options, "--radix", "5G"), UsageError);
}

TEST(Patterns, RankCounts) {
    EXPECT_EQ(parse_ranks("8M"), 8u << 20);
    EXPECT_EQ(parse_ranks("8Mi"), 8u << 20);
    EXPECT_EQ(parse_ranks("64k"), 65536u);
    EXPECT_EQ(parse_ranks("1Ki"), 1024u);
    EXPECT_EQ(parse_ranks("1000"), 1000u);
    for (const char* bad : {"0", "-1", "", "8Q", "1.3", "4G", "2147483648", "ranks"}) {
        EXPECT_THROW(parse_ranks(bad), UsageError) << bad;
    }
}

} // namespace
} // namespace orrery::options_test
