// Which host each node of a co-simulation client is: a file with a host name per line, line n for node n.
#pragma once

#include "engine/ids.h"
#include "machine/platform.h"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// Several nodes may be one host. Throws InputError with file and line.
std::vector<HostId> read_node_map(const std::string& file, const Platform& platform);
std::vector<HostId> parse_node_map(std::string_view text, const std::string& file, const Platform& platform);
// Node n is host n.
std::vector<HostId> all_hosts(const Platform& platform);

} // namespace orrery
