#include "machine/net.h"

#include "engine/error.h"
#include "machine/host_names.h"
#include "machine/machine_limits.h"
#include "machine/machine_values.h"
#include "machine/topologies/graph.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

NetReader::NetReader(std::string file) { net_.file = std::move(file); }

void NetReader::fail(std::uint64_t line, std::string reason) const {
    throw InputError(Error{net_.file, line, 0, std::move(reason)});
}

std::uint32_t NetReader::add_node(const std::string& name, bool host, std::uint64_t line) {
    const auto [at, is_new] = index_.emplace(name, static_cast<std::uint32_t>(net_.nodes.size()));
    if (!is_new) {
        fail(line, fmt::format("there is another '{}', in line {}", name, net_.nodes[at->second].line));
    }
    if (net_.nodes.size() >= machine_limits().hosts) fail(line, "too many hosts and switches");
    net_.nodes.push_back({name, host, line, 0, {}, {}});
    return at->second;
}

std::optional<std::uint32_t> NetReader::find(std::string_view name) const {
    const auto found = index_.find(name);
    if (found == index_.end()) return std::nullopt;
    return found->second;
}

// `other` is what stands at the far end of the cable of `port`.
void NetReader::check_end(const Port& port, std::uint32_t peer, const Port& other) const {
    if (other.peer == net_.nodes[port.node].name && other.peer_port == port.port) return;
    fail(port.line,
         fmt::format("port {} of {} is joined to port {} of {}, but that one to port {} of {} (line {})",
                     port.port, net_.nodes[port.node].name, port.peer_port, net_.nodes[peer].name,
                     other.peer_port, other.peer, other.line));
}

Net NetReader::finish() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, const Port*> said;
    for (const Port& port : ports_) {
        const auto [at, is_new] = said.emplace(std::pair(port.node, port.port), &port);
        if (!is_new) {
            fail(port.line, fmt::format("port {} of {} was described in line {}", port.port,
                                        net_.nodes[port.node].name, at->second->line));
        }
        if (port.port > most_ports || port.peer_port > most_ports) {
            fail(port.line, fmt::format("{} is the highest port", most_ports));
        }
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, const Port*> taken; // far ends that do not speak
    for (const Port& port : ports_) {
        const auto peer = find(port.peer);
        if (!peer) fail(port.line, fmt::format("there is no host or switch '{}'", port.peer));
        if (port.peer_is_host && *port.peer_is_host != net_.nodes[*peer].host) {
            fail(port.line,
                 fmt::format("{} is a {}, not a {}", port.peer, net_.nodes[*peer].host ? "host" : "switch",
                             net_.nodes[*peer].host ? "switch" : "host"));
        }
        if (*peer == port.node) fail(port.line, fmt::format("a cable from {} to itself", port.peer));
        const auto other = said.find({*peer, port.peer_port});
        if (other != said.end()) {
            check_end(port, *peer, *other->second);
            if (other->second < &port) continue; // both ends spoke; the first one counts
        } else if (const auto [at, is_new] = taken.emplace(std::pair(*peer, port.peer_port), &port); !is_new) {
            check_end(port, *peer,
                      {*peer,
                       port.peer_port,
                       net_.nodes[at->second->node].name,
                       at->second->port,
                       {},
                       at->second->line,
                       {},
                       {}});
        }
        net_.cables.push_back({port.node, *peer, port.port, port.peer_port, port.bandwidth, port.latency});
        if (other == said.end()) continue;
        if (!port.bandwidth) net_.cables.back().bandwidth = other->second->bandwidth;
        if (!port.latency) net_.cables.back().latency = other->second->latency;
    }
    const auto hosts =
        std::count_if(net_.nodes.begin(), net_.nodes.end(), [](const auto& each) { return each.host; });
    if (hosts == 0) throw InputError(Error{net_.file, 0, 0, "has no hosts"});
    return std::move(net_);
}

void set_levels(Net& net) {
    std::vector<std::vector<std::uint32_t>> near(net.nodes.size());
    for (const Net::Cable& cable : net.cables) {
        near[cable.a].push_back(cable.b);
        near[cable.b].push_back(cable.a);
    }
    std::vector<std::uint32_t> now;
    for (std::uint32_t i = 0; i < net.nodes.size(); ++i) {
        if (net.nodes[i].host) now.push_back(i);
    }
    for (std::uint32_t level = 1; !now.empty(); ++level) {
        std::vector<std::uint32_t> next;
        for (const std::uint32_t at : now) {
            for (const std::uint32_t each : near[at]) {
                if (net.nodes[each].host || net.nodes[each].level != 0) continue;
                net.nodes[each].level = level;
                next.push_back(each);
            }
        }
        now = std::move(next);
    }
}

void set_net_defaults(const Net& net, Settings& hardware) {
    hardware.set("topology.type", "graph", net.file);
    hardware.set("topology.through_hosts", "no", net.file);
    hardware.set("link.bandwidth", net.bandwidth, net.origin);
    hardware.set("link.latency", net.latency, net.origin);
}

std::unique_ptr<Platform> build_net(const Net& net, const MachineValues& values, const Host& host) {
    const Settings& hardware = values.settings();
    const Cable usual = values.cable("link");
    GraphShape shape;
    shape.file = net.file;
    shape.loopback = values.loopback();
    shape.by_latency = hardware.word("topology.cost", "hops") == "latency";
    shape.through_hosts = hardware.flag("topology.through_hosts", false);
    std::vector<Host> hosts;
    std::vector<std::uint32_t> number(net.nodes.size()); // hosts first
    for (const bool is_host : {true, false}) {
        for (std::uint32_t i = 0; i < net.nodes.size(); ++i) {
            const Net::Node& node = net.nodes[i];
            if (node.host != is_host) continue;
            number[i] = static_cast<std::uint32_t>(shape.nodes.size());
            shape.nodes.push_back({node.name, node.line, node.level});
            if (!is_host) continue;
            hosts.push_back({node.speed.value_or(host.speed), node.cores.value_or(host.cores),
                             node.speed ? 0 : host.bursts});
        }
    }
    shape.hosts = static_cast<std::uint32_t>(hosts.size());
    for (const Net::Cable& cable : net.cables) {
        const Cable kind{cable.bandwidth.value_or(usual.bandwidth), cable.latency.value_or(usual.latency),
                         usual.duplex};
        shape.edges.push_back({fmt::format("{}:{}-{}:{}", net.nodes[cable.a].name, cable.port_a,
                                           net.nodes[cable.b].name, cable.port_b),
                               number[cable.a], number[cable.b], kind, cable.port_a, cable.port_b});
    }
    std::vector<Link> links;
    auto topology = make_graph(std::move(shape), links);
    return std::make_unique<Platform>(std::move(hosts), std::move(links), std::move(topology));
}

} // namespace orrery
