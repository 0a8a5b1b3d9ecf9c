#include "study/scenario_network.h"

#include "engine/error.h"
#include "engine/units.h"
#include "network/flow/flow_network.h"
#include "network/ideal_network.h"
#include "network/kpacket/kpacket_network.h"
#include "network/loggops/loggops_transport.h"
#include "network/packet/packet_network.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

namespace orrery {

namespace {

constexpr std::array<std::string_view, 5> network_names{"loggops", "flow", "packet", "kpacket", "ideal"};

// The ten links of the greatest `weight`; those that weigh nothing are left out.
template <typename Weight> std::vector<LinkId> heaviest(std::size_t links, Weight&& weight) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t link = 0; link < links; ++link) {
        if (weight(link) > 0) order.push_back(link);
    }
    const std::size_t shown = std::min<std::size_t>(order.size(), 10);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                      [&](std::uint32_t a, std::uint32_t b) {
                          return weight(a) != weight(b) ? weight(a) > weight(b) : a < b;
                      });
    std::vector<LinkId> out;
    for (std::size_t i = 0; i < shown; ++i) out.push_back(LinkId{order[i]});
    return out;
}

// Of networks that keep LinkUse by link of the platform.
void add_links(std::span<const LinkUse> use, const Platform& platform, ReplayPrediction& prediction) {
    const auto load = [&](std::uint32_t link) {
        return use[link].mean_use(platform.link(LinkId{link}), prediction.base.time);
    };
    for (const LinkId link : heaviest(use.size(), load)) {
        prediction.busiest.push_back(
            {platform.topology().link_name(link), use[link.index()].bytes, load(link.value), Time::zero()});
    }
}

void add_packets(const PacketNetwork& network, const Fabric& fabric, ReplayPrediction& prediction) {
    const std::span<const ChannelUse> use = network.channel_use();
    const auto seconds = static_cast<double>(prediction.base.time.ps());
    const auto busy = [&](std::uint32_t link) { return static_cast<double>(use[link].busy.ps()); };
    const auto blocked = [&](std::uint32_t link) { return static_cast<double>(use[link].blocked.ps()); };
    const auto load_of = [&](LinkId link) {
        const ChannelUse& each = use[link.index()];
        return LinkLoad{fabric.name(link), static_cast<double>(each.bytes),
                        seconds > 0 ? busy(link.value) / seconds : 0, each.blocked};
    };
    for (const LinkId link : heaviest(use.size(), busy)) prediction.busiest.push_back(load_of(link));
    PacketFigures& figures = prediction.packets.emplace();
    figures.segment_hops = network.segment_hops();
    const auto histogram = network.latency_histogram();
    figures.latency_histogram.assign(histogram.begin(), histogram.end());
    for (const LinkId link : heaviest(use.size(), blocked)) figures.blocked.push_back(load_of(link));
}

} // namespace

NetworkKind parse_network(const std::string& word) {
    const auto found = std::find(network_names.begin(), network_names.end(), word);
    if (found != network_names.end()) return static_cast<NetworkKind>(found - network_names.begin());
    const std::string near = nearest_word(word, network_names);
    throw UsageError(fmt::format("--network {}: expected one of {}{}", word, fmt::join(network_names, ", "),
                                 near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

ScenarioNetwork::ScenarioNetwork(NetworkKind kind, const Machine& machine, const LogGOPS& loggops,
                                 bool contention)
    : kind_(kind), platform_(machine.platform), loggops_(loggops),
      flow_(read_flow_parameters(machine.settings)), packet_(read_packet_parameters(machine.settings)),
      kpacket_(read_kpacket_parameters(machine.settings)),
      flow_set_(machine.settings.word("flow.set", "fabric")) {
    if (!contention) flow_.contention = false;
    if (kind != NetworkKind::packet) return;
    fabric_ = std::make_shared<Fabric>(*platform_, FabricOptions{packet_.seat_bandwidth, Time::zero()});
    packet_ = read_packet_parameters(machine.settings, *fabric_);
    routing_ = make_routing(*fabric_, machine.settings);
}

std::unique_ptr<Network> ScenarioNetwork::make(PacketObserver* packets) const {
    switch (kind_) {
    case NetworkKind::loggops: return std::make_unique<LogGOPSTransport>(platform_->host_count(), loggops_);
    case NetworkKind::flow: return std::make_unique<FlowNetwork>(*platform_, flow_);
    case NetworkKind::packet: return std::make_unique<PacketNetwork>(*fabric_, *routing_, packet_, packets);
    case NetworkKind::kpacket: return std::make_unique<KPacketNetwork>(*platform_, kpacket_);
    case NetworkKind::ideal: break;
    }
    return std::make_unique<IdealNetwork>();
}

std::string ScenarioNetwork::words() const {
    switch (kind_) {
    case NetworkKind::loggops: return fmt::format("loggops {}", to_string(loggops_));
    case NetworkKind::flow:
        return fmt::format("flow, parameters {}{}", flow_set_, flow_.contention ? "" : ", no contention");
    case NetworkKind::packet: return fmt::format("packet, {}; {}", describe(packet_), routing_->words());
    case NetworkKind::kpacket: return fmt::format("kpacket, {}", describe(kpacket_));
    case NetworkKind::ideal: break;
    }
    return "ideal";
}

void ScenarioNetwork::add_figures(const Network& network, ReplayPrediction& prediction) const {
    switch (kind_) {
    case NetworkKind::flow:
        return add_links(dynamic_cast<const FlowNetwork&>(network).link_use(), *platform_, prediction);
    case NetworkKind::kpacket:
        return add_links(dynamic_cast<const KPacketNetwork&>(network).link_use(), *platform_, prediction);
    case NetworkKind::packet:
        add_packets(dynamic_cast<const PacketNetwork&>(network), *fabric_, prediction);
        for (const std::string& each : fabric_->left_out()) prediction.notes.push_back(each);
        return;
    case NetworkKind::loggops:
    case NetworkKind::ideal: return;
    }
}

} // namespace orrery
