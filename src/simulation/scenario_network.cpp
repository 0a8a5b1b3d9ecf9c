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

} // namespace orrery
