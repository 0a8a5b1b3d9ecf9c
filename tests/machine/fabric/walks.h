// Checks on a fabric that hold for every machine: ports, ends of cables, and routes that are walks.
#pragma once

#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/fabric/fabric.h"
#include "machine/machine.h"
#include "machine/platform.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace orrery {

// A machine of given keys; the links are 1 GB/s and 1 us unless a key says otherwise.
inline std::shared_ptr<const Platform> wired_platform(const std::string& toml) {
    return machine_from_text("[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n" + toml, "test.toml").platform;
}

// Each port has one cable, and each cable two ends that know each other.
inline void expect_sound(const Fabric& fabric) {
    std::size_t joined = 0;
    for (std::uint32_t i = 0; i < fabric.node_count(); ++i) {
        const NodeId node{i};
        ASSERT_EQ(fabric.out(node).size(), fabric.port_count(node));
        for (std::uint32_t port = 0; port < fabric.port_count(node); ++port) {
            const LinkId leaving = fabric.out(node)[port];
            if (leaving == no_link) continue;
            ++joined;
            const Channel& channel = fabric.channel(leaving);
            ASSERT_EQ(channel.from, node);
            ASSERT_EQ(channel.from_port, port);
            const LinkId arriving = fabric.in(channel.to, channel.to_port);
            ASSERT_EQ(arriving, leaving);
            ASSERT_EQ(fabric.channel(channel.reverse).to, node);
            ASSERT_EQ(fabric.channel(channel.reverse).reverse, leaving);
        }
    }
    std::size_t channels = 0;
    for (std::uint32_t i = 0; i < fabric.channel_count(); ++i) {
        if (fabric.is_channel({i})) ++channels;
    }
    EXPECT_EQ(joined, channels);
}

// the nodes of a path, or nothing if its channels do not join or if it passes a host in between.
inline std::vector<NodeId> nodes_of(const Fabric& fabric, HostId from, std::span<const LinkId> channels) {
    std::vector<NodeId> nodes{NodeId{from.value}};
    for (const LinkId link : channels) {
        if (!fabric.is_channel(link) || fabric.channel(link).from != nodes.back()) return {};
        if (nodes.size() > 1 && fabric.is_host(nodes.back())) return {};
        nodes.push_back(fabric.channel(link).to);
    }
    return nodes;
}

// Every route of the machine is a walk from host to host over switches, of the links that the platform names.
inline void expect_walks(const Fabric& fabric) {
    for (std::uint32_t a = 0; a < fabric.host_count(); ++a) {
        for (std::uint32_t b = 0; b < fabric.host_count(); ++b) {
            std::vector<LinkId> channels;
            fabric.route({a}, {b}, channels);
            if (a == b) {
                EXPECT_TRUE(channels.empty());
                continue;
            }
            const auto nodes = nodes_of(fabric, {a}, channels);
            ASSERT_GE(nodes.size(), 2U) << fabric.name(NodeId{a}) << " to " << fabric.name(NodeId{b});
            ASSERT_EQ(nodes.back(), NodeId{b});
            std::vector<LinkId> links;
            fabric.platform().route({a}, {b}, links);
            const std::set<LinkId> passed(links.begin(), links.end());
            for (const LinkId each : channels) {
                if (each.value >= fabric.platform().link_count())
                    continue; // an injection channel without a cable
                ASSERT_TRUE(passed.contains(each));
                ASSERT_EQ(fabric.channel(each).bandwidth, fabric.platform().link(each).bandwidth);
            }
        }
    }
}

} // namespace orrery
