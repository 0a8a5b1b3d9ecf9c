// Many messages at once on machines with extreme but legal numbers: every network agrees with its slow twin in
// wide arithmetic, or it refuses the run by the one rule (engine/too_long.h), and only where the twin says so
// too.
//
// A packet or k-packet network computes with whole times only. If each of them becomes 2^n times as long, all
// that happens does so 2^n times later, and nothing else changes. So the twin runs where all times are short,
// and its answer is multiplied in 128 bits. For that all times are multiples of 5^12 ps, which a bandwidth in
// bytes per second that is a power of two gives exactly.
#include "engine/random.h"
#include "engine/too_long.h"
#include "network/flow/flow_network.h"
#include "network/flow/test_platforms.h"
#include "network/kpacket/kpacket_network.h"
#include "network/loggops/loggops_transport.h"
#include "network/packet/packet_network.h"
#include "reference/kpacket.h"
#include "reference/max_min.h"
#include "reference/random_packets.h"
#include "reference/sanitized.h"
#include "reference/wide_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <optional>

namespace orrery::extreme_contention_test {
namespace {

using reference::FlitMessage;
using reference::Wide;

constexpr auto longest = static_cast<long double>(Time::longest().ticks());

// When each message arrives; nothing if the run is refused. `messages` in the order of their times.
std::optional<std::vector<Time>> carry(const std::vector<FlitMessage>& messages,
                                       const std::function<std::unique_ptr<Network>()>& make) {
    try {
        const std::unique_ptr<Network> network = make();
        std::vector<Time> arrivals(messages.size(), Time::max());
        std::vector<TransferId> arrived;
        std::size_t missing = messages.size();
        for (std::uint32_t next = 0; missing > 0;) {
            Time now = network->next();
            if (next < messages.size()) now = std::min(now, messages[next].time);
            if (now == Time::max()) break; // a deadlock
            check_length(now);             // as every driver does
            arrived.clear();
            network->advance(now, arrived);
            for (const TransferId each : arrived) arrivals[each.index()] = now;
            missing -= arrived.size();
            for (; next < messages.size() && messages[next].time == now; ++next) {
                const FlitMessage& each = messages[next];
                if (each.control)
                    network->start_control(TransferId{next}, each.from, each.to, each.bytes, now);
                else
                    network->start(TransferId{next}, each.from, each.to, each.bytes, now);
            }
        }
        return arrivals;
    } catch (const TooLong& error) {
        EXPECT_NE(std::string(error.what())
                      .find(" takes longer than 26 days, the longest time that can be simulated"),
                  std::string::npos);
        return std::nullopt;
    }
}

constexpr long double never = -1;

struct Counts {
    int agreed = 0;
    int refused = 0;
};

// `apart`: what rounding may do, as a part of the whole. `more`: what the network may have to count beyond the
// last arrival.
void expect_agreement(const std::optional<std::vector<Time>>& found, const std::vector<long double>& twin,
                      long double apart, long double more, Counts& counts) {
    const long double end = *std::max_element(twin.begin(), twin.end());
    if (!found) {
        ++counts.refused;
        EXPECT_GE((end + more) * (1 + apart), longest) << "refused without need";
        return;
    }
    ++counts.agreed;
    EXPECT_LT(end * (1 - apart), longest) << "not refused";
    for (std::size_t i = 0; i < twin.size(); ++i) {
        if (twin[i] == never)
            EXPECT_EQ((*found)[i], Time::max()) << "message " << i << " never arrives in the twin";
        else
            EXPECT_LE(std::abs(static_cast<long double>((*found)[i].ticks()) - twin[i]),
                      apart * end + (apart > 0 ? 50 : 0))
                << "message " << i;
    }
}

// 5^12 ps, 2^bits times.
constexpr std::int64_t unit = 244'140'625;
Time units(std::int64_t count, int bits) { return Time::ticks(count * unit << bits); }
bool fits(std::int64_t count, int bits) {
    return static_cast<long double>(count * unit) * static_cast<long double>(std::int64_t{1} << bits) < longest;
}
// Bytes per second, at which `bytes` take so many units.
double bandwidth_for(double bytes, double count, int bits) { return std::ldexp(bytes / count, 12 - bits); }

std::vector<long double> later_by(const std::vector<Time>& arrivals, int bits) {
    std::vector<long double> all;
    for (const Time each : arrivals)
        all.push_back(each == Time::max() ? never : static_cast<long double>(Wide{each.ticks()} << bits));
    return all;
}

// The nanoseconds of a case become units. Nothing if one of its times would be longer than any run.
std::optional<reference::PacketCase> in_units(reference::PacketCase each, int bits) {
    const auto convert = [&](Time time) { return units(time.ticks() / 1000, bits); };
    const auto flit = static_cast<double>(each.parameters.flit);
    const auto rate = [&](double bandwidth) {
        return bandwidth_for(flit, std::round(flit / bandwidth * 1e9), bits);
    };
    const auto too_long = [&](Time time) { return !fits(time.ticks() / 1000, bits); };
    for (reference::WiredCable& cable : each.plan.cables) {
        if (too_long(cable.latency)) return std::nullopt;
        cable.bandwidth = rate(cable.bandwidth);
        cable.latency = convert(cable.latency);
    }
    if (each.parameters.injection_bandwidth > 0)
        each.parameters.injection_bandwidth = rate(each.parameters.injection_bandwidth);
    if (too_long(each.parameters.switch_delay)) return std::nullopt;
    each.parameters.switch_delay = convert(each.parameters.switch_delay);
    for (FlitMessage& message : each.messages) {
        if (too_long(message.time)) return std::nullopt;
        message.time = convert(message.time);
    }
    return each;
}

// Credits and signals of the flow control; and a network on which a segment takes half of the longest time is
// refused.
long double beyond_arrivals(const reference::PacketCase& each) {
    long double most = static_cast<long double>(each.parameters.switch_delay.ticks());
    const auto wire =
        static_cast<long double>(each.parameters.segment + each.parameters.header + each.parameters.flit);
    long double slowest = 0;
    for (const reference::WiredCable& cable : each.plan.cables) {
        most = std::max(most, static_cast<long double>(cable.latency.ticks()));
        slowest = std::max(slowest, 2 * wire / cable.bandwidth * 1e12L);
    }
    if (each.parameters.injection_bandwidth > 0)
        slowest = std::max(slowest, 2 * wire / each.parameters.injection_bandwidth * 1e12L);
    return 2 * most + slowest;
}

class ExtremePackets : public testing::TestWithParam<reference::PacketMode> {};

TEST_P(ExtremePackets, AgreeOrAreRefused) {
    Counts counts;
    constexpr std::uint64_t cases = reference::sanitized ? 8 : 100;
    for (std::uint64_t seed = 500; seed < 500 + cases; ++seed) {
        reference::PacketCase base = reference::random_packets(GetParam(), seed);
        if (base.messages.empty()) continue;
        if (seed % 2 == 0) // all within 10 ns, so that there may be longer units
            for (FlitMessage& each : base.messages) each.time = Time::ns(each.time.ticks() / 20'000);
        reference::FlitRun twin;
        for (const int bits : {0, 12, 19, 21, 23, 24, 25, 26, 28, 31, 33}) {
            const auto each = in_units(base, bits);
            if (!each) continue;
            SCOPED_TRACE(fmt::format("seed {}, {} bits", seed, bits));
            const auto platform = reference::make_platform(each->plan);
            const Fabric fabric(*platform, {each->parameters.injection_bandwidth, {}});
            const auto routing = reference::routing_of(fabric, *each);
            if (bits == 0) {
                twin = reference::run_flits(fabric, *routing, each->parameters, each->messages);
                for (const reference::WiredCable& cable : each->plan.cables) // the times are exact
                    ASSERT_EQ(reference::flit_time({cable.bandwidth, 0}, each->parameters) % unit, 0);
            }
            const auto found = carry(each->messages, [&] {
                return std::make_unique<PacketNetwork>(fabric, *routing, each->parameters);
            });
            expect_agreement(found, later_by(twin.arrivals, bits), 0, beyond_arrivals(*each), counts);
            if (HasFailure()) return;
        }
    }
    EXPECT_GT(counts.agreed, static_cast<int>(2 * cases));
    EXPECT_GT(counts.refused, static_cast<int>(cases));
}

constexpr auto cut = Switching::cut_through;
constexpr auto worm = Switching::wormhole;
constexpr auto credits = FlowControl::credits;
constexpr auto stop_go = FlowControl::stop_go;
std::string mode_name(const testing::TestParamInfo<reference::PacketMode>& mode) {
    constexpr std::array<const char*, 3> queueings{"Input", "Output", "Combined"};
    return fmt::format("{}{}{}{}", mode.param.switching == worm ? "Wormhole" : "CutThrough",
                       mode.param.flow_control == credits ? "Credits" : "StopGo",
                       queueings[static_cast<std::size_t>(mode.param.queueing)],
                       mode.param.adaptive ? "Adaptive" : "");
}
INSTANTIATE_TEST_SUITE_P(Modes, ExtremePackets,
                         testing::Values(reference::PacketMode{cut, credits, Queueing::input, false},
                                         reference::PacketMode{cut, stop_go, Queueing::input, false},
                                         reference::PacketMode{cut, credits, Queueing::output, false},
                                         reference::PacketMode{cut, stop_go, Queueing::output, false},
                                         reference::PacketMode{cut, credits, Queueing::combined, false},
                                         reference::PacketMode{cut, stop_go, Queueing::combined, false},
                                         reference::PacketMode{worm, credits, Queueing::input, false},
                                         reference::PacketMode{worm, stop_go, Queueing::input, false},
                                         reference::PacketMode{cut, credits, Queueing::combined, true},
                                         reference::PacketMode{worm, credits, Queueing::input, true}),
                         mode_name);

// Numbers of one case, one after the other.
class Draws {
  public:
    explicit Draws(std::uint64_t seed) : stream_(seed, 23) {}
    std::uint64_t below(std::uint64_t bound) { return stream_.below(at_++, bound); }
    double magnitude(double low, double high) {
        return std::pow(10, low + (high - low) * stream_.uniform(at_++));
    }
    HostId host(std::uint32_t hosts) { return HostId{static_cast<std::uint32_t>(below(hosts))}; }

  private:
    RandomStream stream_;
    std::uint64_t at_ = 0;
};

Platform platform_of(std::uint64_t shape, const Link& link, const Link& other) {
    switch (shape % 4) {
    case 0: return test::crossbar(6, link);
    case 1: return test::bus(6, link);
    case 2: return test::torus(3, link);
    default: return test::chain({link, other, link, other, other});
    }
}

std::vector<FlitMessage> in_order(std::vector<FlitMessage> messages) {
    std::stable_sort(messages.begin(), messages.end(),
                     [](const FlitMessage& a, const FlitMessage& b) { return a.time < b.time; });
    return messages;
}
std::vector<reference::Message> for_twin(const std::vector<FlitMessage>& messages) {
    std::vector<reference::Message> all;
    for (const FlitMessage& each : messages) all.push_back({each.from, each.to, each.bytes, each.time});
    return all;
}

TEST(ExtremeContention, KPacketAgreesOrRefuses) {
    Counts counts;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        std::vector<Time> twin;
        for (const int bits : {2, 10, 16, 18, 20, 22, 24, 27}) {
            Draws draw(seed);
            SCOPED_TRACE(fmt::format("seed {}, {} bits", seed, bits));
            const auto link = [&] {
                const auto faster = static_cast<double>(std::uint64_t{1} << draw.below(3));
                return Link{bandwidth_for(faster, 4, bits),
                            units(static_cast<std::int64_t>(draw.below(50)), bits),
                            draw.below(5) == 0 ? Sharing::fat_pipe : Sharing::shared};
            };
            const Link one = link();
            const Link other = link();
            const Platform platform = platform_of(draw.below(4), one, other);
            KPacketParameters parameters;
            parameters.sharing = draw.below(2) == 0 ? LinkSharing::capacity : LinkSharing::exclusive;
            if (draw.below(2) == 0) parameters.injection = bandwidth_for(1, 4, bits);
            if (draw.below(2) == 0) parameters.ejection = bandwidth_for(1, 2, bits);
            parameters.local = draw.below(2) == 0;
            parameters.tolerance = draw.below(2) == 0 ? 0 : 0.25;
            if (draw.below(2) == 0) parameters.piece = 50;
            std::vector<FlitMessage> messages(30);
            bool starts = true;
            for (FlitMessage& each : messages) {
                each.from = draw.host(platform.host_count());
                each.to = draw.host(platform.host_count());
                each.bytes = draw.below(8) == 0 ? 0 : draw.below(400);
                const auto start = static_cast<std::int64_t>(draw.below(seed % 3 == 0 ? 1 : 2000));
                starts = starts && fits(start, bits);
                if (starts) each.time = units(start, bits);
            }
            if (!starts) continue;
            messages = in_order(messages);
            if (bits == 2) twin = reference::kpacket_arrivals(platform, parameters, for_twin(messages));
            const auto found =
                carry(messages, [&] { return std::make_unique<KPacketNetwork>(platform, parameters); });
            expect_agreement(found, later_by(twin, bits - 2), 0, 0, counts);
            if (HasFailure()) return;
        }
    }
    EXPECT_GT(counts.agreed, 500);
    EXPECT_GT(counts.refused, 300);
}

// Its twin computes in seconds and bytes, with doubles: nothing can overflow there.
TEST(ExtremeContention, FlowAgreesOrRefuses) {
    Settings precise;
    precise.set("flow.precision", "1e-14", "test");
    const FlowParameters parameters = read_flow_parameters(precise);
    Counts counts;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        Draws draw(seed);
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const double bandwidth = draw.magnitude(-9, 15);
        const double bytes = draw.magnitude(0, 18);
        const double seconds = std::min(bytes / bandwidth, 4e5); // what one message takes, more or less
        const auto link = [&] {
            return Link{bandwidth * draw.magnitude(0, 2), Time::from_ps(seconds * draw.magnitude(9, 12)),
                        draw.below(5) == 0 ? Sharing::fat_pipe : Sharing::shared};
        };
        const Link one = link();
        const Link other = link();
        const Platform platform = platform_of(draw.below(4), one, other);
        std::vector<FlitMessage> messages(25);
        for (FlitMessage& each : messages) {
            each.from = draw.host(platform.host_count());
            each.to = draw.host(platform.host_count());
            each.bytes = static_cast<Bytes>(bytes * draw.magnitude(-1, 0));
            each.time = Time::from_ps(seconds * draw.magnitude(9, 12));
        }
        messages = in_order(messages);
        const auto found = carry(messages, [&] { return std::make_unique<FlowNetwork>(platform, parameters); });
        std::vector<long double> twin;
        for (const double each : reference::arrivals(platform, parameters, for_twin(messages)))
            twin.push_back(static_cast<long double>(each) * 1e12L);
        expect_agreement(found, twin, 1e-10L, 0, counts);
        if (HasFailure()) return;
    }
    EXPECT_GT(counts.agreed, 300);
    EXPECT_GT(counts.refused, 300);
}

// What the header of the network says, interface by interface.
std::vector<long double> loggops_arrivals(const LogGOPS& parameters, const std::vector<FlitMessage>& messages) {
    const auto drain = [&](Bytes bytes) {
        return reference::wide_round(static_cast<long double>(bytes - 1) * parameters.G);
    };
    std::map<std::uint32_t, Wide> sender_free;
    std::map<std::uint32_t, Wide> receiver_free;
    std::vector<Wide> comes(messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const Wide leaves = std::max<Wide>(messages[i].time.ticks(), sender_free[messages[i].from.value]);
        sender_free[messages[i].from.value] = leaves + parameters.g.ticks() + drain(messages[i].bytes);
        comes[i] = leaves + parameters.L.ticks();
    }
    std::vector<std::size_t> order(messages.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return comes[a] < comes[b]; });
    std::vector<long double> arrivals(messages.size());
    for (const std::size_t i : order) {
        const Wide from = std::max(comes[i], receiver_free[messages[i].to.value]);
        receiver_free[messages[i].to.value] = from + parameters.g.ticks() + drain(messages[i].bytes);
        arrivals[i] = static_cast<long double>(from + drain(messages[i].bytes));
    }
    return arrivals;
}

TEST(ExtremeContention, LogGOPSAgreesOrRefuses) {
    Counts counts;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        Draws draw(seed);
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const double scale = draw.magnitude(12, 17.3);
        LogGOPS parameters;
        parameters.L = Time::from_ps(scale * draw.magnitude(-2, 1));
        parameters.g = Time::from_ps(scale * draw.magnitude(-2, 1));
        parameters.G = std::ldexp(1, static_cast<int>(std::log2(scale)) - static_cast<int>(draw.below(12)));
        std::vector<FlitMessage> messages(20);
        for (FlitMessage& each : messages) {
            each.from = draw.host(5);
            each.to = draw.host(5);
            each.bytes = 1 + draw.below(1000);
            each.time = Time::from_ps(scale * draw.magnitude(-2, 1));
        }
        messages = in_order(messages);
        const auto found = carry(messages, [&] { return std::make_unique<LogGOPSTransport>(5, parameters); });
        expect_agreement(found, loggops_arrivals(parameters, messages), 0, 0, counts);
        if (HasFailure()) return;
    }
    EXPECT_GT(counts.agreed, 500);
    EXPECT_GT(counts.refused, 500);
}

} // namespace
} // namespace orrery::extreme_contention_test
