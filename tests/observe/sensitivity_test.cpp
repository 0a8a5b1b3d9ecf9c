// The critical path of simulated runs: it explains every picosecond, and its counts are the derivatives of the
// run time, found again by simulating with slightly different parameters.
#include "drivers/graph/simulate.h"
#include "engine/error.h"
#include "observe/critical_path.h"
#include "reference/random_schedule.h"
#include "reference/schedules.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery::sensitivity_test {
namespace {

using reference::build_schedule;
using reference::random_case;
using reference::RandomCase;

// Parameters without a common measure: two chains of events take equally long only if they hold the same
// numbers of each parameter, so that nothing ties by accident and T is smooth around them.
LogGOPS generic_parameters() {
    LogGOPS parameters;
    parameters.L = Time::ps(2'500'009);
    parameters.o = Time::ps(1'499'977);
    parameters.g = Time::ps(4'000'037);
    parameters.G = 6011;
    parameters.O = 7993;
    parameters.S = 1000;
    return parameters;
}

Time run_time(const Schedule& schedule, const LogGOPS& parameters) {
    SimulationOptions options;
    options.loggops = parameters;
    return simulate(schedule, options).time;
}

CriticalPath path_of(const Schedule& schedule, const LogGOPS& parameters) {
    Recording recording;
    SimulationOptions options;
    options.loggops = parameters;
    options.recording = &recording;
    const Prediction prediction = simulate(schedule, options);
    CriticalPath path = critical_path(recording, parameters);
    EXPECT_EQ(path.time, prediction.time);
    EXPECT_EQ(path.rank, prediction.critical_rank);
    EXPECT_TRUE(path.consistent) << summary(path);
    EXPECT_EQ(path.parts.other, Time::zero());
    EXPECT_EQ(path.parts.total(), prediction.time);
    return path;
}

// One picosecond, or one picosecond per byte, up and down, for each parameter.
void expect_derivatives(const Schedule& schedule, const LogGOPS& at) {
    const CriticalPath path = path_of(schedule, at);
    struct Direction {
        const char* name;
        std::uint64_t derivative;
        void (*move)(LogGOPS&, int);
    };
    const Direction directions[] = {
        {"L", path.counts.L, [](LogGOPS& p, int by) { p.L += Time::ps(by); }},
        {"o", path.counts.o, [](LogGOPS& p, int by) { p.o += Time::ps(by); }},
        {"g", path.counts.g, [](LogGOPS& p, int by) { p.g += Time::ps(by); }},
        {"G", path.counts.G, [](LogGOPS& p, int by) { p.G += by; }},
        {"O", path.counts.O, [](LogGOPS& p, int by) { p.O += by; }},
    };
    for (const Direction& direction : directions) {
        for (const int by : {-1, 1}) {
            LogGOPS beside = at;
            direction.move(beside, by);
            const Time change = run_time(schedule, beside) - path.time;
            EXPECT_EQ(change, Time::ps(by * static_cast<std::int64_t>(direction.derivative)))
                << "dT/d" << direction.name << "\n"
                << summary(path);
        }
    }
}

std::vector<RankGraph> scatter(std::uint32_t ranks, std::uint64_t bytes) {
    std::vector<RankGraph> graphs(ranks);
    for (std::uint32_t to = 1; to < ranks; ++to) {
        graphs[0].add(send_op(to, bytes));
        graphs[to].add(recv_op(0, bytes));
    }
    return graphs;
}

std::vector<RankGraph> gather(std::uint32_t ranks, std::uint64_t bytes) {
    std::vector<RankGraph> graphs(ranks);
    for (std::uint32_t from = 1; from < ranks; ++from) {
        graphs[from].add(send_op(0, bytes));
        graphs[0].add(recv_op(from, bytes));
    }
    return graphs;
}

// Each round waits for the message of the one before, after some work.
std::vector<RankGraph> dissemination(std::uint32_t ranks, std::uint64_t bytes) {
    std::vector<RankGraph> graphs(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        std::optional<std::uint32_t> before;
        for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
            RankGraph& graph = graphs[rank];
            const std::uint32_t send = graph.add(send_op((rank + distance) % ranks, bytes, distance));
            const std::uint32_t receive =
                graph.add(recv_op((rank + ranks - distance) % ranks, bytes, distance));
            const std::uint32_t work = graph.add(calc_op(100'003 + 7 * rank));
            if (before) graph.require(send, *before);
            if (before) graph.require(receive, *before);
            graph.require(work, receive);
            before = work;
        }
    }
    return graphs;
}

TEST(Sensitivity, OfPatternsIsTheFiniteDifference) {
    for (const std::uint64_t bytes : {0U, 1U, 64U, 1000U, 5000U}) { // the last by rendezvous
        for (const Rendezvous rendezvous : {Rendezvous::sender_waits, Rendezvous::handshake}) {
            LogGOPS parameters = generic_parameters();
            parameters.rendezvous = rendezvous;
            SCOPED_TRACE(std::to_string(bytes) + " bytes, rendezvous " +
                         std::to_string(static_cast<int>(rendezvous)));
            expect_derivatives(build_schedule(scatter(9, bytes)), parameters);
            expect_derivatives(build_schedule(gather(9, bytes)), parameters);
            expect_derivatives(build_schedule(dissemination(13, bytes)), parameters);
        }
    }
}

TEST(Sensitivity, OfFigure4IsThatOfItsEquation) {
    LogGOPS parameters = generic_parameters();
    parameters.S = 65535;
    const CriticalPath path = path_of(build_schedule(scatter(8, 1024)), parameters);
    EXPECT_EQ(path.counts, (PathCounts{.L = 1, .o = 2, .g = 6, .O = 1023, .G = 6 * 1023}));
}

// Every path of every random schedule adds up, ties and all.
TEST(Sensitivity, ExplainsRandomSchedules) {
    int explained = 0;
    for (std::uint64_t seed = 1; seed <= 2000 && !testing::Test::HasFailure(); ++seed) {
        const RandomCase random = random_case(seed);
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Schedule schedule = build_schedule(random.ranks);
        try {
            run_time(schedule, random.parameters);
        } catch (const SimulationError&) {
            continue; // a deadlock has no critical path
        }
        path_of(schedule, random.parameters);
        ++explained;
    }
    EXPECT_GT(explained, 500);
}

// The graphs of the random schedules, with generic parameters and generic computations.
TEST(Sensitivity, OfRandomSchedulesIsTheFiniteDifference) {
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= 400 && !testing::Test::HasFailure(); ++seed) {
        RandomCase random = random_case(seed);
        SCOPED_TRACE("seed " + std::to_string(seed));
        LogGOPS parameters = generic_parameters();
        parameters.S = random.parameters.S;
        parameters.rendezvous = random.parameters.rendezvous;
        std::uint64_t odd = 1;
        for (RankGraph& graph : random.ranks) {
            for (Op& op : graph.ops) {
                if (op.kind == OpKind::calc) op.size = op.size * 300'007 + (odd += 2) * 1009;
            }
        }
        const Schedule schedule = build_schedule(random.ranks);
        try {
            run_time(schedule, parameters);
        } catch (const SimulationError&) {
            continue;
        }
        expect_derivatives(schedule, parameters);
        ++compared;
    }
    EXPECT_GT(compared, 100);
}

} // namespace
} // namespace orrery::sensitivity_test
