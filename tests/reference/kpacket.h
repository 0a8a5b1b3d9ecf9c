// The slow obvious twin of the k-packet network: every iteration passes over all messages.
#pragma once

#include "machine/platform.h"
#include "network/kpacket/parameters.h"
#include "reference/max_min.h"

#include <vector>

namespace orrery::reference {

// The instants at which the messages arrive. Those that start at the same instant do so in the order given.
std::vector<Time> kpacket_arrivals(const Platform& platform, const KPacketParameters& parameters,
                                   const std::vector<Message>& messages);

} // namespace orrery::reference
