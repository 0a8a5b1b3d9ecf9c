// The flow network: each message is a flow over its route, and flows share links max-min fairly.
//
// Sees: latency and bandwidth of every link, contention on every shared link, protocol effects as factors by
// message size, windows, acknowledgements. Does not see: packets, switch buffers, head-of-line blocking,
// losses, adaptive routing. Valid for messages of many packets; a small one costs its latency and the factors
// fitted to such messages. Equations, for B bytes over links l with L = sum of latencies (parameters.h):
//     t = L * latency_factor(B) + B / (bandwidth_factor(B) * x),     x max-min fair (max_min.h)
// Messages that begin or end to drain at one instant do so in the order of (source host, n-th of that host),
// sums of shares included, so that no rounding depends on the order in which the caller hears of hosts.
// Sources: Velho, Schnorr, Casanova, Legrand 2013; Casanova et al. 2015. docs/flow.md compares with SimGrid.
#pragma once

#include "engine/event_queue.h"
#include "machine/platform.h"
#include "network/flow/drain.h"
#include "network/flow/max_min.h"
#include "network/flow/parameters.h"
#include "network/flow/path.h"
#include "network/network.h"
#include "network/start_order.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

class FlowNetwork final : public Network {
  public:
    FlowNetwork(const Platform& platform, const FlowParameters& parameters);

    void start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override;
    Time next() override;
    void advance(Time now, std::vector<TransferId>& arrived) override;
    Time latency(HostId from, HostId to) override;
    Uncontended uncontended(HostId from, HostId to, Bytes bytes) override;
    RouteSlopes route_slopes(HostId from, HostId to, Bytes bytes, const LinkClassOf& class_of) override;
    [[nodiscard]] std::string validity() const override;

    // Counted when a flow begins to drain; `occupied`: bytes / bandwidth factor, and acknowledgements.
    [[nodiscard]] std::span<const LinkUse> link_use() const override { return link_use_; }
    [[nodiscard]] NetworkReport report(Time end) const override;
    // How often a link's level has been recomputed.
    [[nodiscard]] std::uint64_t settled_links() const { return max_min_.settled(); }

  private:
    struct Transfer {
        HostId from;
        HostId to;
        Bytes bytes = 0;
        std::uint64_t order = 0; // StartOrder
        double work = 0;         // what it will have to drain, see drain.h
        PathCache::Slot path = 0;
    };

    void begin_to_drain(std::uint32_t transfer);
    void sort(std::vector<FlowId>& flows);
    void finish(Time now);
    void begin(Time now);
    void share();
    [[nodiscard]] std::vector<RateBound> bounds_alone(const Path& path) const;

    const Platform& platform_;
    FlowParameters parameters_;
    PathCache paths_;
    MaxMin max_min_;
    Drain drain_;
    EventQueue latencies_; // transfers that have not begun to drain
    std::vector<Transfer> transfers_;
    std::vector<std::uint32_t> beginning_; // to drain, at this instant
    std::vector<FlowId> joining_;          // to drain_, once it is known what limits them
    std::vector<FlowId> finished_;
    std::vector<std::pair<std::uint64_t, FlowId>> by_order_;
    std::vector<std::uint32_t> arriving_; // without draining: no bytes or no links
    std::vector<LinkUse> link_use_;
    StartOrder start_order_;
    Time now_;
    bool unsettled_ = false; // flows have come or gone since the last share()
};

} // namespace orrery
