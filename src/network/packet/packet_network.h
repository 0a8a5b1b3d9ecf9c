// Messages as packets through switches with buffers, arbitration and flow control; docs/packet.md is the model.
//
// Sees: segmentation, head-of-line blocking, back-pressure, arbitration, virtual channels, adaptive routes.
// Does not see: errors and retransmission, limits of the host's memory bus, congestion control end to end.
//
// The timing is that of every flit; the cost is per segment and hop. ...
#pragma once

#include "network/network.h"
#include "network/packet/observer.h"
#include "network/packet/parameters.h"
#include "platform/routing/routing.h"

#include <memory>
#include <span>
#include <vector>

namespace orrery {

// What a channel carried, and the buffer at its receiving end.
struct ChannelUse {
    std::uint64_t segments = 0;
    std::uint64_t bytes = 0; // on the wire
    Time busy;
    Time blocked; // head-of-line blocking in the buffer at its end
    Bytes most_buffered = 0;
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
    void advance(Time now, std::vector<TransferId>& arrived) override;
    Time latency(HostId from, HostId to) override;
    [[nodiscard]] std::string validity() const override;

    [[nodiscard]] std::span<const ChannelUse> channel_use() const; // by LinkId
    [[nodiscard]] std::uint64_t segment_hops() const;              // segments times channels passed
    // Messages by the time from start to arrival: [k] counts those of 2^(k-1) to 2^k - 1 ns.
    [[nodiscard]] std::span<const std::uint64_t> latency_histogram() const;
};

} // namespace orrery
