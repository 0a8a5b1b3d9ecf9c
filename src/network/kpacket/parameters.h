// What can be set of the k-packet network (`kpacket.*`); kpacket_network.h says what it means to the model.
#pragma once

#include "engine/settings.h"

#include <cstdint>
#include <span>
#include <string>

namespace orrery {

enum class LinkSharing : std::uint8_t {
    capacity, // messages pass a link together as long as their rates fit into its bandwidth
    exclusive // one at a time
};

struct KPacketParameters {
    LinkSharing sharing = LinkSharing::capacity;
    double injection = 0;    // bytes per second that a host can send in all; 0: whatever its links carry
    double ejection = 0;     // ... and receive
    bool local = false;      // messages within a host count in both as well
    Bytes piece = ~Bytes{0}; // the most that a message sends before younger ones have their turn
    double tolerance = 1e-3; // an iteration may last longer by this fraction, to end several messages at once

    bool operator==(const KPacketParameters&) const = default;
};

std::span<const Parameter> kpacket_parameters();
KPacketParameters read_kpacket_parameters(const Settings& settings);
// "links shared up to their capacity".
std::string describe(const KPacketParameters& parameters);

} // namespace orrery
