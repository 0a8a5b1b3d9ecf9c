#include "simulation/simulation_network.h"

#include "engine/error.h"
#include "network/node/node_network.h"
#include "network/rails/rails_network.h"

#include <fmt/format.h>

namespace orrery {

namespace {

// Messages within a host take one or the other.
void refuse_loopback(const Settings& hardware) {
    for (const std::string_view key : {"loopback.bandwidth", "loopback.latency", "loopback.sharing"}) {
        if (hardware.find(key) != nullptr)
            hardware.complain(key,
                              "expected no loopback, as node.memory_bandwidth is set: messages within a host "
                              "go through its memory");
    }
}

} // namespace

SimulationNetwork::SimulationNetwork(NetworkKind kind, const NetworkInput& input)
    : kind_(kind), parts_{read(input)} {
    const NetworkKindRow& row = network_kind_row(kind);
    stated_node_ = read_node_parameters(input.machine.settings);
    if (stated_node_) refuse_loopback(input.machine.hardware);
    if (row.links) node_ = stated_node_;
    if (input.machine.platform == nullptr || row.rails == ManyRails::no_difference) return;
    Rails rails = Rails::of(input.machine);
    if (rails.count() == 1) return;
    if (row.rails == ManyRails::impossible)
        throw UsageError(fmt::format("this machine has several rails, which {} does not see: --network {}",
                                     row.name, networks_with_links()));
    for (const Machine& beside : rails.beside)
        parts_.push_back(read({beside, input.loggops, input.contention}));
    rails_ = std::make_shared<const Rails>(std::move(rails));
}

SimulationNetwork::Part SimulationNetwork::read(const NetworkInput& input) const {
    Part part{input.machine.platform, {}};
    for (const NetworkKindRow* const row : network_kinds()) {
        std::unique_ptr<NetworkModel> model = row->read(input);
        if (row->kind == kind_) model->connect(input.machine);
        part.models.push_back(std::move(model));
    }
    return part;
}

std::unique_ptr<Network> SimulationNetwork::make(PacketObserver* packets) const {
    std::unique_ptr<Network> between = make_between(packets);
    if (!node_) return between;
    return std::make_unique<NodeNetwork>(std::move(between), *node_, *parts_[0].platform);
}

// Between hosts.
std::unique_ptr<Network> SimulationNetwork::make_between(PacketObserver* packets) const {
    if (rails_ == nullptr) return model(parts_[0]).make(packets);
    std::vector<std::unique_ptr<Network>> networks;
    for (std::uint32_t i = 0; i < rails_->count(); ++i) networks.push_back(model(part_of(i)).make(nullptr));
    return std::make_unique<RailsNetwork>(std::move(networks), *rails_, parts_[0].platform->host_count());
}

const SimulationNetwork::Part& SimulationNetwork::part_of(std::uint32_t rail) const {
    const bool own = rails_ == nullptr || rail < rails_->equal;
    return parts_[own ? 0 : rail - rails_->equal + 1];
}

SimulationNetwork::Rail SimulationNetwork::rail(std::uint32_t which) const {
    const Part& part = part_of(which);
    return {part.platform.get(), model(part).fabric(), model(part).routing()};
}

bool SimulationNetwork::same_parameters(const SimulationNetwork& other) const {
    if (kind_ != other.kind_ || rails() != other.rails() || node_ != other.node_) return false;
    if (rails_ != nullptr && (rails_->choice != other.rails_->choice || rails_->below != other.rails_->below))
        return false;
    for (std::uint32_t i = 0; i < rails(); ++i) {
        if (!model(part_of(i)).same_parameters(other.model(other.part_of(i)))) return false;
    }
    return true;
}

bool SimulationNetwork::same_parameters_of_all(const SimulationNetwork& other) const {
    if (!same_parameters(other) || stated_node_ != other.stated_node_ || parts_.size() != other.parts_.size())
        return false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        for (std::size_t kind = 0; kind < parts_[i].models.size(); ++kind) {
            if (!parts_[i].models[kind]->same_parameters(*other.parts_[i].models[kind])) return false;
        }
    }
    return true;
}

std::string SimulationNetwork::words() const {
    const std::string own = model(parts_[0]).summary();
    std::string words = rails_ == nullptr ? own : fmt::format("{}; {}", rails_->words(), own);
    return node_ ? fmt::format("{}; {}", words, describe(*node_)) : words;
}

std::string SimulationNetwork::link_name(std::uint32_t which, LinkId link) const {
    const Rail one = rail(which);
    const std::string name =
        one.fabric != nullptr ? one.fabric->name(link) : one.platform->topology().link_name(link);
    return rails_ == nullptr ? name : fmt::format("rail {}: {}", which, name);
}

std::string SimulationNetwork::link_class(std::uint32_t which, LinkId link) const {
    const Rail one = rail(which);
    const std::string name =
        one.fabric != nullptr ? one.fabric->link_class(link) : one.platform->topology().link_class(link);
    return &part_of(which) == parts_.data() ? name : fmt::format("rail {}: {}", which, name);
}

} // namespace orrery
