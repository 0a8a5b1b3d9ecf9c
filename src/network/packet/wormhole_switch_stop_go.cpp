// Stop and go with wormhole switching: flits are counted by their runs, and marks are checked when one may have
// been reached at the earliest.
#include "network/packet/marks.h"
#include "network/packet/wormhole_switch.h"

#include <algorithm>
#include <cassert>

namespace orrery::packet {

void Wormhole::set_marks() {
    for (std::uint32_t channel = 0; channel < ports_.size(); ++channel) {
        if (!fabric_.is_channel(LinkId{channel}) || wires_[channel].to_host) continue;
        const Marks marks = marks_of(fabric_, LinkId{channel}, parameters_, wires_[channel].flit_time, 1);
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            lanes_of_[slot_of(channel, lane)].stop_mark = marks.stop;
            lanes_of_[slot_of(channel, lane)].go_mark = marks.go;
        }
    }
}

std::uint64_t Wormhole::arrived_flits(Slot buffer) const {
    return lanes_of_[buffer].sends.until(now_ - wires_[channel_of(buffer)].latency);
}

std::uint64_t Wormhole::held_flits(Slot buffer) const {
    return arrived_flits(buffer) - lanes_of_[buffer].departures.until(now_);
}

// The earliest time at which the count may reach a mark, as far as it is known: if only flits came (left).
void Wormhole::schedule_check(Slot buffer) {
    Lane& lane = lanes_of_[buffer];
    const std::uint64_t arrived = arrived_flits(buffer);
    const std::uint64_t left = lane.departures.until(now_);
    const std::uint64_t held = arrived - left;
    Time at = Time::max();
    if (!lane.stop_sent) {
        const Time sent =
            lane.sends.time(held < lane.stop_mark ? arrived + lane.stop_mark - held - 1 : arrived - 1);
        if (sent < Time::max()) at = sent + wires_[channel_of(buffer)].latency;
    } else {
        at = lane.departures.time(held > lane.go_mark ? left + held - lane.go_mark - 1 : left - 1);
    }
    if (at < now_) at = now_;
    if (at == lane.check_at) return;
    lane.check_at = at;
    if (at < Time::max()) push(at, buffered, buffer);
}

void Wormhole::check_marks(Slot buffer) {
    Lane& lane = lanes_of_[buffer];
    const std::uint32_t channel = channel_of(buffer);
    const std::uint64_t held = held_flits(buffer);
    assert(held <= capacity_);
    const bool stops = !lane.stop_sent && held >= lane.stop_mark;
    const bool goes = lane.stop_sent && held <= lane.go_mark;
    if (stops || goes) {
        lane.stop_sent = stops;
        if (observer_ != nullptr && stops) observer_->stop(LinkId{channel}, now_);
        if (observer_ != nullptr && goes) observer_->go(LinkId{channel}, now_);
        if (wires_[channel].latency == Time::zero()) {
            receive_signal(buffer, stops);
        } else {
            push(now_ + wires_[channel].latency, stops ? stop : go, buffer);
        }
    }
    schedule_check(buffer);
}

void Wormhole::receive_signal(Slot slot, bool stops) {
    lanes_of_[slot].stopped = stops;
    activate(channel_of(slot));
}

// The fill of a buffer, for figures and observers.
void Wormhole::watch(Slot buffer) {
    Lane& lane = lanes_of_[buffer];
    const std::uint64_t held = held_flits(buffer);
    assert(held <= capacity_);
    lane.most = std::max(lane.most, held);
    if (observer_ == nullptr) return;
    Bytes flits = 0;
    const std::uint32_t channel = channel_of(buffer);
    for (std::uint32_t each = 0; each < lanes_; ++each) flits += held_flits(slot_of(channel, each));
    observer_->backlog(LinkId{channel}, now_, flits * parameters_.flit);
}

} // namespace orrery::packet
