#include "network/packet/cut_through.h"

#include <algorithm>
#include <cassert>

namespace orrery::packet {

std::unique_ptr<Core> make_cut_through(const Fabric& fabric, const Routing& routing,
                                       const PacketParameters& parameters, PacketObserver* observer) {
    return std::make_unique<CutThrough>(fabric, routing, parameters, observer);
}

CutThrough::CutThrough(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
                       PacketObserver* observer)
    : Core(fabric, routing, parameters, observer), queueing_(parameters.queueing),
      credits_on_(parameters.flow_control == FlowControl::credits),
      watched_(!credits_on_ || observer != nullptr), always_wake_(watched_ || queueing_ != Queueing::input),
      capacity_(whole_flits(parameters.buffer)),
      blocking_(std::size_t{fabric.channel_count()} << lane_bits_, fabric.channel_count()) {
    const std::uint32_t channels = fabric.channel_count();
    const std::size_t slots = std::size_t{channels} << lane_bits_;
    ports_.resize(channels);
    lanes_of_.resize(slots);
    roomy_since_.resize(slots);
    held_.resize(watched_ ? slots : 0);
    output_.resize(queueing_ == Queueing::input ? 0 : slots);
    passing_.resize(observer != nullptr ? channels : 0);
    if (queueing_ == Queueing::combined) {
        output_room_.assign(slots, whole_flits(parameters.output_buffer));
        crossbars_.resize(channels);
        input_busy_.resize(channels);
    }
    for (std::uint32_t i = 0; i < channels; ++i) {
        const Wire& wire = wires_[i];
        if (!fabric.is_channel(LinkId{i})) continue;
        Port& port = ports_[i];
        port.flit_time = wire.flit_time;
        port.latency = wire.latency;
        port.pointer = static_cast<std::uint32_t>(first_turn(i, 0, wire.pairs));
        port.first_pair = wire.first_pair;
        port.from_host = wire.from_host;
        port.to_host = wire.to_host;
        if (wire.line != none) port.line = static_cast<std::uint8_t>(wire.line);
        port.pairs = wire.pairs;
        turns_.prepare(port);
        if (!crossbars_.empty()) {
            crossbars_[i].pointer = static_cast<std::uint32_t>(first_turn(i, 1, lanes_));
        }
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            Lane& each = lanes_of_[slot_of(i, lane)];
            each.room = wire.to_host ? none : capacity_; // a host takes everything
            each.pair = pair_of(slot_of(i, lane));
            each.latency = wire.latency;
        }
    }
    if (!credits_on_) set_marks();
}

CutThrough::~CutThrough() {
    // Credits are conserved: when nothing is under way, all of them come back.
    [[maybe_unused]] const auto conserved = [this](Slot slot) {
        const Lane& lane = lanes_of_[slot];
        if (!credits_on_ || wires_[channel_of(slot)].to_host || lane.flits == 0) return true;
        return lane.room == capacity_ && lane.queue.empty() && lane.waiting == 0;
    };
    if (under_way() > 0) return;
    now_ = Time::max();
    learn_credits();
    while (events_.next() < Time::max()) {
        const Event event = events_.pop();
        if (event.rank == credit) happen(event);
    }
    for (Slot slot = 0; slot < lanes_of_.size(); ++slot) assert(conserved(slot));
}

// Here the time of a run is spent: one function, from the arrival of a segment to its next start.
[[gnu::flatten]] void CutThrough::run_before(Time limit) { Core::run_before(*this, limit); }

void CutThrough::happen(const Event& event) {
    switch (static_cast<Kind>(event.rank)) {
    case arrive: arrive_at(event.ref); break;
    case wake: woken(event.ref); break;
    case buffered: hold(segments_[event.ref].came, segments_[event.ref].flits); break;
    case stop: hear(event.ref, true); break;
    case go: hear(event.ref, false); break;
    case credit:
        add_room(event.time, odd_credits_[event.ref].slot, odd_credits_[event.ref].flits);
        odd_credits_.remove(event.ref);
        break;
    case offer:
        if (queueing_ == Queueing::output) {
            join_output(event.ref);
        } else {
            candidate(event.ref);
        }
        break;
    default: assert(false);
    }
}

