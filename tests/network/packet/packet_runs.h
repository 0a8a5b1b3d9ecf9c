// Small wirings and a driver for the tests of the packet network.
#pragma once

#include "network/packet/packet_network.h"
#include "reference/wired_network.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace orrery::test {

using reference::TableRouting;
using reference::WiredCable;
using reference::WiredPlan;

// A flit of 10 bytes takes 10 ns.
inline constexpr double byte_per_ns = 1e9;

inline PacketParameters plain_parameters() {
    PacketParameters parameters;
    parameters.segment = 40;
    parameters.flit = 10;
    parameters.buffer = 4000;
    parameters.output_buffer = 4000;
    parameters.switch_delay = Time::ns(100);
    parameters.first_turn = FirstTurn::equal;
    return parameters;
}

// Hosts on one switch; host i has channel 2i to it and 2i + 1 from it. Latency 50 ns.
inline WiredPlan star_of(std::uint32_t hosts) {
    WiredPlan plan{hosts, 1, {}, {}};
    for (std::uint32_t i = 0; i < hosts; ++i) plan.cables.push_back({i, hosts, byte_per_ns, Time::ns(50)});
    return plan;
}

// Host 0, a switch behind each cable but the last, host 1; channel 2i leads on.
inline WiredPlan row_of(const std::vector<double>& bandwidths) {
    const auto cables = static_cast<std::uint32_t>(bandwidths.size());
    WiredPlan plan{2, cables - 1, {}, {}};
    for (std::uint32_t i = 0; i < cables; ++i) {
        plan.cables.push_back({i == 0 ? 0 : i + 1, i + 1 == cables ? 1 : i + 2, bandwidths[i], Time::ns(50)});
    }
    return plan;
}

struct Sent {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Bytes bytes = 0;
    Time time;
    bool control = false;
};

// Starts the messages (in the order of their times) and returns when each arrives; Time::max(): it never does.
// `ahead`: the network is told until when nothing starts.
inline std::vector<Time> arrivals(PacketNetwork& network, const std::vector<Sent>& messages,
                                  bool ahead = false) {
    std::vector<Time> times(messages.size(), Time::max());
    std::vector<TransferId> arrived;
    std::uint32_t next = 0;
    for (;;) {
        const Time outside = next < messages.size() ? messages[next].time : Time::max();
        const Time inside = ahead ? network.next_until(outside) : network.next();
        const Time now = std::min(inside, outside);
        if (now == Time::max()) return times;
        if (inside == now) {
            arrived.clear();
            network.advance(now, arrived);
            for (const TransferId each : arrived) times[each.index()] = now;
        }
        for (; next < messages.size() && messages[next].time == now; ++next) {
            const Sent& each = messages[next];
            if (each.control) {
                network.start_control({next}, {each.from}, {each.to}, each.bytes, now);
            } else {
                network.start({next}, {each.from}, {each.to}, each.bytes, now);
            }
        }
    }
}

// A network of its own on a wiring, with shortest paths of one lane.
struct Wired {
    explicit Wired(const WiredPlan& plan, const PacketParameters& parameters = plain_parameters(),
                   PacketObserver* observer = nullptr, std::uint32_t lanes = 1)
        : platform(reference::make_platform(plan)), fabric(*platform),
          routing(reference::random_shortest_paths(fabric, lanes, 1)),
          network(fabric, routing, parameters, observer) {}

    std::unique_ptr<Platform> platform;
    Fabric fabric;
    TableRouting routing;
    PacketNetwork network;
};

inline std::vector<Time> run(const WiredPlan& plan, const std::vector<Sent>& messages,
                             const PacketParameters& parameters = plain_parameters()) {
    Wired wired(plan, parameters);
    return arrivals(wired.network, messages, true);
}

} // namespace orrery::test
