// What the verbs below `orrery machine` share. Each adds its subcommand to the one that is given.
#pragma once

#include "cli/command_line.h"
#include "machine/machine.h"

#include <string>
#include <vector>

namespace orrery::cli {

// Which machine, with which changes.
struct MachineChoice {
    std::string name;
    std::vector<std::string> overrides;
};

void add_machine_choice(const Verb& verb, MachineChoice& choice);
// Throws InputError if the machine has no hosts and links.
const Platform& platform_of(const Machine& machine);

void add_machine_topologies(const Verb& machine);
void add_machine_check(const Verb& machine);
void add_machine_draw(const Verb& machine);
void add_machine_files(const Verb& machine); // export, import

} // namespace orrery::cli
