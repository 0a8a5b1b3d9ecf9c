#include "network/packet/cut_through_switch.h"

#include "engine/sums.h"

#include <algorithm>
#include <cassert>

namespace orrery::packet {

CutThrough::~CutThrough() {
    // Credits are conserved: when nothing is under way, all of them come back.
    [[maybe_unused]] const auto conserved = [this](Slot slot) {
        const Lane& lane = lanes_of_[slot];
        if (!credits_on_ || wires_[channel_of(slot)].to_host || lane.segments == 0) return true;
        return lane.room == capacity_ && lane.queue.empty() && lane.waiting == 0;
    };
    if (under_way() > 0) return;
    now_ = Time::max();
    while (events_.next() < Time::max()) {
        const Event event = events_.pop();
        if (event.rank == odd_credit) process_event<false>(event);
    }
    for (Slot slot = 0; slot < lanes_of_.size(); ++slot) {
        acknowledge_credits(slot);
        assert(conserved(slot));
    }
}

// Here the time of a run is spent.
void CutThrough::run_before(Time limit, std::uint64_t instants) {
    if (plain_) {
        SwitchingPass<true> pass{*this};
        Core::run_before(pass, limit, instants);
    } else {
        SwitchingPass<false> pass{*this};
        Core::run_before(pass, limit, instants);
    }
}

void CutThrough::settle() {
    SwitchingPass<false> pass{*this};
    Core::settle(pass);
}

void CutThrough::process_events() {
    SwitchingPass<false> pass{*this};
    Core::process_events(pass);
}

template <bool plain> void CutThrough::process_event(const Event& event) {
    switch (static_cast<Kind>(event.rank)) {
    case arrive: arrive_at<plain>(event.ref); break;
    case wake: on_wake_up<plain>(event.ref); break;
    case buffered: hold(segments_[event.ref].buffer, segments_[event.ref].flits); break;
    case stop: receive_signal(event.ref, true); break;
    case go: receive_signal(event.ref, false); break;
    case credit:
        if (!lanes_of_[event.ref].credit_starved) break;
        lanes_of_[event.ref].credit_starved = false; // set again if there is still no room
        activate(channel_of(event.ref));
        break;
    case odd_credit: {
        const OddCredit odd = odd_credits_[event.ref];
        odd_credits_.remove(event.ref);
        acknowledge_credits(odd.slot); // that have come before
        add_room(event.time, odd.slot, odd.flits);
        if (lanes_of_[odd.slot].credit_starved) activate(channel_of(odd.slot));
        break;
    }
    case offer:
        if (queueing_ == Queueing::output) {
            join_output(event.ref);
        } else {
            candidate<plain>(event.ref, lanes_of_[event.ref]);
        }
        break;
    default: assert(false);
    }
}

// The segment may be sent on.
template <bool plain> void CutThrough::arrive_at(std::uint32_t index) {
    const Segment& segment = segments_[index];
    const Slot buffer = segment.buffer;
    Lane& lane = lanes_of_[buffer];
    lane.waiting += segment.flits;
    if (!plain && adaptive_ && segment.slot != none) load_[channel_of(segment.slot)] += segment.flits;
    if (!plain && queueing_ == Queueing::output) {
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
    const bool one_leaves = (plain || queueing_ == Queueing::input) && lane.free_at > now_;
    lane.most = std::max(lane.most, lane.waiting + (one_leaves ? ports_[lane.server].sending : 0));
    assert(lane.most <= capacity_);
    if (!alone) {
        if (lane.offered && segments_[lane.queue.head].next == index) begin_behind(buffer);
    } else if (lane.free_at <= now_) {
        offer_first<plain>(buffer, lane);
    } else {
        request_wake(lane.server, lane.free_at);
    }
}

template <bool plain> void CutThrough::promote(Slot buffer) {
    Lane& lane = lanes_of_[buffer];
    if (!lane.offered && !lane.queue.empty() && lane.free_at <= now_) offer_first<plain>(buffer, lane);
}
template void CutThrough::promote<false>(Slot buffer);

// The first segment of a buffer asks for its channel.
template <bool plain> void CutThrough::offer_first(Slot buffer, Lane& lane) {
    lane.offered = true;
    if (!plain && segments_[lane.queue.head].slot == none) {
        undecided_.push_back(lane.queue.head);
    } else {
        candidate<plain>(buffer, lane);
    }
}

template <bool plain> void CutThrough::candidate(Slot buffer, const Lane& lane) {
    const Segment& segment = segments_[lane.queue.head];
    const std::uint32_t channel = channel_of(segment.slot);
    Port& port = ports_[channel];
    paths_.expect(segment.path);
    arbiter_.set(port, lane.pair);
    if (port.busy_until > now_ && (plain || queueing_ == Queueing::input)) {
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
        push(segment.ready, offer, queueing_ == Queueing::output ? index : segment.buffer);
    } else if (queueing_ == Queueing::output) {
        join_output(index);
    } else {
        candidate<false>(segment.buffer, lanes_of_[segment.buffer]);
    }
}

void CutThrough::conclude_round() {
    for (const Slot buffer : changed_) check_marks(buffer);
    changed_.clear();
    if (undecided_.size() > 1) {
        std::stable_sort(undecided_.begin(), undecided_.end(), [this](std::uint32_t a, std::uint32_t b) {
            return segments_[a].buffer < segments_[b].buffer;
        });
    }
    for (const std::uint32_t index : undecided_) decide(index);
    undecided_.clear();
}

template <bool plain> void CutThrough::on_wake_up(std::uint32_t channel) {
    Port& port = ports_[channel];
    if (port.wake_at != now_) return; // another one came before it
    port.wake_at = Time::max();
    if (port.busy_until > now_) {
        request_wake(channel, port.busy_until);
        if (plain || crossbars_.empty()) return;
    } else if (port.unfinished) {
        finish<plain>(channel);
    }
    if (!plain && !crossbars_.empty() && crossbars_[channel].unfinished &&
        crossbars_[channel].busy_until <= now_) {
        finish_crossing(channel);
    }
    activate(channel);
}

// The last flit of the last segment has been sent.
template <bool plain> void CutThrough::finish(std::uint32_t channel) {
    Port& port = ports_[channel];
    port.unfinished = false;
    if (!plain && observer_ != nullptr) observer_->traversal(passing_[channel]);
    if (port.from_host) return;
    if (!plain && queueing_ == Queueing::combined) {
        const Slot slot = crossbars_[channel].sent;
        if (output_room_[slot] < full_flits_) room_since_[slot] = now_;
        output_room_[slot] += port.sending;
        return;
    }
    if (!plain && watched_) hold(port.serving, -std::int64_t{port.sending});
    if (!plain && queueing_ == Queueing::output) {
        lanes_of_[port.serving].waiting -= port.sending;
    } else {
        promote<plain>(port.serving);
    }
}

template <bool plain> void CutThrough::arbitrate(std::uint32_t channel) {
    if (ports_[channel].from_host) {
        arbitrate_adapter<plain>(channel);
    } else if (plain || queueing_ == Queueing::input) {
        arbitrate_input<plain>(channel);
    } else if (queueing_ == Queueing::output) {
        arbitrate_output(channel);
    } else {
        arbitrate_combined(channel);
    }
}

template <bool plain> void CutThrough::arbitrate_adapter(std::uint32_t channel) {
    Port& port = ports_[channel];
    const auto waits = [&](std::uint32_t lane) { return !outbox(slot_of(channel, lane)).empty(); };
    if (port.busy_until <= now_) {
        const std::uint32_t lane = arbiter_.grant_lane(port.pointer, [&](std::uint32_t each) {
            return waits(each) && room_for<plain>(slot_of(channel, each),
                                                  next_flits(messages_[outbox(slot_of(channel, each)).head]));
        });
        if (lane != none) {
            start_on<plain>(channel, take_segment(slot_of(channel, lane)));
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
template <bool plain> void CutThrough::arbitrate_input(std::uint32_t channel) {
    Port& port = ports_[channel];
    if (port.busy_until > now_) {
        if (arbiter_.any(port)) request_wake(channel, port.busy_until);
        return;
    }
    const auto first = [&](std::uint32_t pair) -> const Segment& {
        return segments_[lanes_of_[pair_slots_[port.first_pair + pair]].queue.head];
    };
    const std::uint32_t pair = arbiter_.grant_pair(
        port, [&](std::uint32_t each) { return room_for<plain>(first(each).slot, first(each).flits); });
    if (pair == none) {
        arbiter_.for_each(port, [&](std::uint32_t each) { wait_for_room(first(each).slot); });
        return;
    }
    arbiter_.clear(port, pair);
    const Slot buffer = pair_slots_[port.first_pair + pair];
    Lane& lane = lanes_of_[buffer];
    end_behind(buffer);
    const std::uint32_t index = lane.queue.take(segments_);
    const std::uint32_t flits = segments_[index].flits;
    lane.waiting -= flits;
    lane.offered = false;
    start_on<plain>(channel, index);
    lane.free_at = port.busy_until;
    lane.server = channel;
    if (plain || credits_on_) return_credit<plain>(buffer, port.busy_until, flits);
    if (!lane.queue.empty() || arbiter_.any(port)) request_wake(channel, port.busy_until);
}

// The segment starts on the channel of its slot.
template <bool plain> void CutThrough::start_on(std::uint32_t channel, std::uint32_t index) {
    Port& port = ports_[channel];
    Segment& segment = segments_[index];
    Lane& lane = lanes_of_[segment.slot];
    const std::uint32_t flits = segment.flits;
    const Time end = now_ + flits * port.flit_time;
    if (plain || queueing_ == Queueing::input) account_all(channel);
    port.busy_until = end;
    port.serving = segment.buffer;
    port.sending = flits;
    port.unfinished = true;
    port.listed = flits == full_flits_ && port.end_line != no_line;
    if (port.listed) port.end_place = ends_.push(port.end_line, end, channel, false);
    ++lane.segments;
    if (flits != full_flits_) missing_[segment.slot] += full_flits_ - flits;
    if (!plain && adaptive_ && !port.from_host) load_[channel] -= flits;
    if (!plain && observer_ != nullptr) passing_[channel] = traversal_of(segment, now_, end);
    if (!plain && always_wake_) request_wake(channel, end);
    if (port.to_host) {
        deliver_segment(segment, end + lane.latency);
        segment_done(index);
        return;
    }
    if (plain || credits_on_) {
        assert(lane.room >= flits);
        lane.room -= flits;
        if (lane.room < full_flits_)
            __builtin_prefetch(&credit_time(segment.slot, lane.acknowledged)); // needed next
    }
    lane.credit_starved = false;
    segment.buffer = segment.slot;
    const Time delay =
        port.line != no_line ? lines_.delay(port.line) : wires_[channel].latency + parameters_.switch_delay;
    const Time first = now_ + delay;
    const Time last = end + delay;
    Time ready = first;
    std::uint32_t line = port.line != no_line ? port.line : none;
    if (!plain && decides_ == Decides::per_hop) {
        segment.slot = none;
    } else if (step(segment) && (plain || queueing_ != Queueing::combined)) {
        ready = later(first, last - flits * ports_[channel_of(segment.slot)].flit_time);
        line = none; // it takes longer than the channel and the switch
    }
    if (paths_[segment.path] == none) __builtin_prefetch(&messages_[segment.message]); // its last hop is next
    if (!plain) {
        segment.first = first;
        segment.last = last;
        segment.ready = ready;
        if (watched_) push(now_ + wires_[channel].latency, buffered, index);
    }
    push_arrival(line, ready, index);
}
template void CutThrough::start_on<false>(std::uint32_t channel, std::uint32_t index);

// The last flit of a segment leaves a buffer at this time; the sender knows one latency later.
template <bool plain> void CutThrough::return_credit(Slot slot, Time left, std::uint32_t flits) {
    Lane& lane = lanes_of_[slot];
    const Time known = left + lane.latency;
    // One that takes no time at all is known after the arbitration of this round: an event.
    if (flits == full_flits_ && known > now_ && (plain || queueing_ != Queueing::combined)) {
        if (lane.credits >> depth_bits_ != 0) acknowledge_credits(slot);
        const std::uint32_t end = lane.acknowledged + lane.credits;
        const bool in_order = plain || lane.credits == 0 || credit_time(slot, end - 1) <= known;
        if (lane.credits >> depth_bits_ == 0 && in_order) {
            credit_time(slot, end) = known;
            if (lane.credit_starved && lane.credits == 0) push(known, credit, slot);
            ++lane.credits;
            return;
        }
    }
    return_odd_credit(slot, known, flits);
}
template void CutThrough::return_credit<false>(Slot slot, Time left, std::uint32_t flits);

void CutThrough::return_odd_credit(Slot slot, Time known, std::uint32_t flits) {
    const std::uint32_t odd = odd_credits_.add();
    odd_credits_[odd] = {slot, flits};
    push(known, odd_credit, odd);
}

void CutThrough::acknowledge_credits(Slot slot) {
    Lane& lane = lanes_of_[slot];
    while (lane.credits > 0 && credit_time(slot, lane.acknowledged) <= now_) {
        add_room(credit_time(slot, lane.acknowledged), slot, full_flits_);
        --lane.credits;
        ++lane.acknowledged;
    }
}

void CutThrough::add_room(Time time, Slot slot, std::uint32_t flits) {
    Lane& lane = lanes_of_[slot];
    if (lane.room < full_flits_ && lane.room + flits >= full_flits_) room_since_[slot] = time;
    lane.room += flits;
    assert(lane.room <= capacity_);
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

// The second segment could go while its channel is idle and there is room for a whole segment.
void CutThrough::account(Slot buffer) {
    const Slot target = blocking_.target(buffer);
    const std::uint32_t channel = channel_of(target);
    const bool combined = queueing_ == Queueing::combined;
    acknowledge_credits(target);
    const std::uint32_t room = combined ? output_room_[target] : lanes_of_[target].room;
    const Time idle = combined ? crossbars_[channel].busy_until : ports_[channel].busy_until;
    const Time since = room < full_flits_ ? Time::max() : later(idle, room_since_[target]);
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
            flits += each.segments * full_flits_ - missing_[slot];
            use.most_buffered = std::max<Bytes>(use.most_buffered, each.most * parameters_.flit);
            use.blocked = saturated_sum(use.blocked, blocking_.blocked(slot));
        }
        use.bytes = flits * parameters_.flit;
        use.busy = static_cast<std::int64_t>(flits) * ports_[channel].flit_time;
    }
    return all;
}

} // namespace orrery::packet
