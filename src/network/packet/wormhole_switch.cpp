#include "network/packet/wormhole_switch.h"

#include "engine/sums.h"

#include <algorithm>
#include <cassert>

namespace orrery::packet {

std::unique_ptr<Core> make_wormhole(const Fabric& fabric, const Routing& routing,
                                    const PacketParameters& parameters, PacketObserver* observer) {
    return std::make_unique<Wormhole>(fabric, routing, parameters, observer);
}

Wormhole::Wormhole(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
                   PacketObserver* observer)
    : Core(fabric, routing, parameters, observer), credits_on_(parameters.flow_control == FlowControl::credits),
      capacity_(whole_flits(parameters.buffer)), ports_(fabric.channel_count()),
      lanes_of_(std::size_t{fabric.channel_count()} << lane_bits_), blocking_(lanes_of_.size(), ports_.size()) {
    for (std::uint32_t i = 0; i < ports_.size(); ++i) {
        if (!fabric.is_channel(LinkId{i})) continue;
        Port& port = ports_[i];
        port.first_pair = wires_[i].first_pair;
        port.pairs = wires_[i].pairs;
        port.pointer = static_cast<std::uint32_t>(first_pointer(i, 0, port.pairs));
        arbiter_.prepare(port);
    }
    if (!credits_on_) set_marks();
}

Wormhole::~Wormhole() {
    // Nothing is under way: all that was sent into a buffer has left it.
    if (under_way() > 0) return;
    for ([[maybe_unused]] const Lane& lane : lanes_of_) {
        assert(lane.holder == none && lane.queue.empty());
        assert(lane.departures.end() == lane.sends.end());
    }
}

void Wormhole::process_event(const Event& event) {
    switch (static_cast<Kind>(event.rank)) {
    case arrive: arrive_at(event.ref); break;
    case wake:
        if (ports_[event.ref].wake_at != now_) break; // another one came before it
        ports_[event.ref].wake_at = Time::max();
        activate(event.ref);
        break;
    case run_end:
        if (ports_[event.ref].running != none && ports_[event.ref].end == now_) end_run(event.ref);
        break;
    case buffered:
        if (lanes_of_[event.ref].check_at != now_) break;
        lanes_of_[event.ref].check_at = Time::max();
        to_check_.push_back(event.ref);
        break;
    case stop: receive_signal(event.ref, true); break;
    case go: receive_signal(event.ref, false); break;
    default: assert(false);
    }
}

void Wormhole::conclude() {
    for (std::size_t i = 0; i < to_check_.size(); ++i) check_marks(to_check_[i]);
    to_check_.clear();
    if (undecided_.size() > 1) {
        std::sort(undecided_.begin(), undecided_.end(), [this](std::uint32_t a, std::uint32_t b) {
            return segments_[a].buffer < segments_[b].buffer;
        });
    }
    for (const std::uint32_t index : undecided_) decide(index);
    undecided_.clear();
}

// The first flit of a segment is available.
void Wormhole::arrive_at(std::uint32_t index) {
    const Segment& segment = segments_[index];
    const Slot buffer = segment.buffer;
    Lane& lane = lanes_of_[buffer];
    const bool alone = lane.queue.empty();
    lane.queue.append(segments_, index);
    if (adaptive_ && segment.slot != none) load_[channel_of(segment.slot)] += segment.flits;
    watch(buffer);
    if (alone) {
        promote(buffer);
    } else if (segments_[lane.queue.head].next == index) {
        begin_behind(buffer);
    }
}

void Wormhole::promote(Slot buffer) {
    Lane& lane = lanes_of_[buffer];
    if (lane.queue.empty()) return;
    const std::uint32_t first = lane.queue.head;
    if (segments_[first].slot == none) {
        undecided_.push_back(first);
    } else {
        candidate(buffer);
    }
}

void Wormhole::decide(std::uint32_t index) {
    Segment& segment = segments_[index];
    decide_hop(segment);
    load_[channel_of(segment.slot)] += segment.flits;
    candidate(segment.buffer);
}

void Wormhole::candidate(Slot buffer) {
    Lane& lane = lanes_of_[buffer];
    lane.offered = true;
    const Segment& first = segments_[lane.queue.head];
    const std::uint32_t channel = channel_of(first.slot);
    arbiter_.set(ports_[channel], pair_of(buffer));
    activate(channel);
    begin_behind(buffer);
}

void Wormhole::arbitrate(std::uint32_t channel) {
    Port& port = ports_[channel];
    if (port.running != none) {
        plan_again(channel);
        if (port.running != none) return;
    }
    const Slot keeper = port.keeper_at == now_ ? port.keeper : none;
    port.keeper = none;
    if (keeper != none) {
        const Lane& lane = lanes_of_[keeper];
        if (later(room_at(keeper), available_at(buffer_of(lane))) <= now_) {
            start_run(keeper);
            return;
        }
    }
    if (wires_[channel].from_host) {
        arbitrate_adapter(channel);
    } else {
        arbitrate_switch(channel);
    }
}

void Wormhole::arbitrate_adapter(std::uint32_t channel) {
    Time next = Time::max();
    const std::uint32_t lane = arbiter_.grant_lane(ports_[channel].pointer, [&](std::uint32_t each) {
        const Slot slot = slot_of(channel, each);
        if (lanes_of_[slot].holder == none && outbox(slot).empty()) return false;
        const Time at = room_at(slot);
        next = at < next ? at : next;
        return at <= now_;
    });
    if (lane == none) {
        if (next < Time::max()) request_wake(channel, next);
        return;
    }
    const Slot slot = slot_of(channel, lane);
    if (lanes_of_[slot].holder == none) begin(slot, take_segment(slot));
    start_run(slot);
}

void Wormhole::arbitrate_switch(std::uint32_t channel) {
    Port& port = ports_[channel];
    Time next = Time::max();
    const std::uint32_t pair = arbiter_.grant_pair(port, [&](std::uint32_t each) {
        const Slot buffer = pair_slots_[port.first_pair + each];
        const std::uint32_t first = lanes_of_[buffer].queue.head;
        const Slot slot = segments_[first].slot;
        const std::uint32_t holder = lanes_of_[slot].holder;
        if (holder != none && holder != first) return false; // its end activates this channel
        const Time at = later(room_at(slot), available_at(buffer));
        next = at < next ? at : next;
        return at <= now_;
    });
    if (pair == none) {
        if (next < Time::max()) request_wake(channel, next);
        return;
    }
    const Slot buffer = pair_slots_[port.first_pair + pair];
    const std::uint32_t first = lanes_of_[buffer].queue.head;
    const Slot slot = segments_[first].slot;
    if (lanes_of_[slot].holder == none) begin(slot, first);
    start_run(slot);
}

// The segment sends its first flit on a channel now; it will be in the next switch one latency and delay later.
void Wormhole::begin(Slot slot, std::uint32_t index) {
    const Wire& wire = wires_[channel_of(slot)];
    Lane& lane = lanes_of_[slot];
    Segment& segment = segments_[index];
    if (adaptive_ && segment.buffer == none) load_[channel_of(slot)] += segment.flits; // until it has left
    lane.holder = index;
    lane.left = segment.flits;
    lane.began = now_;
    segment.last = later(segment.buffer == none ? Time::zero() : segment.last, wire.flit_time);
    if (wire.to_host) return;
    Segment ahead = segment;
    ahead.buffer = slot;
    ahead.next = none;
    ahead.first = now_ + wire.latency + parameters_.switch_delay;
    if (decides_ == Decides::per_hop) {
        ahead.slot = none;
    } else {
        step(ahead);
    }
    segment.block = none; // its path goes with its head
    const std::uint32_t added = segments_.add();
    segments_[added] = ahead;
    push_arrival(wire.line, ahead.first, added);
}

// The last flit of the segment that held a lane has been sent.
void Wormhole::complete(std::uint32_t channel, Slot slot) {
    Lane& lane = lanes_of_[slot];
    const std::uint32_t index = lane.holder;
    const Segment& segment = segments_[index];
    const Slot buffer = segment.buffer;
    lane.holder = none;
    ++lane.segments;
    ++hops_passed_;
    if (adaptive_) load_[channel] -= segment.flits;
    if (observer_ != nullptr) observer_->traversal(traversal_of(segment, lane.began, now_));
    if (wires_[channel].to_host) deliver_segment(segments_[index], now_ + wires_[channel].latency);
    if (buffer != none) {
        Lane& left = lanes_of_[buffer];
        arbiter_.clear(ports_[channel], pair_of(buffer));
        left.queue.take(segments_);
        left.offered = false;
    }
    segment_done(index);
    if (buffer != none) promote(buffer);
}

void Wormhole::begin_behind(Slot buffer) {
    const Lane& lane = lanes_of_[buffer];
    if (!lane.offered) return;
    const Segment& first = segments_[lane.queue.head];
    const bool running =
        ports_[channel_of(first.slot)].running == first.slot && lanes_of_[first.slot].holder == lane.queue.head;
    if (first.next == none || running) return;
    const Slot target = segments_[first.next].slot;
    if (target == none || target == first.slot) return; // not decided, or it waits for the same
    if (blocking_.target(buffer) != none) return;
    blocking_.begin(buffer, target, channel_of(target), now_);
}

void Wormhole::end_behind(Slot buffer) {
    const Slot target = blocking_.target(buffer);
    if (target == none) return;
    account(buffer);
    blocking_.end(buffer, channel_of(target));
}

// The second segment could go while its channel is idle and no segment holds its lane.
void Wormhole::account(Slot buffer) {
    const Slot target = blocking_.target(buffer);
    const Port& port = ports_[channel_of(target)];
    const bool free = port.running == none && lanes_of_[target].holder == none;
    blocking_.count(buffer, LinkId{channel_of(buffer)}, free ? port.idle_since : Time::max(), now_, observer_);
}

std::vector<ChannelUse> Wormhole::use() const {
    std::vector<ChannelUse> all(ports_.size());
    for (std::uint32_t channel = 0; channel < all.size(); ++channel) {
        ChannelUse& use = all[channel];
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            const Slot slot = slot_of(channel, lane);
            const Lane& each = lanes_of_[slot];
            use.segments += each.segments;
            use.bytes += each.flits * parameters_.flit;
            use.busy += each.busy;
            use.blocked = saturated_sum(use.blocked, blocking_.blocked(slot));
            use.most_buffered = std::max<Bytes>(use.most_buffered, each.most * parameters_.flit);
        }
    }
    return all;
}

} // namespace orrery::packet
