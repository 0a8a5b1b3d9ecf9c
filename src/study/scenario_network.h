// The network of a scenario: which one, with what parameters, over what fabric and routes.
//
// One description makes any number of networks, each for a run of its own; fabric and routes are shared.
#pragma once

#include "network/flow/parameters.h"
#include "network/kpacket/parameters.h"
#include "network/loggops/parameters.h"
#include "network/network.h"
#include "network/packet/observer.h"
#include "network/packet/parameters.h"
#include "observe/replay_prediction.h"
#include "platform/machine.h"
#include "platform/routing/routing.h"

#include <memory>
#include <span>
#include <string>

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
    [[nodiscard]] std::unique_ptr<Network> make(PacketObserver* packets = nullptr) const;
    [[nodiscard]] std::string words() const; // for the summary: "flow, parameters smpi"
    [[nodiscard]] const Fabric* fabric() const { return fabric_.get(); } // packet only, otherwise null

    // What this network carried, into the prediction.
    void add_figures(const Network& network, ReplayPrediction& prediction) const;

  private:
    NetworkKind kind_ = NetworkKind::ideal;
    std::shared_ptr<const Platform> platform_; // null: no topology
    LogGOPS loggops_;
    FlowParameters flow_;
    PacketParameters packet_;
    KPacketParameters kpacket_;
    std::string flow_set_;
    std::shared_ptr<const Fabric> fabric_;
    std::shared_ptr<const Routing> routing_;
};

} // namespace orrery