// The segment may be sent on.
[[gnu::flatten]] void CutThrough::arrive_at(std::uint32_t index) {
    const Segment& segment = segments_[index];
    const Slot buffer = segment.came;
    Lane& lane = lanes_of_[buffer];
    lane.waiting += segment.flits;
    if (adaptive_ && segment.slot != none) load_[channel_of(segment.slot)] += segment.flits;
    if (queueing_ == Queueing::output) {
        lane.most = std::max(lane.most, lane.waiting);
        assert(lane.most <= capacity_);
        if (segment.slot == none) {
            undecided_.push_back(index);
        } else {
            join_output(index);
        }
        return;
    }
    const bool alone = lane.queue.empty();
    lane.queue.append(segments_, index);
    const bool one_leaves = queueing_ == Queueing::input && lane.free_at > now_;
    lane.most = std::max(lane.most, lane.waiting + (one_leaves ? ports_[lane.server].sending : 0));
    assert(lane.most <= capacity_);
    if (!alone) {
        if (lane.offered && segments_[lane.queue.head].next == index) begin_behind(buffer);
    } else if (lane.free_at <= now_) {
        offer_first(buffer);
    } else {
        request_wake(lane.server, lane.free_at);
    }
}

void CutThrough::promote(Slot buffer) {
    const Lane& lane = lanes_of_[buffer];
    if (!lane.offered && !lane.queue.empty() && lane.free_at <= now_) offer_first(buffer);
}

// The first segment of a buffer asks for its channel.
void CutThrough::offer_first(Slot buffer) {
    Lane& lane = lanes_of_[buffer];
    lane.offered = true;
    if (segments_[lane.queue.head].slot == none) {
        undecided_.push_back(lane.queue.head);
    } else {
        candidate(buffer);
    }
}

void CutThrough::candidate(Slot buffer) {
    const Lane& lane = lanes_of_[buffer];
    const Segment& segment = segments_[lane.queue.head];
    const std::uint32_t channel = channel_of(segment.slot);
    Port& port = ports_[channel];
    turns_.set(port, lane.pair);
    if (port.busy_until > now_ && queueing_ == Queueing::input) {
        request_wake(channel, port.busy_until);
    } else {
        activate(channel);
    }
    if (segment.next != none) begin_behind(buffer);
}

// Routings that decide at every switch: the next channel of this segment.
void CutThrough::decide(std::uint32_t index) {
    Segment& segment = segments_[index];
    decide_hop(segment);
    const std::uint32_t channel = channel_of(segment.slot);
    load_[channel] += segment.flits;
    if (queueing_ != Queueing::combined) {
        segment.ready = later(now_, segment.last - segment.flits * ports_[channel].flit_time);
    }
    if (segment.ready > now_) {
        push(segment.ready, offer, queueing_ == Queueing::output ? index : segment.came);
    } else if (queueing_ == Queueing::output) {
        join_output(index);
    } else {
        candidate(segment.came);
    }
}

void CutThrough::conclude_round() {
    for (const Slot buffer : changed_) judge(buffer);
    changed_.clear();
    if (undecided_.size() > 1) {
        std::stable_sort(undecided_.begin(), undecided_.end(), [this](std::uint32_t a, std::uint32_t b) {
            return segments_[a].came < segments_[b].came;
        });
    }
    for (const std::uint32_t index : undecided_) decide(index);
    undecided_.clear();
}

void CutThrough::woken(std::uint32_t channel) {
    Port& port = ports_[channel];
    if (port.wake_at != now_) return; // another one came before it
    port.wake_at = Time::max();
    if (port.busy_until > now_) {
        request_wake(channel, port.busy_until);
        if (crossbars_.empty()) return;
    } else if (port.unfinished) {
        finish(channel);
    }
    if (!crossbars_.empty() && crossbars_[channel].unfinished && crossbars_[channel].busy_until <= now_) {
        finish_crossing(channel);
    }
    activate(channel);
}

// The last flit of the last segment has been sent.
void CutThrough::finish(std::uint32_t channel) {
    Port& port = ports_[channel];
    port.unfinished = false;
    if (observer_ != nullptr) observer_->traversal(passing_[channel]);
    if (port.from_host) return;
    if (queueing_ == Queueing::combined) {
        const Slot slot = crossbars_[channel].sent;
        if (output_room_[slot] < full_flits_) roomy_since_[slot] = now_;
        output_room_[slot] += port.sending;
        return;
    }
    if (watched_) hold(port.serving, -std::int64_t{port.sending});
    if (queueing_ == Queueing::output) {
        lanes_of_[port.serving].waiting -= port.sending;
    } else {
        promote(port.serving);
    }
}

