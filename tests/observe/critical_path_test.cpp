#include "observe/critical_path.h"

#include "observe/recorded_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>

namespace orrery::critical_path_test {
namespace {

using namespace observe_test;

// What must hold of every path, whatever the run.
void expect_whole(const CriticalPath& path, const Recording& recording, const LogGOPS& parameters) {
    EXPECT_TRUE(path.consistent);
    EXPECT_EQ(path.parts.other, Time::zero());
    EXPECT_EQ(path.parts.total(), path.time);
    EXPECT_EQ(path.on_rank + path.on_others + path.in_flight, path.time);
    Time at;
    PathParts sum;
    for (const PathSegment& segment : path.segments) {
        ASSERT_EQ(segment.from, at);
        at = segment.to;
        sum += made_of(recording.activities[segment.activity], segment, parameters);
    }
    EXPECT_EQ(at, path.time);
    EXPECT_EQ(sum, path.parts);
    // The derivatives by the parameters with whole counts, turned back into time.
    EXPECT_EQ(static_cast<std::int64_t>(path.counts.L) * parameters.L, path.parts.L);
    EXPECT_EQ(static_cast<std::int64_t>(path.counts.o) * parameters.o, path.parts.o);
    EXPECT_EQ(static_cast<std::int64_t>(path.counts.g) * parameters.g, path.parts.g);
}

TEST(CriticalPath, OfFigure4IsTheNicOfTheRoot) {
    const LogGOPS parameters = figure_parameters();
    const Recording recording = linear_scatter(8, 1024, parameters);
    const CriticalPath path = critical_path(recording, parameters);
    // T = 2o + L + 6 (g + sG) + sO
    EXPECT_EQ(path.time, Time::ns(74512));
    EXPECT_EQ(path.rank, 7U);
    EXPECT_EQ(path.counts, (PathCounts{.L = 1, .o = 2, .g = 6, .O = 1023, .G = 6 * 1023}));
    EXPECT_EQ(path.parts.L, Time::ns(2500));
    EXPECT_EQ(path.parts.o, Time::ns(3000));
    EXPECT_EQ(path.parts.g, Time::ns(24000));
    EXPECT_EQ(path.parts.G, Time::ns(6 * 6138));
    EXPECT_EQ(path.parts.O, Time::ns(8184));
    EXPECT_EQ(path.crossings, 1U);
    EXPECT_EQ(path.path_ranks, 2U);
    EXPECT_EQ(path.on_rank, Time::ns(9684));
    EXPECT_EQ(path.in_flight, Time::ns(2500));
    EXPECT_EQ(path.waiting_for_partners(), Time::ns(74512 - 9684));
    expect_whole(path, recording, parameters);
}

TEST(CriticalPath, OfFigure5IsTheReceivingOfTheRoot) {
    const LogGOPS parameters = figure_parameters();
    const Recording recording = linear_gather(8, 1024, parameters);
    const CriticalPath path = critical_path(recording, parameters);
    // T = 2o + L + 6 max(o + sO, g + sG) + sO
    EXPECT_EQ(path.time, Time::ns(74512));
    EXPECT_EQ(path.rank, 0U);
    EXPECT_EQ(path.counts, (PathCounts{.L = 1, .o = 2, .g = 6, .O = 1023, .G = 6 * 1023}));
    EXPECT_EQ(path.on_others, Time::ns(1500)); // the first sender's o
    EXPECT_EQ(path.top_stays.front().rank, 0U);
    expect_whole(path, recording, parameters);
}

TEST(CriticalPath, OfFigure6IsThreeMessagesInARow) {
    const LogGOPS parameters = figure_parameters();
    const Recording recording = binomial_broadcast(8, 1, parameters);
    const CriticalPath path = critical_path(recording, parameters);
    EXPECT_EQ(path.time, Time::ns(3 * 5500));
    EXPECT_EQ(path.counts, (PathCounts{.L = 3, .o = 6, .g = 0, .O = 0, .G = 0}));
    EXPECT_EQ(path.crossings, 3U);
    expect_whole(path, recording, parameters);
}

TEST(CriticalPath, OfFigure7IsThreeRoundsOfMessages) {
    const LogGOPS parameters = figure_parameters();
    const Recording recording = dissemination(8, 1, parameters);
    const CriticalPath path = critical_path(recording, parameters);
    EXPECT_EQ(path.time, Time::ns(3 * 5500));
    EXPECT_EQ(path.rank, 0U); // all ranks end together: the first of them
    EXPECT_EQ(path.counts, (PathCounts{.L = 3, .o = 6, .g = 0, .O = 0, .G = 0}));
    expect_whole(path, recording, parameters);
}

TEST(CriticalPath, GivesTheLargerCostPerByteOfAReceiveAndOOnATie) {
    LogGOPS parameters = figure_parameters();
    const auto counts = [&] {
        const Recording recording = linear_scatter(2, 101, parameters);
        const CriticalPath path = critical_path(recording, parameters);
        expect_whole(path, recording, parameters);
        return path.counts;
    };
    parameters.O = 8000;
    EXPECT_EQ(counts(), (PathCounts{.L = 1, .o = 2, .g = 0, .O = 100, .G = 0}));
    parameters.O = 5000;
    EXPECT_EQ(counts(), (PathCounts{.L = 1, .o = 2, .g = 0, .O = 0, .G = 100}));
    parameters.O = parameters.G;
    EXPECT_EQ(counts(), (PathCounts{.L = 1, .o = 2, .g = 0, .O = 100, .G = 0}));
}

TEST(CriticalPath, CountsNoBytesForAnEmptyMessageOrAControlMessage) {
    const LogGOPS parameters = figure_parameters();
    Recording recording = linear_scatter(2, 0, parameters);
    CriticalPath path = critical_path(recording, parameters);
    EXPECT_EQ(path.counts, (PathCounts{.L = 1, .o = 2, .g = 0, .O = 0, .G = 0}));
    expect_whole(path, recording, parameters);
    for (Activity& activity : recording.activities) {
        activity.size = 4096; // of the data that it announces
        activity.control = true;
    }
    path = critical_path(recording, parameters);
    EXPECT_EQ(path.time, Time::ns(5500));
    expect_whole(path, recording, parameters);
}

TEST(CriticalPath, SeparatesComputationFromNoise) {
    const LogGOPS parameters = figure_parameters();
    RecordedRun run(2, parameters);
    const std::uint32_t work =
        run.calc(0, Time::us(10), {.cpu = 1, .nic = 0, .noise = Time::ns(300), .after = no_activity});
    const std::uint32_t message =
        run.send(0, 1, 11, {.cpu = 0, .nic = 0, .noise = Time::ns(20), .after = work});
    run.recv(message, {.cpu = 0, .nic = 0, .noise = Time::ns(40), .after = no_activity});
    run.calc(1, Time::us(1));
    const Recording recording = run.take();
    const CriticalPath path = critical_path(recording, parameters);
    EXPECT_EQ(path.parts.compute, Time::us(11));
    // Noise on the sender's overhead delays its CPU, not the message.
    EXPECT_EQ(path.parts.noise, Time::ns(340));
    EXPECT_EQ(path.time, Time::us(11) + Time::ns(340 + 1500 + 2500 + 1500 + 80));
    expect_whole(path, recording, parameters);
}

TEST(CriticalPath, PassesThroughTheReceiverOfARendezvous) {
    const LogGOPS parameters = figure_parameters();
    RecordedRun run(2, parameters);
    run.calc(1, Time::us(50));
    const std::uint32_t message = run.send(0, 1, 100'000);
    const std::uint32_t receive = run.recv(message);
    run.release(0, receive);
    run.calc(0, Time::us(2000));
    const Recording recording = run.take();
    const CriticalPath path = critical_path(recording, parameters);
    EXPECT_EQ(path.rank, 0U);
    EXPECT_EQ(path.time, Time::us(2050));
    EXPECT_EQ(path.parts.compute, Time::us(2050));
    EXPECT_EQ(path.on_others, Time::us(50));
    EXPECT_EQ(path.crossings, 1U);
    expect_whole(path, recording, parameters);
}

// Random programs with several CPUs and NICs: the parts add up to the picosecond, also with costs per byte that
// are not whole picoseconds.
TEST(CriticalPath, AddsUpOnRandomRuns) {
    std::mt19937 random(7);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    for (int repetition = 0; repetition < 300; ++repetition) {
        LogGOPS parameters;
        parameters.L = Time::ps(below(5000));
        parameters.o = Time::ps(below(3000));
        parameters.g = Time::ps(below(4000));
        parameters.G = static_cast<double>(below(9000)) / 700;
        parameters.O = static_cast<double>(below(9000)) / 700;
        const std::uint32_t ranks = 2 + below(6);
        RecordedRun run(ranks, parameters);
        for (int step = 0; step < 60; ++step) {
            const Where where{below(2), below(2), Time::ps(below(2) * below(100)), no_activity};
            if (below(3) == 0) {
                run.calc(below(ranks), Time::ps(below(5000)), where);
            } else {
                run.recv(run.send(below(ranks), below(ranks), below(3) == 0 ? below(2) : below(1000), where),
                         where);
            }
        }
        const Recording recording = run.take();
        expect_whole(critical_path(recording, parameters), recording, parameters);
    }
}

TEST(CriticalPath, OfARunWithoutOperationsIsEmpty) {
    Recording recording;
    CriticalPath path = critical_path(recording, {});
    EXPECT_TRUE(path.segments.empty());
    EXPECT_EQ(path.time, Time::zero());
    recording.ranks = 2;
    recording.finish.assign(2, Time::zero());
    recording.last.assign(2, no_activity);
    recording.last_how.assign(2, Cause::none);
    path = critical_path(recording, {});
    EXPECT_TRUE(path.segments.empty());
    EXPECT_TRUE(path.consistent);
    EXPECT_FALSE(summary(path).empty());
    EXPECT_EQ(path.share(path.parts.L), 0);
}

TEST(CriticalPath, ReportsWhatTheModelDoesNotExplain) {
    const LogGOPS parameters = figure_parameters();
    Recording recording = linear_scatter(3, 8, parameters);
    const auto receive = std::find_if(recording.activities.begin(), recording.activities.end(),
                                      [](const Activity& a) { return a.rank == 2; });
    receive->end += Time::ns(5);
    recording.finish[2] += Time::ns(5);
    CriticalPath path = critical_path(recording, parameters);
    EXPECT_FALSE(path.consistent);
    EXPECT_EQ(path.parts.other, Time::ns(5));
    EXPECT_EQ(path.parts.total(), path.time);
    EXPECT_NE(summary(path).find("WARNING"), std::string::npos);

    receive->cause = no_activity; // a chain that does not reach time 0
    path = critical_path(recording, parameters);
    EXPECT_FALSE(path.consistent);
    EXPECT_EQ(path.parts.total(), path.time);
}

TEST(CriticalPath, IsToldInTenLines) {
    const LogGOPS parameters = figure_parameters();
    const std::string text =
        summary(critical_path(linear_scatter(8, 1024, parameters), parameters), {.width = 1000});
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 10);
    EXPECT_NE(text.find("74.512 us"), std::string::npos) << text;
    EXPECT_NE(text.find("G 36.828 us (49.4 %)"), std::string::npos) << text;
    EXPECT_NE(text.find("rank 0"), std::string::npos) << text;
    EXPECT_EQ(text.find("compute"), std::string::npos) << text; // nothing was computed
}

TEST(CriticalPath, IsToldAsJson) {
    const LogGOPS parameters = figure_parameters();
    const nlohmann::json json = critical_path(linear_scatter(8, 1024, parameters), parameters);
    EXPECT_EQ(json["time_ps"], 74'512'000);
    EXPECT_EQ(json["made_of_ps"]["G"], 36'828'000);
    EXPECT_EQ(json["sensitivity"]["G_bytes"], 6138);
    EXPECT_NEAR(json["share"]["G"].get<double>(), 36.828 / 74.512, 1e-12);
    std::int64_t sum = 0;
    for (const auto& part : json["made_of_ps"]) sum += part.get<std::int64_t>();
    EXPECT_EQ(sum, json["time_ps"].get<std::int64_t>());
    EXPECT_EQ(json["top_ranks"][0]["rank"], 0);
    EXPECT_EQ(json["top_operations"][0]["kind"], "send");
}

} // namespace
} // namespace orrery::critical_path_test
