// What all packet networks share: messages, adapters and their queues, paths, instants, arrivals.
//
// An instant has rounds (docs/packet.md, "Instants and arbitration"): all events of the instant are processed;
// then the active channels are arbitrated in the order of their numbers: each grants its wire to one segment.
// `process_event` and `arbitrate` differ between cut-through and wormhole switching. Channels are arbitrated
// when the caller asks what comes next or moves on, so that messages that it starts at the same instant count.
// The caller is asked to come back when a message may arrive; all instants before that are computed at once.
//
// Nothing depends on the order in which hosts start messages at one instant, nor on numbers that all of them
// share: what decides a tie is the number of a channel, an arbiter's pointer, or (source host, n-th of that
// host).
#pragma once

#include "engine/event_queue.h"
#include "network/packet/delay_lines.h"
#include "network/packet/elements.h"
#include "network/packet/packet_network.h"
#include "network/packet/round_robin_arbiter.h"
#include "network/start_order.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace orrery::packet {

// With its header; at least one.
std::uint32_t flits_of(Bytes payload, const PacketParameters& parameters);

// The standing properties of a channel.
struct Wire {
    Time flit_time; // T
    Time latency;
    std::uint32_t pairs = 0;      // (input port, lane) of the node that it leaves; lanes of an adapter
    std::uint32_t first_pair = 0; // of that node, in pair_slots
    std::uint32_t line = none;    // of DelayLines, to the next switch
    bool from_host = false;
    bool to_host = false;
};

// A queue that knows when its next event is due without being asked.
class TimedEvents {
  public:
    [[nodiscard]] Time next() const { return next_; }
    void push(Time time, std::uint32_t kind, std::uint32_t about) {
        queue_.push({time, order_++, kind, about});
        if (time < next_) next_ = time;
    }
    [[nodiscard]] const Event* ahead(std::size_t distance) const { return queue_.ahead(distance); }
    Event pop() {
        const Event event = queue_.pop();
        next_ = queue_.empty() ? Time::max() : queue_.next_time();
        return event;
    }

  private:
    EventQueue queue_;
    Time next_ = Time::max();
    std::uint64_t order_ = 0;
};

class Core : public LoadView {
  public:
    Core(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
         PacketObserver* observer);
    ~Core() override = default;
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    void start(TransferId transfer, HostId from, HostId to, Bytes bytes, bool control, Time now);
    Time next();
    Time next_until(Time limit);
    void advance(Time now, std::vector<TransferId>& arrived);
    Time latency(HostId from, HostId to);
    Uncontended uncontended(HostId from, HostId to, Bytes bytes);
    RouteSlopes route_slopes(HostId from, HostId to, Bytes bytes, const LinkClassOf& class_of);

    [[nodiscard]] virtual std::vector<ChannelUse> use() const = 0;
    [[nodiscard]] virtual std::uint64_t segment_hops() const = 0;
    [[nodiscard]] std::span<const std::uint64_t> histogram() const { return histogram_; }
    [[nodiscard]] std::uint64_t under_way() const { return messages_.in_use(); }

  protected:
    enum Kind : std::uint32_t { arrive, wake, buffered, stop, go, offer, credit, odd_credit, run_end };

    // What each kind of switching defines; the templates below call it without virtual calls:
    //   void arrive_at(std::uint32_t segment);     it may be sent on
    //   void process_event(const Event& event);    all other events
    //   void conclude();                           after all events of a round, before channels are arbitrated
    //   void arbitrate(std::uint32_t channel);     grants the channel to the segment that it sends next
    //   void on_wake_up(std::uint32_t channel);    the wake-up that the channel has requested
    //   void expect_segments(ahead), expect_event(event);   prefetch what will be needed soon
    // All instants before the limit, or up to the first at which a message arrives; at most `instants` of them.
    static constexpr std::uint64_t all_instants = ~std::uint64_t{0};
    virtual void run_before(Time limit, std::uint64_t instants) = 0;
    virtual void settle() = 0;         // the rest of the present one, as far as it can be seen now
    virtual void process_events() = 0; // the events of the present one
    template <typename Network> void run_before(Network& network, Time limit, std::uint64_t instants);
    template <typename Network> void settle(Network& network);
    template <typename Network> void process_events(Network& network);

