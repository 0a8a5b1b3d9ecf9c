// Output queueing: a segment joins the queue of its channel and lane as soon as it may be sent, whatever waits
// before it in its buffer.
#include "network/packet/cut_through_switch.h"

namespace orrery::packet {

void CutThrough::join_output(std::uint32_t index) {
    const Slot slot = segments_[index].slot;
    output_[slot].append(segments_, index);
    activate(channel_of(slot));
}

// In the queue of a lane: the one before the next to be sent, none if that is the first. The next one is the
// first in round-robin order of those that joined at the earliest instant.
std::uint32_t CutThrough::before_next(std::uint32_t channel, Slot slot) const {
    const std::uint32_t pairs = wires_[channel].pairs;
    const auto distance = [&](std::uint32_t index) {
        const std::uint32_t pair = lanes_of_[segments_[index].buffer].pair;
        const std::uint32_t pointer = ports_[channel].pointer;
        return pair >= pointer ? pair - pointer : pair + pairs - pointer;
    };
    const std::uint32_t head = output_[slot].head;
    std::uint32_t before = none;
    std::uint32_t best = distance(head);
    for (std::uint32_t at = head; segments_[at].next != none; at = segments_[at].next) {
        const std::uint32_t next = segments_[at].next;
        if (segments_[next].ready != segments_[head].ready) break;
        if (distance(next) >= best) continue;
        best = distance(next);
        before = at;
    }
    return before;
}

void CutThrough::arbitrate_output(std::uint32_t channel) {
    Port& port = ports_[channel];
    if (port.busy_until > now_) return; // its end will wake it up
    const std::uint32_t pairs = wires_[channel].pairs;
    Slot chosen = none;
    std::uint32_t chosen_before = none;
    Time since;
    std::uint32_t distance = 0; // from the pointer
    for (int control = control_lane_ ? 1 : 0; control >= 0 && chosen == none; --control) {
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            const Slot slot = slot_of(channel, lane);
            if (output_[slot].empty() || (control_lane_ && arbiter_.is_control(lane) != (control == 1)))
                continue;
            const std::uint32_t before = before_next(channel, slot);
            const Segment& next = segments_[before == none ? output_[slot].head : segments_[before].next];
            if (!room_for<false>(slot, next.flits)) {
                wait_for_room(slot);
                continue;
            }
            const std::uint32_t pair = lanes_of_[next.buffer].pair;
            const std::uint32_t its_distance =
                pair >= port.pointer ? pair - port.pointer : pair + pairs - port.pointer;
            if (chosen != none && (next.ready > since || (next.ready == since && its_distance >= distance)))
                continue;
            chosen = slot;
            chosen_before = before;
            since = next.ready;
            distance = its_distance;
        }
    }
    if (chosen == none) return;
    const std::uint32_t pair = port.pointer + distance;
    port.pointer = (pair + 1) % pairs;
    Queue& queue = output_[chosen];
    std::uint32_t index = 0;
    if (chosen_before == none) {
        index = queue.take(segments_);
    } else {
        index = segments_[chosen_before].next;
        segments_[chosen_before].next = segments_[index].next;
        if (queue.tail == index) queue.tail = chosen_before;
    }
    const Slot buffer = segments_[index].buffer;
    const std::uint32_t flits = segments_[index].flits;
    start_on<false>(channel, index);
    if (credits_on_) return_credit<false>(buffer, port.busy_until, flits);
}

} // namespace orrery::packet
