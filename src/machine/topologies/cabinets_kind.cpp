#include "machine/topologies/cabinets.h"
#include "machine/topologies/kind_parts.h"
#include "machine/topologies/kind_rows.h"

#include <numeric>

namespace orrery {

namespace {

constexpr auto cabinets_keys = with_host_names(std::array{
    Parameter{"topology.cabinets", "list", "", "the hosts of each, or the number of cabinets"},
    Parameter{"topology.hosts_per_cabinet", "count", "", "if topology.cabinets is a number"},
    Parameter{"uplink.bandwidth", "bandwidth", "link.bandwidth", "from a cabinet's switch to the core"},
    Parameter{"uplink.latency", "time", "link.latency", "of an uplink"},
    Parameter{"uplink.sharing", "word", "link.sharing", "of an uplink"},
    Parameter{"core.bandwidth", "bandwidth", "none", "a link that all messages between cabinets pass"},
    Parameter{"core.latency", "time", "0", "of the core"},
    Parameter{"core.sharing", "word", "shared", "shared or fat-pipe"}});

std::unique_ptr<Platform> cabinets_platform(const TopologyInput& input) {
    const MachineValues& values = input.values;
    CabinetsShape shape;
    shape.sizes = values.counts("topology.cabinets");
    if (values.has("topology.hosts_per_cabinet")) {
        if (shape.sizes.size() != 1) {
            values.fail("topology.hosts_per_cabinet", "topology.cabinets already says it for each cabinet");
        }
        shape.sizes.assign(shape.sizes[0], values.count("topology.hosts_per_cabinet", 0));
    }
    shape.cable = values.cable("link");
    shape.uplink = values.cable("uplink", "link");
    shape.core = values.optional_cable("core");
    shape.loopback = values.loopback();
    return regular_platform(input, std::accumulate(shape.sizes.begin(), shape.sizes.end(), std::uint64_t{0}),
                            "topology.cabinets", [&](HostNames names, std::vector<Link>& links) {
                                return make_cabinets(shape, std::move(names), links);
                            });
}

} // namespace

const TopologyKind cabinets_kind{
    .name = "cabinets",
    .meaning = "a switch for each cabinet, joined by uplinks and a core",
    .keys = cabinets_keys,
    .make = cabinets_platform,
};

} // namespace orrery
