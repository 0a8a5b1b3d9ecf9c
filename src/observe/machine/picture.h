// A picture of a machine as SVG: hosts, switches, cables, names where they fit; coloured by the load of a
// pattern if one is given.
#pragma once

#include "machine/fabric/fabric.h"
#include "machine/routing/pattern_load.h"

#include <string>
#include <vector>

namespace orrery {

struct PictureText {
    std::string title;
    std::vector<std::string> lines; // below it
};

// `load` may be null. Throws UsageError if the machine is too large.
std::string draw_machine(const Fabric& fabric, const PictureText& text, const PatternLoad* load);

} // namespace orrery
