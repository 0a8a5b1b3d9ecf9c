// Output queueing: a segment joins the queue of its channel and lane as soon as it may be sent, whatever waits
// before it in its buffer.
#include "network/packet/cut_through.h"

namespace orrery::packet {

void CutThrough::join_output(std::uint32_t index) {
    const Slot slot = segments_[index].slot;
    output_[slot].append(segments_, index);
    activate(channel_of(slot));
}

// In the queue of a lane: the one before the next to be sent, none if that is the first. The next one is the
// first in turn of those that joined at the earliest instant.
std::uint32_t CutThrough::before_next(std::uint32_t channel, Slot slot) const {
    const std::uint32_t pairs = wires_[channel].pairs;
    const auto turn = [&](std::uint32_t index) {
        const std::uint32_t pair = lanes_of_[segments_[index].came].pair;
        const std::uint32_t pointer = ports_[channel].pointer;
        return pair >= pointer ? pair - pointer : pair + pairs - pointer;
    };
    const std::uint32_t head = output_[slot].head;
    std::uint32_t before = none;
    std::uint32_t best = turn(head);
    for (std::uint32_t at = head; segments_[at].next != none; at = segments_[at].next) {
        const std::uint32_t next = segments_[at].next;
        if (segments_[next].ready != segments_[head].ready) break;
        if (turn(next) >= best) continue;
        best = turn(next);
        before = at;
    }
    return before;
}

void CutThrough::give_output(std::uint32_t channel) {
    Port& port = ports_[channel];
    if (port.busy_until > now_) return; // its end will wake it
    const std::uint32_t pairs = wires_[channel].pairs;
    Slot chosen = none;
    std::uint32_t chosen_before = none;
    Time since;
    std::uint32_t turn = 0;
    for (int control = control_lane_ ? 1 : 0; control >= 0 && chosen == none; --control) {
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            const Slot slot = slot_of(channel, lane);
            if (output_[slot].empty() || (control_lane_ && turns_.is_control(lane) != (control == 1))) continue;
            const std::uint32_t before = before_next(channel, slot);
            const Segment& next = segments_[before == none ? output_[slot].head : segments_[before].next];
            if (!room_for<false>(slot, next.flits)) {
                wait_for_room(slot);
                continue;
            }
            const std::uint32_t pair = lanes_of_[next.came].pair;
            const std::uint32_t its_turn =
                pair >= port.pointer ? pair - port.pointer : pair + pairs - port.pointer;
            if (chosen != none && (next.ready > since || (next.ready == since && its_turn >= turn))) continue;
            chosen = slot;
            chosen_before = before;
            since = next.ready;
            turn = its_turn;
        }
    }
    if (chosen == none) return;
    const std::uint32_t pair = port.pointer + turn;
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
    const Slot buffer = segments_[index].came;
    const std::uint32_t flits = segments_[index].flits;
    start_on<false>(channel, index);
    if (credits_on_) give_back<false>(buffer, port.busy_until, flits);
}

} // namespace orrery::packet
