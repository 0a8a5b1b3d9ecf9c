// The kinds of networks there are, each with what is to be known of it: --network, help, checks and the manual
// come from here.
//
// A kind is one row, in the folder of its network (flow/flow_kind.cpp, ...), and one entry in
// network_kinds.cpp.
#pragma once

#include "engine/settings.h"
#include "machine/machine.h"
#include "network/loggops/parameters.h"
#include "network/network.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

class Fabric;
class PacketObserver;
class Routing;

// The rows of network_kinds(), in its order.
enum class NetworkKind : std::uint8_t { loggops, flow, packet, kpacket, ideal };

// One kind of network, with its parameters, over the links of one machine. It makes networks, each for a run of
// its own; what does not change during a run is shared by them.
class NetworkModel {
  public:
    virtual ~NetworkModel() = default;
    // Builds what the networks share (fabric, routes) and what depends on it. Throws InputError.
    virtual void connect(const Machine& /*machine*/) {}
    // After connect(). `packets` is told what happens in the switches, if the kind has any; it may be null.
    [[nodiscard]] virtual std::unique_ptr<Network> make(PacketObserver* packets) const = 0;
    [[nodiscard]] virtual std::string summary() const = 0; // "flow, parameters smpi"
    // Whether another model of the same kind has the same parameters, whatever its links are like.
    [[nodiscard]] virtual bool same_parameters(const NetworkModel& other) const = 0;
    // After connect(): how the switches are wired and messages routed; null of kinds that have no switches.
    [[nodiscard]] virtual const Fabric* fabric() const { return nullptr; }
    [[nodiscard]] virtual const Routing* routing() const { return nullptr; }
};

// From what its parameters are read.
struct NetworkInput {
    const Machine& machine; // its settings; its platform is null where it has no topology
    const LogGOPS& loggops;
    bool contention = true; // false: --no-congestion
};

// What several rails of a machine (network/rails) mean to a kind of network.
enum class ManyRails : std::uint8_t { one_network_each, no_difference, impossible };

struct NetworkKindRow {
    NetworkKind kind = NetworkKind::ideal;
    std::string_view name;    // as --network has it
    std::string_view meaning; // a few words, for help
    bool links = false;       // it needs a topology, and knows what passes each link
    ManyRails rails = ManyRails::no_difference;
    std::vector<std::span<const Parameter>> (*parameters)() = nullptr; // the tables of its settings
    // Throws InputError about a value that cannot be.
    std::unique_ptr<NetworkModel> (*read)(const NetworkInput& input) = nullptr;
};

std::span<const NetworkKindRow* const> network_kinds();
const NetworkKindRow& network_kind_row(NetworkKind kind);
std::span<const std::string_view> network_names();
// Throws UsageError, with "did you mean".
NetworkKind parse_network(const std::string& word);
// "flow, packet or kpacket": those that have links.
std::string networks_with_links();

// "a, b or c".
std::string one_of_words(std::span<const std::string> words);

} // namespace orrery
