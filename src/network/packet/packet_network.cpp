#include "network/packet/packet_network.h"

#include "network/heaviest_links.h"
#include "network/packet/core.h"

namespace orrery {

PacketNetwork::PacketNetwork(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
                             PacketObserver* observer)
    : fabric_(fabric), parameters_(parameters),
      core_(parameters.switching == Switching::wormhole
                ? packet::make_wormhole(fabric, routing, parameters, observer)
                : packet::make_cut_through(fabric, routing, parameters, observer)) {}

PacketNetwork::~PacketNetwork() = default;

void PacketNetwork::start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) {
    core_->start(transfer, from, to, bytes, false, now);
}

void PacketNetwork::start_control(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) {
    core_->start(transfer, from, to, bytes, true, now);
}

Time PacketNetwork::next() { return core_->next(); }

Time PacketNetwork::next_until(Time limit) { return core_->next_until(limit); }

void PacketNetwork::advance(Time now, std::vector<TransferId>& arrived) { core_->advance(now, arrived); }

Time PacketNetwork::latency(HostId from, HostId to) { return core_->latency(from, to); }

Uncontended PacketNetwork::uncontended(HostId from, HostId to, Bytes bytes) {
    return core_->uncontended(from, to, bytes);
}

RouteSlopes PacketNetwork::route_slopes(HostId from, HostId to, Bytes bytes, const LinkClassOf& class_of) {
    return core_->route_slopes(from, to, bytes, class_of);
}

std::string PacketNetwork::validity() const {
    return "packet: " + describe(parameters_) + "; no errors or retransmission, no limits inside hosts";
}

NetworkReport PacketNetwork::report(Time end) const {
    const std::span<const ChannelUse> use = channel_use();
    NetworkReport report;
    std::vector<bool>& crossed = report.crossed.emplace_back(use.size());
    for (std::size_t link = 0; link < use.size(); ++link) crossed[link] = use[link].segments > 0;
    const auto busy = [&](LinkId link) { return use[link.index()].busy.picoseconds(); };
    const auto blocked = [&](LinkId link) { return use[link.index()].blocked.ticks(); };
    const auto whole = end.picoseconds();
    const auto load_of = [&](LinkId link) {
        const ChannelUse& each = use[link.index()];
        return LinkLoad{fabric_.name(link), static_cast<double>(each.bytes), whole > 0 ? busy(link) / whole : 0,
                        each.blocked};
    };
    for (const LinkId link : heaviest_links(use.size(), busy)) report.busiest.push_back(load_of(link));
    PacketFigures& figures = report.packets.emplace();
    figures.segment_hops = segment_hops();
    const auto histogram = latency_histogram();
    figures.latency_histogram.assign(histogram.begin(), histogram.end());
    for (const LinkId link : heaviest_links(use.size(), blocked)) figures.blocked.push_back(load_of(link));
    report.notes.assign(fabric_.left_out().begin(), fabric_.left_out().end());
    return report;
}

std::span<const ChannelUse> PacketNetwork::channel_use() const {
    use_ = core_->use();
    return use_;
}

std::uint64_t PacketNetwork::segment_hops() const { return core_->segment_hops(); }

std::span<const std::uint64_t> PacketNetwork::latency_histogram() const { return core_->histogram(); }

std::uint64_t PacketNetwork::under_way() const { return core_->under_way(); }

} // namespace orrery
