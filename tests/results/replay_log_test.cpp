// What a replay tells its observers agrees with what it predicts: timelines rely on it.
#include "results/replay_log.h"

#include "drivers/action_script.h"
#include "drivers/trace/replay.h"
#include "network/flow/flow_network.h"
#include "network/flow/test_platforms.h"
#include "observe/replay_timeline.h"
#include "observe/temporary_file.h"
#include "results/calls.h"

#include <gtest/gtest.h>

namespace orrery::replay_log_test {
namespace {

using test::ActionScript;

constexpr std::uint32_t ranks = 6;

ActionScript stencil(std::uint32_t rounds) {
    ActionScript script(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::uint32_t left = (rank + ranks - 1) % ranks;
        const std::uint32_t right = (rank + 1) % ranks;
        for (std::uint32_t round = 0; round < rounds; ++round) {
            script.compute(rank, 1000.0 * (rank + 1));
            script.message(rank, ActionKind::irecv, left, 100'000, 1);
            script.message(rank, ActionKind::isend, right, 100'000, 2);
            script.message(rank, ActionKind::send, left, 500, 0, 1);
            script.message(rank, ActionKind::recv, right, 500, 0, 1);
            script.wait_all(rank);
            script.collective(rank, Collective::allreduce, 8);
            script.nonblocking(rank, Collective::barrier, 0, 3);
            script.wait(rank, 3);
        }
    }
    return script;
}

ReplayPrediction run(ActionScript& script, ReplayObserver* observer) {
    std::vector<Host> hosts(ranks);
    for (Host& host : hosts) host.speed = 1e9;
    const Link link{1e9, Time::us(1), Sharing::shared};
    const Platform platform(std::move(hosts), std::vector<Link>(2 * std::size_t{ranks}, link),
                            std::make_unique<test::RouteByFunction>([](std::uint32_t from, std::uint32_t to) {
                                return std::vector<std::uint32_t>{2 * from, 2 * to + 1};
                            }));
    FlowNetwork network(platform, FlowParameters{});
    ReplayJob job{&script, Time::us(3), {}};
    for (std::uint32_t rank = 0; rank < ranks; ++rank) job.hosts.push_back({rank});
    ReplayOptions options;
    options.observer = observer;
    return replay({job}, platform, network, options);
}

class Watcher final : public ReplayObserver {
  public:
    void performed(CpuOfRank who, const Action& action, Time begin, Time end) override {
        const std::uint32_t rank = who.rank;
        EXPECT_LT(begin, end);
        EXPECT_EQ(begin, ended[rank]) << "a gap or an overlap on rank " << rank;
        EXPECT_GE(end, now) << "not told in order of ends";
        now = ended[rank] = end;
        times[rank][call_kind(action)] += end - begin;
    }
    void delivered(std::uint32_t from, std::uint32_t to, std::uint32_t /*tag*/, Bytes size, Time sent,
                   Time arrived) override {
        EXPECT_NE(from, to);
        EXPECT_LT(sent, arrived);
        EXPECT_GE(arrived, now);
        now = arrived;
        ++messages;
        bytes += size;
    }

    std::vector<Time> ended = std::vector<Time>(ranks, Time::us(3));
    std::vector<CallTimes> times = std::vector<CallTimes>(ranks);
    std::uint64_t messages = 0;
    Bytes bytes = 0;
    Time now;
};

TEST(ReplayLog, AgreesWithThePrediction) {
    ActionScript script = stencil(5);
    Watcher watcher;
    const ReplayPrediction prediction = run(script, &watcher);
    EXPECT_EQ(watcher.messages, prediction.base.messages);
    EXPECT_EQ(watcher.bytes, prediction.base.bytes);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(watcher.ended[rank], prediction.base.ranks[rank].finish);
        EXPECT_EQ(watcher.times[rank].by_kind, prediction.calls[rank].by_kind) << "rank " << rank;
    }
}

TEST(ReplayLog, WatchingChangesNothing) {
    ActionScript script = stencil(5);
    const ReplayPrediction alone = run(script, nullptr);
    script.rewind();
    ReplayTimelines timelines;
    const std::string names[] = {"log.paje", "log.pftrace", "log.svg"};
    for (const std::string& name : names)
        timelines.add(make_replay_timeline(observe_test::temporary_file(name), ranks));
    const ReplayPrediction watched = run(script, &timelines);
    timelines.finish(watched.base.time);
    EXPECT_EQ(watched.base.time, alone.base.time);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
        EXPECT_EQ(watched.calls[rank].by_kind, alone.calls[rank].by_kind);
    for (const std::string& name : names)
        EXPECT_TRUE(std::filesystem::remove(observe_test::temporary_file(name))) << name;
}

} // namespace
} // namespace orrery::replay_log_test
