// Which keys describe the hardware, and for which topologies each has a meaning.
#pragma once

#include "engine/settings.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

enum class TopologyKind : std::uint8_t {
    crossbar,
    cluster,
    cabinets,
    fat_tree,
    k_ary_n_tree,
    torus,
    mesh,
    hypercube,
    hyperx,
    dragonfly,
    graph
};

std::span<const std::string_view> topology_names(); // in the order of TopologyKind

// The kind that topology.type names. Throws InputError, with "did you mean".
TopologyKind topology_kind(const Settings& values);

// The rows of machine_parameters() that have a meaning for this topology.
std::vector<Parameter> parameters_for(TopologyKind kind);

// Whether a key belongs to the hardware (or says where values come from) rather than to a model.
bool is_hardware_key(std::string_view key);

// Throws InputError for a key that is unknown, or has no meaning for this topology. `kinds_of_cable` are the
// names that may stand between "link." and ".bandwidth".
void check_hardware_keys(const Settings& values, TopologyKind kind,
                         std::span<const std::string> kinds_of_cable);
// The same for the keys of one [[hosts]], [[switches]], [[cables]] or [[routes]].
void check_part_keys(const Settings& values);

} // namespace orrery
