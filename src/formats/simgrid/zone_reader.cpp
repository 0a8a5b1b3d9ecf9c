#include "formats/simgrid/zone_reader.h"

#include "engine/units.h"
#include "formats/simgrid/clusters.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace orrery::simgrid {

namespace {

constexpr std::uint32_t no_row = ~std::uint32_t{0};
constexpr std::uint32_t deepest_zone = 64;
constexpr std::size_t largest_floyd = 4096; // points: the table takes their number cubed

} // namespace

ZoneReader::ZoneReader(const std::string& file, const Settings& settings)
    : topology_(std::make_unique<ZoneTopology>(file)),
      loopback_{settings.bandwidth("network.loopback-bw", 10e9),
                settings.time("network.loopback-lat", Time::zero()), Sharing::fat_pipe},
      quirks_(settings.flag("topology.simgrid_quirks", false)) {}

void ZoneReader::ignore(const Element& element, const std::string& what) {
    ignored_.try_emplace(what, fmt::format("{}:{}", element.file(), element.line()));
}

std::vector<std::string> ZoneReader::ignored() const {
    std::vector<std::string> out;
    for (const auto& [what, where] : ignored_) out.push_back(fmt::format("{}: {}", where, what));
    return out;
}

void ZoneReader::refuse(const Element& element) {
    constexpr std::array<std::string_view, 8> known{"peer",  "trace",        "trace_connect", "storage",
                                                    "mount", "storage_type", "include",       "model_prop"};
    constexpr std::array<std::string_view, 16> read{"zone",   "cluster",   "cabinet",     "host",
                                                    "router", "link",      "backbone",    "host_link",
                                                    "route",  "zoneRoute", "bypassRoute", "bypassZoneRoute",
                                                    "prop",   "config",    "actor",       "disk"};
    for (const std::string_view each : known) {
        if (element.tag() == each) element.fail("is not supported");
    }
    const std::string near = nearest_word(element.tag(), read);
    element.fail(
        fmt::format("is unknown, or not allowed here{}",
                    near.empty() || near == element.tag() ? "" : fmt::format("; did you mean <{}>?", near)));
}

void ZoneReader::read_root(const Element& element) {
    if (!topology_->zones.empty()) element.fail("a platform has one outermost zone; put the others into it");
    if (element.tag() == "cluster") {
        read_cluster(element, no_row);
    } else {
        read_zone(element, no_row, 0);
    }
}

std::uint32_t ZoneReader::begin_zone(const Element& element, std::uint32_t parent) {
    const auto index = static_cast<std::uint32_t>(topology_->zones.size());
    topology_->zones.emplace_back();
    Zone& zone = topology_->zones.back();
    zone.name = element.text("id");
    zone.parent = parent;
    zone.line = element.line();
    if (parent != no_row) {
        const Point self = add_member(element, parent, {Member::Kind::zone, index, zone.name});
        topology_->zones[index].self = self;
        topology_->zones[parent].has_zones = true;
    }
    return index;
}

void ZoneReader::read_zone(const Element& element, std::uint32_t parent, std::uint32_t depth) {
    element.allow({"id", "routing"});
    if (depth > deepest_zone) element.fail(fmt::format("zones are nested more than {} deep", deepest_zone));
    if (!element.has("routing")) element.fail("attribute 'routing' is missing");
    const std::size_t kind = element.choice(
        "routing", {"Full", "Floyd", "Dijkstra", "DijkstraCache", "Cluster", "None", "Vivaldi", "Wifi"}, 0);
    constexpr std::array kinds{Routing::full,     Routing::floyd, Routing::dijkstra,
                               Routing::dijkstra, Routing::star,  Routing::none};
    if (kind >= kinds.size()) element.fail(fmt::format("routing {} is not supported", element.text("routing")));
    const std::uint32_t index = begin_zone(element, parent);
    topology_->zones[index].routing = kinds[kind];
    for (const Element& child : element.children()) read_part(child, index, depth);
    if (kinds[kind] == Routing::star) finish_star(index);
    if (kinds[kind] == Routing::floyd && topology_->zones[index].members.size() > largest_floyd) {
        element.fail(fmt::format("routing Floyd is for at most {} points; use Dijkstra", largest_floyd));
    }
}

