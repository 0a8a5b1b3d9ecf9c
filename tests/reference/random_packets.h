// Random small packet networks with random messages, and the two simulators on them.
#pragma once

#include "reference/flit_network.h"
#include "reference/wired_network.h"

#include <memory>
#include <string>

namespace orrery::reference {

struct PacketMode {
    Switching switching = Switching::cut_through;
    FlowControl flow_control = FlowControl::credits;
    Queueing queueing = Queueing::input;
    bool adaptive = false;
};

// All that a comparison needs. All times are whole nanoseconds, or thirds of a flit time where a crossbar needs
// them.
struct PacketCase {
    WiredPlan plan;
    PacketParameters parameters;
    std::uint32_t lanes = 1;
    Decides decides = Decides::per_pair; // by a table, otherwise by LeastLoadedRouting
    std::uint64_t path_seed = 0;
    std::vector<FlitMessage> messages;
};

std::unique_ptr<Routing> routing_of(const Fabric& fabric, const PacketCase& each);
PacketCase random_packets(const PacketMode& mode, std::uint64_t seed);
// The same messages on PacketNetwork.
FlitRun run_fast(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
                 std::span<const FlitMessage> messages);

// Empty if both agree; otherwise the first difference.
std::string difference(const PacketCase& each);
// Leaves out messages as long as the two differ.
PacketCase minimise(PacketCase failing);
// In words, so that it can be worked through by hand.
std::string to_words(const PacketCase& each);

} // namespace orrery::reference
