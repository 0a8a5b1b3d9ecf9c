#include "machine/graph_builder.h"
#include "machine/topologies/kind_rows.h"

#include <array>

namespace orrery {

namespace {

constexpr std::array graph_keys{
    Parameter{"topology.cost", "word", "hops", "routes have the fewest hops or the least latency"},
    Parameter{"topology.through_hosts", "yes/no", "yes",
              "messages may pass other hosts on their route, where hosts have several cables"}};

} // namespace

const TopologyKind graph_kind{
    .name = "graph",
    .meaning = "any hosts, switches and cables: [[hosts]], [[switches]], [[cables]], [[routes]]",
    .of_parts = true,
    .keys = graph_keys,
    .make = [](const TopologyInput& input) { return build_graph(input.values, input.parts, input.host); },
};

} // namespace orrery
