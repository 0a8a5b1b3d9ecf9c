// Machines to and from the files of other programs, whole: what `orrery machine export` and `import` do.
#pragma once

#include "machine/machine.h"
#include "machine/routing/route_file.h"

#include <string>
#include <vector>

namespace orrery {

struct Exchange {
    std::vector<std::string> files; // that were written
    std::vector<std::string> notes; // what was left out
};

struct ExportOptions {
    bool routes = true; // a route file beside a .map or .toml
    PortStyle ports = PortStyle::signed_turns;
};

// More hosts than this have too many pairs for a file of routes.
inline constexpr std::uint32_t most_hosts_with_routes = 2048;

// By the ending of `out`: .map, .ned (with .ini), .dot, .xml or .toml. Throws UsageError for another one.
Exchange export_machine(const Machine& machine, const std::string& out, const ExportOptions& options = {});

// Reads a network of another program (a map, ibnetdiscover, topology.conf) and writes it as a machine file of
// the topology 'graph', with its route file beside it: that of the map, or the forwarding tables in `tables`.
Exchange import_machine(const std::string& file, const std::string& tables, const std::string& out,
                        std::span<const std::string> overrides = {});

} // namespace orrery
