// Stop and go: what buffers hold from the first bit on, and the signals that follow from it.
#include "engine/error.h"
#include "engine/units.h"
#include "network/packet/cut_through_switch.h"
#include "network/packet/marks.h"

#include <cassert>

namespace orrery::packet {

void CutThrough::set_marks() {
    for (std::uint32_t channel = 0; channel < ports_.size(); ++channel) {
        const Port& port = ports_[channel];
        if (!fabric_.is_channel(LinkId{channel}) || port.to_host) continue;
        const Marks marks = marks_of(fabric_, LinkId{channel}, parameters_, port.flit_time, full_flits_);
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            held_[slot_of(channel, lane)].stop_mark = marks.stop;
            held_[slot_of(channel, lane)].go_mark = marks.go;
        }
    }
}

// More (or less) flits in a buffer; the marks are checked when all events of the instant have been processed.
void CutThrough::hold(Slot buffer, std::int64_t flits) {
    Held& held = held_[buffer];
    held.flits = static_cast<std::uint32_t>(held.flits + flits);
    if (held.changed) return;
    held.changed = true;
    changed_.push_back(buffer);
}

void CutThrough::check_marks(Slot buffer) {
    Held& held = held_[buffer];
    held.changed = false;
    assert(held.flits <= capacity_);
    const std::uint32_t channel = channel_of(buffer);
    if (observer_ != nullptr) {
        Bytes flits = 0;
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) flits += held_[slot_of(channel, lane)].flits;
        observer_->backlog(LinkId{channel}, now_, flits * parameters_.flit);
    }
    if (credits_on_) return;
    const bool stops = !held.stop_sent && held.flits >= held.stop_mark;
    const bool goes = held.stop_sent && held.flits <= held.go_mark;
    if (!stops && !goes) return;
    held.stop_sent = stops;
    if (observer_ != nullptr && stops) observer_->stop(LinkId{channel}, now_);
    if (observer_ != nullptr && goes) observer_->go(LinkId{channel}, now_);
    if (wires_[channel].latency == Time::zero()) {
        receive_signal(buffer, stops);
    } else {
        push(now_ + wires_[channel].latency, stops ? stop : go, buffer);
    }
}

void CutThrough::receive_signal(Slot slot, bool stops) {
    const std::uint32_t channel = channel_of(slot);
    if (queueing_ == Queueing::input) account_all(channel);
    Lane& lane = lanes_of_[slot];
    lane.room = stops ? 0 : capacity_;
    if (stops) return;
    room_since_[slot] = now_;
    if (lane.credit_starved) activate(channel);
}

} // namespace orrery::packet