    // Whether channels have been arbitrated at this instant before.
    [[nodiscard]] bool arbitrated_at(Time instant) const { return last_arbitrated_ == instant; }
    [[gnu::noinline]] void push(Time time, Kind kind, std::uint32_t about) { events_.push(time, kind, about); }
    // The segment is on its way to the next switch, where it may be sent on at this time.
    void push_arrival(std::uint32_t line, Time time, std::uint32_t segment) {
        if (line == none) {
            push(time, arrive, segment);
        } else {
            lines_.push(line, time, segment);
        }
    }
    // The channel takes part in the next arbitration.
    void activate(std::uint32_t channel) {
        if (active_flag_[channel] != 0) return;
        active_flag_[channel] = 1;
        active_.push_back(channel);
    }

    [[nodiscard]] std::uint32_t channel_of(Slot slot) const { return slot >> lane_bits_; }
    [[nodiscard]] std::uint32_t lane_of(Slot slot) const { return slot & ((1U << lane_bits_) - 1); }
    [[nodiscard]] Slot slot_of(std::uint32_t channel, std::uint32_t lane) const {
        return channel << lane_bits_ | lane;
    }
    [[nodiscard]] std::uint32_t pair_of(Slot slot) const {
        return to_port_[channel_of(slot)] * lanes_ + lane_of(slot);
    }
    [[nodiscard]] std::uint32_t whole_flits(Bytes bytes) const {
        return static_cast<std::uint32_t>(bytes / parameters_.flit);
    }
    [[nodiscard]] std::uint64_t first_pointer(std::uint32_t channel, std::uint64_t which,
                                              std::uint64_t bound) const;

    // Adapters: the messages that wait for a lane of a channel, and the next segment of the first of them.
    [[nodiscard]] const Queue& outbox(Slot slot) const { return outbox_[slot]; }
    [[nodiscard]] std::uint32_t next_flits(const Message& message) const {
        return message.sent + 1 < message.segments ? full_flits_ : last_flits(message.bytes);
    }
    std::uint32_t take_segment(Slot slot);
    // The first message of the outbox will be needed soon.
    [[gnu::always_inline]] inline void expect_message(Slot slot) const {
        if (!outbox_[slot].empty()) __builtin_prefetch(&messages_[outbox_[slot].head]);
    }
    // The segment starts on its last channel: it will have arrived at this time.
    void deliver_segment(Segment& segment, Time at);
    void segment_done(std::uint32_t segment);
    // Moves on along a path: the slot after this one, and whether its channel is faster.
    bool step(Segment& segment) {
        const std::uint32_t entry = paths_[segment.path];
        segment.path += entry != none ? 1U : 0U;
        segment.slot = entry == none ? none : entry & ~Paths::faster;
        return entry != none && (entry & Paths::faster) != 0;
    }
    // For routings that decide at every switch.
    void decide_hop(Segment& segment);

    [[nodiscard]] PacketObserver::Traversal traversal_of(const Segment& segment, Time start, Time end) const;

    const Fabric& fabric_;
    const Routing& routing_;
    const PacketParameters parameters_;
    PacketObserver* const observer_;
    const Decides decides_;
    const bool adaptive_; // loads are kept for the routing
    const bool numbered_; // messages have numbers_
    const bool control_lane_;
    const std::uint32_t lanes_;
    const std::uint32_t lane_bits_;
    RoundRobinArbiter arbiter_;
    std::uint32_t full_flits_ = 0; // of a whole segment
    Time now_;
    TimedEvents events_;
    DelayLines lines_; // segments on their way
    DelayLines ends_;  // channels: they will have sent a whole segment; wanted if somebody waits for that
    std::vector<Wire> wires_;
    std::vector<Slot> pair_slots_; // of each node: the buffer of each pair
    HugePool<Message> messages_;
    HugePool<Segment> segments_;
    Paths paths_;
    std::vector<std::uint64_t> load_; // flits that wait for a channel and have not started

  private:
    struct HostQueue { // where packets are routed one by one
        Queue messages;
        bool decided = false; // one has left it for the queue of its channel
    };

