#include "simulation/scenario_network.h"

#include "engine/error.h"
#include "engine/naming_file.h"
#include "engine/units.h"
#include "network/flow/flow_network.h"
#include "network/ideal_network.h"
#include "network/kpacket/kpacket_network.h"
#include "network/loggops/loggops_transport.h"
#include "network/packet/packet_network.h"
#include "network/rails/rails_network.h"

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
    std::vector<bool>& crossed = prediction.crossed.emplace_back(use.size());
    for (std::size_t link = 0; link < use.size(); ++link) crossed[link] = use[link].bytes > 0;
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
    std::vector<bool>& crossed = prediction.crossed.emplace_back(use.size());
    for (std::size_t link = 0; link < use.size(); ++link) crossed[link] = use[link].segments > 0;
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
    : kind_(kind), loggops_(loggops), parts_{read(machine, contention)} {
    if (machine.platform == nullptr || kind == NetworkKind::ideal) return;
    Rails rails = Rails::of(machine);
    if (rails.count() == 1) return;
    if (kind == NetworkKind::loggops)
        throw UsageError(
            "this machine has several rails, which LogGOPS does not see: --network flow, packet or kpacket");
    for (const Machine& beside : rails.beside) parts_.push_back(read(beside, contention));
    rails_ = std::make_shared<const Rails>(std::move(rails));
}

ScenarioNetwork::Part ScenarioNetwork::read(const Machine& machine, bool contention) const {
    Part part{machine.platform,
              read_flow_parameters(machine.settings),
              read_packet_parameters(machine.settings),
              read_kpacket_parameters(machine.settings),
              machine.settings.word("flow.set", "fabric"),
              nullptr,
              nullptr,
              {}};
    if (!contention) part.flow.contention = false;
    if (kind_ != NetworkKind::packet) return part;
    naming_file(machine.file, [&] {
        part.fabric =
            std::make_shared<Fabric>(*part.platform, FabricOptions{part.packet.seat_bandwidth, Time::zero()});
        part.packet = read_packet_parameters(machine.settings, *part.fabric);
        part.routing = make_routing(*part.fabric, machine.settings);
    });
    for (const auto& [key, setting] : machine.settings.all()) {
        if (key.starts_with("routing.")) part.routing_settings += fmt::format("{}={}\n", key, setting.value);
    }
    return part;
}

std::unique_ptr<Network> ScenarioNetwork::make(const Part& part, PacketObserver* packets) const {
    switch (kind_) {
    case NetworkKind::loggops: return std::make_unique<LogGOPSTransport>(part.platform->host_count(), loggops_);
    case NetworkKind::flow: return std::make_unique<FlowNetwork>(*part.platform, part.flow);
    case NetworkKind::packet:
        return std::make_unique<PacketNetwork>(*part.fabric, *part.routing, part.packet, packets);
    case NetworkKind::kpacket: return std::make_unique<KPacketNetwork>(*part.platform, part.kpacket);
    case NetworkKind::ideal: break;
    }
    return std::make_unique<IdealNetwork>();
}

std::unique_ptr<Network> ScenarioNetwork::make(PacketObserver* packets) const {
    if (rails_ == nullptr) return make(parts_[0], packets);
    std::vector<std::unique_ptr<Network>> networks;
    for (std::uint32_t i = 0; i < rails_->count(); ++i) networks.push_back(make(part_of(i), nullptr));
    return std::make_unique<RailsNetwork>(std::move(networks), *rails_, parts_[0].platform->host_count());
}

const ScenarioNetwork::Part& ScenarioNetwork::part_of(std::uint32_t rail) const {
    return parts_[rail < rails_->equal ? 0 : rail - rails_->equal + 1];
}

ScenarioNetwork::Rail ScenarioNetwork::rail(std::uint32_t which) const {
    const Part& part = rails_ == nullptr ? parts_[0] : part_of(which);
    return {part.platform.get(), part.fabric.get(), part.routing.get()};
}

bool ScenarioNetwork::same_parameters(const ScenarioNetwork& other) const {
    if (kind_ != other.kind_ || rails() != other.rails()) return false;
    if (rails_ != nullptr && (rails_->choice != other.rails_->choice || rails_->below != other.rails_->below))
        return false;
    if (kind_ == NetworkKind::loggops && loggops_ != other.loggops_) return false;
    for (std::uint32_t i = 0; i < rails(); ++i) {
        const Part& one = rails_ == nullptr ? parts_[0] : part_of(i);
        const Part& two = rails_ == nullptr ? other.parts_[0] : other.part_of(i);
        if (kind_ == NetworkKind::flow && one.flow != two.flow) return false;
        if (kind_ == NetworkKind::kpacket && one.kpacket != two.kpacket) return false;
        if (kind_ == NetworkKind::packet &&
            (one.packet != two.packet || one.routing->decides() != two.routing->decides()))
            return false;
        // What a routing that always takes the same ways was told is seen in these; that of others is not.
        if (kind_ == NetworkKind::packet && one.routing->decides() != Decides::per_pair &&
            one.routing_settings != two.routing_settings)
            return false;
    }
    return true;
}

