// Route files (docs/fabric_files.md): the paths between hosts, as turns or ports at each switch, or as
// forwarding tables of the switches.
#pragma once

#include "machine/fabric/fabric.h"
#include "machine/routing/routing.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// One path, by its channels.
struct FileRoute {
    HostId from;
    HostId to;
    std::vector<LinkId> channels;
    std::uint64_t line = 0;
};

// A destination of forwarding tables: a host may have several (one for each of its ports, or more).
struct FileTarget {
    std::uint64_t lid = 0;
    HostId host;
    std::uint32_t port = 0; // at the host: where messages leave that go to a target of the same port elsewhere
    std::uint64_t line = 0;
};

struct FileTables {
    std::vector<FileTarget> targets; // in the order of the file
    std::vector<LinkId> next;        // switch by switch, target by target; no_link where there is no entry
};

// One of the two is empty.
struct RouteText {
    std::vector<FileRoute> routes;
    FileTables tables;
};

// Throws InputError with the line where a route leaves the wiring or does not end at its host.
RouteText read_routes(std::string_view text, const Fabric& fabric, const std::string& file);

enum class PortStyle : std::uint8_t { signed_turns, absolute };

// All paths of a routing between all pairs of hosts, at most `most_paths` for each pair.
std::string write_routes(const Fabric& fabric, const Routing& routing, PortStyle style,
                         std::uint32_t most_paths = 16);

} // namespace orrery
