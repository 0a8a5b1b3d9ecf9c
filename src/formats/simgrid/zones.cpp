#include "formats/simgrid/zones.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::simgrid {

namespace {

constexpr std::uint32_t no_zone = ~std::uint32_t{0};
constexpr std::uint32_t deepest = 200; // a way that leads through more gateways goes round in a circle

// Appends what is not there since `start` yet: on a star, a link occurs once.
void append_once(const std::vector<LinkId>& more, std::size_t start, std::vector<LinkId>& links) {
    for (const LinkId link : more) {
        const auto begin = links.begin() + static_cast<std::ptrdiff_t>(start);
        if (std::find(begin, links.end(), link) == links.end()) links.push_back(link);
    }
}

} // namespace

void ZoneTopology::route(HostId from, HostId to, std::vector<LinkId>& links) const {
    between(hosts[from.index()], hosts[to.index()], links, 0);
}

std::vector<std::uint32_t> ZoneTopology::path_up(std::uint32_t zone) const {
    std::vector<std::uint32_t> path;
    for (; zone != no_zone; zone = zones[zone].parent) path.push_back(zone);
    return path;
}

void ZoneTopology::between(Point from, Point to, std::vector<LinkId>& links, std::uint32_t depth) const {
    if (depth > deepest) no_route(from.zone, from, to);
    if (from.zone == to.zone) {
        if (!bypass(from.zone, from, to, links, depth)) within(from.zone, from.index, to.index, links, depth);
        return;
    }
    const auto up_from = path_up(from.zone);
    const auto up_to = path_up(to.zone);
    // The innermost zone that holds both, and its points on either side.
    std::size_t a = up_from.size();
    std::size_t b = up_to.size();
    while (a > 0 && b > 0 && up_from[a - 1] == up_to[b - 1]) {
        --a;
        --b;
    }
    const std::uint32_t common = up_from[a];
    if (bypass(common, from, to, links, depth)) return;
    const Point near = a == 0 ? from : zones[up_from[a - 1]].self;
    const Point far = b == 0 ? to : zones[up_to[b - 1]].self;
    std::vector<LinkId> middle;
    auto [enter, leave] = within(common, near.index, far.index, middle, depth);
    if (a == 0) enter = from;
    if (b == 0) leave = to;
    if (!enter.valid() || !leave.valid()) no_route(common, from, to);
    if (from != enter) between(from, enter, links, depth + 1);
    links.insert(links.end(), middle.begin(), middle.end());
    if (leave != to) between(leave, to, links, depth + 1);
}

// Bypasses that are written in the common zone: between two hosts of it, or between any two zones on the ways
// up.
bool ZoneTopology::bypass(std::uint32_t common, Point from, Point to, std::vector<LinkId>& links,
                          std::uint32_t depth) const {
    const auto& bypasses = zones[common].bypasses;
    if (bypasses.empty()) return false;
    if (const auto direct = bypasses.find({from, to}); direct != bypasses.end()) {
        links.insert(links.end(), direct->second.links.begin(), direct->second.links.end());
        return true;
    }
    if (from.zone == common || to.zone == common) return false;
    auto up_from = path_up(from.zone);
    auto up_to = path_up(to.zone);
    while (up_from.back() == up_to.back()) {
        up_from.pop_back();
        up_to.pop_back();
    }
    const Hop* found = nullptr;
    const auto look = [&](std::size_t i, std::size_t j) {
        if (i >= up_from.size() || j >= up_to.size()) return false;
        const auto hop = bypasses.find({zones[up_from[i]].self, zones[up_to[j]].self});
        if (hop != bypasses.end()) found = &hop->second;
        return hop != bypasses.end();
    };
    // The innermost zones first, as SimGrid looks for them.
    for (std::size_t most = 0; found == nullptr && most < std::max(up_from.size(), up_to.size()); ++most) {
        for (std::size_t i = 0; i < most; ++i) {
            if (look(i, most) || look(most, i)) break;
        }
        if (found == nullptr) look(most, most);
    }
    if (found == nullptr) return false;
    if (from != found->gateway_from) between(from, found->gateway_from, links, depth + 1);
    links.insert(links.end(), found->links.begin(), found->links.end());
    if (found->gateway_to != to) between(found->gateway_to, to, links, depth + 1);
    return true;
}

