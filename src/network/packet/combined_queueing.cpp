// Combined queueing: a crossbar moves segments from the input buffers to output buffers, which the wires empty.
#include "network/packet/cut_through_switch.h"

namespace orrery::packet {

void CutThrough::arbitrate_combined(std::uint32_t channel) {
    arbitrate_crossbar(channel);
    arbitrate_output_buffer(channel);
    // The first of the events that this channel waits for wakes it up; then it computes the next wake-up.
    const Port& port = ports_[channel];
    if (crossbars_[channel].unfinished) request_wake(channel, crossbars_[channel].busy_until);
    if (port.unfinished) request_wake(channel, port.busy_until);
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        const Slot slot = slot_of(channel, lane);
        if (output_[slot].empty()) continue;
        const Segment& first = segments_[output_[slot].head];
        if (first.ready > now_) {
            request_wake(channel, first.ready);
        } else if (!port.unfinished && !room_for<false>(slot, first.flits)) {
            wait_for_room(slot);
        }
    }
}

void CutThrough::arbitrate_crossbar(std::uint32_t channel) {
    Crossbar& crossbar = crossbars_[channel];
    if (crossbar.unfinished) return;
    Port& port = ports_[channel];
    const std::uint32_t pair = arbiter_.grant_pair(port, [&](std::uint32_t each) {
        const Slot buffer = pair_slots_[port.first_pair + each];
        const Segment& segment = segments_[lanes_of_[buffer].queue.head];
        return input_busy_[channel_of(buffer)] == 0 && output_room_[segment.slot] >= segment.flits;
    });
    if (pair == none) return;
    arbiter_.clear(port, pair);
    const Slot buffer = pair_slots_[port.first_pair + pair];
    end_behind(buffer);
    account_all(channel);
    Lane& lane = lanes_of_[buffer];
    const std::uint32_t index = lane.queue.take(segments_);
    Segment& segment = segments_[index];
    const Time wire = segment.flits * port.flit_time;
    const Time crossing = Time::from_ps(wire.picoseconds() / parameters_.speed_up, "a crossing");
    crossbar.busy_until = later(now_ + crossing, segment.last);
    crossbar.serving = buffer;
    crossbar.moving = segment.flits;
    crossbar.unfinished = true;
    input_busy_[channel_of(buffer)] = 1;
    lane.offered = false;
    lane.free_at = crossbar.busy_until;
    lane.server = channel;
    output_room_[segment.slot] -= segment.flits;
    segment.ready = later(now_, crossbar.busy_until - wire);
    output_[segment.slot].append(segments_, index);
    if (credits_on_) return_credit<false>(buffer, crossbar.busy_until, segment.flits);
}

void CutThrough::finish_crossing(std::uint32_t channel) {
    Crossbar& crossbar = crossbars_[channel];
    crossbar.unfinished = false;
    const std::uint32_t input = channel_of(crossbar.serving);
    input_busy_[input] = 0;
    lanes_of_[crossbar.serving].waiting -= crossbar.moving;
    if (watched_) hold(crossbar.serving, -std::int64_t{crossbar.moving});
    promote<false>(crossbar.serving);
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        const Lane& other = lanes_of_[slot_of(input, lane)];
        if (!other.offered) continue;
        const Slot slot = segments_[other.queue.head].slot;
        if (slot != none) activate(channel_of(slot));
    }
}

void CutThrough::arbitrate_output_buffer(std::uint32_t channel) {
    Port& port = ports_[channel];
    if (port.unfinished) return;
    const std::uint32_t lane = arbiter_.grant_lane(crossbars_[channel].pointer, [&](std::uint32_t each) {
        const Slot slot = slot_of(channel, each);
        if (output_[slot].empty()) return false;
        const Segment& first = segments_[output_[slot].head];
        return first.ready <= now_ && room_for<false>(slot, first.flits);
    });
    if (lane == none) return;
    const Slot slot = slot_of(channel, lane);
    crossbars_[channel].sent = slot;
    start_on<false>(channel, output_[slot].take(segments_));
}

} // namespace orrery::packet
