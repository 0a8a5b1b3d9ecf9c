#include "observe/paraver/network_map.h"

namespace orrery {

NetworkMap network_map(const Fabric& fabric) {
    NetworkMap map;
    for (std::uint32_t node = 0; node < fabric.node_count(); ++node)
        map.nodes.push_back({fabric.name(NodeId{node}), fabric.port_count(NodeId{node})});
    for (std::uint32_t link = 0; link < fabric.channel_count(); ++link) {
        const Channel& channel = fabric.channel(LinkId{link});
        map.channels.push_back(
            {channel.from.value, channel.to.value, channel.from_port, channel.to_port, channel.latency});
    }
    return map;
}

} // namespace orrery
