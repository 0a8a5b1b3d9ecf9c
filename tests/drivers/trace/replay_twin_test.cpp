// The replay of traces against its slow twin (reference/replay.h): random traces over a network in closed form.
// Every rank must end at the same picosecond and spend the same time in the same kinds of calls, or neither can
// go on. A failure prints the trace, made as small as possible.
//
// ORRERY_RANDOM_TRACES sets how many, ORRERY_RANDOM_SEED the first seed.
#include "drivers/crossbar.h"
#include "reference/minimise.h"
#include "reference/random_endpoint.h"
#include "reference/random_trace.h"
#include "reference/replay.h"
#include "reference/sanitized.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

namespace orrery::replay_twin_test {
namespace {

using reference::Draw;
using reference::RandomTrace;
using reference::TraceStep;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

struct Case {
    RandomTrace trace;
    std::vector<std::string> endpoint; // key=value
    reference::Delays delays;
    std::uint32_t hosts = 1;
    std::uint32_t cores = 1;
    std::string collectives;
    std::string noise;
    std::string skew;
};

struct Answer {
    bool stuck = false;
    std::vector<Time> finish;
    std::vector<CallTimes> calls;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

class World {
  public:
    explicit World(const Case& random)
        : random_(random), platform_(test::crossbar(random.hosts, random.cores)),
          script_(script_of(random.trace)) {
        Settings settings;
        for (const std::string& setting : random.endpoint) settings.set_from_option(setting);
        options_.endpoint = read_endpoint_parameters(settings);
        options_.skew = StartSkew::parse(random.skew, 1);
        options_.collectives = CollectivePolicy::parse(random.collectives);
        for (std::uint32_t rank = 0; rank < random.trace.ranks; ++rank) hosts_.push_back({rank % random.hosts});
    }

    Answer engine() {
        begin();
        reference::DelayNetwork network(random_.delays);
        Answer answer;
        try {
            ReplayPrediction result = replay({{&script_, Time::zero(), hosts_}}, platform_, network, options_);
            for (const RankTimes& rank : result.base.ranks) answer.finish.push_back(rank.finish);
            answer.calls = std::move(result.calls);
            answer.messages = result.base.messages;
            answer.bytes = result.base.bytes;
        } catch (const SimulationError&) {
            answer.stuck = true;
        }
        return answer;
    }
    Answer twin() {
        begin();
        reference::ReferenceReplay result =
            reference::reference_replay(script_, platform_, hosts_, random_.delays, options_);
        return {result.stuck, std::move(result.finish), std::move(result.calls), result.messages, result.bytes};
    }

  private:
    void begin() {
        script_.rewind();
        noise_ = random_.noise.empty() ? nullptr : noise_from_distribution(random_.noise, {});
        options_.noise = noise_.get();
    }

