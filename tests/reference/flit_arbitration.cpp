// Arbitration: candidates, round-robin order, and the first flit of what is granted.
#include "reference/flit_simulation.h"

#include <stdexcept>
#include <tuple>
#include <utility>

namespace orrery::reference {

bool FlitSimulation::arbitrate() {
    bool any = false;
    for (Line& line : lines_) {
        if (!line.used) continue;
        if (combined() && !line.from_host) {
            any = arbitrate_crossbar(line) || any;
            any = arbitrate_output_wire(line) || any;
        } else {
            any = arbitrate_wire(line) || any;
        }
    }
    if (any) last_move_ = now_;
    return any;
}

bool FlitSimulation::arbitrate_wire(Line& line) {
    if (line.sending != nullptr) return false;
    Passage* const keeper = std::exchange(line.keeper, nullptr);
    if (keeper != nullptr && may_send_flit(*keeper, line)) {
        send_flit(line, *keeper);
        return true;
    }
    Passage* chosen = nullptr;
    if (line.from_host) {
        chosen = candidate_of_adapter(line);
    } else if (parameters_.queueing == Queueing::output) {
        chosen = earliest_candidate(line);
    } else {
        chosen = candidate_of_inputs(line);
    }
    if (chosen == nullptr) return false;
    send(line, *chosen);
    return true;
}

// The first lane in round-robin order whose next segment may start (or go on).
Passage* FlitSimulation::candidate_of_adapter(Line& line) {
    for (const bool priority : {true, false}) {
        for (std::uint32_t i = 0; i < lanes_; ++i) {
            const auto lane = static_cast<std::uint32_t>((line.pointer + i) % lanes_);
            if (is_priority(lane) != priority) continue;
            Passage* const holder = line.holder[lane];
            if (holder != nullptr) {
                if (!may_send_flit(*holder, line)) continue;
                line.pointer = (lane + 1) % lanes_;
                return holder;
            }
            std::deque<Outgoing>& queue = line.messages[lane];
            if (queue.empty()) continue;
            Passage passage;
            passage.segment = queue.front().segments.front();
            passage.available.assign(passage.segment.flits, queue.front().time);
            if (!may_start(passage, line)) continue;
            line.pointer = (lane + 1) % lanes_;
            queue.front().segments.pop_front();
            Outgoing message = std::move(queue.front());
            queue.pop_front();
            if (!message.segments.empty()) {
                if (parameters_.injection == Injection::interleaved) {
                    queue.push_back(std::move(message));
                } else {
                    queue.push_front(std::move(message));
                }
            }
            line.leaving.push_back(std::move(passage));
            if (per_segment()) started(HostId{line.channel.from.value}, is_priority(lane));
            return &line.leaving.back();
        }
    }
    return nullptr;
}

// Input queueing: the first of the queues in round-robin order whose first segment may start (or go on) here.
Passage* FlitSimulation::candidate_of_inputs(Line& line) {
    if (waiting_[line.channel.from.index()] == 0) return nullptr;
    const std::uint64_t count = pairs(line);
    for (const bool priority : {true, false}) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t pair = (line.pointer + i) % count;
            const std::uint64_t lane = pair % lanes_;
            if (is_priority(lane) != priority) continue;
            const LinkId input = fabric_.in(line.channel.from, static_cast<std::uint32_t>(pair / lanes_));
            if (input == no_link) continue;
            std::list<Passage>& queue = this->line(input).buffer[lane];
            if (queue.empty()) continue;
            Passage& first = queue.front();
            if (!first.decided()) continue;
            if (&this->line(first.next().channel) != &line) continue;
            if (first.begun ? !(wormhole() && may_send_flit(first, line)) : !may_start(first, line)) continue;
            line.pointer = (pair + 1) % count;
            return &first;
        }
    }
    return nullptr;
}

// Output queueing: of each lane the earliest segment is offered; the earliest offer is taken.
Passage* FlitSimulation::earliest_candidate(Line& line) {
    if (waiting_[line.channel.from.index()] == 0) return nullptr;
    const std::uint64_t count = pairs(line);
    const NodeId node = line.channel.from;
    using Key = std::tuple<bool, Time, std::uint64_t>; // priority first, then time, then round-robin order
    const auto key = [&](const Passage& passage) {
        return Key{!is_priority(passage.next().lane), candidate_since(passage, line),
                   (pair_of(passage) + count - line.pointer) % count};
    };
    std::vector<Passage*> offered(lanes_, nullptr);
    for (std::uint32_t port = 0; port < fabric_.port_count(node); ++port) {
        const LinkId input = fabric_.in(node, port);
        if (input == no_link) continue;
        for (std::list<Passage>& queue : this->line(input).buffer) {
            for (Passage& each : queue) {
                if (each.begun || !each.decided() || &this->line(each.next().channel) != &line) continue;
                if (candidate_since(each, line) > now_) continue;
                Passage*& best = offered[each.next().lane];
                if (best == nullptr || key(each) < key(*best)) best = &each;
            }
        }
    }
    Passage* chosen = nullptr;
    for (Passage* const offer : offered) {
        if (offer == nullptr || !may_start(*offer, line)) continue;
        if (chosen == nullptr || key(*offer) < key(*chosen)) chosen = offer;
    }
    if (chosen != nullptr) line.pointer = (pair_of(*chosen) + 1) % count;
    return chosen;
}

