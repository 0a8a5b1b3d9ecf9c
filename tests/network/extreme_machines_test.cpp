// Random machines with extreme but legal numbers: every network agrees with its twin in wide arithmetic, or it
// refuses the run by the one rule (engine/too_long.h), and only where the twin says so too.
#include "engine/random.h"
#include "engine/too_long.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "network/flow/flow_network.h"
#include "network/kpacket/kpacket_network.h"
#include "network/loggops/loggops_transport.h"
#include "network/packet/packet_network.h"
#include "reference/wide_times.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <optional>

namespace orrery::extreme_machines_test {
namespace {

using reference::Wide;
using reference::WideChannel;

constexpr auto longest = static_cast<long double>(Time::longest().ticks());

// Numbers of one case; each draw has its own place in the stream.
class Draws {
  public:
    explicit Draws(std::uint64_t seed) : stream_(seed, 17) {}
    // Between 10^low and 10^high, all magnitudes alike; half of them with few digits.
    double magnitude(double low, double high) {
        const double value = std::pow(10, low + (high - low) * stream_.uniform(at_++));
        return stream_.below(at_++, 2) == 0 ? value : std::pow(10, std::round(std::log10(value)));
    }
    std::uint64_t below(std::uint64_t bound) { return stream_.below(at_++, bound); }

  private:
    RandomStream stream_;
    std::uint64_t at_ = 0;
};

// a - s - t - b: three cables, each with its own numbers.
struct Case {
    std::vector<WideChannel> route;
    Bytes bytes = 1;
    std::uint32_t messages = 1; // one after the other
    std::string text;           // the machine

