// Runs of flits: how far they can be planned, and what a change of one means to those before and behind it.
#include "network/packet/wormhole_switch.h"

#include <algorithm>
#include <cassert>

namespace orrery::packet {

// When the next flit of a lane has room as far as the sender knows; Time::max() if that is not known yet.
Time Wormhole::room_at(Slot slot) const {
    const Lane& lane = lanes_of_[slot];
    if (wires_[channel_of(slot)].to_host) return Time::zero();
    if (!credits_on_) return lane.stopped ? Time::max() : Time::zero();
    if (lane.sent < capacity_) return Time::zero();
    const Time left = lane.departures.time(lane.sent - capacity_);
    return left == Time::max() ? left : left + wires_[channel_of(slot)].latency;
}

// When the next flit of a buffer may be sent on.
Time Wormhole::available_at(Slot buffer) const {
    if (buffer == none) return Time::zero();
    const Lane& lane = lanes_of_[buffer];
    const Time sent = lane.sends.time(lane.departed);
    return sent == Time::max() ? sent : sent + wires_[channel_of(buffer)].latency + parameters_.switch_delay;
}

// The segment that holds this lane has the wire from now on.
void Wormhole::start_run(Slot slot) {
    const std::uint32_t channel = channel_of(slot);
    Port& port = ports_[channel];
    Lane& lane = lanes_of_[slot];
    const Segment& segment = segments_[lane.holder];
    const Slot buffer = segment.buffer;
    account_all(channel);
    if (buffer != none) end_behind(buffer);
    port.running = slot;
    port.start = now_;
    port.pace = segment.last;
    port.count = reach(slot, 1);
    port.end = port.start + static_cast<std::int64_t>(port.count) * port.pace;
    if (!wires_[channel].to_host) {
        lane.sends.append(now_, port.pace, port.count);
        lane.departures.forget(lane.sent < capacity_ ? 0 : lane.sent - capacity_);
    }
    if (buffer != none) {
        Lane& before = lanes_of_[buffer];
        // Flits that take no time have left after the arbitration of this round.
        if (port.pace > Time::zero()) before.departures.append(now_ + port.pace, port.pace, port.count);
        before.sends.forget(before.departed);
    }
    push(port.end, run_end, channel);
    changed(slot, buffer);
}

// The first flit, from this one on, of the run of a lane that cannot be sent at its time.
std::uint64_t Wormhole::reach(Slot slot, std::uint64_t from) const {
    const Lane& lane = lanes_of_[slot];
    std::uint64_t most = lane.left;
    if (buffer_of(lane) != none) most = supply_reach(slot, from, most);
    if (wires_[channel_of(slot)].to_host) return most;
    if (credits_on_) return credit_reach(slot, from, most);
    if (lane.stopped) return from;
    // Without time and latency the next stop comes in the middle of what is sent at one instant.
    if (ports_[channel_of(slot)].pace == Time::zero()) {
        const std::uint64_t held = held_flits(slot);
        most = std::min(most, std::max<std::uint64_t>(from, held < lane.stop_mark ? lane.stop_mark - held : 1));
    }
    return most;
}

// By the flits that come: on the channel before they are not slower, so that each of their runs holds if its
// first flit does.
std::uint64_t Wormhole::supply_reach(Slot slot, std::uint64_t from, std::uint64_t most) const {
    const Port& port = ports_[channel_of(slot)];
    const Slot buffer = buffer_of(lanes_of_[slot]);
    const Lane& before = lanes_of_[buffer];
    const Time delay = wires_[channel_of(buffer)].latency + parameters_.switch_delay;
    std::uint64_t flit = from;
    while (flit < most) {
        const FlitLog::Run* const run = before.sends.find(before.departed + flit);
        if (run == nullptr) return flit;
        const Time sent = run->time(before.departed + flit);
        if (sent + delay > port.start + static_cast<std::int64_t>(flit) * port.pace) return flit;
        flit = run->end() - before.departed;
    }
    return most;
}

// By the places that become free: these may come more slowly than the flits.
std::uint64_t Wormhole::credit_reach(Slot slot, std::uint64_t from, std::uint64_t most) const {
    const Port& port = ports_[channel_of(slot)];
    const Lane& lane = lanes_of_[slot];
    const Time latency = wires_[channel_of(slot)].latency;
    std::uint64_t flit = from;
    if (lane.sent + flit < capacity_) flit = capacity_ - lane.sent;
    while (flit < most) {
        const std::uint64_t place = lane.sent + flit - capacity_;
        const FlitLog::Run* const run = lane.departures.find(place);
        if (run == nullptr) return flit;
        const Time early =
            port.start + static_cast<std::int64_t>(flit) * port.pace - (run->time(place) + latency);
        if (early < Time::zero()) return flit;
        const std::uint64_t rest = run->end() - place;
        if (run->pace > port.pace) {
            const auto hold = static_cast<std::uint64_t>(early.ticks() / (run->pace - port.pace).ticks()) + 1;
            if (hold < rest) return std::min(flit + hold, most);
        }
        flit += rest;
    }
    return most;
}

// What the plan of the run of a channel rests on has changed.
void Wormhole::plan_again(std::uint32_t channel) {
    Port& port = ports_[channel];
    const Slot slot = port.running;
    const Lane& lane = lanes_of_[slot];
    // Flits that have been sent, or that have made the buffer say stop: those stand.
    std::uint64_t sent = port.count;
    if (port.pace > Time::zero()) {
        const std::int64_t since = (now_ - port.start).ticks();
        const std::int64_t pace = port.pace.ticks();
        const std::int64_t steps = arbitrated_at(now_) ? since / pace + 1 : (since + pace - 1) / pace;
        sent = std::min(sent, static_cast<std::uint64_t>(std::max<std::int64_t>(steps, 1)));
        if (!credits_on_ && !wires_[channel].to_host) {
            const std::uint64_t arrived = arrived_flits(slot);
            if (arrived > lane.sent) sent = std::max(sent, std::min(port.count, arrived - lane.sent));
        }
    }
    set_count(channel, reach(slot, sent));
    if (port.end <= now_) end_run(channel);
}

void Wormhole::set_count(std::uint32_t channel, std::uint64_t count) {
    Port& port = ports_[channel];
    if (count == port.count) return;
    const Slot slot = port.running;
    Lane& lane = lanes_of_[slot];
    const Slot buffer = buffer_of(lane);
    port.count = count;
    port.end = port.start + static_cast<std::int64_t>(count) * port.pace;
    if (!wires_[channel].to_host) lane.sends.set_end(lane.sent + count);
    assert(port.pace > Time::zero());
    if (buffer != none) lanes_of_[buffer].departures.set_end(lanes_of_[buffer].departed + count);
    push(port.end, run_end, channel);
    changed(slot, buffer);
}

// The run of a lane, fed by this buffer, has a new plan: who takes the flits at its end, and who sends the ones
// that take their places, may have to plan again.
void Wormhole::changed(Slot slot, Slot buffer) {
    const Lane& lane = lanes_of_[slot];
    if (lane.offered) activate(channel_of(segments_[lane.queue.head].slot));
    if (buffer != none) activate(channel_of(buffer));
    if (credits_on_) return;
    if (!wires_[channel_of(slot)].to_host) schedule_check(slot);
    if (buffer != none) schedule_check(buffer);
}

void Wormhole::end_run(std::uint32_t channel) {
    Port& port = ports_[channel];
    const Slot slot = port.running;
    Lane& lane = lanes_of_[slot];
    const Slot buffer = buffer_of(lane);
    const std::uint64_t count = port.count;
    lane.sent += count;
    lane.left -= static_cast<std::uint32_t>(count);
    lane.flits += count;
    lane.busy += static_cast<std::int64_t>(count) * port.pace;
    if (buffer != none) lanes_of_[buffer].departed += count;
    if (buffer != none && port.pace == Time::zero()) {
        lanes_of_[buffer].departures.append(now_, port.pace, count);
        changed(slot, buffer);
    }
    if (!wires_[channel].to_host) watch(slot);
    if (buffer != none) watch(buffer);
    account_all(channel);
    port.running = none;
    port.end = Time::max();
    port.idle_since = now_;
    if (lane.left == 0) {
        complete(channel, slot);
    } else {
        port.keeper = slot;
        port.keeper_at = now_;
        if (buffer != none) begin_behind(buffer);
    }
    activate(channel);
}

} // namespace orrery::packet
