// Myrinet map files: a stanza for each host and switch with what its ports are joined to.
//
// The syntax of GM's mapper as far as it is known, read with tolerance; docs/fabric_files.md states the dialect
// that is written, whose further lines (level, cores, speed, link) other readers pass over as unknown keywords.
#pragma once

#include "machine/fabric/fabric.h"
#include "machine/net.h"

#include <string>
#include <string_view>

namespace orrery {

bool is_map_line(std::string_view line);
// Throws InputError.
Net read_map(std::string_view text, const std::string& file);

// A host that sits on a router gets a cable that is never narrower than all other cables of the router.
std::string write_map(const Fabric& fabric);

// The bandwidth written for the injection channel of a host that has none: the sum of the router's other
// cables.
double injection_bandwidth(const Fabric& fabric, HostId host);

} // namespace orrery