    const Case& random_;
    Platform platform_;
    test::ActionScript script_;
    ReplayOptions options_;
    std::vector<HostId> hosts_;
    std::unique_ptr<Noise> noise_;
};

// Empty if the two agree.
std::string difference(const Answer& engine, const Answer& twin) {
    if (engine.stuck != twin.stuck) return fmt::format("the {} cannot go on", engine.stuck ? "engine" : "twin");
    if (engine.stuck) return {};
    for (std::size_t rank = 0; rank < twin.finish.size(); ++rank) {
        if (engine.finish[rank] != twin.finish[rank])
            return fmt::format("rank {} ends at {} ps in the engine, at {} ps in the twin", rank,
                               engine.finish[rank].ps(), twin.finish[rank].ps());
        for (std::size_t kind = 0; kind < call_kinds; ++kind) {
            const Time ours = engine.calls[rank].by_kind[kind];
            const Time theirs = twin.calls[rank].by_kind[kind];
            if (ours != theirs)
                return fmt::format("rank {} spends {} ps in {} in the engine, {} ps in the twin", rank,
                                   ours.ps(), call_kind_names[kind], theirs.ps());
        }
    }
    if (engine.messages != twin.messages || engine.bytes != twin.bytes)
        return fmt::format("{} messages of {} bytes in the engine, {} of {} in the twin", engine.messages,
                           engine.bytes, twin.messages, twin.bytes);
    return {};
}

std::string difference(const Case& random) {
    try {
        World world(random);
        const Answer engine = world.engine();
        return difference(engine, world.twin());
    } catch (const std::exception& error) {
        return error.what();
    }
}

reference::Delays random_delays(Draw& draw) {
    const std::array latencies{Time::zero(), Time::ns(1), Time::ps(1234), Time::ns(20), Time::us(1)};
    const std::array steps{Time::zero(), Time::ns(7), Time::ps(777), Time::us(1)};
    constexpr std::array<double, 4> per_byte{0, 1000, 370, 1.7};
    return {draw.of(latencies), draw.of(steps), draw.of(per_byte)};
}

Case random_case(std::uint64_t seed, TraceStep::Kind last) {
    Draw draw(seed, 4);
    const std::vector<Bytes> sizes{0,  1,   7,   8,    9,    10,
                                   12, 998, 999, 1000, 1001, 5000}; // around the eager limits
    Case random;
    random.trace = reference::random_trace(seed, sizes, last);
    random.delays = random_delays(draw);
    random.endpoint = reference::random_endpoint(draw);
    if (draw.chance(30)) random.endpoint.push_back("endpoint.isend_overhead=" + reference::random_table(draw));
    if (draw.chance(30)) random.endpoint.emplace_back("endpoint.test=13ns");
    if (draw.chance(30)) random.endpoint.emplace_back("endpoint.copy=0.3ns/B");
    if (draw.chance(30)) random.endpoint.emplace_back("endpoint.reduction=0.7ns/B");
    random.hosts = draw.chance(15) ? 1 : 1 + draw.below(16);
    random.cores = draw.chance(40) ? 1 + draw.below(3) : 16;
    constexpr std::array collectives{"openmpi", "openmpi", "mpich", "smpi-ompi", "loggopsim"};
    random.collectives = draw.of(collectives);
    if (draw.chance(20)) random.noise = "period=1us duration=90ns";
    if (draw.chance(15)) random.skew = "uniform:50ns";
    return random;
}

// As SimGrid does it, where nothing is fetched.
Case random_case_at_send(std::uint64_t seed, TraceStep::Kind last) {
    Case random = random_case(seed, last);
    Draw draw(seed, 5);
    const bool smpi = draw.chance(50); // without a handshake
    std::erase_if(random.endpoint, [&](const std::string& each) {
        return each.find("fetch") != std::string::npos || (smpi && each.find("control") != std::string::npos);
    });
    random.endpoint.emplace_back(smpi ? "endpoint.set=smpi" : "endpoint.match=send");
    if (draw.chance(50)) random.endpoint.emplace_back("smpi.grow-injected-times=no");
    return random;
}

std::string words_of(const Case& random) {
    return fmt::format(
        "latency {} ps, step {} ps, {} ps per byte; {} hosts of {} cores; noise '{}', skew '{}'\n"
        "{} {}\n{}",
        random.delays.latency.ps(), random.delays.step.ps(), random.delays.per_byte, random.hosts, random.cores,
        random.noise, random.skew, random.collectives, fmt::join(random.endpoint, " "),
        reference::words_of(random.trace));
}

template <typename Make> void compare(std::uint64_t count, const Make& make) {
    if (reference::sanitized) count /= 10;
    const std::uint64_t first = from_environment("ORRERY_RANDOM_SEED", 1);
    std::uint64_t differ = 0;
    std::string shown;
    for (std::uint64_t seed = first; seed < first + from_environment("ORRERY_RANDOM_TRACES", count); ++seed) {
        const Case random = make(seed);
        if (difference(random).empty()) continue;
        ++differ;
        if (!shown.empty()) continue;
        Case small = random;
        small.trace = reference::minimise<RandomTrace>(random.trace, [&](const RandomTrace& trace) {
            Case smaller = random;
            smaller.trace = trace;
            return !difference(smaller).empty();
        });
        shown = fmt::format("seed {}: {}\n{}", seed, difference(small), words_of(small));
    }
    EXPECT_EQ(differ, 0U) << "the first, made small: " << shown;
}

Case with_all(std::uint64_t seed) { return random_case(seed, TraceStep::Kind::post_start); }
Case with_all_at_send(std::uint64_t seed) { return random_case_at_send(seed, TraceStep::Kind::post_start); }

TEST(ReplayTwin, AgreesWithTheEngine) { compare(2000, with_all); }
TEST(ReplayTwin, AgreesWithTheEngineThatMatchesAtTheSend) { compare(1000, with_all_at_send); }
TEST(SlowReplayTwin, AgreesWithTheEngine) { compare(40'000, with_all); }
TEST(SlowReplayTwin, AgreesWithTheEngineThatMatchesAtTheSend) { compare(20'000, with_all_at_send); }

// Otherwise the tests above would compare little.
TEST(ReplayTwin, MostRandomTracesEnd) {
    unsigned ended = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Case random = with_all(seed);
        if (!World(random).twin().stuck) ++ended;
    }
    EXPECT_GT(ended, 170U);
}

} // namespace
} // namespace orrery::replay_twin_test
