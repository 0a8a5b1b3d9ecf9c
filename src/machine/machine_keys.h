// Which keys describe the hardware, and for which topologies each has a meaning: those of all topologies, and
// those of the rows of topology_kinds.h.
#pragma once

#include "engine/settings.h"

#include <string_view>
#include <vector>

namespace orrery {

struct TopologyKind;

// The rows of machine_parameters() that have a meaning for this topology.
std::vector<Parameter> parameters_for(const TopologyKind& kind);

// Whether a key belongs to the hardware (or says where values come from) rather than to a model.
bool is_hardware_key(std::string_view key);

// Throws InputError for a key that is unknown, or has no meaning for this topology, with "did you mean".
void check_hardware_keys(const Settings& values, const TopologyKind& kind);
// The same for the keys of one [[hosts]], [[switches]], [[cables]] or [[routes]].
void check_part_keys(const Settings& values);

} // namespace orrery
