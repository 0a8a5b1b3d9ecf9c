// The kinds of topologies that machine files can name, each with what is to be known of it: the check of keys,
// "did you mean", `orrery machine topologies` and the making of platforms use nothing else.
//
// A kind is one row, next to its generator (topologies/torus_kind.cpp, ...), and one entry in
// topology_kinds.cpp.
#pragma once

#include "engine/settings.h"
#include "machine/machine_file.h"
#include "machine/machine_values.h"
#include "machine/platform.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// From what a platform is made.
struct TopologyInput {
    const MachineValues& values;
    const std::vector<MachinePart>& parts; // [[hosts]] and the like; empty unless the kind is made of parts
    Host host;                             // what [host] says of each
};

struct TopologyKind {
    std::string_view name;           // as topology.type has it
    std::string_view meaning;        // a few words, for help
    bool of_parts = false;           // the file lists [[hosts]], [[switches]], [[cables]] and [[routes]]
    std::span<const Parameter> keys; // of this kind; those of all kinds are in machine_keys.cpp
    // The names that may stand between "link." and ".bandwidth"; null: none.
    std::vector<std::string> (*cables)(const Settings& hardware) = nullptr;
    // Throws InputError about a value that is missing or cannot be.
    std::unique_ptr<Platform> (*make)(const TopologyInput& input) = nullptr;
};

std::span<const TopologyKind* const> topology_kinds();
// The kind that topology.type names. Throws as Settings do, with "did you mean".
const TopologyKind& topology_kind(const Settings& hardware);

} // namespace orrery
