#include "machine/routing/regular_paths.h"

#include "engine/error.h"
#include "machine/platform.h"

namespace orrery {

RegularPaths::RegularPaths(const Fabric& fabric) : fabric_(fabric), host_(fabric.switch_count()) {
    std::vector<bool> found(host_.size());
    for (std::uint32_t host = 0; host < fabric.host_count(); ++host) {
        const LinkId leaving = fabric.out(NodeId{host})[0];
        const Channel& channel = fabric.channel(leaving);
        const std::uint32_t router = channel.to.value - fabric.host_count();
        host_channels_.push_back({leaving, channel.reverse, router});
        if (!found[router]) host_[router] = {host};
        found[router] = true;
    }
    for (const bool each : found) {
        if (!each) throw InputError("this routing needs a host on each router");
    }
}

void RegularPaths::direct(HostId from, HostId to, std::vector<Hop>& hops) const {
    hops.push_back({from_host(from), 0});
    between_routers(from, to, 0, hops);
    hops.push_back({to_host(to), 0});
}

void RegularPaths::between_routers(HostId from, HostId to, std::uint32_t first_lane,
                                   std::vector<Hop>& hops) const {
    thread_local std::vector<LinkId> channels;
    channels.clear();
    fabric_.route(from, to, channels);
    if (channels.empty()) return;
    const std::size_t begin = hops.size();
    for (std::size_t i = 1; i + 1 < channels.size(); ++i) hops.push_back({channels[i], first_lane});
    set_lanes(std::span(hops).subspan(begin), first_lane);
}

std::unique_ptr<RegularPaths> regular_paths(const Fabric& fabric) {
    const Regularity shape = fabric.platform().topology().regularity();
    if (shape.groups != nullptr) return dragonfly_paths(fabric);
    return shape.grid ? dimension_order_paths(fabric) : nullptr;
}

} // namespace orrery
