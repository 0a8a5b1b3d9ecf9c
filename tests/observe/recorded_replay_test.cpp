// What a recording tells to a ReplayObserver agrees with the run, and with what a trace of the same program
// tells.
//
// ORRERY_RANDOM_SCHEDULES sets how many (2,000 unless told), ORRERY_RANDOM_SEED the first seed.
#include "observe/recorded_replay.h"

#include "drivers/crossbar.h"
#include "drivers/graph/simulate.h"
#include "engine/error.h"
#include "formats/export/trace_graph.h"
#include "formats/goal/goal_text_reader.h"
#include "network/loggops/loggops_transport.h"
#include "reference/random_program.h"
#include "reference/random_schedule.h"
#include "reference/schedules.h"
#include "results/calls.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace orrery::recorded_replay_test {
namespace {

std::uint64_t told(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

class Watcher final : public ReplayObserver {
  public:
    void performed(CpuOfRank who, const Action& action, Time begin, Time end) override {
        Time& ended = cpus[{who.rank, who.cpu}];
        if (end <= begin) fault = "performed in no time";
        if (begin < ended)
            fault = fmt::format("rank {} CPU {} is busy at {} ps", who.rank, who.cpu, begin.ps());
        ended = end;
        until(who.rank, end);
        times[{who.rank, call_kind(action)}] += end - begin;
    }
    void passed(CpuOfRank who, const Action& /*action*/, Time at) override { until(who.rank, at); }
    void delivered(std::uint32_t /*from*/, std::uint32_t to, std::uint32_t /*tag*/, Bytes size, Time sent,
                   Time arrived) override {
        if (arrived < sent) fault = "arrived before it was sent";
        until(to, arrived);
        ++messages;
        bytes += size;
    }
    void received(const Received& message) override {
        if (message.left < message.sent || message.arrived < message.left) fault = "times of a message";
        all.emplace(message.from, message.to, message.bytes, message.sent, message.arrived);
        cpu_pairs.emplace(message.from_cpu, message.to_cpu);
        last = message;
    }
    void until(std::uint32_t rank, Time time) { ends[rank] = later(ends[rank], time); }

    std::map<std::pair<std::uint32_t, std::uint32_t>, Time> cpus;
    std::map<std::pair<std::uint32_t, CallKind>, Time> times;
    std::map<std::uint32_t, Time> ends;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::multiset<std::tuple<std::uint32_t, std::uint32_t, Bytes, Time, Time>> all;
    std::set<std::pair<std::uint32_t, std::uint32_t>> cpu_pairs;
    Received last;
    std::string fault;
};

struct Told {
    Watcher watcher;
    Prediction prediction;
};

Told run(const Schedule& schedule, const LogGOPS& parameters, Noise* noise = nullptr,
         const StartSkew& skew = {}) {
    Recording recording;
    SimulationOptions options;
    options.loggops = parameters;
    options.recording = &recording;
    options.noise = noise;
    options.skew = skew;
    Told out;
    out.prediction = simulate(schedule, options);
    tell(recording, parameters, out.watcher);
    return out;
}

TEST(RecordedReplay, AgreesWithThePrediction) {
    const std::uint64_t first = told("ORRERY_RANDOM_SEED", 0);
    std::uint64_t several_cpus = 0;
    for (std::uint64_t seed = first; seed < first + told("ORRERY_RANDOM_SCHEDULES", 2000); ++seed) {
        const reference::RandomCase random = reference::random_case(seed);
        const std::unique_ptr<Noise> noise =
            seed % 3 == 0 ? noise_from_distribution("period=1us duration=90ns", {}) : nullptr;
        std::optional<Told> made;
        try {
            made = run(reference::build_schedule(random.ranks), random.parameters, noise.get());
        } catch (const SimulationError&) {
            continue;
        }
        Watcher& watcher = made->watcher;
        ASSERT_EQ(watcher.fault, "") << "seed " << seed;
        ASSERT_EQ(watcher.messages, made->prediction.messages) << "seed " << seed;
        ASSERT_EQ(watcher.bytes, made->prediction.bytes) << "seed " << seed;
        ASSERT_EQ(watcher.all.size(), made->prediction.messages) << "seed " << seed;
        for (std::uint32_t rank = 0; rank < made->prediction.ranks.size(); ++rank) {
            const RankTimes& times = made->prediction.ranks[rank];
            ASSERT_EQ(watcher.ends[rank], times.finish) << "seed " << seed << ", rank " << rank;
            const auto told = [&](CallKind kind) { return watcher.times[{rank, kind}]; };
            ASSERT_EQ(told(CallKind::compute) + told(CallKind::send) + told(CallKind::receive),
                      times.compute + times.overhead + times.noise)
                << "seed " << seed << ", rank " << rank;
        }
        if (watcher.cpu_pairs.size() > 1) ++several_cpus;
    }
    EXPECT_GT(several_cpus, 10);
}

// The same program as a trace, over the protocol that all networks have.
TEST(RecordedReplay, TellsOfTheMessagesThatATraceTellsOf) {
    const std::vector<Bytes> sizes{0, 1, 7, 8, 9, 12, 999, 1000, 1001};
    for (std::uint64_t seed = 1; seed < 500; ++seed) {
        const reference::RandomProgram program = reference::random_program(seed, sizes, false);
        const LogGOPS parameters = reference::random_parameters(seed);
        test::ActionScript script = reference::script_of(program);
        const TraceCommunicators communicators(script);
        script.rewind();
        TraceScheduleOptions how;
        how.speed = 1e9; // as that of the crossbar's hosts
        reference::GraphCollector graphs;
        write_schedule(script, communicators, how, graphs);
        script.rewind();
        const Told schedule = run(reference::build_schedule(graphs.ranks), parameters);

        const Platform platform = test::crossbar(program.ranks);
        LogGOPSTransport network(program.ranks, parameters);
        Watcher trace;
        ReplayOptions options;
        options.endpoint = endpoint_of(parameters);
        options.observer = &trace;
        (void)replay({{&script, Time::zero(), test::one_each(program.ranks)}}, platform, network, options);
        ASSERT_EQ(schedule.watcher.fault, "") << "seed " << seed;
        ASSERT_EQ(trace.fault, "") << "seed " << seed;
        ASSERT_EQ(schedule.watcher.all, trace.all) << "seed " << seed << "\n" << reference::words_of(program);
    }
}

// It is taken at 23 ns for 3 + 9 ns by the CPU of its sender's number; its receive is posted at 100 ns.
TEST(RecordedReplay, AMessageThatComesBeforeItsReceiveIsPosted) {
    const Schedule schedule = [] {
        reference::GraphCollector graphs;
        read_goal_text("num_ranks 2\nrank 0 {\nsend 10b to 1 tag 4 cpu 1\n}\n"
                       "rank 1 {\nc: calc 100\nr: recv 10b from 0 tag 4\nr requires c\n}\n",
                       "test", graphs);
        return reference::build_schedule(graphs.ranks);
    }();
    const LogGOPS parameters = parse_loggops("L=20ns o=3ns g=0 G=1ns/B O=0 S=1000");
    const Told eager = run(schedule, parameters);
    const ReplayObserver::Received& message = eager.watcher.last;
    EXPECT_EQ(message.from_cpu, 1U);
    EXPECT_EQ(message.to_cpu, 1U);
    EXPECT_EQ(message.tag, 4U);
    EXPECT_EQ(message.sent, Time::zero());
    EXPECT_EQ(message.posted, Time::ns(100));
    EXPECT_EQ(message.arrived, Time::ns(35));
}

} // namespace
} // namespace orrery::recorded_replay_test
