// Names of hosts, routers, zones and links of a SimGrid platform.
#include "formats/simgrid/zones.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::simgrid {

std::string ZoneTopology::name(Point point) const {
    const Zone& zone = zones[point.zone];
    if (zone.routing != Routing::cluster) return zone.members[point.index].name;
    return point.index < zone.hosts ? zone.topology->host_name({point.index}) : zone.router;
}

std::string ZoneTopology::host_name(HostId host) const { return name(hosts[host.index()]); }

const Zone* ZoneTopology::cluster_of(LinkId link) const {
    const auto zone = std::find_if(zones.begin(), zones.end(), [&](const Zone& each) {
        return link.value >= each.first_link && link.value - each.first_link < each.links;
    });
    return zone == zones.end() ? nullptr : &*zone;
}

std::string ZoneTopology::link_name(LinkId link) const {
    if (const Zone* const zone = cluster_of(link)) {
        const std::string inner = zone->topology->link_name({link.value - zone->first_link});
        return zones.size() == 1 ? inner : fmt::format("{}: {}", zone->name, inner);
    }
    const auto found = link_names.find(link.value);
    return found == link_names.end() ? "loopback" : found->second;
}

std::string ZoneTopology::link_class(LinkId link) const {
    if (const Zone* const zone = cluster_of(link)) {
        const std::string inner = zone->topology->link_class({link.value - zone->first_link});
        return zones.size() == 1 ? inner : fmt::format("{}: {}", zone->name, inner);
    }
    return link_names.contains(link.value) ? "link" : "loopback";
}

const Member* ZoneTopology::member(Point point) const {
    const Zone& zone = zones[point.zone];
    return zone.routing == Routing::cluster ? nullptr : &zone.members[point.index];
}

bool ZoneTopology::is_zone(Point point) const {
    const Member* which = member(point);
    return which != nullptr && which->kind == Member::Kind::zone;
}

bool ZoneTopology::inside(Point point, std::uint32_t zone) const {
    const auto path = path_up(point.zone);
    return std::find(path.begin(), path.end(), zone) != path.end();
}

std::optional<Point> ZoneTopology::find(std::string_view name) const {
    if (const auto found = points.find(name); found != points.end()) return found->second;
    for (std::uint32_t i = 0; i < zones.size(); ++i) {
        if (zones[i].routing != Routing::cluster) continue;
        if (zones[i].router == name && !name.empty()) return Point{i, zones[i].hosts};
        if (const auto host = zones[i].topology->find_host(name)) return Point{i, host->value};
    }
    return std::nullopt;
}

std::optional<HostId> ZoneTopology::find_host(std::string_view name) const {
    const auto point = find(name);
    if (!point) return std::nullopt;
    const Zone& zone = zones[point->zone];
    if (zone.routing == Routing::cluster) {
        if (point->index >= zone.hosts) return std::nullopt;
        return HostId{zone.first_host + point->index};
    }
    const Member& which = zone.members[point->index];
    if (which.kind != Member::Kind::host) return std::nullopt;
    return HostId{which.id};
}

std::string ZoneTopology::words() const {
    if (zones.size() == 1 && zones[0].topology) return zones[0].topology->words();
    return fmt::format("SimGrid platform of {} zone{}", zones.size(), zones.size() == 1 ? "" : "s");
}

std::optional<double> ZoneTopology::bisection() const {
    return zones.size() == 1 && zones[0].topology ? zones[0].topology->bisection() : std::nullopt;
}

const Zone* ZoneTopology::only_cluster() const {
    for (const Zone& zone : zones) {
        if (zone.topology && zone.hosts == hosts.size()) return &zone;
    }
    return nullptr;
}

bool ZoneTopology::wire(Wiring& wiring) const {
    const Zone* const cluster = only_cluster();
    if (cluster == nullptr || !cluster->topology->wire(wiring)) return false;
    for (Wiring::Cable& cable : wiring.cables) {
        cable.there.value += cluster->first_link;
        cable.back.value += cluster->first_link;
    }
    return true;
}

Regularity ZoneTopology::regularity() const {
    const Zone* const cluster = only_cluster();
    if (cluster == nullptr) return {};
    Regularity wired = cluster->topology->regularity();
    wired.own_routes = false;
    return wired;
}

} // namespace orrery::simgrid
