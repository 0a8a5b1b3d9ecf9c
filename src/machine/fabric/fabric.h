// A machine as a wiring of hosts and switches: what networks that see switches (packet, kpacket) work on.
//
// Nodes are dense: the hosts first (node i is host i), then the switches. A channel is one direction of a
// cable. Channels have the LinkIds of the platform, so that routes, names and figures mean the same in every
// network; where a host sits on a router without a cable of its own (torus, hypercube, ...), the channels
// between the two are further ones behind those of the platform. Ports are numbered from 0 at each node; a
// cable has one port at each of its ends, for both directions.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

class Platform;

using NodeId = Id<struct NodeTag>;

inline constexpr LinkId no_link{0xFFFF'FFFF};

struct Channel {
    NodeId from;
    NodeId to;
    std::uint32_t from_port = 0; // at `from`
    std::uint32_t to_port = 0;   // at `to`
    double bandwidth = 0;        // bytes per second
    Time latency;
    LinkId reverse = no_link; // the other direction of the cable
};

// What a topology says of itself: its switches, and how the links of its platform join nodes.
struct Wiring {
    struct Cable {
        NodeId a;
        NodeId b;
        std::uint32_t port_a = 0;
        std::uint32_t port_b = 0;
        LinkId there; // a to b
        LinkId back;  // b to a
    };
    struct Switch {
        std::string name;
        std::uint32_t level = 0; // for pictures: the distance from the hosts in trees, 0 otherwise
    };
    std::vector<Switch> switches; // node = host count + index
    std::vector<Cable> cables;
    // Hosts that sit on a switch without a cable: the switch of host i, or empty where all have cables.
    std::vector<NodeId> router_of_host;
    std::uint32_t first_host_port =
        0; // the port of the first of them, unless cables of the switch reach further
    // Links of the platform that are no cables (loopbacks, limiters, backbones), in words where one of them
    // means a loss of detail: "limiters are left out".
    std::vector<std::string> left_out;
};

struct FabricOptions {
    // Of the channels between a host and the router that it sits on; 0: without limit.
    double injection_bandwidth = 0;
    Time injection_latency;
};

class Fabric {
  public:
    // Throws InputError if the topology of the platform cannot say how it is wired (a SimGrid platform with
    // routes only), or if a cable is not split-duplex.
    explicit Fabric(const Platform& platform, const FabricOptions& options = {});

    [[nodiscard]] std::uint32_t host_count() const { return hosts_; }
    [[nodiscard]] std::uint32_t switch_count() const {
        return static_cast<std::uint32_t>(wiring_.switches.size());
    }
    [[nodiscard]] std::uint32_t node_count() const { return hosts_ + switch_count(); }
    // The ids of channels are below this; those of links that are no channel have from == to.
    [[nodiscard]] std::uint32_t channel_count() const { return static_cast<std::uint32_t>(channels_.size()); }
    [[nodiscard]] const Channel& channel(LinkId link) const { return channels_[link.index()]; }
    [[nodiscard]] bool is_channel(LinkId link) const { return channel(link).from != channel(link).to; }
    [[nodiscard]] bool is_host(NodeId node) const { return node.value < hosts_; }

    // Channels that leave a node, by port; a port that is not joined has no_link.
    [[nodiscard]] std::span<const LinkId> out(NodeId node) const {
        return {out_.data() + first_port_[node.index()], out_.data() + first_port_[node.index() + 1]};
    }
    [[nodiscard]] std::uint32_t port_count(NodeId node) const {
        return first_port_[node.index() + 1] - first_port_[node.index()];
    }
    // The channel that arrives at this port.
    [[nodiscard]] LinkId in(NodeId node, std::uint32_t port) const;

    // Of a host that sits on a router without a cable: the channel from the host and the channel to it; no_link
    // if it has cables.
    [[nodiscard]] LinkId injection_channel(HostId host) const;
    [[nodiscard]] LinkId ejection_channel(HostId host) const;

    // The channels of a message from one host to another as the platform routes it (injection and ejection
    // channels included); empty if both are the same.
    void route(HostId from, HostId to, std::vector<LinkId>& channels) const;

    [[nodiscard]] std::string name(NodeId node) const;
    [[nodiscard]] std::string name(LinkId channel) const;
    [[nodiscard]] std::string link_class(LinkId channel) const; // see Topology; "injection" behind its links
    [[nodiscard]] std::uint32_t level(NodeId node) const;       // 0 for hosts
    [[nodiscard]] const Platform& platform() const { return platform_; }
    [[nodiscard]] std::span<const std::string> left_out() const { return wiring_.left_out; }

  private:
    void add_host_channels(const FabricOptions& options);
    void index_ports();

    const Platform& platform_;
    std::uint32_t hosts_ = 0;
    Wiring wiring_;
    std::vector<Channel> channels_;
    std::vector<std::uint32_t> first_port_; // of each node, in out_; one more at the end
    std::vector<LinkId> out_;
    std::uint32_t first_host_channel_ = 0; // host i: first_host_channel_ + 2i up, + 2i + 1 down
};

} // namespace orrery