void CutThrough::give(std::uint32_t channel) {
    if (ports_[channel].from_host) {
        give_adapter(channel);
    } else if (queueing_ == Queueing::input) {
        give_input(channel);
    } else if (queueing_ == Queueing::output) {
        give_output(channel);
    } else {
        give_combined(channel);
    }
}

void CutThrough::give_adapter(std::uint32_t channel) {
    Port& port = ports_[channel];
    const auto waits = [&](std::uint32_t lane) { return !outbox(slot_of(channel, lane)).empty(); };
    if (port.busy_until <= now_) {
        const std::uint32_t lane = turns_.lane_in_turn(port.pointer, [&](std::uint32_t each) {
            return waits(each) &&
                   room_for(slot_of(channel, each), next_flits(messages_[outbox(slot_of(channel, each)).head]));
        });
        if (lane != none) {
            start_on(channel, take_segment(slot_of(channel, lane)));
        } else {
            for (std::uint32_t each = 0; each < lanes_; ++each) {
                if (waits(each)) wait_for_room(slot_of(channel, each));
            }
            return;
        }
    }
    for (std::uint32_t each = 0; each < lanes_; ++each) {
        if (!waits(each)) continue;
        request_wake(channel, port.busy_until);
        return;
    }
}

// Input queueing.
[[gnu::flatten]] void CutThrough::give_input(std::uint32_t channel) {
    Port& port = ports_[channel];
    if (port.busy_until > now_) {
        if (turns_.any(port)) request_wake(channel, port.busy_until);
        return;
    }
    const auto first = [&](std::uint32_t pair) -> const Segment& {
        return segments_[lanes_of_[pair_slots_[port.first_pair + pair]].queue.head];
    };
    const std::uint32_t pair = turns_.pair_in_turn(
        port, [&](std::uint32_t each) { return room_for(first(each).slot, first(each).flits); });
    if (pair == none) {
        turns_.for_each(port, [&](std::uint32_t each) { wait_for_room(first(each).slot); });
        return;
    }
    turns_.clear(port, pair);
    const Slot buffer = pair_slots_[port.first_pair + pair];
    Lane& lane = lanes_of_[buffer];
    end_behind(buffer);
    const std::uint32_t index = lane.queue.take(segments_);
    const std::uint32_t flits = segments_[index].flits;
    lane.waiting -= flits;
    lane.offered = false;
    start_on(channel, index);
    lane.free_at = port.busy_until;
    lane.server = channel;
    if (credits_on_) give_back(buffer, port.busy_until, flits);
    if (!lane.queue.empty() || turns_.any(port)) request_wake(channel, port.busy_until);
}

// The segment starts on the channel of its slot.
void CutThrough::start_on(std::uint32_t channel, std::uint32_t index) {
    Port& port = ports_[channel];
    Segment& segment = segments_[index];
    Lane& lane = lanes_of_[segment.slot];
    const std::uint32_t flits = segment.flits;
    const Time end = now_ + flits * port.flit_time;
    if (queueing_ == Queueing::input) account_all(channel);
    port.busy_until = end;
    port.serving = segment.came;
    port.sending = flits;
    port.unfinished = true;
    lane.flits += flits;
    ++lane.segments;
    if (adaptive_ && !port.from_host) load_[channel] -= flits;
    if (observer_ != nullptr) passing_[channel] = traversal_of(segment, now_, end);
    if (always_wake_) request_wake(channel, end);
    if (port.to_host) {
        bring(segment, end + port.latency);
        segment_done(index);
        return;
    }
    if (credits_on_) {
        assert(lane.room >= flits);
        lane.room -= flits;
    }
    hungry_ -= lane.hungry ? 1 : 0;
    lane.hungry = false;
    segment.came = segment.slot;
    segment.first = now_ + port.latency + parameters_.switch_delay;
    segment.last = end + port.latency + parameters_.switch_delay;
    segment.ready = segment.first;
    bool delayed = false; // longer than the channel and the switch take
    if (decides_ == Decides::per_hop) {
        segment.slot = none;
    } else if (step(segment) && queueing_ != Queueing::combined) {
        segment.ready = later(segment.first, segment.last - flits * ports_[channel_of(segment.slot)].flit_time);
        delayed = true;
    }
    if (watched_) push(now_ + port.latency, buffered, index);
    push_arrival(delayed || port.line == 0xFF ? none : port.line, segment.ready, index);
}

