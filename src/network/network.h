// The seam between what ranks do and how their messages travel: any network carries any workload.
//
// The caller (protocol/) owns simulated time. It starts transfers at the present instant, asks when something
// next happens in the network, and moves the network there. All that happens at one instant is one step: a
// network may put off work (a recomputation of rates) until `advance` or `next` is called.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"
#include "network/link_use.h"
#include "network/uncontended.h"
#include "results/network_report.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery {

// Chosen by the caller: a small dense number, reused after the transfer has arrived.
using TransferId = Id<struct TransferTag>;

class Network {
  public:
    virtual ~Network() = default;
    // The bytes leave `from` for `to` now. `now` never decreases over all calls.
    virtual void start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) = 0;
    // The same for a message of a protocol (a request, a clear-to-send): it may have priority.
    virtual void start_control(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) {
        start(transfer, from, to, bytes, now);
    }
    // The earliest instant at which `advance` has something to do; Time::max() if nothing is under way.
    virtual Time next() = 0;
    // The same for a caller that starts nothing before `limit` but may then, even if that is the present
    // instant: a network may work off all that happens inside it up to the first arrival or to `limit`, so that
    // the caller is not called back for it. Either the first arrival or not earlier than `limit`, as far as the
    // network makes use of that.
    virtual Time next_until(Time /*limit*/) { return next(); }
    // Moves to `now` (not after next()) and appends the transfers whose last byte arrives at this instant: by
    // source host, and of a host in the order of its starts (start_order.h), unless the network's header says
    // otherwise.
    virtual void advance(Time now, std::vector<TransferId>& arrived) = 0;
    // How long a message without payload takes between two hosts: for control messages that need no bandwidth.
    virtual Time latency(HostId from, HostId to) = 0;
    // The same of a message with payload, split; with adaptive routes, over the shortest.
    // A network that does not say more only knows its latency.
    virtual Uncontended uncontended(HostId from, HostId to, Bytes /*bytes*/) {
        Uncontended alone;
        alone.latency = latency(from, to);
        return alone;
    }
    // How that follows the links of its route, by classes; nothing of networks without links.
    virtual RouteSlopes route_slopes(HostId /*from*/, HostId /*to*/, Bytes /*bytes*/,
                                     const LinkClassOf& /*class_of*/) {
        return {};
    }
    // One line for the summary: what the model sees and what it cannot see.
    [[nodiscard]] virtual std::string validity() const = 0;

    // What each link of the platform has carried so far; empty if the network does not count that.
    [[nodiscard]] virtual std::span<const LinkUse> link_use() const { return {}; }
    // All that it knows of the run, which ended at `end`; nothing of networks without links.
    [[nodiscard]] virtual NetworkReport report(Time /*end*/) const { return {}; }
};

} // namespace orrery
