// Routes of a platform file, and the names they refer to.
#include "engine/units.h"
#include "formats/simgrid/zone_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery::simgrid {

void ZoneReader::check_new_name(const Element& element, const std::string& name) const {
    if (name.empty()) element.fail("a name is empty");
    if (topology_->find(name)) element.fail(fmt::format("there is another host, router or zone '{}'", name));
}

Point ZoneReader::add_member(const Element& element, std::uint32_t zone, Member member) {
    check_new_name(element, member.name);
    Zone& here = topology_->zones[zone];
    const Point at{zone, static_cast<std::uint32_t>(here.members.size())};
    topology_->points.emplace(member.name, at);
    here.members.push_back(std::move(member));
    return at;
}

std::uint32_t ZoneReader::add_host(const Host& host, Point point) {
    hosts_.push_back(host);
    topology_->hosts.push_back(point);
    return static_cast<std::uint32_t>(hosts_.size() - 1);
}

// A split-duplex link x is also two links x_UP and x_DOWN, which a route may name without direction.
void ZoneReader::add_link(const Element& element, const std::string& name, const Cable& cable) {
    const auto first = static_cast<std::uint32_t>(links_.size());
    const auto add = [&](const std::string& word, NamedLink named) {
        if (!named_links_.emplace(word, named).second)
            element.fail(fmt::format("there is another link '{}'", word));
    };
    links_.insert(links_.end(), cable.links(), cable.link());
    if (cable.duplex != Duplex::split) {
        add(name, {{first}, {first}, false});
        topology_->link_names.emplace(first, name);
        return;
    }
    add(name, {{first}, {first + 1}, true});
    add(name + "_UP", {{first}, {first}, false});
    add(name + "_DOWN", {{first + 1}, {first + 1}, false});
    topology_->link_names.emplace(first, name + "_UP");
    topology_->link_names.emplace(first + 1, name + "_DOWN");
}

const ZoneReader::NamedLink& ZoneReader::link(const Element& element, const std::string& name) const {
    const auto found = named_links_.find(name);
    if (found != named_links_.end()) return found->second;
    std::vector<std::string_view> words;
    for (const auto& [word, each] : named_links_) words.push_back(word);
    const std::string near = nearest_word(name, words);
    element.fail(fmt::format("there is no link '{}' before this line{}", name,
                             near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

Point ZoneReader::point(const Element& element, const char* attribute) const {
    const std::string name = element.text(attribute);
    if (const auto found = topology_->find(name)) return *found;
    std::vector<std::string> words;
    for (const auto& [word, at] : topology_->points) words.push_back(word);
    for (const Zone& zone : topology_->zones) {
        if (!zone.router.empty()) words.push_back(zone.router);
    }
    const std::string near = nearest_word(name, words);
    element.fail(fmt::format("{}: there is no host, router or zone '{}'{}", attribute, name,
                             near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

Point ZoneReader::gateway(const Element& element, const char* attribute, Point zone) const {
    if (!element.has(attribute)) element.fail(fmt::format("gateway '{}' is missing", attribute));
    const Point at = point(element, attribute);
    if (topology_->is_zone(at)) {
        element.fail(fmt::format("{}: a gateway is a host or a router, but '{}' is a zone", attribute,
                                 element.text(attribute)));
    }
    const Member* member = topology_->member(zone);
    if (!topology_->inside(at, member->id)) {
        element.fail(
            fmt::format("{}: '{}' is not in zone '{}'", attribute, element.text(attribute), member->name));
    }
    return at;
}

void ZoneReader::read_route(const Element& element, std::uint32_t zone, bool zones, bool bypass) {
    if (zones) {
        element.allow({"src", "dst", "gw_src", "gw_dst", "symmetrical"});
    } else {
        element.allow({"src", "dst", "symmetrical"});
    }
    if (bypass && element.has("symmetrical")) element.fail("a bypass has no attribute 'symmetrical'");
    const Point from = point(element, "src");
    const Point to = point(element, "dst");
    for (const auto& [at, name] : {std::pair(from, element.text("src")), std::pair(to, element.text("dst"))}) {
        if (!bypass && at.zone != zone) element.fail(fmt::format("'{}' is not in this zone", name));
        if (topology_->is_zone(at) == zones) continue;
        element.fail(zones ? fmt::format("'{}' is not a zone; <route> joins hosts and routers", name)
                           : fmt::format("'{}' is a zone; <zoneRoute> joins zones", name));
    }
    Hop there;
    Hop back;
    if (zones) {
        there.gateway_from = back.gateway_to = gateway(element, "gw_src", from);
        there.gateway_to = back.gateway_from = gateway(element, "gw_dst", to);
        if (there.gateway_from == there.gateway_to) element.fail("the two gateways are the same");
    }
    for (const Element& child : element.children()) {
        if (child.tag() != "link_ctn") refuse(child);
        child.allow({"id", "direction"});
        const NamedLink& named = link(child, child.text("id"));
        const std::size_t direction = child.choice("direction", {"NONE", "UP", "DOWN"}, 0);
        if (named.split != (direction != 0)) {
            child.fail(named.split ? fmt::format("link '{}' is split-duplex: direction UP or DOWN is missing",
                                                 child.text("id"))
                                   : fmt::format("link '{}' is not split-duplex: it has no direction",
                                                 child.text("id")));
        }
        there.links.push_back(direction == 2 ? named.down : named.up);
        back.links.push_back(direction == 2 ? named.up : named.down);
    }
    if (there.links.empty()) element.fail("a route has at least one <link_ctn>");
    if (bypass) {
        if (!topology_->zones[zone].bypasses.emplace(std::pair(from, to), std::move(there)).second) {
            element.fail("there is another bypass between the same ends");
        }
        return;
    }
    add_hop(element, zone, from, to, std::move(there));
    const bool both = element.choice("symmetrical", {"NO", "YES"}, 1) == 1;
    if (!both || from == to) return;
    std::reverse(back.links.begin(), back.links.end());
    add_hop(element, zone, to, from, std::move(back));
}

void ZoneReader::add_hop(const Element& element, std::uint32_t zone, Point from, Point to, Hop hop) {
    Zone& here = topology_->zones[zone];
    if (here.routing != Routing::full && here.routing != Routing::floyd && here.routing != Routing::dijkstra) {
        element.fail("the zone finds its own routes: only Full, Floyd and Dijkstra take them by hand");
    }
    for (const std::uint32_t index : {from.index, to.index}) {
        if (here.routing != Routing::dijkstra) break;
        if (std::find(here.order.begin(), here.order.end(), index) == here.order.end())
            here.order.push_back(index);
    }
    if (!here.hops.emplace(std::pair(from.index, to.index), std::move(hop)).second) {
        element.fail(
            fmt::format("there is another route from {} to {} (routes are symmetrical unless told otherwise)",
                        topology_->name(from), topology_->name(to)));
    }
}

} // namespace orrery::simgrid
