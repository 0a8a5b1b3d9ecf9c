// What the verbs below `orrery machine` share. Each adds its subcommand to the one that is given.
#pragma once

#include "platform/machine.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace orrery::cli {

// Which machine, with which changes.
struct MachineChoice {
    std::string name;
    std::vector<std::string> overrides;
};

void add_machine_choice(CLI::App& verb, MachineChoice& choice);
// Throws InputError if the machine has no hosts and links.
const Platform& platform_of(const Machine& machine);

void add_machine_check(CLI::App& machine);
void add_machine_draw(CLI::App& machine);
void add_machine_files(CLI::App& machine); // export, import

} // namespace orrery::cli
