#include "machine/topology_kinds.h"

#include "engine/units.h"
#include "machine/topologies/kind_rows.h"

#include <array>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::array topology_table{&crossbar_kind,     &cluster_kind,   &cabinets_kind, &fat_tree_kind,
                                    &k_ary_n_tree_kind, &torus_kind,     &mesh_kind,     &hypercube_kind,
                                    &hyperx_kind,       &dragonfly_kind, &graph_kind};

} // namespace

std::span<const TopologyKind* const> topology_kinds() { return topology_table; }

const TopologyKind& topology_kind(const Settings& hardware) {
    const std::string word = hardware.word("topology.type", "");
    std::vector<std::string_view> names;
    for (const TopologyKind* const kind : topology_table) {
        if (kind->name == word) return *kind;
        names.push_back(kind->name);
    }
    const std::string near = nearest_word(word, names);
    hardware.complain("topology.type",
                      fmt::format("one of {}{}", fmt::join(names, ", "),
                                  near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

} // namespace orrery
