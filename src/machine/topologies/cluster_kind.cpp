#include "machine/topologies/cluster.h"
#include "machine/topologies/kind_parts.h"
#include "machine/topologies/kind_rows.h"

namespace orrery {

namespace {

constexpr Parameter hosts_key{"topology.hosts", "count", "", "how many hosts"};
constexpr auto crossbar_keys = with_host_names(std::array{hosts_key});
constexpr auto cluster_keys = with_host_names(
    std::array{hosts_key, limiter_key,
               Parameter{"backbone.bandwidth", "bandwidth", "none", "a link that all messages pass"},
               Parameter{"backbone.latency", "time", "0", "of the backbone"},
               Parameter{"backbone.sharing", "word", "shared", "shared or fat-pipe"}});

std::unique_ptr<Platform> cluster_platform(const TopologyInput& input, bool crossbar) {
    const MachineValues& values = input.values;
    const ClusterShape shape{values.cable("link"), limiter_of(values), values.optional_cable("backbone"),
                             values.loopback(), crossbar};
    return regular_platform(input, values.count("topology.hosts", 0), "topology.hosts",
                            [&](HostNames names, std::vector<Link>& links) {
                                return make_cluster(shape, std::move(names), links);
                            });
}

} // namespace

const TopologyKind crossbar_kind{
    .name = "crossbar",
    .meaning = "all hosts on one switch that is never in the way",
    .keys = crossbar_keys,
    .make = [](const TopologyInput& input) { return cluster_platform(input, true); },
};

const TopologyKind cluster_kind{
    .name = "cluster",
    .meaning = "a crossbar with a backbone, or with limits of each host's interface",
    .keys = cluster_keys,
    .make = [](const TopologyInput& input) { return cluster_platform(input, false); },
};

} // namespace orrery