bool ScenarioNetwork::same_parameters_of_all(const ScenarioNetwork& other) const {
    if (!same_parameters(other) || loggops_ != other.loggops_ || parts_.size() != other.parts_.size())
        return false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& one = parts_[i];
        const Part& two = other.parts_[i];
        if (one.flow != two.flow || one.kpacket != two.kpacket || one.packet != two.packet) return false;
    }
    return true;
}

std::string ScenarioNetwork::words() const {
    return rails_ == nullptr ? words(parts_[0]) : fmt::format("{}; {}", rails_->words(), words(parts_[0]));
}

std::string ScenarioNetwork::words(const Part& part) const {
    switch (kind_) {
    case NetworkKind::loggops: return fmt::format("loggops {}", to_string(loggops_));
    case NetworkKind::flow:
        return fmt::format("flow, parameters {}{}", part.flow_set,
                           part.flow.contention ? "" : ", no contention");
    case NetworkKind::packet:
        return fmt::format("packet, {}; {}", describe(part.packet), part.routing->words());
    case NetworkKind::kpacket: return fmt::format("kpacket, {}", describe(part.kpacket));
    case NetworkKind::ideal: break;
    }
    return "ideal";
}

std::string ScenarioNetwork::link_name(std::uint32_t which, LinkId link) const {
    const Rail one = rail(which);
    const std::string name =
        one.fabric != nullptr ? one.fabric->name(link) : one.platform->topology().link_name(link);
    return rails_ == nullptr ? name : fmt::format("rail {}: {}", which, name);
}

void ScenarioNetwork::add_figures(const Network& network, ReplayPrediction& prediction) const {
    if (rails_ == nullptr) return add_figures(parts_[0], network, prediction);
    const auto& rails = dynamic_cast<const RailsNetwork&>(network);
    const auto heavier = [](const LinkLoad& a, const LinkLoad& b) { return a.use > b.use; };
    for (std::uint32_t i = 0; i < rails.count(); ++i) {
        ReplayPrediction one;
        one.base.time = prediction.base.time;
        add_figures(part_of(i), rails.rail(i), one);
        const auto join = [&](std::vector<LinkLoad>& all, std::vector<LinkLoad>& more) {
            for (LinkLoad& each : more) {
                each.name = fmt::format("rail {}: {}", i, each.name);
                all.push_back(std::move(each));
            }
        };
        join(prediction.busiest, one.busiest);
        for (std::vector<bool>& each : one.crossed) prediction.crossed.push_back(std::move(each));
        for (const std::string& note : one.notes) {
            if (std::find(prediction.notes.begin(), prediction.notes.end(), note) == prediction.notes.end())
                prediction.notes.push_back(note);
        }
        if (!one.packets) continue;
        if (!prediction.packets) prediction.packets.emplace();
        PacketFigures& all = *prediction.packets;
        all.segment_hops += one.packets->segment_hops;
        all.latency_histogram.resize(
            std::max(all.latency_histogram.size(), one.packets->latency_histogram.size()));
        for (std::size_t k = 0; k < one.packets->latency_histogram.size(); ++k)
            all.latency_histogram[k] += one.packets->latency_histogram[k];
        join(all.blocked, one.packets->blocked);
    }
    std::stable_sort(prediction.busiest.begin(), prediction.busiest.end(), heavier);
    prediction.busiest.resize(std::min<std::size_t>(prediction.busiest.size(), 10));
    if (!prediction.packets) return;
    std::vector<LinkLoad>& blocked = prediction.packets->blocked;
    std::stable_sort(blocked.begin(), blocked.end(),
                     [](const LinkLoad& a, const LinkLoad& b) { return a.blocked > b.blocked; });
    blocked.resize(std::min<std::size_t>(blocked.size(), 10));
}

void ScenarioNetwork::add_figures(const Part& part, const Network& network,
                                  ReplayPrediction& prediction) const {
    switch (kind_) {
    case NetworkKind::flow:
        return add_links(dynamic_cast<const FlowNetwork&>(network).link_use(), *part.platform, prediction);
    case NetworkKind::kpacket:
        return add_links(dynamic_cast<const KPacketNetwork&>(network).link_use(), *part.platform, prediction);
    case NetworkKind::packet:
        add_packets(dynamic_cast<const PacketNetwork&>(network), *part.fabric, prediction);
        for (const std::string& each : part.fabric->left_out()) prediction.notes.push_back(each);
        return;
    case NetworkKind::loggops:
    case NetworkKind::ideal: return;
    }
}

} // namespace orrery
