// One answer: the same program as a trace and, converted, as a schedule. Every rank must end at the same
// picosecond. A failure prints the program, made as small as possible.
//
// ORRERY_RANDOM_PROGRAMS sets how many (2,000 unless told), ORRERY_RANDOM_SEED the first seed.
#include "drivers/crossbar.h"
#include "drivers/graph/simulate.h"
#include "formats/export/trace_graph.h"
#include "network/loggops/loggops_transport.h"
#include "reference/minimise.h"
#include "reference/random_program.h"
#include "reference/random_schedule.h"
#include "reference/schedules.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace orrery::one_answer_test {
namespace {

using reference::GraphCollector;
using reference::ProgramStep;
using reference::RandomProgram;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

struct Case {
    RandomProgram program;
    LogGOPS parameters;
    std::string noise;
    std::string skew;
};

std::unique_ptr<Noise> noise_of(const Case& random) {
    return random.noise.empty() ? nullptr : noise_from_distribution(random.noise, {});
}

std::vector<Time> finish_times(const Prediction& prediction) {
    std::vector<Time> times;
    for (const RankTimes& rank : prediction.ranks) times.push_back(rank.finish);
    return times;
}

std::vector<Time> as_schedule(const Case& random, test::ActionScript& script) {
    const TraceCommunicators communicators(script);
    script.rewind();
    TraceScheduleOptions how;
    how.speed = 1e9; // as that of the crossbar's hosts
    GraphCollector graphs;
    write_schedule(script, communicators, how, graphs);
    script.rewind();
    SimulationOptions options;
    options.loggops = random.parameters;
    options.skew = StartSkew::parse(random.skew, 1);
    const std::unique_ptr<Noise> noise = noise_of(random);
    options.noise = noise.get();
    return finish_times(simulate(reference::build_schedule(graphs.ranks), options));
}

std::vector<Time> as_trace(const Case& random, test::ActionScript& script) {
    const std::uint32_t ranks = random.program.ranks;
    const Platform platform = test::crossbar(ranks);
    LogGOPSTransport network(ranks, random.parameters);
    ReplayOptions options;
    options.endpoint = endpoint_of(random.parameters);
    options.skew = StartSkew::parse(random.skew, 1);
    const std::unique_ptr<Noise> noise = noise_of(random);
    options.noise = noise.get();
    return finish_times(
        replay({{&script, Time::zero(), test::one_each(ranks)}}, platform, network, options).base);
}

// Empty if the two agree.
std::string difference(const Case& random) {
    test::ActionScript script = script_of(random.program);
    std::vector<Time> schedule;
    std::vector<Time> trace;
    try {
        schedule = as_schedule(random, script);
        trace = as_trace(random, script);
    } catch (const std::exception& error) {
        return error.what();
    }
    for (std::size_t rank = 0; rank < schedule.size(); ++rank) {
        if (schedule[rank] == trace[rank]) continue;
        return "rank " + std::to_string(rank) + " ends at " + std::to_string(schedule[rank].ps()) +
               " ps as a schedule, at " + std::to_string(trace[rank].ps()) + " ps as a trace";
    }
    return {};
}

Case random_case(std::uint64_t seed) {
    const std::vector<Bytes> sizes{0, 1, 7, 8, 9, 12, 999, 1000, 1001}; // around the eager limits
    Case random{
        reference::random_program(seed, sizes, seed % 2 == 0), reference::random_parameters(seed), {}, {}};
    if (seed % 5 == 0) random.noise = "period=1us duration=90ns";
    if (seed % 7 == 0) random.skew = "uniform:50ns";
    return random;
}

void compare(std::uint64_t count) {
    const std::uint64_t first = from_environment("ORRERY_RANDOM_SEED", 1);
    for (std::uint64_t seed = first; seed < first + from_environment("ORRERY_RANDOM_PROGRAMS", count); ++seed) {
        const Case random = random_case(seed);
        if (difference(random).empty()) continue;
        Case small = random;
        small.program = reference::minimise<RandomProgram>(random.program, [&](const RandomProgram& program) {
            return !difference({program, random.parameters, random.noise, random.skew}).empty();
        });
        FAIL() << "seed " << seed << ": " << difference(small) << "\n"
               << to_string(small.parameters) << ", noise '" << small.noise << "', skew '" << small.skew
               << "'\n"
               << words_of(small.program);
    }
}

TEST(OneAnswer, ATraceTakesAsLongAsItsScheduleOnLogGOPS) { compare(2000); }
TEST(SlowOneAnswer, ATraceTakesAsLongAsItsScheduleOnLogGOPS) { compare(30'000); }

// The case by which the two were found to differ: 13.5 us as a schedule, 27.5 us as a trace.
TEST(OneAnswer, OneMessageOf1001Bytes) {
    Case one{{2, {{ProgramStep::Kind::message, 0, 1, 1001}}},
             parse_loggops("L=2500ns o=1500ns g=1000ns G=6ns/B O=8ns/B"),
             {},
             {}};
    test::ActionScript script = script_of(one.program);
    const std::vector<Time> expected{Time::ns(9500), Time::ns(13500)};
    EXPECT_EQ(as_schedule(one, script), expected);
    EXPECT_EQ(as_trace(one, script), expected);
}

ReplayPrediction replay_on_loggops(test::ActionScript& script, const LogGOPS& parameters, Platform platform) {
    LogGOPSTransport network(script.ranks(), parameters);
    ReplayOptions options;
    options.endpoint = endpoint_of(parameters);
    const std::uint32_t hosts = platform.host_count();
    std::vector<HostId> where = test::one_each(script.ranks());
    for (HostId& host : where) host.value %= hosts;
    return replay({{&script, Time::zero(), where}}, platform, network, options);
}

// It leaves at 100 ns, is there o + L later, and a CPU takes it for o.
TEST(LogGOPSTraces, AProbeSeesAMessageWhenACpuHasTakenIt) {
    test::ActionScript script(2);
    script.compute(0, 100).message(0, ActionKind::send, 1, 1);
    script.message(1, ActionKind::probe, 0, 0).compute(1, 7).message(1, ActionKind::recv, 0, 1);
    const auto result = replay_on_loggops(script, parse_loggops("L=20ns o=3ns g=0 G=0 O=0"), test::crossbar(2));
    EXPECT_EQ(result.base.ranks[1].finish, Time::ns(100 + 3 + 20 + 3 + 7));
}

// Each of the two computes for 100 ns; the CPU of the one takes the message when that is over, not before.
TEST(LogGOPSTraces, RanksThatShareACoreTakeMessagesAfterTheirComputation) {
    test::ActionScript script(2);
    script.message(0, ActionKind::send, 1, 1).compute(0, 100);
    script.message(1, ActionKind::irecv, 0, 1, 0).compute(1, 100).wait(1, 0);
    const auto result = replay_on_loggops(script, parse_loggops("L=20ns o=3ns g=0 G=0 O=0"), test::crossbar(1));
    // Alone from 0 to 3 ns, then both: the second has 97 ns left at 3 ns, the first 100 ns.
    EXPECT_EQ(result.base.ranks[1].finish, Time::ns(3 + 2 * 97 + 3));
    EXPECT_EQ(result.base.ranks[0].finish, Time::ns(3 + 2 * 97 + 3));
}

// Who sleeps does not use a core: the other computes as fast as alone.
TEST(LogGOPSTraces, ARankThatSleepsLeavesItsCoreToOthers) {
    test::ActionScript script(2);
    Action sleep;
    sleep.kind = ActionKind::sleep;
    sleep.volume = 100e-9;
    script.add(0, sleep).compute(1, 100);
    const auto result = replay_on_loggops(script, parse_loggops("L=20ns o=3ns g=0 G=0 O=0"), test::crossbar(1));
    EXPECT_EQ(result.base.ranks[0].finish, Time::ns(100));
    EXPECT_EQ(result.base.ranks[1].finish, Time::ns(100));
}

// A send that is cancelled before it is taken is received by nobody.
TEST(LogGOPSTraces, ACancelledSendIsTakenButNotReceived) {
    test::ActionScript script(2);
    script.message(0, ActionKind::isend, 1, 1000, 0);
    Action cancel;
    cancel.kind = ActionKind::cancel;
    script.add(0, cancel).message(0, ActionKind::send, 1, 1);
    script.message(1, ActionKind::recv, 0, 1);
    const auto result =
        replay_on_loggops(script, parse_loggops("L=20ns o=3ns g=0 G=1ns/B O=0"), test::crossbar(2));
    // The first is taken from 23 ns on for 3 + 999 ns, the second right after it for 3 ns.
    EXPECT_EQ(result.base.ranks[1].finish, Time::ns(23 + 1002 + 3));
}

} // namespace
} // namespace orrery::one_answer_test
