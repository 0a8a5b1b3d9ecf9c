// What holds for every pattern, with every option, at every number of ranks.
#include "cases.h"
#include "play.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace orrery::properties_test {
namespace {

// Each test runs over all cases of one pattern.
class EveryPattern : public testing::TestWithParam<PatternInfo> {
  protected:
    // The defaults at all of `rank_counts`, the other options at those of them that are in the short list.
    template <typename Check> void for_each_case(const std::vector<std::uint32_t>& rank_counts, Check check) {
        const std::set<std::uint32_t> few{1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 21, 32, 37};
        for (const play::Case& one : play::cases_of(GetParam())) {
            for (const std::uint32_t ranks : rank_counts) {
                if (one.what != "defaults" && !few.contains(ranks)) continue;
                if (!fits(GetParam(), ranks)) continue;
                SCOPED_TRACE(fmt::format("{}, {}, {} ranks", one.pattern, one.what, ranks));
                const auto pattern = make_pattern(one.pattern, one.options(ranks));
                check(*pattern, play::programs(*pattern, ranks));
                if (HasFatalFailure()) return;
            }
        }
    }
};

// The sizes on each channel (from, to, tag), as the sender sends and as the receiver expects them, in order.
using Channels = std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<std::uint64_t>>;

Channels channels(const std::vector<RankGraph>& ranks, OpKind kind) {
    Channels found;
    for (std::uint32_t r = 0; r < ranks.size(); ++r) {
        for (const Op& op : ranks[r].ops) {
            if (op.kind != kind) continue;
            const bool send = kind == OpKind::send;
            found[{send ? r : op.peer, send ? op.peer : r, op.tag}].push_back(op.size);
        }
    }
    return found;
}

TEST_P(EveryPattern, SendsAndReceivesMatchOneToOneInOrder) {
    for_each_case(play::rank_counts(), [](const Pattern& pattern, const std::vector<RankGraph>& programs) {
        const auto ranks = static_cast<std::uint32_t>(programs.size());
        for (std::uint32_t r = 0; r < ranks; ++r) ASSERT_NO_THROW(check_rank(programs[r], {r}, ranks, ""));
        const Channels sent = channels(programs, OpKind::send);
        EXPECT_EQ(sent, channels(programs, OpKind::recv));
        std::uint64_t messages = 0;
        for (const auto& [channel, sizes] : sent) messages += sizes.size();
        EXPECT_EQ(messages, pattern.messages());
    });
}

// With the ranks in turn and in random order, with sends that end at once and sends that wait for their
// receiver.
// In LogGOPSim's allreduce_recdoub over a power of two, messages may overtake when ranks run in random order.
TEST_P(EveryPattern, RunsToItsEndInAnyOrder) {
    const bool may_overtake = GetParam().alias == "allreduce_recdoub";
    for_each_case(play::rank_counts(), [=](const Pattern& pattern, const std::vector<RankGraph>& programs) {
        for (const play::Rules rules : {play::Rules{false, 0}, {true, 0}, {false, 1}, {true, 2}}) {
            const auto outcome = play::Player(programs, rules).run();
            ASSERT_EQ(outcome.unfinished, 0u);
            EXPECT_EQ(outcome.messages, pattern.messages());
            if (!may_overtake || rules.shuffle == 0 || !std::has_single_bit(programs.size())) {
                EXPECT_EQ(outcome.size_mismatch, 0u);
            }
        }
    });
}

TEST_P(EveryPattern, NoDependencyIsWrittenTwice) {
    for_each_case({1, 2, 7, 16, 21, 37}, [](const Pattern&, const std::vector<RankGraph>& programs) {
        for (const RankGraph& graph : programs) {
            std::set<std::tuple<std::uint32_t, std::uint32_t, bool>> seen;
            for (const Dependency& d : graph.dependencies) {
                EXPECT_TRUE(seen.insert({d.before, d.after, d.on_start}).second);
            }
        }
    });
}

// A program is appended to what is there already and depends on nothing but its rank.
TEST_P(EveryPattern, ProgramIsAPureFunction) {
    for_each_case({12}, [](const Pattern& pattern, const std::vector<RankGraph>& programs) {
        for (const std::uint32_t r : {5u, 0u, 11u, 5u}) {
            RankGraph again;
            again.add(calc_op(7));
            pattern.program({r}, again);
            RankGraph expected;
            expected.add(calc_op(7));
            for (const Op& op : programs[r].ops) expected.add(op);
            for (const Dependency& d : programs[r].dependencies) {
                expected.dependencies.push_back({d.before + 1, d.after + 1, d.on_start});
            }
            EXPECT_EQ(again.ops, expected.ops);
            EXPECT_EQ(again.dependencies, expected.dependencies);
        }
    });
}

std::string test_name(const testing::TestParamInfo<PatternInfo>& test) {
    std::string name(test.param.name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Patterns, EveryPattern, testing::ValuesIn(patterns().begin(), patterns().end()),
                         test_name);

} // namespace
} // namespace orrery::properties_test