    void wire();
    [[nodiscard]] Time next_event() {
        const Time first = std::min(std::min(lines_.next(), events_.next()),
                                    std::min(deliveries_.next(), odd_deliveries_.next()));
        return std::min(first, ends_.next_wanted(first));
    }
    [[nodiscard]] std::uint32_t last_flits(Bytes bytes) const;
    // On an idle network, over hops_ (uncontended.cpp). `flit_time` says what a flit takes on a hop, as a Time
    // or as a time that knows how it changes.
    void find_hops(HostId from, HostId to);
    template <typename FlitTime> auto message_alone(Bytes bytes, const FlitTime& flit_time) const;
    [[nodiscard]] Uncontended loopback_alone(HostId host, Bytes bytes);
    [[nodiscard]] std::uint64_t flits_left(const Message& message) const;
    void start_loopback(std::uint32_t index);
    [[nodiscard]] std::uint64_t first_draw(const Message& message);
    std::uint32_t find_path(HostId from, HostId to, std::uint64_t draw, bool control);
    void join_outbox(std::uint32_t index, bool first);
    void offer_next(HostQueue& queue);
    [[nodiscard]] HostQueue& host_queue(const Message& message) {
        return host_queues_[std::size_t{2} * message.from.index() + (message.control ? 1 : 0)];
    }
    void deliver(std::uint32_t message, Time at);
    void arrived(std::uint32_t message);

    DelayLines deliveries_;      // of messages
    TimedEvents odd_deliveries_; // after other times than most
    std::vector<std::uint32_t> to_port_;
    std::vector<Time> flit_times_; // of wires_, close together
    std::vector<Queue> outbox_;    // by slot
    std::vector<HostQueue> host_queues_;
    std::vector<std::uint8_t> active_flag_;
    std::vector<std::uint32_t> active_;
    std::vector<std::uint32_t> arbitrating_; // those of the present round
    std::vector<Hop> hops_;                  // of the path that is being computed
    std::vector<LinkId> links_;
    struct Arrival {
        std::uint64_t order;
        TransferId transfer;
    };
    std::vector<MessageNumbers> numbers_; // by message, if numbered_
    std::vector<Arrival> arrivals_;       // that have not been reported to the caller
    std::vector<std::uint64_t> histogram_;
    StartOrder start_order_;
    std::vector<std::uint64_t> draws_; // by host: of its next message or segment; empty: nobody asks
    std::uint64_t observed_ = 0;       // messages that the observer has been told of
    Time last_arbitrated_ = Time::ticks(-1);
    bool unsettled_ = false;
};

template <typename Network> void Core::run_before(Network& network, Time limit, std::uint64_t instants) {
    const Time end = std::min(limit, Time::longest());
    while (arrivals_.empty()) {
        if (unsettled_) settle(network);
        const Time instant = next_event();
        if (instant >= end) {
            if (instant < limit && instant < Time::max()) throw_run_too_long();
            return;
        }
        if (instants-- == 0) return; // what comes next is known
        now_ = instant;
        process_events(network);
    }
}

template <typename Network> void Core::process_events(Network& network) {
    unsettled_ = true;
    const auto nothing = [](auto&&) {};
    ends_.take(
        now_, [&](std::uint32_t channel) { network.on_wake_up(channel); }, nothing);
    // Segments of one buffer keep their order: one that had to wait for its last flit comes before one whose
    // first flit follows that.
    while (events_.next() <= now_) {
        if (const Event* const event = events_.ahead(3)) network.expect_event(*event);
        network.process_event(events_.pop());
    }
    lines_.take(
        now_, [&](std::uint32_t segment) { network.arrive_at(segment); },
        [&](auto&& ahead) __attribute__((always_inline)) { network.expect_segments(ahead); });
    deliveries_.take(
        now_, [&](std::uint32_t message) { arrived(message); }, nothing);
    while (odd_deliveries_.next() <= now_) arrived(odd_deliveries_.pop().ref);
}

template <typename Network> void Core::settle(Network& network) {
    for (;;) {
        network.conclude();
        // Those that become active meanwhile are left to the next round.
        if (active_.size() == 1) { // most often
            const std::uint32_t channel = active_.front();
            active_.clear();
            active_flag_[channel] = 0;
            network.arbitrate(channel);
        } else {
            arbitrating_.swap(active_);
            std::sort(arbitrating_.begin(), arbitrating_.end());
            for (const std::uint32_t channel : arbitrating_) active_flag_[channel] = 0;
            for (const std::uint32_t channel : arbitrating_) network.arbitrate(channel);
            arbitrating_.clear();
        }
        last_arbitrated_ = now_;
        if (active_.empty()) break;
        process_events(network);
    }
    unsettled_ = false;
}

std::unique_ptr<Core> make_cut_through(const Fabric& fabric, const Routing& routing,
                                       const PacketParameters& parameters, PacketObserver* observer);
std::unique_ptr<Core> make_wormhole(const Fabric& fabric, const Routing& routing,
                                    const PacketParameters& parameters, PacketObserver* observer);

} // namespace orrery::packet
