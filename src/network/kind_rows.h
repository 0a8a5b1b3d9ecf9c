// The rows of the table of networks, each defined in the folder of its network.
#pragma once

#include "network/network_kinds.h"

namespace orrery {

extern const NetworkKindRow loggops_kind;
extern const NetworkKindRow flow_kind;
extern const NetworkKindRow packet_kind;
extern const NetworkKindRow kpacket_kind;
extern const NetworkKindRow ideal_kind;

} // namespace orrery
