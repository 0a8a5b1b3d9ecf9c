// The network of a scenario: which one, with what parameters, over what fabric and routes.
//
// One description makes any number of networks, each for a run of its own; fabric and routes are shared. A
// machine with several rails has a network for each of them (network/rails).
#pragma once

#include "machine/machine.h"
#include "machine/rails.h"
#include "machine/routing/routing.h"
#include "network/flow/parameters.h"
#include "network/kpacket/parameters.h"
#include "network/loggops/parameters.h"
#include "network/network.h"
#include "network/packet/observer.h"
#include "network/packet/parameters.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace orrery {

enum class NetworkKind : std::uint8_t { loggops, flow, packet, kpacket, ideal };

// As --network names them. Throws UsageError, with "did you mean".
NetworkKind parse_network(const std::string& word);

class ScenarioNetwork {
  public:
    ScenarioNetwork() = default;
    // Reads the parameters of all networks, so that a mistake in any of them is found; builds what this one
    // needs. Throws InputError.
    ScenarioNetwork(NetworkKind kind, const Machine& machine, const LogGOPS& loggops, bool contention);

    [[nodiscard]] NetworkKind kind() const { return kind_; }
    // `packets` watches the switches of a machine with one rail.
    [[nodiscard]] std::unique_ptr<Network> make(PacketObserver* packets = nullptr) const;
    [[nodiscard]] std::string words() const; // for the summary: "flow, parameters smpi"
    // Of the packet network of a machine with one rail, otherwise null.
    [[nodiscard]] const Fabric* fabric() const { return rails_ == nullptr ? parts_[0].fabric.get() : nullptr; }

    // Over what messages travel on each rail.
    struct Rail {
        const Platform* platform = nullptr; // null: no topology
        const Fabric* fabric = nullptr;     // of --network packet
        const Routing* routing = nullptr;   // the same
    };
    [[nodiscard]] std::uint32_t rails() const { return rails_ == nullptr ? 1 : rails_->count(); }
    [[nodiscard]] Rail rail(std::uint32_t which) const;
    // Whether the parameters that this network reads are the same in both, whatever the links are like.
    [[nodiscard]] bool same_parameters(const ScenarioNetwork& other) const;
    // The same for the parameters of all networks.
    [[nodiscard]] bool same_parameters_of_all(const ScenarioNetwork& other) const;

    // As machine files and reports name it; of several rails, with the rail.
    [[nodiscard]] std::string link_name(std::uint32_t rail, LinkId link) const;

  private:
    struct Part {                                 // the network of one rail, or of several that are equal
        std::shared_ptr<const Platform> platform; // null: no topology
        FlowParameters flow;
        PacketParameters packet;
        KPacketParameters kpacket;
        std::string flow_set;
        std::shared_ptr<const Fabric> fabric;
        std::shared_ptr<const Routing> routing;
        std::string routing_settings; // what it was told
    };
    [[nodiscard]] const Part& part_of(std::uint32_t rail) const;
    [[nodiscard]] Part read(const Machine& machine, bool contention) const;
    [[nodiscard]] std::unique_ptr<Network> make(const Part& part, PacketObserver* packets) const;
    [[nodiscard]] std::string words(const Part& part) const;

    NetworkKind kind_ = NetworkKind::ideal;
    LogGOPS loggops_;
    std::vector<Part> parts_ = std::vector<Part>(1); // the machine's own, then those beside it
    std::shared_ptr<const Rails> rails_;             // null: one rail
};

} // namespace orrery