void ZoneReader::read_part(const Element& element, std::uint32_t zone, std::uint32_t depth) {
    const std::string_view tag = element.tag();
    if (tag == "zone" || tag == "AS") return read_zone(element, zone, depth + 1);
    if (tag == "cluster") return read_cluster(element, zone);
    if (tag == "host") return read_host(element, zone);
    if (tag == "router") return read_router(element, zone);
    if (tag == "link") return read_link(element);
    if (tag == "backbone") return read_backbone(element, zone);
    if (tag == "cabinet") return read_cabinet(element, zone);
    if (tag == "host_link") return read_host_link(element, zone);
    if (tag == "route") return read_route(element, zone, false, false);
    if (tag == "zoneRoute" || tag == "ASroute") return read_route(element, zone, true, false);
    if (tag == "bypassRoute") return read_route(element, zone, false, true);
    if (tag == "bypassZoneRoute" || tag == "bypassASroute") return read_route(element, zone, true, true);
    if (tag == "prop") return ignore(element, fmt::format("property '{}' of a zone", element.text("id")));
    refuse(element);
}

void ZoneReader::read_cluster(const Element& element, std::uint32_t parent) {
    BuiltCluster built = build_cluster(element, quirks_, fat_tree_hosts_);
    for (const Element& child : element.children()) {
        if (child.tag() != "prop") refuse(child);
        read_host_property(child);
    }
    if (!topology_->points.empty() || !topology_->zones.empty()) {
        for (std::uint32_t i = 0; i < built.hosts; ++i) check_new_name(element, built.topology->host_name({i}));
    }
    const std::uint32_t index = begin_zone(element, parent);
    Zone& zone = topology_->zones[index];
    zone.routing = Routing::cluster;
    zone.first_host = static_cast<std::uint32_t>(hosts_.size());
    zone.first_link = static_cast<std::uint32_t>(links_.size());
    zone.hosts = built.hosts;
    zone.links = static_cast<std::uint32_t>(built.links.size());
    zone.topology = std::move(built.topology);
    zone.flat = built.flat;
    zone.router = built.router;
    if (links_.empty()) {
        links_ = std::move(built.links);
    } else {
        links_.insert(links_.end(), built.links.begin(), built.links.end());
    }
    hosts_.insert(hosts_.end(), built.hosts, built.host);
    topology_->hosts.reserve(hosts_.size());
    for (std::uint32_t i = 0; i < built.hosts; ++i) topology_->hosts.push_back({index, i});
}

void ZoneReader::read_host(const Element& element, std::uint32_t zone) {
    element.allow(
        {"id", "speed", "core", "speed_file", "availability_file", "state_file", "coordinates", "pstate"});
    for (const char* profile : {"speed_file", "availability_file", "state_file"}) {
        if (element.has(profile)) element.fail(fmt::format("{}: profiles are not supported", profile));
    }
    const std::string pstate = element.text("pstate", "0");
    const std::uint32_t state = pstate == "0.0" ? 0 : element.count("pstate", 0);
    const Host host{element.speed("speed", state), element.count("core", 1), 0};
    if (host.cores == 0) element.fail("core: a host has at least one core");
    const Point at = add_member(element, zone, {Member::Kind::host, 0, element.text("id")});
    topology_->zones[zone].members[at.index].id = add_host(host, at);
    for (const Element& child : element.children()) {
        if (child.tag() == "prop") {
            read_host_property(child);
        } else if (child.tag() == "disk") {
            ignore(child, "<disk>");
        } else {
            refuse(child);
        }
    }
}

// SMPI takes its overheads from properties of hosts too; ours are the same for the whole machine.
void ZoneReader::read_host_property(const Element& prop) {
    prop.allow({"id", "value"});
    const std::string id = prop.text("id");
    if (id == "smpi/os" || id == "smpi/or" || id == "smpi/ois") {
        prop.fail(fmt::format("{} of a single host is not supported; put it into <config>", id));
    }
    ignore(prop, fmt::format("property '{}' of a host", id));
}

void ZoneReader::read_router(const Element& element, std::uint32_t zone) {
    element.allow({"id", "coordinates"});
    add_member(element, zone, {Member::Kind::router, 0, element.text("id")});
}

