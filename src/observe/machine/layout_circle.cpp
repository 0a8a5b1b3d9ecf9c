// Circles: of groups for dragonflies, of switches for all other graphs. Hosts sit outside their switches.
#include "machine/platform.h"
#include "machine/topologies/dragonfly.h"
#include "observe/machine/layout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numbers>

namespace orrery {

namespace {

constexpr double circle_margin = 40;
constexpr double turn = 2 * std::numbers::pi;
constexpr std::uint32_t most_hosts_in_circle = 1500;

// An angle that begins at the top and runs clockwise.
double angle_of(double part) { return turn * (part - 0.25); }

struct Cluster {
    std::vector<NodeId> hosts; // of one switch
};

std::vector<Cluster> hosts_by_switch(const Fabric& fabric) {
    std::vector<Cluster> out(fabric.switch_count());
    for (std::uint32_t host = 0; host < fabric.host_count(); ++host) {
        for (const LinkId link : fabric.out(NodeId{host})) {
            if (link == no_link || fabric.is_host(fabric.channel(link).to)) continue;
            out[fabric.channel(link).to.index() - fabric.host_count()].hosts.push_back({host});
            break;
        }
    }
    return out;
}

// A fan of hosts around a switch, opening in the direction `angle`.
void fan(Layout& layout, const Cluster& cluster, const Spot& centre, double angle, double reach, double size) {
    const auto count = static_cast<double>(cluster.hosts.size());
    const double open = std::min(2.4, 3.2 * size * count / reach);
    for (std::size_t i = 0; i < cluster.hosts.size(); ++i) {
        const double at = angle + (count > 1 ? open * (static_cast<double>(i) / (count - 1) - 0.5) : 0);
        Spot& spot = layout.spots[cluster.hosts[i].index()];
        spot.x = centre.x + reach * std::cos(at);
        spot.y = centre.y + reach * std::sin(at);
        spot.size = size;
    }
}

// Moves everything so that it begins at the margin, and sets the size of the page.
void fit(Layout& layout) {
    double left = 1e9;
    double top = 1e9;
    double right = -1e9;
    double bottom = -1e9;
    for (const Spot& spot : layout.spots) {
        if (spot.size == 0) continue;
        left = std::min(left, spot.x);
        top = std::min(top, spot.y);
        right = std::max(right, spot.x);
        bottom = std::max(bottom, spot.y);
    }
    const double widen = std::max(0.0, 360 - (right - left)) / 2;
    for (Spot& spot : layout.spots) {
        spot.x += circle_margin + widen - left;
        spot.y += circle_margin - top;
    }
    for (Caption& caption : layout.captions) {
        caption.x += circle_margin + widen - left;
        caption.y += circle_margin - top;
    }
    layout.width = right - left + 2 * (circle_margin + widen);
    layout.height = bottom - top + 2 * circle_margin;
}

void leave_out_hosts(const Fabric& fabric, Layout& layout) {
    layout.notes.push_back(fmt::format("{} hosts are not drawn, {:.3g} on each switch", fabric.host_count(),
                                       static_cast<double>(fabric.host_count()) / fabric.switch_count()));
}

} // namespace

Layout lay_out_dragonfly(const Fabric& fabric) {
    const DragonflyShape& shape = *fabric.platform().topology().regularity().groups;
    const DragonflyPlan plan(shape);
    const std::uint32_t hosts = fabric.host_count();
    const bool with_hosts = hosts <= most_hosts_in_circle;
    Layout layout;
    layout.spots.resize(fabric.node_count());
    const std::uint32_t routers = plan.group_routers();
    const double step = routers <= 16 ? 26 : 16;
    const double inner = routers == 1 ? 0 : std::max(16.0, step * routers / turn);
    const double reach = with_hosts ? 15 : 0;
    const double outer =
        shape.groups == 1 ? 0 : std::max(120.0, (2 * (inner + reach) + 34) * shape.groups / turn);
    const std::vector<Cluster> clusters = hosts_by_switch(fabric);
    for (std::uint32_t router = 0; router < plan.router_count(); ++router) {
        const std::uint32_t group = plan.group_of(router);
        const double direction = angle_of(static_cast<double>(group) / shape.groups);
        // The first router points outwards.
        const double around = direction + turn * (router % routers) / routers;
        Spot& spot = layout.spots[hosts + router];
        spot.x = outer * std::cos(direction) + inner * std::cos(around);
        spot.y = outer * std::sin(direction) + inner * std::sin(around);
        spot.size = routers <= 16 ? 6 : 4;
        if (with_hosts) fan(layout, clusters[router], spot, around, reach, 2.2);
    }
    for (std::uint32_t group = 0; group < shape.groups && shape.groups > 1; ++group) {
        const double direction = angle_of(static_cast<double>(group) / shape.groups);
        if (routers > 4)
            layout.captions.push_back(
                {outer * std::cos(direction), outer * std::sin(direction) + 4, fmt::format("{}", group)});
    }
    fit(layout);
    const double middle_x = layout.width / 2;
    const double middle_y = layout.height / 2;
    add_cables(fabric, layout, [&](LinkId link, const Spot& a, const Spot& b) {
        const Channel& channel = fabric.channel(link);
        const bool blue = !fabric.is_host(channel.from) && !fabric.is_host(channel.to) &&
                          plan.group_of(channel.from.value - hosts) != plan.group_of(channel.to.value - hosts);
        layout.cables.push_back(
            {link, blue ? pulled(a, b, middle_x, middle_y, 0.55) : straight(a, b), blue && shape.groups > 12});
    });
    if (!with_hosts) leave_out_hosts(fabric, layout);
    return layout;
}

Layout lay_out_ring(const Fabric& fabric) {
    const std::uint32_t hosts = fabric.host_count();
    const bool with_hosts = hosts <= most_hosts_in_circle;
    Layout layout;
    layout.spots.resize(fabric.node_count());
    // Neighbours come to lie together: depth first from the switch with the most cables.
    std::vector<std::uint32_t> order;
    std::vector<bool> seen(fabric.switch_count());
    const auto visit = [&](std::uint32_t start) {
        std::vector<std::uint32_t> stack{start};
        while (!stack.empty()) {
            const std::uint32_t at = stack.back();
            stack.pop_back();
            if (seen[at]) continue;
            seen[at] = true;
            order.push_back(at);
            const auto links = fabric.out({hosts + at});
            for (std::size_t i = links.size(); i > 0; --i) {
                if (links[i - 1] == no_link || fabric.is_host(fabric.channel(links[i - 1]).to)) continue;
                stack.push_back(fabric.channel(links[i - 1]).to.value - hosts);
            }
        }
    };
    for (std::uint32_t i = 0; i < fabric.switch_count(); ++i) visit(i);
    const std::vector<Cluster> clusters = hosts_by_switch(fabric);
    std::size_t most = 1;
    for (const Cluster& each : clusters) most = std::max(most, each.hosts.size());
    const double reach = with_hosts ? 26 + static_cast<double>(most) : 0;
    const double step = std::clamp(static_cast<double>(with_hosts ? most : 1) * 9.0, 34.0, 120.0);
    const auto count = static_cast<double>(order.size());
    const double radius = order.size() < 2 ? 0 : std::max(90.0, step * count / turn);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double angle = angle_of(static_cast<double>(i) / count);
        Spot& spot = layout.spots[hosts + order[i]];
        spot.x = radius * std::cos(angle);
        spot.y = radius * std::sin(angle);
        spot.size = count <= 60 ? 8 : 5;
        spot.name_y = std::sin(angle) > 0.3 ? -spot.size - 4 : spot.size + 11; // inwards
        spot.name_x = 0;
        spot.room = step;
        if (with_hosts) fan(layout, clusters[order[i]], spot, angle, reach, 3);
    }
    if (order.empty() || !with_hosts) {
        if (!with_hosts) leave_out_hosts(fabric, layout);
    }
    fit(layout);
    const double middle_x = layout.width / 2;
    const double middle_y = layout.height / 2;
    std::map<std::pair<NodeId, NodeId>, int> drawn;
    add_cables(fabric, layout, [&](LinkId link, const Spot& a, const Spot& b) {
        const Channel& channel = fabric.channel(link);
        const int copy = drawn[std::minmax(channel.from, channel.to)]++;
        const bool to_host = fabric.is_host(channel.from) || fabric.is_host(channel.to);
        layout.cables.push_back(
            {link, to_host ? straight(a, b) : pulled(a, b, middle_x, middle_y, 0.25 + 0.12 * copy), false});
    });
    return layout;
}

} // namespace orrery
