#include "reference/flit_network.h"

#include "engine/random.h"
#include "reference/flit_simulation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace orrery::reference {

FlitRun run_flits(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
                  std::span<const FlitMessage> messages) {
    return FlitSimulation(fabric, routing, parameters, messages).run();
}

FlitSimulation::FlitSimulation(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
                               std::span<const FlitMessage> messages)
    : fabric_(fabric), routing_(routing), parameters_(parameters), messages_(messages),
      lanes_(routing.lanes() + (parameters.control_priority ? 1 : 0)) {
    set_up_lines();
    cut_messages();
    find_cycle();
}

void FlitSimulation::set_up_lines() {
    lines_.resize(fabric_.channel_count());
    waiting_.resize(fabric_.node_count());
    for (std::uint32_t i = 0; i < lines_.size(); ++i) {
        Line& line = lines_[i];
        if (!fabric_.is_channel(LinkId{i})) continue;
        line.used = true;
        line.channel = fabric_.channel(LinkId{i});
        if (line.channel.bandwidth > 0)
            line.flit_time =
                Time::from_ps(static_cast<double>(parameters_.flit) / line.channel.bandwidth * 1e12);
        line.from_host = fabric_.is_host(line.channel.from);
        line.to_switch = !fabric_.is_host(line.channel.to);
        line.holder.resize(lanes_);
        line.room.assign(lanes_, in_flits(parameters_.buffer));
        line.stopped.resize(lanes_);
        line.messages.resize(lanes_);
        line.output.resize(lanes_);
        line.output_room.assign(lanes_, in_flits(parameters_.output_buffer));
        line.buffer.resize(lanes_);
        line.count.resize(lanes_);
        line.stop_sent.resize(lanes_);
        if (parameters_.first_turn == FirstTurn::random) {
            const RandomStream random(parameters_.seed, i);
            line.pointer = random.below(0, pairs(line));
            line.wire_pointer = random.below(1, lanes_);
        }
    }
}

void FlitSimulation::cut_messages() {
    outgoing_.resize(messages_.size());
    to_arrive_.resize(messages_.size());
    undecided_.resize(fabric_.host_count());
    missing_ = static_cast<std::uint32_t>(messages_.size());
    result_.arrivals.assign(messages_.size(), Time::zero());
    std::map<HostId, std::uint64_t> sent;
    std::map<HostId, std::uint64_t> sent_segments;
    for (std::uint32_t i = 0; i < messages_.size(); ++i) {
        outgoing_[i].time = messages_[i].time;
        outgoing_[i].draw = sent[messages_[i].from]++;
        Bytes rest = messages_[i].bytes;
        do {
            const Bytes payload = std::min(rest, parameters_.segment);
            rest -= payload;
            const Bytes wire = payload + parameters_.header;
            const Bytes flits = std::max<Bytes>(1, (wire + parameters_.flit - 1) / parameters_.flit);
            outgoing_[i].segments.push_back({i, to_arrive_[i]++, static_cast<std::uint32_t>(flits),
                                             sent_segments[messages_[i].from]++, &paths_.emplace_back()});
        } while (rest > 0);
    }
}

void FlitSimulation::find_cycle() {
    std::int64_t cycle = parameters_.switch_delay.ps();
    patience_ = parameters_.switch_delay;
    Time slowest;
    for (const Line& line : lines_) {
        cycle = std::gcd(std::gcd(cycle, line.flit_time.ps()), line.channel.latency.ps());
        if (combined()) {
            cycle = std::gcd(
                cycle, Time::from_ps(static_cast<double>(line.flit_time.ps()) / parameters_.speed_up).ps());
        }
        patience_ = later(patience_, line.channel.latency);
        slowest = later(slowest, line.flit_time);
    }
    for (const FlitMessage& message : messages_) cycle = std::gcd(cycle, message.time.ps());
    cycle_ = Time::ps(std::max<std::int64_t>(cycle, 1));
    const auto longest =
        static_cast<std::int64_t>((parameters_.segment + parameters_.header) / parameters_.flit + 1);
    patience_ = 4 * (patience_ + longest * slowest + cycle_);
}

FlitRun FlitSimulation::run() {
    for (now_ = Time::zero(); missing_ > 0 || next_message_ < messages_.size(); now_ += cycle_) {
        if (next_message_ < messages_.size()) last_move_ = now_;
        if (now_ > last_move_ + patience_) break; // a deadlock
        do {
            process_events();
        } while (arbitrate());
    }
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        if (to_arrive_[i] > 0) result_.arrivals[i] = Time::max();
    }
    std::sort(result_.traversals.begin(), result_.traversals.end());
    return std::move(result_);
}

std::uint64_t FlitSimulation::pairs(const Line& line) const {
    return line.from_host ? lanes_ : std::uint64_t{lanes_} * fabric_.port_count(line.channel.from);
}

std::uint64_t FlitSimulation::pair_of(const Passage& passage) const {
    const std::uint64_t port = fabric_.channel(passage.arrived_by).to_port;
    return port * lanes_ + passage.arrived_by_lane;
}

} // namespace orrery::reference
