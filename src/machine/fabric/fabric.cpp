#include "machine/fabric/fabric.h"

#include "engine/error.h"
#include "machine/platform.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

[[noreturn]] void refuse(const std::string& reason) { throw InputError(Error{{}, 0, 0, reason}); }

} // namespace

Fabric::Fabric(const Platform& platform, const FabricOptions& options)
    : platform_(platform), hosts_(platform.host_count()) {
    if (!platform.topology().wire(wiring_)) {
        refuse(
            "this machine says how messages are routed, but not how its switches are wired: it has no switches "
            "to send packets through (--network flow works)");
    }
    channels_.resize(platform.link_count());
    for (const Wiring::Cable& cable : wiring_.cables) {
        if (cable.there == cable.back) {
            refuse(fmt::format("the cable {} has one link for both directions; packets need cables with two "
                               "(sharing = \"split-duplex\")",
                               platform.topology().link_name(cable.there)));
        }
        const Link& there = platform.link(cable.there);
        const Link& back = platform.link(cable.back);
        channels_[cable.there.index()] = {cable.a,         cable.b,       cable.port_a, cable.port_b,
                                          there.bandwidth, there.latency, cable.back};
        channels_[cable.back.index()] = {cable.b,        cable.a,      cable.port_b, cable.port_a,
                                         back.bandwidth, back.latency, cable.there};
    }
    first_host_channel_ = platform.link_count();
    if (!wiring_.router_of_host.empty()) add_host_channels(options);
    index_ports();
}

void Fabric::add_host_channels(const FabricOptions& options) {
    std::vector<std::uint32_t> ports(switch_count(),
                                     wiring_.first_host_port); // the next free port of each router
    for (const Wiring::Cable& cable : wiring_.cables) {
        if (!is_host(cable.a)) {
            std::uint32_t& port = ports[cable.a.index() - hosts_];
            port = std::max(port, cable.port_a + 1);
        }
        if (!is_host(cable.b)) {
            std::uint32_t& port = ports[cable.b.index() - hosts_];
            port = std::max(port, cable.port_b + 1);
        }
    }
    channels_.resize(first_host_channel_ + std::size_t{2} * hosts_);
    for (std::uint32_t host = 0; host < hosts_; ++host) {
        const NodeId router = wiring_.router_of_host[host];
        const std::uint32_t port = ports[router.index() - hosts_]++;
        const LinkId up{first_host_channel_ + 2 * host};
        const LinkId down{first_host_channel_ + 2 * host + 1};
        channels_[up.index()] = {
            NodeId{host}, router, 0, port, options.injection_bandwidth, options.injection_latency, down};
        channels_[down.index()] = {
            router, NodeId{host}, port, 0, options.injection_bandwidth, options.injection_latency, up};
    }
}

void Fabric::index_ports() {
    first_port_.assign(node_count() + std::size_t{1}, 0);
    for (const Channel& channel : channels_) {
        if (channel.from == channel.to) continue;
        std::uint32_t& ports = first_port_[channel.from.index() + 1];
        ports = std::max(ports, channel.from_port + 1);
    }
    for (std::size_t node = 1; node < first_port_.size(); ++node) first_port_[node] += first_port_[node - 1];
    out_.assign(first_port_.back(), no_link);
    for (std::uint32_t i = 0; i < channels_.size(); ++i) {
        const Channel& channel = channels_[i];
        if (channel.from == channel.to) continue;
        LinkId& slot = out_[first_port_[channel.from.index()] + channel.from_port];
        if (slot != no_link)
            refuse(fmt::format("port {} of {} has two cables", channel.from_port, name(channel.from)));
        slot = LinkId{i};
    }
}

LinkId Fabric::in(NodeId node, std::uint32_t port) const {
    const LinkId leaving = out(node)[port];
    return leaving == no_link ? no_link : channel(leaving).reverse;
}

LinkId Fabric::injection_channel(HostId host) const {
    return wiring_.router_of_host.empty() ? no_link : LinkId{first_host_channel_ + 2 * host.value};
}

LinkId Fabric::ejection_channel(HostId host) const {
    return wiring_.router_of_host.empty() ? no_link : LinkId{first_host_channel_ + 2 * host.value + 1};
}

void Fabric::route(HostId from, HostId to, std::vector<LinkId>& channels) const {
    if (from == to) return;
    if (const LinkId up = injection_channel(from); up != no_link) channels.push_back(up);
    platform_.route(from, to, channels);
    std::erase_if(channels, [&](LinkId link) { return !is_channel(link); }); // limiters
    if (const LinkId down = ejection_channel(to); down != no_link) channels.push_back(down);
}

std::string Fabric::name(NodeId node) const {
    if (is_host(node)) return platform_.topology().host_name(HostId{node.value});
    return wiring_.switches[node.index() - hosts_].name;
}

std::string Fabric::name(LinkId channel) const {
    if (channel.value < first_host_channel_) return platform_.topology().link_name(channel);
    const std::uint32_t number = channel.value - first_host_channel_;
    return fmt::format("{} {}", name(NodeId{number / 2}), number % 2 == 0 ? "in" : "out");
}

std::string Fabric::link_class(LinkId channel) const {
    return channel.value < first_host_channel_ ? platform_.topology().link_class(channel) : "injection";
}

std::uint32_t Fabric::level(NodeId node) const {
    return is_host(node) ? 0 : wiring_.switches[node.index() - hosts_].level;
}

} // namespace orrery
