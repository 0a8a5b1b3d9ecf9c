// The second stage of a search: which candidates are replayed, how they are ranked, and what is said of it.
#include "tools/mapping/replay_best.h"

#include "tools/mapping/report.h"
#include "tools/mapping/verdict.h"

#include <atomic>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace orrery::replay_best_test {
namespace {

struct Given {
    std::string name;
    std::uint32_t host; // of its only rank: what tells mappings apart
    std::int64_t estimate;
    std::int64_t replayed;
    bool always = false;
};

// Candidates in the order of their estimates, as search_mappings leaves them.
class ReplayBest : public testing::Test {
  protected:
    explicit ReplayBest(std::vector<Given> given = {{"metis", 1, 10, 120},
                                                    {"boxes", 2, 11, 100},
                                                    {"boxes again", 2, 11, 100},
                                                    {"ABT", 3, 12, 115},
                                                    {"random:1", 4, 15, 90},
                                                    {"block", 5, 20, 110, true},
                                                    {"roundrobin", 6, 30, 200, true}})
        : given_(std::move(given)) {
        for (std::size_t i = 0; i < given_.size(); ++i) {
            candidates_.push_back({given_[i].name, "",
                                   [host = given_[i].host] { return std::vector<HostId>{{host}}; },
                                   given_[i].always});
            MappingResult& result = results_.emplace_back();
            result.candidate = i;
            result.name = given_[i].name;
            result.screening_place = i + 1;
            result.time = Time::us(given_[i].estimate);
        }
    }
    void replay(std::uint32_t best, std::uint32_t threads) {
        ReplayBestOptions options;
        options.best = best;
        options.threads = threads;
        options.replay = [this](const std::vector<HostId>& hosts) -> Time {
            ++replays_;
            for (const Given& each : given_) {
                if (each.host == hosts.at(0).value) return Time::us(each.replayed);
            }
            throw std::logic_error("no such mapping");
        };
        replay_best(candidates_, options, results_);
    }
    [[nodiscard]] std::vector<std::string> order() const {
        std::vector<std::string> names;
        for (const MappingResult& each : results_) names.push_back(each.name);
        return names;
    }

    std::vector<Given> given_;
    std::vector<CandidateMapping> candidates_;
    std::vector<MappingResult> results_;
    std::atomic<int> replays_{0};
};

using Names = std::vector<std::string>;

TEST_F(ReplayBest, PutsRightWhatTheEstimateHasWrong) {
    replay(2, 1);
    // Two distinct ones of the screening, block and roundrobin; the equal one under another name is not run
    // again.
    EXPECT_EQ(replays_, 4);
    EXPECT_EQ(order(), (Names{"boxes", "boxes again", "block", "metis", "roundrobin", "ABT", "random:1"}));
    EXPECT_EQ(results_[3].replayed, Time::us(120));
    EXPECT_FALSE(results_[5].replayed.has_value());
    EXPECT_EQ(results_[1].replayed, results_[0].replayed);
}

TEST_F(ReplayBest, TheNumberOfThreadsHasNoInfluence) {
    replay(3, 1);
    const Names one = order();
    for (const std::uint32_t threads : {2U, 7U, 100U}) {
        std::stable_sort(results_.begin(), results_.end(),
                         [](const auto& a, const auto& b) { return a.screening_place < b.screening_place; });
        for (MappingResult& each : results_) each.replayed.reset();
        replay(3, threads);
        EXPECT_EQ(order(), one) << threads;
    }
}

TEST_F(ReplayBest, WhatAReplayThrowsIsThrown) {
    given_.clear();
    EXPECT_THROW(replay(2, 3), std::logic_error);
}

TEST_F(ReplayBest, SaysWhatToUseAndByHowMuch) {
    replay(2, 1);
    const auto verdict = mapping_verdict(results_);
    ASSERT_TRUE(verdict.has_value());
    EXPECT_EQ(verdict->use, "boxes");
    EXPECT_NEAR(verdict->gain, 10.0 / 110, 1e-12);
    EXPECT_NEAR(verdict->spread, 100.0 / 110, 1e-12);
    EXPECT_EQ(verdict->words, "mapping matters 90.9 %: use boxes, 9.1 % faster than block");
    const SearchReport report{"p", "m", "n", results_, true, ""};
    const std::string words = search_words(report, 10);
    EXPECT_NE(words.find("the estimate puts metis first; replayed, it is number 4"), std::string::npos)
        << words;
    EXPECT_NE(words.find("7 mappings, 5 of them replayed"), std::string::npos) << words;
    const nlohmann::ordered_json json = search_json(report);
    EXPECT_EQ(json["use"], "boxes");
    EXPECT_EQ(json["ranked_by"], "replay");
    EXPECT_EQ(json["mappings"][0]["predicted_time_ps"], 100'000'000);
    EXPECT_EQ(json["mappings"][0]["estimated_time_ps"], 11'000'000);
    EXPECT_TRUE(json["mappings"][6]["predicted_time_ps"].is_null());
}

class ReplayBestAlike : public ReplayBest {
  protected:
    ReplayBestAlike()
        : ReplayBest({{"metis", 1, 10, 100'100}, {"block", 2, 20, 100'000, true}, {"ABT", 3, 25, 100'000}}) {}
};

TEST_F(ReplayBestAlike, BlockStaysWhereNothingIsGained) {
    replay(5, 1);
    EXPECT_EQ(order(), (Names{"block", "ABT", "metis"})); // of equals, block
    EXPECT_EQ(mapping_verdict(results_)->words, "mapping matters 0.1 %: keep block");
}

class ReplayBestWorse : public ReplayBest {
  protected:
    ReplayBestWorse()
        : ReplayBest({{"metis", 1, 10, 997}, {"block", 2, 20, 1000, true}, {"roundrobin", 3, 25, 1500, true}}) {
    }
};

TEST_F(ReplayBestWorse, APoorMappingIsNamedAsALoss) {
    replay(5, 1);
    EXPECT_EQ(mapping_verdict(results_)->use, "block");
    EXPECT_EQ(mapping_verdict(results_)->words,
              "keep block: the fastest mapping gains 0.3 %, the slowest one replayed loses 50.0 %");
}

TEST(ReplayBestVerdict, NeedsAReplayOfBlock) {
    MappingResult one;
    one.name = "metis";
    one.replayed = Time::us(1);
    EXPECT_FALSE(mapping_verdict(std::vector{one}).has_value());
}

} // namespace
} // namespace orrery::replay_best_test
