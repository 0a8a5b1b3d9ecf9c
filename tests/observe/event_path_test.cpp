// The critical path from the event log: on random programs, on every network, it leads from time 0 to the end
// of the run without a gap, and what it is made of is the run time. Some whose path is known by hand.
//
// ORRERY_RANDOM_PROGRAMS sets how many programs (for each network), ORRERY_RANDOM_SEED the first seed.
#include "drivers/crossbar.h"
#include "engine/random.h"
#include "network/ideal_network.h"
#include "network/kpacket/kpacket_network.h"
#include "network/loggops/loggops_transport.h"
#include "network/packet/packet_machine.h"
#include "observe/event_path.h"
#include "reference/random_program.h"
#include "reference/random_schedule.h"

#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
};

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
    test::ActionScript script = script_of(random.program);
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
    out.prediction = replay({{&script, Time::zero(), hosts}}, platform, *network, options);
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
    if (path.time != out.prediction.base.time) return "the path is not as long as the run";
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

void check_paths(On network, std::uint64_t count) {
    const std::uint64_t first = told("ORRERY_RANDOM_SEED", 1);
    for (std::uint64_t seed = first; seed < first + told("ORRERY_RANDOM_PROGRAMS", count); ++seed) {
        const Case random = random_case(seed, network);
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

TEST(EventPath, ExplainsAllOfARunOnIdeal) { check_paths(On::ideal, 500); }
TEST(EventPath, ExplainsAllOfARunOnFlow) { check_paths(On::flow, 1000); }
TEST(EventPath, ExplainsAllOfARunOnKPacket) { check_paths(On::kpacket, 500); }
TEST(EventPath, ExplainsAllOfARunOnPacket) { check_paths(On::packet, 500); }
TEST(EventPath, ExplainsAllOfARunOnLogGOPS) { check_paths(On::loggops, 2000); }
TEST(SlowEventPath, ExplainsAllOfARun) {
    for (const On network : {On::ideal, On::flow, On::kpacket, On::packet, On::loggops})
        check_paths(network, 10'000);
}

} // namespace
} // namespace orrery::event_path_test
