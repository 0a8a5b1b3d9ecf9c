// One answer on networks with links and on the ideal one: the same program as a trace and, converted, as a
// schedule. Every rank must end at the same picosecond, whatever its messages cost the CPUs. A failure prints
// the program, made as small as possible.
//
// ORRERY_RANDOM_PROGRAMS sets how many, ORRERY_RANDOM_SEED the first seed.
#include "drivers/graph/schedule_driver.h"
#include "drivers/trace/replay.h"
#include "formats/export/trace_graph.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "network/flow/flow_network.h"
#include "network/ideal_network.h"
#include "network/kpacket/kpacket_network.h"
#include "network/packet/packet_network.h"
#include "reference/minimise.h"
#include "reference/random_endpoint.h"
#include "reference/random_program.h"
#include "reference/schedules.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

namespace orrery::one_answer_networks_test {
namespace {

using reference::Draw;
using reference::GraphCollector;
using reference::RandomProgram;

enum class Kind { ideal, flow, kpacket, packet };
constexpr std::array kind_names{"ideal", "flow", "kpacket", "packet"};

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

struct Case {
    RandomProgram program;
    std::string machine;
    std::vector<std::string> endpoint; // key=value
    Kind kind = Kind::ideal;
    bool one_host = false; // or else one rank per host, then round about
    std::string noise;
    std::string skew;
};

// One machine and what runs on it.
class World {
  public:
    explicit World(const Case& random) : random_(random) {
        machine_ = machine_from_text(random.machine, "test.toml");
        for (const std::string& setting : random.endpoint) machine_.settings.set_from_option(setting);
        options_.endpoint = read_endpoint_parameters(machine_.settings);
        options_.skew = StartSkew::parse(random.skew, 1);
        const std::uint32_t hosts = random.one_host ? 1 : machine_.platform->host_count();
        for (std::uint32_t rank = 0; rank < random.program.ranks; ++rank) hosts_.push_back({rank % hosts});
    }

    std::vector<Time> as_schedule(test::ActionScript& script) {
        const TraceCommunicators communicators(script);
        script.rewind();
        TraceScheduleOptions how;
        how.speed = 1e9;
        GraphCollector graphs;
        write_schedule(script, communicators, how, graphs);
        script.rewind();
        const Schedule schedule = reference::build_schedule(graphs.ranks);
        return run(
            [&](Network& network) { return replay(schedule, *machine_.platform, hosts_, network, options_); });
    }
    std::vector<Time> as_trace(test::ActionScript& script) {
        return run([&](Network& network) {
            return replay({{&script, Time::zero(), hosts_}}, *machine_.platform, network, options_);
        });
    }

  private:
    template <typename Replay> std::vector<Time> run(const Replay& replay) {
        const std::unique_ptr<Noise> noise =
            random_.noise.empty() ? nullptr : noise_from_distribution(random_.noise, {});
        options_.noise = noise.get();
        std::vector<Time> times;
        for (const RankTimes& rank : replay(*network()).base.ranks) times.push_back(rank.finish);
        return times;
    }
    std::unique_ptr<Network> network() {
        switch (random_.kind) {
        case Kind::flow: return std::make_unique<FlowNetwork>(*machine_.platform, FlowParameters{});
        case Kind::kpacket: return std::make_unique<KPacketNetwork>(*machine_.platform, KPacketParameters{});
        case Kind::packet:
            fabric_ = std::make_unique<Fabric>(*machine_.platform);
            routing_ = make_routing(*fabric_, machine_.settings);
            return std::make_unique<PacketNetwork>(*fabric_, *routing_,
                                                   read_packet_parameters(machine_.settings, *fabric_));
        case Kind::ideal: break;
        }
        return std::make_unique<IdealNetwork>();
    }