    explicit Case(std::uint64_t seed) {
        Draws draw(seed);
        // Most machines are of one kind: else nearly all would have a link that takes for ever.
        const double centre = -9 + 24 * static_cast<double>(draw.below(1000)) / 999;
        const double spread = draw.below(4) == 0 ? 24 : 2;
        text = "[host]\nspeed = '1Gf'\n[topology]\ntype = 'graph'\n[[hosts]]\nnames = 'a, b'\n"
               "[[switches]]\nnames = 's, t'\n";
        constexpr std::array<std::array<char, 2>, 3> cables{{{'a', 's'}, {'s', 't'}, {'t', 'b'}}};
        for (const auto& [from, to] : cables) {
            const double bandwidth =
                draw.magnitude(std::max(-9.0, centre - spread), std::min(15.0, centre + spread));
            const double seconds = draw.below(4) == 0 ? 0 : draw.magnitude(-12, 6);
            text += fmt::format(
                "[[cables]]\nfrom = '{}'\nto = '{}'\nbandwidth = '{:.17g} B/s'\nlatency = '{:.17g} s'\n", from,
                to, bandwidth, seconds);
            route.push_back({bandwidth, reference::wide_round(static_cast<long double>(seconds) * 1e12L)});
        }
        bytes = static_cast<Bytes>(draw.magnitude(0, 18));
        messages = 1 + static_cast<std::uint32_t>(draw.below(3));
    }
};

// The end of the last message, each started when the one before has arrived; nothing if it is refused.
std::optional<Time> carry(const Case& each, const std::function<std::unique_ptr<Network>()>& make) {
    try {
        const std::unique_ptr<Network> network = make();
        std::vector<TransferId> arrived;
        Time now;
        for (std::uint32_t i = 0; i < each.messages; ++i) {
            network->start(TransferId{0}, HostId{0}, HostId{1}, each.bytes, now);
            for (arrived.clear(); arrived.empty();) {
                now = network->next_until(Time::max());
                if (now == Time::max()) {
                    ADD_FAILURE() << "a message does not arrive";
                    return std::nullopt;
                }
                check_length(now); // as every driver does
                network->advance(now, arrived);
            }
        }
        return now;
    } catch (const TooLong& error) {
        EXPECT_NE(std::string(error.what())
                      .find(" takes longer than 26 days, the longest time that can be simulated"),
                  std::string::npos);
        return std::nullopt;
    }
}

struct Counts {
    int agreed = 0;
    int refused = 0;
};

// `apart`: what rounding to whole picoseconds and doubles may do. `more`: what may last
// beyond the end.
void expect_agreement(const std::optional<Time>& found, long double twin, long double apart, Counts& counts,
                      long double more = 0) {
    if (!found) {
        ++counts.refused;
        EXPECT_GE(twin + more, longest * (1 - 1e-9L)) << "refused without need";
        return;
    }
    ++counts.agreed;
    EXPECT_LT(twin, longest * (1 + 1e-9L)) << "not refused";
    EXPECT_LE(std::abs(static_cast<long double>(found->ps()) - twin), apart + twin * 1e-12L);
}

constexpr std::uint64_t cases = 4000;

TEST(ExtremeMachines, FlowAgreesOrRefuses) {
    Counts counts;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        const Case each(seed);
        SCOPED_TRACE(
            fmt::format("seed {}: {} messages of {} B\n{}", seed, each.messages, each.bytes, each.text));
        const Machine machine = machine_from_text(each.text, "test.toml");
        const auto found =
            carry(each, [&] { return std::make_unique<FlowNetwork>(*machine.platform, FlowParameters{}); });
        expect_agreement(found, each.messages * reference::flow_time(each.route, each.bytes), 4, counts);
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(counts.agreed, 500);
    EXPECT_GT(counts.refused, 500);
}

TEST(ExtremeMachines, KPacketAgreesOrRefuses) {
    Counts counts;
    int apart = 0;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        const Case each(seed);
        SCOPED_TRACE(
            fmt::format("seed {}: {} messages of {} B\n{}", seed, each.messages, each.bytes, each.text));
        const Machine machine = machine_from_text(each.text, "test.toml");
        try {
            const auto found = carry(
                each, [&] { return std::make_unique<KPacketNetwork>(*machine.platform, KPacketParameters{}); });
            expect_agreement(found, each.messages * reference::flow_time(each.route, each.bytes), 4, counts);
        } catch (const InputError& error) {
            ++apart;
            EXPECT_NE(std::string(error.what()).find("too far apart"), std::string::npos) << error.what();
        }
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(counts.agreed, 500);
    EXPECT_GT(counts.refused, 500);
    EXPECT_LT(apart, 1000);
}

// What a packet network may have to count besides: credits that come back after the last message has arrived;
// and a network on which a whole segment takes half of the longest time is refused whatever it carries.
long double needed(const Case& each, const PacketParameters& parameters) {
    const auto wire = static_cast<long double>(parameters.segment + parameters.header + parameters.flit);
    long double most = 0;
    for (const WideChannel& channel : each.route) {
        most = std::max(most, static_cast<long double>(channel.latency));
        most = std::max(most, wire / channel.bandwidth * 1e12L * 2);
    }
    return most;
}

// Sizes of segments, flits and headers are drawn too; messages of too many segments to follow are left out.
TEST(ExtremeMachines, PacketAgreesOrRefuses) {
    Counts counts;
    int unresolved = 0;
    for (std::uint64_t seed = 0; seed < 3 * cases; ++seed) {
        const Case each(seed);
        Draws draw(seed + cases * 100);
        Settings settings;
        const auto segment = static_cast<Bytes>(draw.magnitude(0, 9));
        settings.set("packet.segment", fmt::format("{}B", segment), "test");
        settings.set("packet.flit",
                     fmt::format("{}B", static_cast<Bytes>(draw.magnitude(0, draw.below(2) == 0 ? 9 : 3))),
                     "test");
        settings.set("packet.header", fmt::format("{}B", static_cast<Bytes>(draw.magnitude(0, 4)) - 1), "test");
        settings.set("packet.switch_delay", fmt::format("{:.17g} s", draw.magnitude(-12, 6)), "test");
        if (each.bytes / segment > 1000) continue;
        SCOPED_TRACE(fmt::format("seed {}: {} messages of {} B, segment {}, flit {}, header {}, delay {}\n{}",
                                 seed, each.messages, each.bytes, segment, settings.word("packet.flit", ""),
                                 settings.word("packet.header", ""), settings.word("packet.switch_delay", ""),
                                 each.text));
        const Machine machine = machine_from_text(each.text, "test.toml");
        const Fabric fabric(*machine.platform);
        const auto routing = make_routing(fabric, machine.settings);
        try {
            const PacketParameters parameters = read_packet_parameters(settings, fabric);
            const auto found =
                carry(each, [&] { return std::make_unique<PacketNetwork>(fabric, *routing, parameters); });
            const auto twin = reference::cut_through_time(each.route, each.bytes, each.messages, parameters);
            expect_agreement(found, static_cast<long double>(twin), 0, counts, needed(each, parameters));
        } catch (const InputError& error) {
            ++unresolved;
            const std::string words = error.what();
            EXPECT_TRUE(words.find("whole picoseconds do not resolve") != std::string::npos ||
                        words.find("packet.buffer") != std::string::npos)
                << words;
        }
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(counts.agreed, 500);
    EXPECT_GT(counts.refused, 500);
    EXPECT_LT(unresolved, 6000);
}

TEST(ExtremeMachines, LogGOPSAgreesOrRefuses) {
    Counts counts;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        const Case each(seed);
        Draws draw(seed + cases * 200);
        LogGOPS parameters;
        parameters.L = Time::from_ps(draw.magnitude(0, 18));
        parameters.g = Time::from_ps(draw.magnitude(0, 18));
        parameters.G = draw.magnitude(-3, 21);
        SCOPED_TRACE(fmt::format("seed {}: {} messages of {} B, {}", seed, each.messages, each.bytes,
                                 to_string(parameters)));
        const auto found = carry(each, [&] { return std::make_unique<LogGOPSTransport>(2, parameters); });
        const long double bytes = static_cast<long double>(each.bytes - 1) * parameters.G;
        const auto L = static_cast<long double>(parameters.L.ps());
        const auto g = static_cast<long double>(parameters.g.ps());
        const long double first = L + bytes;
        // A later one leaves when the interface is free again.
        long double end = first;
        long double sent = g + bytes;
        long double received = L + g + bytes;
        for (std::uint32_t i = 1; i < each.messages; ++i) {
            const long double leaves = std::max(end, sent);
            sent = leaves + g + bytes;
            const long double from = std::max(leaves + L, received);
            received = from + g + bytes;
            end = from + bytes;
        }
        expect_agreement(found, end, 8, counts);
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(counts.agreed, 500);
    EXPECT_GT(counts.refused, 500);
}

} // namespace
} // namespace orrery::extreme_machines_test