// The last flit of a segment leaves a buffer at this time; the sender knows one latency later.
void CutThrough::give_back(Slot slot, Time left, std::uint32_t flits) {
    const Time known = left + lanes_of_[slot].latency;
    // The delay of a whole segment is one of a few. One that takes no time at all is known when the channels of
    // this round have been given out: an event.
    if (flits == full_flits_ && known > now_ && queueing_ != Queueing::combined) {
        const std::uint32_t line = credits_.line(known - now_);
        if (line != none) {
            credits_.push(line, known, slot);
            if (credits_.size() >= learn_at_) {
                learn_credits();
                learn_at_ = 2 * credits_.size() + 1000; // some are still on their way
            }
            return;
        }
    }
    const std::uint32_t odd = odd_credits_.add();
    odd_credits_[odd] = {slot, flits};
    push(known, credit, odd);
}

void CutThrough::add_room(Time time, Slot slot, std::uint32_t flits) {
    Lane& lane = lanes_of_[slot];
    if (lane.room < full_flits_ && lane.room + flits >= full_flits_) roomy_since_[slot] = time;
    lane.room += flits;
    assert(lane.room <= capacity_);
    if (lane.hungry) activate(channel_of(slot));
}

void CutThrough::begin_behind(Slot buffer) {
    const Segment& first = segments_[lanes_of_[buffer].queue.head];
    const Slot target = segments_[first.next].slot;
    if (target == none || target == first.slot) return; // not decided, or it waits for the same
    if (lanes_of_[buffer].behind) return;
    blocking_.begin(buffer, target, channel_of(target), now_);
    lanes_of_[buffer].behind = true;
    ports_[channel_of(target)].behind = true;
}

void CutThrough::end_behind(Slot buffer) {
    if (!lanes_of_[buffer].behind) return;
    const std::uint32_t channel = channel_of(blocking_.target(buffer));
    account(buffer);
    blocking_.end(buffer, channel);
    lanes_of_[buffer].behind = false;
    ports_[channel].behind = blocking_.any(channel);
}

// The way of the second segment is free while its channel is idle and there is room for a whole segment.
void CutThrough::account(Slot buffer) {
    const Slot target = blocking_.target(buffer);
    const std::uint32_t channel = channel_of(target);
    const bool combined = queueing_ == Queueing::combined;
    learn_credits();
    const std::uint32_t room = combined ? output_room_[target] : lanes_of_[target].room;
    const Time idle = combined ? crossbars_[channel].busy_until : ports_[channel].busy_until;
    const Time since = room < full_flits_ ? Time::max() : later(idle, roomy_since_[target]);
    blocking_.count(buffer, LinkId{channel_of(buffer)}, since, now_, observer_);
}

Bytes CutThrough::queued(LinkId channel) const {
    const Port& port = ports_[channel.index()];
    const std::uint64_t leaving = port.busy_until > now_ ? port.sending : 0;
    return (load_[channel.index()] + leaving) * parameters_.flit;
}

std::uint64_t CutThrough::segment_hops() const {
    std::uint64_t hops = 0;
    for (const Lane& lane : lanes_of_) hops += lane.segments;
    return hops;
}

std::vector<ChannelUse> CutThrough::use() const {
    std::vector<ChannelUse> all(ports_.size());
    for (std::uint32_t channel = 0; channel < all.size(); ++channel) {
        ChannelUse& use = all[channel];
        std::uint64_t flits = 0;
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            const Slot slot = slot_of(channel, lane);
            const Lane& each = lanes_of_[slot];
            use.segments += each.segments;
            flits += each.flits;
            use.most_buffered = std::max<Bytes>(use.most_buffered, each.most * parameters_.flit);
            use.blocked += blocking_.blocked(slot);
        }
        use.bytes = flits * parameters_.flit;
        use.busy = static_cast<std::int64_t>(flits) * ports_[channel].flit_time;
    }
    return all;
}

} // namespace orrery::packet