// Combined queueing: from the input queues in turn to the output buffer of the channel.
bool FlitSimulation::arbitrate_crossbar(Line& line) {
    if (line.crossing != nullptr || waiting_[line.channel.from.index()] == 0) return false;
    const std::uint64_t count = pairs(line);
    for (const bool priority : {true, false}) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t pair = (line.pointer + i) % count;
            const std::uint64_t lane = pair % lanes_;
            if (is_priority(lane) != priority) continue;
            const LinkId input = fabric_.in(line.channel.from, static_cast<std::uint32_t>(pair / lanes_));
            if (input == no_link || this->line(input).input_busy) continue;
            std::list<Passage>& queue = this->line(input).buffer[lane];
            if (queue.empty()) continue;
            Passage& first = queue.front();
            if (!first.decided()) continue;
            const std::uint32_t flits = first.segment.flits;
            const std::uint32_t out_lane = first.next().lane;
            if (&this->line(first.next().channel) != &line || first.first() > now_) continue;
            if (line.output_room[out_lane] < flits) continue;
            line.pointer = (pair + 1) % count;
            line.output_room[out_lane] -= flits;
            first.begun = true;
            first.cross_begin = now_;
            const Time crossing =
                Time::from_ps(static_cast<double>((flits * line.flit_time).ps()) / parameters_.speed_up);
            first.cross_end = later(now_ + crossing, first.last());
            this->line(input).input_busy = true;
            line.crossing = &first;
            Passage moved = first;
            moved.begun = false;
            moved.in_output_buffer = true;
            line.output[out_lane].push_back(std::move(moved));
            return true;
        }
    }
    return false;
}

bool FlitSimulation::arbitrate_output_wire(Line& line) {
    if (line.sending != nullptr) return false;
    for (const bool priority : {true, false}) {
        for (std::uint32_t i = 0; i < lanes_; ++i) {
            const auto lane = static_cast<std::uint32_t>((line.wire_pointer + i) % lanes_);
            if (is_priority(lane) != priority || line.output[lane].empty()) continue;
            Passage& first = line.output[lane].front();
            const Time whole = first.segment.flits * line.flit_time;
            if (now_ < later(first.cross_begin, first.cross_end - whole)) continue;
            if (!flow_control_agrees(line, lane, first.segment.flits)) continue;
            line.wire_pointer = (lane + 1) % lanes_;
            send(line, first);
            return true;
        }
    }
    return false;
}

Time FlitSimulation::candidate_since(const Passage& passage, const Line& line) const {
    return later(passage.first(), passage.last() - passage.segment.flits * line.flit_time);
}

bool FlitSimulation::may_start(const Passage& passage, const Line& line) const {
    if (wormhole()) return line.holder[passage.next().lane] == nullptr && may_send_flit(passage, line);
    return candidate_since(passage, line) <= now_ &&
           flow_control_agrees(line, passage.next().lane, passage.segment.flits);
}

bool FlitSimulation::may_send_flit(const Passage& passage, const Line& line) const {
    if (passage.available.size() <= passage.sent) return false;
    return passage.available[passage.sent] <= now_ && flow_control_agrees(line, passage.next().lane, 1);
}

bool FlitSimulation::flow_control_agrees(const Line& line, std::uint32_t lane, std::uint32_t flits) const {
    if (!line.to_switch) return true;
    return parameters_.flow_control == FlowControl::credits ? line.room[lane] >= flits : !line.stopped[lane];
}

// The segment begins, or after a stall goes on.
void FlitSimulation::send(Line& line, Passage& passage) {
    if (!passage.begun) {
        passage.begun = true;
        passage.start = now_;
        if (wormhole()) {
            line.holder[passage.next().lane] = &passage;
        } else {
            line.room[passage.next().lane] -= passage.segment.flits;
        }
    }
    send_flit(line, passage);
}

void FlitSimulation::send_flit(Line& line, Passage& passage) {
    passage.pace = wormhole() ? later(passage.incoming_flit_time, line.flit_time) : line.flit_time;
    line.flit_ends = now_ + passage.pace;
    if (passage.in_output_buffer) {
        const bool last = passage.sent + 1 == passage.segment.flits;
        if (last && passage.cross_end > line.flit_ends) throw std::logic_error("sent before it has crossed");
    } else {
        const Time available = passage.available[passage.sent];
        if (available > now_ || available + passage.incoming_flit_time > line.flit_ends) {
            throw std::logic_error("a flit is sent before it is there");
        }
    }
    if (wormhole()) line.room[passage.next().lane] -= 1;
    line.sending = &passage;
    line.wire.push_back(
        {now_ + line.channel.latency, passage.segment, passage.hop, passage.sent, passage.pace});
}

} // namespace orrery::reference
