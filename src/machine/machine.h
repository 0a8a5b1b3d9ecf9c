// A machine: its platform, and the settings that its file (formats/load_machine.h) makes for the models.
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

// The keys of the hardware, for help and manual. Those of parts that occur several times are given once:
// `link.LEVEL.` stands for link.level1., link.level2., ... of a fat tree.
std::span<const Parameter> machine_parameters();

// Where a setting was made: "graphene.toml:12", "--set", "default".
std::string origin_words(const Setting& setting);

} // namespace orrery
