// SimGrid platform files, version 4 and 4.1.
//
// Read: zones (Full, Floyd, Dijkstra, DijkstraCache, None, Cluster), clusters (flat, FAT_TREE, TORUS,
// DRAGONFLY), cabinets, backbones, hosts, routers, links (SHARED, SPLITDUPLEX, FATPIPE), routes, zone routes,
// bypasses, config. Named and passed over: disks, actors, properties without meaning here. Named and refused:
// wifi, Vivaldi, profiles of speed, bandwidth and failure, and older versions.
#pragma once

#include "engine/settings.h"
#include "machine/platform.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::simgrid {

struct PlatformFile {
    std::shared_ptr<const Platform> platform;
    Settings settings;                // <config>
    std::vector<std::string> ignored; // what was passed over, each kind once, with its first line
};

// `overrides` takes precedence over <config>; of these keys the reader itself heeds network.loopback-bw,
// network.loopback-lat and topology.simgrid_quirks. Throws InputError.
PlatformFile read_platform(std::string_view text, const std::string& file, const Settings& overrides);

} // namespace orrery::simgrid
