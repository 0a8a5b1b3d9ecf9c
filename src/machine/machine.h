// A machine by name or file: its platform, and the settings that its file makes for the models.
//
// A machine file is TOML (docs/machines.md); a SimGrid platform file (XML, version 4 or 4.1) is one too, and so
// are descriptions of networks by other programs (docs/fabric_files.md), which are told by their contents. Keys
// of [machine], [host], [link], [topology] and the other parts of the hardware are checked and used here; all
// other sections ([flow], [endpoint], [loggops], [collectives], ..., or <config> in XML) are handed on as
// Settings.
#pragma once

#include "engine/settings.h"
#include "machine/platform.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct Machine {
    std::string name;
    std::string description;
    std::string file; // "machines/odin.toml" for a built-in one
    // Null if the file has no [topology]: such a machine is good for networks without topology (loggops) only.
    std::shared_ptr<const Platform> platform;
    Settings settings; // for the models
    Settings hardware; // what the platform was built from, and sources; empty for a SimGrid platform
    std::vector<std::string>
        ignored; // parts of a SimGrid platform that have no meaning here, with file and line

    // Whether its speeds are meant for traces that hold CPU time: the file says so, or --set gave a speed.
    // Otherwise such a trace computes as fast as where it was recorded.
    [[nodiscard]] bool rates_cpu_time() const;
    // Whether it says that a second of recorded CPU time takes a second: calibrated where traces come from.
    [[nodiscard]] bool computes_as_recorded() const;
};

// `name_or_path`: a path that ends in .xml, .toml or .map, a path of such a file with another name, or a
// built-in name. `overrides` are KEY=VALUE as `--set` takes them, for any key of the machine file;
// network.latency and network.bandwidth stand for link.latency and link.bandwidth. Throws InputError with file
// and line for what is wrong with the machine, UsageError for an unknown name (with "did you mean") or a
// malformed override.
Machine load_machine(const std::string& name_or_path, std::span<const std::string> overrides = {});

// The same from the text of a file, TOML or XML; `file` is its name for complaints and includes.
Machine machine_from_text(std::string_view text, const std::string& file,
                          std::span<const std::string> overrides = {});

// The keys of the hardware, for help and manual. Those of parts that occur several times are given once:
// `link.LEVEL.` stands for link.level1., link.level2., ... of a fat tree.
std::span<const Parameter> machine_parameters();

// Where a setting was made: "graphene.toml:12", "--set", "default".
std::string origin_words(const Setting& setting);

} // namespace orrery
