#include "tools/validate/bursts.h"

#include "drivers/action_script.h"
#include "simulation/simulation.h"

#include <gtest/gtest.h>

namespace orrery::bursts_test {
namespace {

// Actions of a test with the times of each, given in windows of two.
class TimedScript final : public RecordedTrace::TimedSource {
  public:
    explicit TimedScript(std::uint32_t ranks) : actions_(ranks), times_(ranks), at_(ranks) {}
    TimedScript& add(std::uint32_t rank, const Action& action, recorded::ActionTimes times) {
        actions_[rank].push_back(action);
        times_[rank].push_back(times);
        return *this;
    }
    TimedScript& compute(std::uint32_t rank, double volume, std::int64_t begin, std::int64_t end) {
        Action action;
        action.volume = volume;
        return add(rank, action, {begin, end});
    }
    TimedScript& message(std::uint32_t rank, ActionKind kind, std::uint32_t peer, Bytes bytes,
                         recorded::ActionTimes times) {
        Action action;
        action.kind = kind;
        action.peer = peer;
        action.bytes = bytes;
        return add(rank, action, times);
    }

    [[nodiscard]] std::uint32_t ranks() const override { return static_cast<std::uint32_t>(actions_.size()); }
    std::span<const Action> next(RankId rank) override {
        std::size_t& at = at_[rank.index()];
        first_ = at;
        at = std::min(at + 2, actions_[rank.index()].size());
        return std::span(actions_[rank.index()]).subspan(first_, at - first_);
    }
    [[nodiscard]] std::span<const recorded::ActionTimes> times(RankId rank) const override {
        return std::span(times_[rank.index()]).subspan(first_, at_[rank.index()] - first_);
    }
    [[nodiscard]] std::span<const Bytes> counts(RankId, const Action& action) const override {
        static const std::vector<Bytes> numbers{7, 8, 9};
        return std::span(numbers).subspan(action.first_count, action.counts);
    }
    [[nodiscard]] std::string file(RankId rank) const override { return std::to_string(rank.value) + ".ort"; }

  private:
    std::vector<std::vector<Action>> actions_;
    std::vector<std::vector<recorded::ActionTimes>> times_;
    std::vector<std::size_t> at_;
    std::size_t first_ = 0;
};

// Rank 0 computes 2 ms (1e6 units), sends, computes 3 ms (6e6 units); rank 1 computes 5 us and receives.
std::unique_ptr<TimedScript> two_ranks() {
    auto script = std::make_unique<TimedScript>(2);
    script->compute(0, 1e6, 0, 2'000'000)
        .message(0, ActionKind::send, 1, 100, {2'000'000, 2'010'000})
        .compute(0, 6e6, 2'010'000, 5'010'000);
    script->compute(1, 1000, 0, 5000).message(1, ActionKind::recv, 0, 100, {5000, 2'005'000});
    return script;
}

TEST(ValidationExactComputation, BurstsLastAsLongAsWhenRecorded) {
    ExactComputation exact(two_ranks(), {1e9, 4e9});
    ASSERT_EQ(exact.ranks(), 2U);
    const auto first = exact.next(RankId{0});
    ASSERT_EQ(first.size(), 2U);
    EXPECT_DOUBLE_EQ(first[0].volume, 2e6); // 2 ms at 1e9 per second
    EXPECT_EQ(first[1].kind, ActionKind::send);
    EXPECT_EQ(first[1].bytes, 100U);
    EXPECT_EQ(first[1].volume, 0);
    const auto other = exact.next(RankId{1});
    EXPECT_DOUBLE_EQ(other[0].volume, 20'000); // 5 us at 4e9 per second
    EXPECT_DOUBLE_EQ(exact.next(RankId{0})[0].volume, 3e6);
    EXPECT_TRUE(exact.next(RankId{0}).empty());
    EXPECT_EQ(exact.file(RankId{1}), "1.ort");
}

TEST(ValidationExactComputation, CountsAreThoseOfTheTrace) {
    auto script = std::make_unique<TimedScript>(1);
    Action wait;
    wait.kind = ActionKind::wait_all;
    wait.first_count = 1;
    wait.counts = 2;
    script->add(0, wait, {0, 10});
    ExactComputation exact(std::move(script), {1});
    const auto window = exact.next(RankId{0});
    ASSERT_EQ(window.size(), 1U);
    const auto counts = exact.counts(RankId{0}, window[0]);
    EXPECT_EQ(std::vector<Bytes>(counts.begin(), counts.end()), (std::vector<Bytes>{8, 9}));
}

// On an ideal network nothing is left but computation: rank 0 needs its 5 ms, whatever the volumes say.
TEST(ValidationExactComputation, ReplaysToTheRecordedTime) {
    SimulationText text;
    text.machine = "graphene";
    text.network = "ideal";
    const Simulation simulation(text, true);
    const double rate = simulation.platform().host(HostId{0}).speed;
    Simulation::Job job;
    job.actions = std::make_shared<ExactComputation>(two_ranks(), std::vector<double>{rate, rate});
    const ReplayPrediction prediction = simulation.run(std::span(&job, 1), {});
    EXPECT_NEAR(prediction.calls[0][CallKind::compute].seconds(), 0.005, 1e-11);
    EXPECT_NEAR(prediction.calls[1][CallKind::compute].seconds(), 5e-6, 1e-11);
}

TEST(ValidationTracedTimes, AreMeansOverRanksByKind) {
    SimulationText text;
    text.machine = "graphene";
    text.settings = {"host.speed=1 Gflop/s"};
    const Simulation simulation(text, true);
    const std::vector<HostId> hosts = simulation.map(2);
    const auto script = two_ranks();
    const TracedTimes times = traced_times(*script, simulation.platform(), hosts);
    EXPECT_NEAR(times.outside(), (5e-3 + 5e-6) / 2, 1e-12);
    EXPECT_NEAR(times.inside(), (1e-5 + 2e-3) / 2, 1e-12);
    EXPECT_NEAR(times.by_kind[static_cast<std::size_t>(CallKind::receive)], 1e-3, 1e-12);
    EXPECT_EQ(times.calls, 2U);
    // Classes up to 1 us, 10 us, 1 ms, and longer.
    EXPECT_EQ(times.bursts[1].bursts, 1U);
    EXPECT_NEAR(times.bursts[1].seconds, 5e-6, 1e-12);
    EXPECT_NEAR(times.bursts[1].predicted, 1e-6, 1e-12);
    EXPECT_EQ(times.bursts[3].bursts, 2U);
    EXPECT_NEAR(times.bursts[3].predicted, 7e-3, 1e-12);
}

TEST(ValidationTracedTimes, ACallOfSeveralActionsCountsOnce) {
    TimedScript script(1);
    script.message(0, ActionKind::isend, 0, 1, {10, 110})
        .message(0, ActionKind::forget, 0, 0, {110, 110})
        .message(0, ActionKind::irecv, 0, 1, {110, 210});
    SimulationText text;
    text.machine = "graphene";
    const Simulation simulation(text, true);
    const TracedTimes times = traced_times(script, simulation.platform(), simulation.map(1));
    EXPECT_EQ(times.calls, 2U);
    EXPECT_NEAR(times.inside(), 200e-9, 1e-15);
}

} // namespace
} // namespace orrery::bursts_test
