#include "network/rails/rails_network.h"

#include "engine/random.h"
#include "network/heaviest_links.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

void add_packet_figures(PacketFigures& all, const PacketFigures& rail) {
    all.segment_hops += rail.segment_hops;
    if (all.latency_histogram.size() < rail.latency_histogram.size())
        all.latency_histogram.resize(rail.latency_histogram.size());
    for (std::size_t k = 0; k < rail.latency_histogram.size(); ++k)
        all.latency_histogram[k] += rail.latency_histogram[k];
}

void add_links_of_rail(std::vector<LinkLoad>& all, std::vector<LinkLoad>& links, std::size_t rail) {
    for (LinkLoad& link : links) {
        link.name = fmt::format("rail {}: {}", rail, link.name);
        all.push_back(std::move(link));
    }
}

} // namespace

RailsNetwork::RailsNetwork(std::vector<std::unique_ptr<Network>> networks, const Rails& rails,
                           std::uint32_t hosts)
    : networks_(std::move(networks)), choice_(rails.choice), below_(rails.below), words_(rails.words()),
      turn_(hosts) {
    assert(networks_.size() == rails.count());
}

std::size_t RailsNetwork::choose(HostId from, HostId to, Bytes bytes, std::uint32_t turn) const {
    const std::size_t count = networks_.size();
    std::size_t which = 0;
    switch (choice_) {
    case RailChoice::round_robin: which = turn % count; break;
    case RailChoice::source: which = from.index() % count; break;
    case RailChoice::size:
        which =
            static_cast<std::size_t>(std::upper_bound(below_.begin(), below_.end(), bytes) - below_.begin());
        break;
    case RailChoice::hash: which = RandomStream(from.value, to.value).below(0, count); break;
    }
    return which;
}

Network& RailsNetwork::next_rail(HostId from, HostId to, Bytes bytes) {
    return *networks_[choose(from, to, bytes, turn_[from.index()]++)];
}

void RailsNetwork::start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) {
    now_ = now;
    next_rail(from, to, bytes).start(transfer, from, to, bytes, now);
}

void RailsNetwork::start_control(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) {
    now_ = now;
    next_rail(from, to, bytes).start_control(transfer, from, to, bytes, now);
}

Time RailsNetwork::next() {
    Time earliest = Time::max();
    for (const auto& network : networks_) earliest = std::min(earliest, network->next());
    return earliest;
}

Time RailsNetwork::next_until(Time limit) { return limit <= now_ ? limit : next(); }

void RailsNetwork::advance(Time now, std::vector<TransferId>& arrived) {
    now_ = now;
    for (const auto& network : networks_) network->advance(now, arrived);
}

Time RailsNetwork::latency(HostId from, HostId to) {
    Time least = Time::max();
    for (const auto& network : networks_) least = std::min(least, network->latency(from, to));
    return least;
}

Uncontended RailsNetwork::uncontended(HostId from, HostId to, Bytes bytes) {
    const std::size_t which = choose(from, to, bytes, 0);
    Uncontended alone = networks_[which]->uncontended(from, to, bytes);
    alone.rail = static_cast<std::uint32_t>(which);
    return alone;
}

RouteSlopes RailsNetwork::route_slopes(HostId from, HostId to, Bytes bytes, const LinkClassOf& class_of) {
    const std::size_t which = choose(from, to, bytes, 0);
    const auto rail = static_cast<std::uint32_t>(which);
    const auto class_of_rail = [&](std::uint32_t /*own*/, LinkId link) { return class_of(rail, link); };
    RouteSlopes slopes = networks_[which]->route_slopes(from, to, bytes, class_of_rail);
    for (RouteSlopes::OfLink& each : slopes.links) each.rail = rail;
    return slopes;
}

std::string RailsNetwork::validity() const {
    return fmt::format("{}: {}", words_, networks_.front()->validity());
}

NetworkReport RailsNetwork::report(Time end) const {
    NetworkReport all;
    for (std::size_t i = 0; i < networks_.size(); ++i) {
        NetworkReport rail = networks_[i]->report(end);
        add_links_of_rail(all.busiest, rail.busiest, i);
        for (std::vector<bool>& links : rail.crossed) all.crossed.push_back(std::move(links));
        for (std::string& note : rail.notes) {
            if (std::find(all.notes.begin(), all.notes.end(), note) == all.notes.end())
                all.notes.push_back(std::move(note));
        }
        if (!rail.packets) continue;
        if (!all.packets) all.packets.emplace();
        add_packet_figures(*all.packets, *rail.packets);
        add_links_of_rail(all.packets->blocked, rail.packets->blocked, i);
    }
    keep_heaviest(all.busiest, [](const LinkLoad& a, const LinkLoad& b) { return a.use > b.use; });
    if (all.packets)
        keep_heaviest(all.packets->blocked,
                      [](const LinkLoad& a, const LinkLoad& b) { return a.blocked > b.blocked; });
    return all;
}

} // namespace orrery
