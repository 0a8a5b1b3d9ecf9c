// The rows of the table of topologies, each defined next to its generator.
#pragma once

#include "machine/topology_kinds.h"

namespace orrery {

extern const TopologyKind crossbar_kind;
extern const TopologyKind cluster_kind;
extern const TopologyKind cabinets_kind;
extern const TopologyKind fat_tree_kind;
extern const TopologyKind k_ary_n_tree_kind;
extern const TopologyKind torus_kind;
extern const TopologyKind mesh_kind;
extern const TopologyKind hypercube_kind;
extern const TopologyKind hyperx_kind;
extern const TopologyKind dragonfly_kind;
extern const TopologyKind graph_kind;

} // namespace orrery
