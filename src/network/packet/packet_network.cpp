#include "network/packet/packet_network.h"

#include "network/packet/core.h"

namespace orrery {

PacketNetwork::PacketNetwork(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
                             PacketObserver* observer)
    : parameters_(parameters), core_(parameters.switching == Switching::wormhole
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

std::string PacketNetwork::validity() const {
    return "packet: " + describe(parameters_) + "; no errors or retransmission, no limits inside hosts";
}

std::span<const ChannelUse> PacketNetwork::channel_use() const {
    use_ = core_->use();
    return use_;
}

std::uint64_t PacketNetwork::segment_hops() const { return core_->segment_hops(); }

std::span<const std::uint64_t> PacketNetwork::latency_histogram() const { return core_->histogram(); }

std::uint64_t PacketNetwork::under_way() const { return core_->under_way(); }

} // namespace orrery
