// The network of a simulation: which one, with what parameters, over what fabric and routes.
//
// One description makes any number of networks, each for a run of its own; fabric and routes are shared. A
// machine with several rails has a network for each of them (network/rails); messages within a host may go
// through its memory (network/node).
#pragma once

#include "machine/machine.h"
#include "machine/rails.h"
#include "machine/routing/routing.h"
#include "network/network_kinds.h"
#include "network/node/node_parameters.h"
#include "network/packet/observer.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

class SimulationNetwork {
  public:
    SimulationNetwork() = default;
    // Reads the parameters of all networks, so that a mistake in any of them is found; builds what this one
    // needs. Throws InputError.
    SimulationNetwork(NetworkKind kind, const NetworkInput& input);

    [[nodiscard]] NetworkKind kind() const { return kind_; }
    // `packets` watches the switches of a machine with one rail.
    [[nodiscard]] std::unique_ptr<Network> make(PacketObserver* packets = nullptr) const;
    [[nodiscard]] std::string words() const; // for the summary: "flow, parameters smpi"
    // What messages within a host cost; nothing: they take the loopback of the machine, or nothing has hosts.
    [[nodiscard]] const std::optional<NodeParameters>& node() const { return node_; }
    // Of the packet network of a machine with one rail, otherwise null.
    [[nodiscard]] const Fabric* fabric() const { return rails_ == nullptr ? rail(0).fabric : nullptr; }

    // Over what messages travel on each rail.
    struct Rail {
        const Platform* platform = nullptr; // null: no topology
        const Fabric* fabric = nullptr;     // of --network packet
        const Routing* routing = nullptr;   // the same
    };
    [[nodiscard]] std::uint32_t rails() const { return rails_ == nullptr ? 1 : rails_->count(); }
    [[nodiscard]] Rail rail(std::uint32_t which) const;
    // Whether the parameters that this network reads are the same in both, whatever the links are like.
    [[nodiscard]] bool same_parameters(const SimulationNetwork& other) const;
    // The same for the parameters of all networks.
    [[nodiscard]] bool same_parameters_of_all(const SimulationNetwork& other) const;

    // As machine files and reports name it; of several rails, with the rail.
    [[nodiscard]] std::string link_name(std::uint32_t rail, LinkId link) const;
    // See Topology; of the rail of another machine, with the rail.
    [[nodiscard]] std::string link_class(std::uint32_t rail, LinkId link) const;

  private:
    [[nodiscard]] std::unique_ptr<Network> make_between(PacketObserver* packets) const;
    struct Part {                                 // the network of one rail, or of several that are equal
        std::shared_ptr<const Platform> platform; // null: no topology
        std::vector<std::shared_ptr<const NetworkModel>> models; // by NetworkKind; connected: that of kind_
    };
    [[nodiscard]] const Part& part_of(std::uint32_t rail) const;
    [[nodiscard]] const NetworkModel& model(const Part& part) const {
        return *part.models[static_cast<std::size_t>(kind_)];
    }
    [[nodiscard]] Part read(const NetworkInput& input) const;

    NetworkKind kind_ = NetworkKind::ideal;
    std::optional<NodeParameters> stated_node_; // by the machine
    std::optional<NodeParameters> node_;        // of this network; nothing: hosts have their loopbacks
    std::vector<Part> parts_;                   // the machine's own, then those beside it
    std::shared_ptr<const Rails> rails_;        // null: one rail
};

} // namespace orrery
