// The k-packet network: messages pass their links one after another, at full speed, in turns between messages.
//
// After Jain and Kale, "Fast Prediction of Network Performance: k-packet Simulation". Simulated time is cut
// into iterations that begin and end at message-level events. In each iteration a greedy selection of messages
// sends: one that finds room on every link of its route, at its source (injection) and at its destination
// (ejection) beside those selected before it. A selected message sends k packets, at the rate of its path,
//     r = min(bandwidth of its links, injection, ejection),
// until the iteration ends, which it does when the first of the selected has sent all it has:
//     granularity = min over the selected of (bytes left / r),
// or a little later, together with others who then have, too (`kpacket.tolerance`).
// Flows of packets that share a link in reality are thus disjoint in time. A message arrives the latency of its
// route after its last byte has left: alone, t = sum of latencies + bytes / r.
//
// What the poster leaves open, as decided here:
// - Order of the selection: by age, which is the instant of the start; among those of one instant, first the
//   first message of each host, then the second of each, and so on; the k-th ones beginning with host k, so
//   that all hosts take turns (fair rotation). So nobody starves: the oldest is always selected.
// - A message that starts ends the iteration; being the youngest it only adds to the selection.
// - A message with more than `kpacket.piece` bytes is, after each piece, as young as a new one; those of a host
// whose
//   pieces end at one instant take their turns in the order of their starts, before its new ones.
// - Arrivals of one instant: by source host, then in the order of its starts. So no tie depends on the order in
// which
//   different hosts start at one instant.
// - A link carries several messages if their rates together fit its bandwidth (`kpacket.sharing = capacity`):
// on
//   a machine of equal links that is one at a time. Fat pipes bound the rate and are never full.
// - Between cores of a host a message passes the loopback of the machine, or takes no time if there is none;
//   with `kpacket.local` it also takes from what the host can send and receive.
//
// Sees: routes, contention on links and at hosts, the effect of a mapping. Does not see: packets, buffers, that
// messages on a link in reality share it (a short message behind a long one waits for all of it: see
// kpacket.piece), adaptive routes. Valid for trends of bulk communication; a single message's time under
// contention is an approximation, the time of the whole a good one.
#pragma once

#include "engine/event_queue.h"
#include "machine/platform.h"
#include "network/flow/indexed_heap.h"
#include "network/kpacket/parameters.h"
#include "network/kpacket/selection.h"
#include "network/network.h"
#include "network/start_order.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery {

// The state between two events.
struct KPacketState {
    struct Message {
        TransferId transfer;
        HostId from;
        HostId to;
        Bytes left = 0; // to be sent
        bool sending = false;
    };
    struct Link {
        double used = 0; // bytes per second
        std::uint32_t sending = 0;
        std::uint32_t waiting = 0; // messages whose route holds it
    };
    std::vector<Message> messages; // those that have not sent everything, by transfer
    std::vector<Link> links;       // by LinkId
};

class KPacketNetwork final : public Network {
  public:
    KPacketNetwork(const Platform& platform, const KPacketParameters& parameters);

    void start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override;
    Time next() override;
    // An iteration begins when all messages of an instant are there.
    Time next_until(Time limit) override { return limit <= now_ ? limit : next(); }
    void advance(Time now, std::vector<TransferId>& arrived) override;
    Time latency(HostId from, HostId to) override;
    Uncontended uncontended(HostId from, HostId to, Bytes bytes) override;
    RouteSlopes route_slopes(HostId from, HostId to, Bytes bytes, const LinkClassOf& class_of) override;
    [[nodiscard]] std::string validity() const override;

    // As it is at `now`, from the last call's instant up to next().
    KPacketState state(Time now);
    // Counted when a message has been sent.
    [[nodiscard]] std::span<const LinkUse> link_use() const override { return link_use_; }
    [[nodiscard]] NetworkReport report(Time end) const override;
    [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
    [[nodiscard]] const Selection& selection() const { return selection_; }
    // For tests: how the selection is found.
    void always(Selection::Procedure procedure) { selection_.always(procedure); }

  private:
    struct Transfer {
        HostId from;
        HostId to;
        Bytes bytes = 0;
        std::uint64_t order = 0; // StartOrder
        double rate = 0;         // bytes per second
        Time left;               // how long it still has to send,
        Time piece;              // and how much of that before others come first
        Time since;              // when it was selected
        Time latency;
        bool open = false; // has something left to send
    };
    struct Joining {
        std::uint32_t turn = 0;  // so many of its host at this instant come before it
        std::uint32_t place = 0; // of the host in this turn
        std::uint32_t transfer = 0;
    };

    void find_path(Transfer& transfer);
    [[nodiscard]] std::vector<RateBound> bounds_alone(HostId from, HostId to);
    void join(std::uint32_t transfer);
    [[nodiscard]] bool due() const;
    void put_in_order();
    void begin_iteration();
    void sent(std::uint32_t transfer);
    void use(LinkId link, const Transfer& transfer);

    const Platform& platform_;
    KPacketParameters parameters_;
    std::uint32_t hosts_;
    std::uint32_t first_injection_ = 0; // resources: the links, the hosts as senders, the hosts as receivers
    std::uint32_t first_ejection_ = 0;
    double units_; // of rates in the selection, per byte per second
    Selection selection_;
    std::vector<Transfer> transfers_;
    IndexedHeap<Time> sending_; // by when they are done, or their piece is
    std::vector<std::uint32_t> sending_at_;
    EventQueue arrivals_;
    std::vector<Joining> joining_;
    std::vector<std::uint32_t> turns_;      // of each host, at the instant
    std::vector<std::uint32_t> turn_hosts_; // hosts with turns
    std::vector<LinkId> route_;
    std::vector<std::uint32_t> path_; // resources
    std::vector<LinkUse> link_use_;
    StartOrder start_order_;
    std::uint64_t iterations_ = 0;
    Time now_;
    Time began_;  // the iteration
    Time window_; // once somebody has sent all: those who have by then end the iteration together
    std::vector<std::uint32_t> sent_; // at this instant: all they had, or a piece
    bool some_started_ = false;
    bool some_sent_ = false;
};

} // namespace orrery