void ZoneReader::read_link(const Element& element) {
    element.allow(
        {"id", "bandwidth", "bandwidth_file", "latency", "latency_file", "state_file", "sharing_policy"});
    for (const char* profile : {"bandwidth_file", "latency_file", "state_file"}) {
        if (element.has(profile)) element.fail(fmt::format("{}: profiles are not supported", profile));
    }
    constexpr std::array duplexes{Duplex::shared, Duplex::split, Duplex::split, Duplex::fat_pipe};
    const std::size_t policy =
        element.choice("sharing_policy", {"SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE", "WIFI"}, 0);
    if (policy >= duplexes.size()) element.fail("sharing_policy WIFI is not supported");
    add_link(element, element.text("id"),
             {element.bandwidth("bandwidth"), element.has("latency") ? element.time("latency") : Time::zero(),
              duplexes[policy]});
    for (const Element& child : element.children()) {
        if (child.tag() != "prop") refuse(child);
        ignore(child, fmt::format("property '{}' of a link", child.text("id")));
    }
}

void ZoneReader::read_backbone(const Element& element, std::uint32_t zone) {
    element.allow({"id", "bandwidth", "latency"});
    if (topology_->zones[zone].routing != Routing::star) element.fail("is for zones with routing Cluster");
    if (backbones_.contains(zone)) element.fail("the zone has another backbone");
    add_link(element, element.text("id"),
             {element.bandwidth("bandwidth"), element.time("latency"), Duplex::shared});
    backbones_[zone] = link(element, element.text("id")).up;
}

void ZoneReader::read_cabinet(const Element& element, std::uint32_t zone) {
    element.allow({"id", "prefix", "suffix", "radical", "speed", "bw", "lat"});
    if (topology_->zones[zone].routing != Routing::star) element.fail("is for zones with routing Cluster");
    const HostNames names = read_names(element);
    // Each has its own links and names: 3 strings and more. A <cluster> computes them.
    constexpr std::uint32_t most_in_cabinet = 1U << 20U;
    if (names.count() > most_in_cabinet)
        element.fail(fmt::format("{} hosts in a cabinet; {} are the most, a <cluster> may have more",
                                 names.count(), most_in_cabinet));
    const Host host{element.speed("speed", 0), 1, 0};
    const Cable cable{element.bandwidth("bw"), element.time("lat"), Duplex::shared};
    for (std::uint32_t i = 0; i < names.count(); ++i) {
        const std::string name = names.name(i);
        const Point at = add_member(element, zone, {Member::Kind::host, 0, name});
        topology_->zones[zone].members[at.index].id = add_host(host, at);
        add_link(element, fmt::format("link_{}_UP", name), cable);
        add_link(element, fmt::format("link_{}_DOWN", name), cable);
        spokes_[zone].push_back({at.index, link(element, fmt::format("link_{}_UP", name)).up,
                                 link(element, fmt::format("link_{}_DOWN", name)).up});
    }
}

void ZoneReader::read_host_link(const Element& element, std::uint32_t zone) {
    element.allow({"id", "up", "down"});
    if (topology_->zones[zone].routing != Routing::star) element.fail("is for zones with routing Cluster");
    const Point host = point(element, "id");
    if (host.zone != zone) element.fail(fmt::format("'{}' is not in this zone", element.text("id")));
    spokes_[zone].push_back(
        {host.index, link(element, element.text("up")).up, link(element, element.text("down")).up});
}

void ZoneReader::finish_star(std::uint32_t index) {
    Zone& zone = topology_->zones[index];
    zone.up.resize(zone.members.size());
    zone.down.resize(zone.members.size());
    const auto backbone = backbones_.find(index);
    for (const Spoke& spoke : spokes_[index]) {
        zone.up[spoke.member].links = {spoke.up};
        zone.down[spoke.member].links = {spoke.down};
        if (backbone == backbones_.end()) continue;
        zone.up[spoke.member].links.push_back(backbone->second);
        zone.down[spoke.member].links.insert(zone.down[spoke.member].links.begin(), backbone->second);
    }
}

std::unique_ptr<Platform> ZoneReader::finish(const Element& root) {
    if (topology_->zones.empty()) root.fail("there is no zone or cluster in it");
    if (hosts_.empty()) root.fail("there is no host in it");
    const LinkId loopback{static_cast<std::uint32_t>(links_.size())};
    bool by_hand = false;
    for (const Zone& zone : topology_->zones) {
        by_hand = by_hand || zone.routing == Routing::full || zone.routing == Routing::floyd ||
                  zone.routing == Routing::dijkstra;
    }
    if (by_hand) links_.push_back(loopback_);
    topology_->seal(loopback);
    return std::make_unique<Platform>(std::move(hosts_), std::move(links_), std::move(topology_));
}

} // namespace orrery::simgrid
