// Cut-through switching: the tables that a run works on.
#include "network/packet/cut_through_switch.h"

#include <algorithm>
#include <bit>

namespace orrery::packet {

std::unique_ptr<Core> make_cut_through(const Fabric& fabric, const Routing& routing,
                                       const PacketParameters& parameters, PacketObserver* observer) {
    return std::make_unique<CutThrough>(fabric, routing, parameters, observer);
}

CutThrough::CutThrough(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
                       PacketObserver* observer)
    : Core(fabric, routing, parameters, observer), queueing_(parameters.queueing),
      plain_(queueing_ == Queueing::input && parameters.flow_control == FlowControl::credits && !adaptive_ &&
             !control_lane_ && observer == nullptr),
      credits_on_(parameters.flow_control == FlowControl::credits),
      watched_(!credits_on_ || observer != nullptr), always_wake_(watched_ || queueing_ != Queueing::input),
      capacity_(whole_flits(parameters.buffer)),
      blocking_(std::size_t{fabric.channel_count()} << lane_bits_, fabric.channel_count()) {
    const std::uint32_t channels = fabric.channel_count();
    const std::size_t slots = std::size_t{channels} << lane_bits_;
    ports_.resize(channels);
    lanes_of_.resize(slots);
    missing_.resize(slots);
    room_since_.resize(slots);
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
        port.pointer = static_cast<std::uint32_t>(first_pointer(i, 0, wire.pairs));
        port.first_pair = wire.first_pair;
        port.from_host = wire.from_host;
        port.to_host = wire.to_host;
        if (wire.line != none) port.line = static_cast<std::uint8_t>(wire.line);
        const Time whole = full_flits_ * wire.flit_time;
        const std::uint32_t end_line = whole > Time::zero() ? ends_.line(whole) : none;
        if (end_line != none) port.end_line = static_cast<std::uint8_t>(end_line);
        port.pairs = wire.pairs;
        arbiter_.prepare(port);
        if (!crossbars_.empty()) {
            crossbars_[i].pointer = static_cast<std::uint32_t>(first_pointer(i, 1, lanes_));
        }
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            Lane& each = lanes_of_[slot_of(i, lane)];
            each.room = wire.to_host ? none : capacity_; // a host takes everything
            each.pair = pair_of(slot_of(i, lane));
            each.latency = wire.latency;
        }
    }
    if (credits_on_) {
        set_credit_places();
    } else {
        set_marks();
    }
}

// Places for as many credits of a lane as are on their way at once, as a rule, and no more: few of them stay in
// the cache. Credits are acknowledged at the latest when no place is left, and become events if that does not
// help.
void CutThrough::set_credit_places() {
    std::int64_t at_once = 2;
    for (const Wire& wire : wires_) {
        if (wire.flit_time == Time::zero()) continue;
        at_once = std::max(at_once, wire.latency.ticks() / (full_flits_ * wire.flit_time).ticks() + 2);
    }
    const std::int64_t most = std::clamp<std::int64_t>(capacity_ / full_flits_, 1, 64);
    const auto places = static_cast<std::uint64_t>(std::min(at_once, most));
    depth_bits_ = static_cast<std::uint32_t>(std::bit_width(places - 1));
    credit_times_.resize(lanes_of_.size() << depth_bits_);
}

} // namespace orrery::packet
