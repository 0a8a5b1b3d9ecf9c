// Messages as packets through switches with buffers, arbitration and flow control; docs/packet.md is the model.
//
// Sees: segmentation, head-of-line blocking, back-pressure, arbitration, virtual channels, adaptive routes.
// Does not see: errors and retransmission, limits of the host's memory bus, congestion control end to end.
//
// The timing is that of every flit; the cost is one event per segment and hop where nobody waits, and one more
// where somebody does; with wormhole switching one per stall. The folder reads in this order: parameters.h
// (what can be set), observer.h (events for observers), elements.h (messages, segments, paths), core.h
// (instants, adapters), cut_through_switch.h (switches, flow control, blocking), wormhole_switch.h.
#pragma once

#include "machine/routing/routing.h"
#include "network/network.h"
#include "network/packet/observer.h"
#include "network/packet/parameters.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace orrery {

namespace packet {
class Core;
}

// What a channel has transferred, and the buffer at its receiving end.
struct ChannelUse {
    std::uint64_t segments = 0;
    std::uint64_t bytes = 0; // on the wire, in whole flits
    Time busy;
    // Head-of-line blocking in the buffer at its end: the first segment cannot start, and the one behind it
    // could, since its channel is idle and has room for a whole segment. Summed over lanes.
    Time blocked;
    Bytes most_buffered = 0; // in one lane, when a segment becomes ready to be sent on
};

class PacketNetwork final : public Network {
  public:
    // Fabric and routing must outlive it.
    PacketNetwork(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
                  PacketObserver* observer = nullptr);
    ~PacketNetwork() override;

    void start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override;
    void start_control(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override;
    Time next() override;
    Time next_until(Time limit) override;
    void advance(Time now, std::vector<TransferId>& arrived) override;
    Time latency(HostId from, HostId to) override;
    Uncontended uncontended(HostId from, HostId to, Bytes bytes) override;
    RouteSlopes route_slopes(HostId from, HostId to, Bytes bytes, const LinkClassOf& class_of) override;
    [[nodiscard]] std::string validity() const override;
    [[nodiscard]] NetworkReport report(Time end) const override;

    [[nodiscard]] std::span<const ChannelUse> channel_use() const; // by LinkId; counted at this call
    [[nodiscard]] std::uint64_t segment_hops() const;              // segments times channels passed
    // Messages by the time from start to arrival: [k] counts those of 2^(k-1) to 2^k - 1 ns.
    [[nodiscard]] std::span<const std::uint64_t> latency_histogram() const;
    // Messages that have not arrived. If next() is Time::max() then, they wait for each other in a cycle.
    [[nodiscard]] std::uint64_t under_way() const;

  private:
    const Fabric& fabric_;
    PacketParameters parameters_;
    std::unique_ptr<packet::Core> core_;
    mutable std::vector<ChannelUse> use_;
};

} // namespace orrery