std::pair<Point, Point> ZoneTopology::within(std::uint32_t zone, std::uint32_t from, std::uint32_t to,
                                             std::vector<LinkId>& links, std::uint32_t depth) const {
    const Zone& here = zones[zone];
    const auto fail = [&]() { no_route(zone, {zone, from}, {zone, to}); };
    const bool by_hand =
        here.routing == Routing::full || here.routing == Routing::floyd || here.routing == Routing::dijkstra;
    if (by_hand && from == to) {
        const auto own = here.hops.find({from, to});
        if (own != here.hops.end()) {
            links.insert(links.end(), own->second.links.begin(), own->second.links.end());
        } else if (!here.has_zones) {
            links.push_back(loopback_);
        } else {
            fail();
        }
        return {};
    }
    switch (here.routing) {
    case Routing::full: {
        const auto hop = here.hops.find({from, to});
        if (hop == here.hops.end()) fail();
        links.insert(links.end(), hop->second.links.begin(), hop->second.links.end());
        return {hop->second.gateway_from, hop->second.gateway_to};
    }
    case Routing::floyd: {
        const std::size_t n = here.members.size();
        return along(here, std::span(here.before).subspan(from * n, n), from, to, links, depth);
    }
    case Routing::dijkstra: {
        Zone::Row& row = here.rows[from];
        std::call_once(row.made, [&] { row.before = dijkstra_row(here, from); });
        return along(here, row.before, from, to, links, depth);
    }
    case Routing::star: {
        const std::size_t start = links.size();
        append_once(here.up[from].links, start, links);
        append_once(here.down[to].links, start, links);
        return {here.up[from].gateway_from, here.down[to].gateway_to};
    }
    case Routing::cluster: within_cluster(here, from, to, links); return {};
    case Routing::none: break;
    }
    fail();
    return {};
}

// Hop by hop as `before` says; where a zone is passed, from the gateway of arrival to that of departure.
std::pair<Point, Point> ZoneTopology::along(const Zone& zone, std::span<const std::uint32_t> before,
                                            std::uint32_t from, std::uint32_t to, std::vector<LinkId>& links,
                                            std::uint32_t depth) const {
    std::vector<const Hop*> hops;
    for (std::uint32_t at = to; at != from; at = before[at]) {
        if (before[at] == no_zone) {
            const auto index = static_cast<std::uint32_t>(&zone - zones.data());
            no_route(index, {index, from}, {index, to});
        }
        hops.push_back(&zone.hops.at({before[at], at}));
    }
    std::reverse(hops.begin(), hops.end());
    for (std::size_t i = 0; i < hops.size(); ++i) {
        if (zone.has_zones && i > 0 && hops[i - 1]->gateway_to != hops[i]->gateway_from) {
            between(hops[i - 1]->gateway_to, hops[i]->gateway_from, links, depth + 1);
        }
        links.insert(links.end(), hops[i]->links.begin(), hops[i]->links.end());
    }
    return {hops.front()->gateway_from, hops.back()->gateway_to};
}

void ZoneTopology::within_cluster(const Zone& zone, std::uint32_t from, std::uint32_t to,
                                  std::vector<LinkId>& links) const {
    const std::size_t start = links.size();
    if (from < zone.hosts && to < zone.hosts) {
        zone.topology->route({from}, {to}, links);
    } else if (zone.flat != nullptr && from < zone.hosts) {
        zone.flat->route_up({from}, links);
    } else if (zone.flat != nullptr && to < zone.hosts) {
        zone.flat->route_down({to}, links);
    }
    for (std::size_t i = start; i < links.size(); ++i) links[i].value += zone.first_link;
}

void ZoneTopology::seal(LinkId loopback) {
    loopback_ = loopback;
    for (Zone& zone : zones) {
        const std::size_t n = zone.members.size();
        if (zone.routing == Routing::floyd) zone.before = floyd_table(zone);
        if (zone.routing == Routing::dijkstra) zone.rows = std::make_unique<Zone::Row[]>(n);
        if (zone.routing == Routing::star) {
            zone.up.resize(n);
            zone.down.resize(n);
        }
    }
}

void ZoneTopology::no_route(std::uint32_t zone, Point from, Point to) const {
    throw InputError(
        Error{file_, zones[zone].line, 0,
              fmt::format("zone '{}' has no route from {} to {}", zones[zone].name, name(from), name(to))});
}

} // namespace orrery::simgrid