    const Case& random_;
    Machine machine_;
    ReplayOptions options_;
    std::vector<HostId> hosts_;
    std::unique_ptr<Fabric> fabric_;
    std::unique_ptr<Routing> routing_;
};

// Empty if the two agree.
std::string difference(const Case& random) {
    test::ActionScript script = script_of(random.program);
    std::vector<Time> schedule;
    std::vector<Time> trace;
    try {
        World world(random);
        schedule = world.as_schedule(script);
        trace = world.as_trace(script);
    } catch (const std::exception& error) {
        return error.what();
    }
    for (std::size_t rank = 0; rank < schedule.size(); ++rank) {
        if (schedule[rank] == trace[rank]) continue;
        return fmt::format("rank {} ends at {} ps as a schedule, at {} ps as a trace", rank,
                           schedule[rank].ps(), trace[rank].ps());
    }
    return {};
}

Case random_case(std::uint64_t seed, Kind kind) {
    Draw draw(seed, 1);
    constexpr std::array topologies{"type = 'crossbar'\nhosts = 16", "type = 'crossbar'\nhosts = 3",
                                    "type = 'fat-tree'\nlevels = '2; 2,2; 1,2'",
                                    "type = 'dragonfly'\ngroups = 2\nrouters = 2\nhosts_per_router = 1"};
    constexpr std::array latencies{"1ns", "20ns", "1us"};
    const std::vector<Bytes> sizes{0, 1, 7, 8, 9, 10, 12, 998, 999, 1000, 1001, 5000};
    Case random;
    random.kind = kind;
    random.program = reference::random_program(seed, sizes, seed % 2 == 0);
    random.machine =
        fmt::format("[host]\nspeed = '1Gf'\ncores = {}\n[topology]\n{}\n[link]\nbandwidth = "
                    "'1 GB/s'\nlatency = '{}'\n",
                    draw.chance(40) ? 1 + draw.below(3) : 16, draw.of(topologies), draw.of(latencies));
    random.endpoint = reference::random_endpoint(draw);
    random.one_host = draw.chance(15);
    if (draw.chance(20)) random.noise = "period=1us duration=90ns";
    if (draw.chance(15)) random.skew = "uniform:50ns";
    return random;
}

std::string words_of(const Case& random) {
    return fmt::format("{}, {}\n{}\nnoise '{}', skew '{}'\n{}\n{}",
                       kind_names.at(static_cast<std::size_t>(random.kind)),
                       random.one_host ? "one host" : "many hosts", random.machine, random.noise, random.skew,
                       fmt::join(random.endpoint, " "), reference::words_of(random.program));
}

class OneAnswerOn : public testing::TestWithParam<Kind> {};
class SlowOneAnswerOn : public testing::TestWithParam<Kind> {};

void compare(Kind kind, std::uint64_t count) {
    const std::uint64_t first = from_environment("ORRERY_RANDOM_SEED", 1);
    std::uint64_t differ = 0;
    std::string shown;
    for (std::uint64_t seed = first; seed < first + from_environment("ORRERY_RANDOM_PROGRAMS", count); ++seed) {
        const Case random = random_case(seed, kind);
        if (difference(random).empty()) continue;
        ++differ;
        if (!shown.empty()) continue;
        Case small = random;
        small.program = reference::minimise<RandomProgram>(random.program, [&](const RandomProgram& program) {
            Case smaller = random;
            smaller.program = program;
            return !difference(smaller).empty();
        });
        shown = fmt::format("seed {}: {}\n{}", seed, difference(small), words_of(small));
    }
    EXPECT_EQ(differ, 0U) << "the first, made small: " << shown;
}

TEST_P(OneAnswerOn, ATraceTakesAsLongAsItsSchedule) { compare(GetParam(), 1000); }
TEST_P(SlowOneAnswerOn, ATraceTakesAsLongAsItsSchedule) { compare(GetParam(), 20'000); }

const auto kind_name = [](const testing::TestParamInfo<Kind>& kind) {
    return std::string(kind_names.at(static_cast<std::size_t>(kind.param)));
};
const auto all_kinds = testing::Values(Kind::ideal, Kind::flow, Kind::kpacket, Kind::packet);
INSTANTIATE_TEST_SUITE_P(Networks, OneAnswerOn, all_kinds, kind_name);
INSTANTIATE_TEST_SUITE_P(Networks, SlowOneAnswerOn, all_kinds, kind_name);

} // namespace
} // namespace orrery::one_answer_networks_test
