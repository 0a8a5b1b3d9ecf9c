// The critical path from the event log: on random programs, on every network, it leads from time 0 to the end
// of the run without a gap, and what it is made of is the run time. Some whose path is known by hand.
//
// ORRERY_RANDOM_PROGRAMS sets how many programs (for each network), ORRERY_RANDOM_SEED the first seed.
#include "drivers/crossbar.h"
#include "drivers/graph/schedule_driver.h"
#include "drivers/graph/simulate.h"
#include "engine/random.h"
#include "formats/export/trace_graph.h"
#include "network/ideal_network.h"
#include "network/kpacket/kpacket_network.h"
#include "network/loggops/loggops_transport.h"
#include "network/packet/packet_machine.h"
#include "observe/event_path.h"
#include "reference/random_program.h"
#include "reference/random_schedule.h"
#include "reference/schedules.h"

#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace orrery::event_path_test {
namespace {

using reference::ProgramStep;
using reference::RandomProgram;

std::uint64_t told(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

enum class On { ideal, flow, kpacket, packet, loggops };

struct Case {
    RandomProgram program;
    On network = On::flow;
    ReplayOptions options;
    LogGOPS loggops;
    FlowParameters flow;
    std::uint32_t hosts = 1;
    std::uint32_t cores = 1;
    std::string noise;
    std::uint32_t calls = 0; // not 0: so many of all kinds of calls instead of the program
    std::uint64_t seed = 0;  // of these
    bool as_schedule = false;
};

// Calls that programs for "one answer" have not: probes, tests, pauses, waits for one of several, windows. What
// a rank waits for has been done by others before, so that there is no deadlock.
test::ActionScript script_of_calls(std::uint32_t ranks, std::uint32_t calls, std::uint64_t seed) {
    test::ActionScript script(ranks);
    RandomStream stream(seed, 7);
    std::uint64_t n = 0;
    const auto draw = [&](std::uint64_t below) { return static_cast<std::uint32_t>(stream.below(n++, below)); };
    std::uint32_t request = 0;
    const auto window = [&](std::uint32_t rank, WindowCall call, std::uint32_t target) {
        Action action;
        action.kind = ActionKind::window;
        action.other = static_cast<std::uint32_t>(call);
        action.peer = target;
        script.add(rank, action);
    };
    for (std::uint32_t i = 0; i < calls; ++i) {
        const std::uint32_t from = draw(ranks);
        const std::uint32_t to = (from + 1 + draw(ranks - 1)) % ranks;
        const Bytes bytes = std::array<Bytes, 5>{0, 1, 900, 1001, 20'000}.at(draw(5));
        Action action;
        switch (draw(8)) {
        case 0: // probed
            script.message(from, ActionKind::isend, to, bytes, request++)
                .message(to, ActionKind::probe, from, 0);
            script.message(to, ActionKind::recv, from, bytes);
            break;
        case 1: // tested
            script.message(to, ActionKind::irecv, from, bytes, request);
            script.message(from, ActionKind::isend, to, bytes, request);
            for (std::uint32_t look = draw(4); look-- > 0;) {
                action.kind = ActionKind::sleep;
                action.other = static_cast<std::uint32_t>(Pause::probe);
                script.add(to, action);
            }
            script.wait(to, request, ActionKind::test).wait(to, request);
            ++request;
            break;
        case 2: { // one of two, which may only be known to end
            script.message(to, ActionKind::irecv, from, bytes, request);
            script.message(to, ActionKind::irecv, from, 1, request + 1);
            script.message(from, ActionKind::issend, to, bytes, request);
            script.message(from, ActionKind::isend, to, 1, request + 1);
            action.kind = draw(2) == 0 ? ActionKind::await : ActionKind::wait_any;
            script.add(to, script.with_counts(action, {request, request + 1}));
            script.wait_all(to);
            request += 2;
            break;
        }
        case 3: // a pause
            action.kind = ActionKind::sleep;
            action.volume = 1e-9 * draw(3000);
            action.other = static_cast<std::uint32_t>(draw(2) == 0 ? Pause::outside : Pause::in_call);
            script.add(from, action);
            break;
        case 4: // a timed wait
            action.kind = ActionKind::sleep;
            action.other = static_cast<std::uint32_t>(Pause::timed_wait);
            action.bytes = 1000 * draw(3000);
            script.add(from, action);
            break;
        case 5: // a lock that others may hold
            window(from, WindowCall::lock, to);
            action.kind = ActionKind::one_sided;
            action.peer = to;
            action.bytes = bytes;
            action.more_bytes = draw(2) == 0 ? 0 : bytes;
            script.add(from, action);
            window(from, draw(2) == 0 ? WindowCall::flush : WindowCall::flush_local, to);
            script.compute(from, draw(2000));
            window(from, WindowCall::unlock, to);
            break;
        case 6:
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                if (draw(2) == 0) script.compute(rank, draw(3000));
                window(rank, WindowCall::fence, 0);
            }
            break;
        default: script.compute(from, draw(3000)); break;
        }
    }
    return script;
}

test::ActionScript script_of(const Case& random) {
    return random.calls == 0 ? script_of(random.program)
                             : script_of_calls(random.program.ranks, random.calls, random.seed);
}

Schedule schedule_of(test::ActionScript& script) {
    const TraceCommunicators communicators(script);
    script.rewind();
    TraceScheduleOptions how;
    how.speed = 1e9; // as that of the crossbar's hosts
    reference::GraphCollector graphs;
    write_schedule(script, communicators, how, graphs);
    script.rewind();
    return reference::build_schedule(graphs.ranks);
}

struct Outcome {
    EventPath path;
    std::vector<EventPathStep> steps; // last first
    ReplayPrediction prediction;
};

const test::PacketMachine& packet_machine() {
    static const test::PacketMachine machine("[topology]\ntype = \"crossbar\"\nhosts = 8\n");
    return machine;
}

Outcome run(const Case& random, std::size_t in_memory = std::size_t{1} << 20) {
    test::ActionScript script = script_of(random);
    const Platform own = test::crossbar(random.hosts, random.cores);
    const Platform& platform = random.network == On::packet ? packet_machine().platform() : own;
    std::unique_ptr<Network> network;
    switch (random.network) {
    case On::ideal: network = std::make_unique<IdealNetwork>(); break;
    case On::flow: network = std::make_unique<FlowNetwork>(platform, random.flow); break;
    case On::kpacket: network = std::make_unique<KPacketNetwork>(platform, KPacketParameters{}); break;
    case On::packet: network = packet_machine().network(); break;
    case On::loggops: network = std::make_unique<LogGOPSTransport>(random.hosts, random.loggops); break;
    }
    EventLog log(in_memory);
    ReplayOptions options = random.options;
    options.events = &log;
    const std::unique_ptr<Noise> noise =
        random.noise.empty() ? nullptr : noise_from_distribution(random.noise, {});
    options.noise = noise.get();
    std::vector<HostId> hosts = test::one_each(random.program.ranks);
    for (HostId& host : hosts) host.value %= random.hosts;
    Outcome out;
    if (random.as_schedule) {
        out.prediction = replay(schedule_of(script), platform, hosts, *network, options);
    } else {
        out.prediction = replay({{&script, Time::zero(), hosts}}, platform, *network, options);
    }
    out.path = event_path(
        log, {network.get(), random.network == On::loggops ? &random.loggops : nullptr, {}, &out.steps});
    return out;
}

// What is wrong with the path; empty if nothing is.
std::string fault(const Case& random) {
    Outcome out;
    try {
        out = run(random);
    } catch (const std::exception& error) {
        return error.what();
    }
    const EventPath& path = out.path;
    if (path.time != out.prediction.base.time)
        return fmt::format("the path takes {} ps, the run {}", path.time.ps(), out.prediction.base.time.ps());
    if (path.rank != out.prediction.base.critical_rank) return "the path ends on another rank";
    if (path.parts.total() != path.time) return "the parts do not add up";
    if (path.on_rank + path.on_others + path.in_flight != path.time) return "the places do not add up";
    if (path.parts.other != Time::zero()) return fmt::format("{} ps are not explained", path.parts.other.ps());
    if (!path.consistent) return "the path is not consistent";
    Time at = path.time;
    for (const EventPathStep& step : out.steps) {
        if (step.to != at || step.from > step.to) return "a step does not start where the one before ends";
        at = step.from;
    }
    if (at != Time::zero()) return "the path does not begin at time 0";
    if (path.loggops && path.loggops->total() != path.time)
        return fmt::format("the parts of LogGOPS add up to {} ps instead of {}", path.loggops->total().ps(),
                           path.time.ps());
    return {};
}

Case minimise(Case failing) {
    for (std::size_t at = 0; at < failing.program.steps.size();) {
        Case smaller = failing;
        smaller.program.steps.erase(smaller.program.steps.begin() + static_cast<std::ptrdiff_t>(at));
        if (fault(smaller).empty()) {
            ++at;
        } else {
            failing = std::move(smaller);
            at = 0;
        }
    }
    return failing;
}

std::string chosen(std::uint64_t draw, std::initializer_list<const char*> words) {
    return *(words.begin() + static_cast<std::ptrdiff_t>(draw % words.size()));
}

Case random_case(std::uint64_t seed, On network) {
    RandomStream stream(seed, 99);
    std::uint64_t n = 0;
    const auto draw = [&](std::uint64_t below) { return stream.below(n++, below); };
    const std::vector<Bytes> sizes{0, 1, 7, 999, 1000, 1001, 20'000};
    Case random{reference::random_program(seed, sizes, seed % 2 == 0), network, {}, {}, {}, 1, 1, {}};
    random.hosts =
        draw(3) == 0 ? 1 + static_cast<std::uint32_t>(draw(random.program.ranks)) : random.program.ranks;
    random.cores = 1 + static_cast<std::uint32_t>(draw(2));
    if (network == On::packet) random.hosts = std::min(random.hosts, 8U);
    if (draw(4) == 0) random.noise = "period=1us duration=90ns";
    if (draw(4) == 0) random.options.skew = StartSkew::parse("uniform:50ns", 1);
    if (network == On::loggops) {
        random.loggops = reference::random_parameters(seed);
        random.options.endpoint = endpoint_of(random.loggops);
        return random;
    }
    Settings settings;
    settings.set("endpoint.eager_limit", chosen(draw(3), {"0 B", "1000 B", "100 kB"}), "test");
    const std::string handshake = chosen(draw(2), {"yes", "no"});
    settings.set("endpoint.handshake", handshake, "test");
    settings.set("endpoint.fetch", chosen(draw(2), {"yes", "no"}), "test");
    settings.set("endpoint.match", chosen(draw(3), {"arrival", "arrival", "send"}), "test");
    if (draw(2) == 0 && handshake == "yes") settings.set("endpoint.control_bytes", "16 B", "test");
    if (draw(3) != 0) {
        settings.set("endpoint.send_overhead", "0:100ns:0.01ns/B", "test");
        settings.set("endpoint.isend_overhead", "50ns", "test");
        settings.set("endpoint.recv_overhead", "0:120ns:0.1ns/B", "test");
        settings.set("endpoint.send_completion", "30ns", "test");
        settings.set("endpoint.fetch_tail", "20ns", "test");
    }
    random.options.endpoint = read_endpoint_parameters(settings);
    return random;
}

void check_paths(On network, std::uint64_t count, bool as_schedule = false) {
    const std::uint64_t first = told("ORRERY_RANDOM_SEED", 1);
    for (std::uint64_t seed = first; seed < first + told("ORRERY_RANDOM_PROGRAMS", count); ++seed) {
        Case random = random_case(seed, network);
        random.as_schedule = as_schedule;
        if (fault(random).empty()) continue;
        const Case small = minimise(random);
        FAIL() << "seed " << seed << ": " << fault(small) << "\n"
               << describe(small.options.endpoint) << ", match "
               << static_cast<int>(small.options.endpoint.matching) << ", noise '" << small.noise << "', "
               << small.hosts << " hosts of " << small.cores << " cores, " << small.options.skew.describe()
               << "\n"
               << to_string(small.loggops) << "\n"
               << words_of(small.program);
    }
}

void check_calls(std::uint64_t count) {
    const std::uint64_t first = told("ORRERY_RANDOM_SEED", 1);
    for (std::uint64_t seed = first; seed < first + told("ORRERY_RANDOM_PROGRAMS", count); ++seed) {
        const auto network = static_cast<On>(seed % 5);
        Case random = random_case(seed, network);
        random.seed = seed;
        random.program = {2 + static_cast<std::uint32_t>(seed % 6), {}};
        random.hosts = std::min(random.hosts, random.program.ranks);
        random.options.endpoint.test = Time::ns(seed % 3 * 100);
        for (random.calls = 1; random.calls < 40; ++random.calls) {
            ASSERT_EQ(fault(random), "")
                << "seed " << seed << ", " << random.calls << " calls, network " << static_cast<int>(network)
                << ", " << describe(random.options.endpoint) << ", match "
                << static_cast<int>(random.options.endpoint.matching) << ", noise '" << random.noise << "', "
                << random.program.ranks << " ranks on " << random.hosts << " hosts of " << random.cores
                << " cores, " << to_string(random.loggops);
        }
    }
}

TEST(EventPath, ExplainsAllKindsOfCalls) { check_calls(200); }
TEST(SlowEventPath, ExplainsAllKindsOfCalls) { check_calls(5000); }

TEST(EventPath, ExplainsAllOfARunOnIdeal) { check_paths(On::ideal, 500); }
TEST(EventPath, ExplainsAllOfARunOnFlow) { check_paths(On::flow, 1000); }
TEST(EventPath, ExplainsAllOfARunOnKPacket) { check_paths(On::kpacket, 500); }
TEST(EventPath, ExplainsAllOfARunOnPacket) { check_paths(On::packet, 500); }
TEST(EventPath, ExplainsAllOfARunOnLogGOPS) { check_paths(On::loggops, 2000); }
TEST(EventPath, ExplainsAllOfASchedule) {
    for (const On network : {On::ideal, On::flow, On::kpacket, On::packet}) check_paths(network, 300, true);
}
TEST(SlowEventPath, ExplainsAllOfASchedule) {
    for (const On network : {On::ideal, On::flow, On::kpacket, On::packet}) check_paths(network, 5000, true);
}
TEST(SlowEventPath, ExplainsAllOfARun) {
    for (const On network : {On::ideal, On::flow, On::kpacket, On::packet, On::loggops})
        check_paths(network, 10'000);
}

// --- By hand. Every link of the crossbar has 1 us and 1 GB/s; hosts compute 1 Gflop/s.

Outcome run_script(test::ActionScript& script, const EndpointParameters& endpoint = {},
                   std::uint32_t hosts = 0) {
    const Platform platform = test::crossbar(hosts == 0 ? script.ranks() : hosts);
    FlowNetwork network(platform, FlowParameters{});
    EventLog log;
    ReplayOptions options;
    options.endpoint = endpoint;
    options.events = &log;
    std::vector<HostId> where = test::one_each(script.ranks());
    for (HostId& host : where) host.value %= platform.host_count();
    Outcome out;
    out.prediction = replay({{&script, Time::zero(), where}}, platform, network, options);
    out.path = event_path(log, {&network, nullptr,
                                [](std::uint32_t, LinkId link) { return "l" + std::to_string(link.value); },
                                &out.steps});
    return out;
}

TEST(EventPath, GoesThroughTheSenderIfTheReceiverWaits) {
    test::ActionScript script(2);
    script.compute(0, 5000).message(0, ActionKind::send, 1, 3000);
    script.message(1, ActionKind::recv, 0, 3000).compute(1, 700);
    const EventPath path = run_script(script).path;
    EXPECT_EQ(path.time, Time::ns(5000 + 2000 + 3000 + 700));
    EXPECT_EQ(path.parts.compute, Time::ns(5700));
    EXPECT_EQ(path.parts.latency, Time::us(2));
    EXPECT_EQ(path.parts.transmission, Time::us(3));
    EXPECT_EQ(path.parts.contention, Time::zero());
    EXPECT_EQ(path.on_rank, Time::ns(700));
    EXPECT_EQ(path.on_others, Time::us(5));
    EXPECT_EQ(path.in_flight, Time::us(5));
    EXPECT_EQ(path.crossings, 1);
    ASSERT_EQ(path.top_links.size(), 2);
    EXPECT_EQ(path.top_links[0].name, "l0");
    EXPECT_EQ(path.top_links[0].latency, Time::us(1));
    EXPECT_EQ(path.top_links[0].transmission, Time::us(3));
    EXPECT_EQ(path.top_links[1].total(), Time::us(1));
}

TEST(EventPath, StaysOnAReceiverThatComesLate) {
    test::ActionScript script(2);
    script.message(0, ActionKind::send, 1, 3000);
    script.compute(1, 50'000).message(1, ActionKind::recv, 0, 3000).compute(1, 700);
    const EventPath path = run_script(script).path;
    EXPECT_EQ(path.parts.compute, path.time);
    EXPECT_EQ(path.on_rank, path.time);
    EXPECT_EQ(path.steps, 2);
}

// 0 sends to 2, as 1 does at the same time: each gets half of the link down to 2.
TEST(EventPath, TellsWaitingForOthersFromTransmission) {
    test::ActionScript script(3);
    script.message(0, ActionKind::send, 2, 3000).message(1, ActionKind::send, 2, 3000);
    script.message(2, ActionKind::recv, 0, 3000).message(2, ActionKind::recv, 1, 3000);
    const EventPath path = run_script(script).path;
    EXPECT_EQ(path.parts.latency, Time::us(2));
    EXPECT_EQ(path.parts.transmission, Time::us(3));
    EXPECT_EQ(path.parts.contention, Time::us(3));
}

// The receiver is late: it posts at 50 us, its clear-to-send goes back, then the bytes come.
TEST(EventPath, GoesThroughAHandshake) {
    Settings settings;
    settings.set("endpoint.eager_limit", "100 B", "test");
    test::ActionScript script(2);
    script.message(0, ActionKind::send, 1, 3000);
    script.compute(1, 50'000).message(1, ActionKind::recv, 0, 3000);
    const Outcome out = run_script(script, read_endpoint_parameters(settings));
    ASSERT_EQ(out.steps.size(), 3);
    EXPECT_EQ(out.steps[0].kind, EventKind::transfer);
    EXPECT_EQ(out.steps[1].kind, EventKind::control);
    EXPECT_EQ(out.steps[1].rank, 1);
    EXPECT_EQ(out.steps[2].kind, EventKind::compute);
    EXPECT_EQ(out.path.parts.latency, Time::us(4));
    EXPECT_EQ(out.path.parts.compute, Time::us(50));
}

TEST(EventPath, TellsWaitingForACoreFromComputing) {
    test::ActionScript script(2);
    script.compute(0, 1000).compute(1, 3000);
    const EventPath path = run_script(script, {}, 1).path;
    EXPECT_EQ(path.time, Time::us(4));
    EXPECT_EQ(path.parts.compute, Time::us(3));
    EXPECT_EQ(path.parts.core_wait, Time::us(1));
}

TEST(EventPath, SaysItInWordsAndAsJson) {
    test::ActionScript script(2);
    script.compute(0, 5000).message(0, ActionKind::send, 1, 3000).message(1, ActionKind::recv, 0, 3000);
    const EventPath path = run_script(script).path;
    const std::string text = summary(path, {.width = 1000});
    EXPECT_NE(
        text.find("made of       compute 5.000 us (50.0 %), transmission 3.000 us (30.0 %), latency 2.000 us"),
        std::string::npos)
        << text;
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 12);
    std::istringstream wrapped(summary(path, {.width = 60}));
    for (std::string line; std::getline(wrapped, line);) EXPECT_LE(line.size(), 60U) << line;
    const nlohmann::json json = path;
    EXPECT_EQ(json["made_of_ps"]["compute"], 5'000'000);
    EXPECT_EQ(json["made_of_ps"]["latency"], 2'000'000);
    EXPECT_EQ(json["sensitivity"]["link_bandwidth"], -0.3);
    EXPECT_EQ(json["top_links"][0]["name"], "l0");
    EXPECT_EQ(json["top_operations"][0]["kind"], "compute");
    EXPECT_TRUE(json["consistent"]);
}

// --- Sensitivities agree with finite differences where messages do not wait for each other. The run time is
// the largest over all paths, each linear in what computing, a latency and a byte cost: the slope of one that
// is largest lies between those to the left and to the right.
struct Costs {
    double compute = 1;
    double latency = 1;
    double byte = 1;
};

EventPath path_with(const RandomProgram& program, const Costs& costs) {
    test::ActionScript script = script_of(program);
    std::vector<Host> hosts(program.ranks);
    for (Host& host : hosts) host.speed = 1e9 / costs.compute;
    const Link link{1e9 / costs.byte, Time::from_ps(1e6 * costs.latency), Sharing::shared};
    const Platform platform{
        hosts, std::vector<Link>(2 * std::size_t{program.ranks}, link),
        std::make_unique<test::RouteByFunction>([](std::uint32_t from, std::uint32_t to) {
            return from == to ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{2 * from, 2 * to + 1};
        })};
    FlowParameters parameters;
    parameters.contention = false;
    FlowNetwork network(platform, parameters);
    EventLog log;
    ReplayOptions options;
    options.events = &log;
    options.endpoint.eager_below = 1000;
    (void)replay({{&script, Time::zero(), test::one_each(program.ranks)}}, platform, network, options);
    return event_path(log, {&network, nullptr, {}, nullptr});
}

TEST(EventPath, ItsSensitivitiesAreThoseOfFiniteDifferences) {
    constexpr double change = 1.0 / 256;
    int exact = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        RandomProgram program = reference::random_program(seed, {0, 1, 999, 1000, 20'000}, false);
        std::erase_if(program.steps,
                      [](const ProgramStep& step) { return step.kind == ProgramStep::Kind::gather; });
        for (ProgramStep& step : program.steps) {
            if (step.kind == ProgramStep::Kind::compute) step.bytes *= 100; // comparable with the messages
        }
        const EventPath path = path_with(program, {});
        EXPECT_EQ(path.parts.contention, Time::zero()) << "seed " << seed;
        const auto compare = [&](double Costs::*cost, Time part, const char* what) {
            Costs more;
            Costs less;
            more.*cost += change;
            less.*cost -= change;
            const double right = static_cast<double>((path_with(program, more).time - path.time).ps()) / change;
            const double left = static_cast<double>((path.time - path_with(program, less).time).ps()) / change;
            const auto slope = static_cast<double>(part.ps());
            // Each step of a path is rounded to a picosecond.
            const double rounding = 2.0 * static_cast<double>(path.steps + 10) / change;
            EXPECT_LE(left, slope + rounding) << what << ", seed " << seed;
            EXPECT_GE(right, slope - rounding) << what << ", seed " << seed;
            if (slope > 0 && right - left <= rounding) ++exact;
        };
        compare(&Costs::compute, path.parts.compute, "computing");
        compare(&Costs::latency, path.parts.latency, "latency");
        compare(&Costs::byte, path.parts.transmission, "bandwidth");
    }
    EXPECT_GT(exact, 500); // no kink there
}

// --- On loggops: as long as the path of the schedule that says the same, and of the same parameters.
TEST(EventPath, OfATraceIsThatOfItsScheduleOnLogGOPS) {
    int same = 0;
    int all = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        Case random = random_case(seed, On::loggops);
        random.hosts = random.program.ranks;
        random.noise.clear();
        test::ActionScript script = script_of(random.program);
        SimulationOptions options;
        options.loggops = random.loggops;
        options.skew = random.options.skew;
        Recording recording;
        options.recording = &recording;
        (void)simulate(schedule_of(script), options);
        const CriticalPath schedule = critical_path(recording, random.loggops);
        const EventPath trace = run(random).path;
        ASSERT_EQ(trace.time, schedule.time) << "seed " << seed;
        ASSERT_TRUE(trace.loggops.has_value());
        ASSERT_EQ(trace.loggops->total(), schedule.parts.total()) << "seed " << seed;
        ++all;
        // Of paths that tie either may be found.
        if (*trace.loggops == schedule.parts && trace.counts == schedule.counts) ++same;
    }
    EXPECT_GT(same, all * 9 / 10) << "of " << all;
}

TEST(EventPath, IsTheSameFromAFile) {
    const Case random = random_case(3, On::flow);
    EXPECT_EQ(run(random, 0).path.parts, run(random).path.parts);
}

} // namespace
} // namespace orrery::event_path_test
