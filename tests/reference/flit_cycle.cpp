// The events of an instant: flits leave and arrive, marks of buffers are checked, senders receive signals.
#include "reference/flit_simulation.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace orrery::reference {

void FlitSimulation::process_events() {
    while (move_flits()) {
    }
    const auto dry = [&](const Line& line) { return !wormhole() && line.keeper != nullptr; };
    if (std::any_of(lines_.begin(), lines_.end(), dry)) throw std::logic_error("a wire runs dry");
    if (parameters_.flow_control == FlowControl::stop_go) {
        for (Line& line : lines_) check_marks(line);
    }
    for (Line& line : lines_) {
        while (!line.notices.empty() && line.notices.front().arrives == now_) {
            receive_notice(line, line.notices.front());
            line.notices.pop_front();
        }
    }
    while (next_message_ < messages_.size() && messages_[next_message_].time == now_) join(next_message_++);
    if (routing_.decides() == Decides::per_hop) decide_hops();
}

// Flits that leave, arrive, and follow the one before them. What this leads to at once (without latency and
// delay) is found the next time.
bool FlitSimulation::move_flits() {
    bool moved = false;
    for (Line& line : lines_) {
        if (line.sending != nullptr && line.flit_ends == now_) {
            flit_left(line);
            moved = true;
        }
        if (line.crossing != nullptr && line.crossing->cross_end == now_) crossed(line);
    }
    for (Line& line : lines_) {
        while (!line.wire.empty() && line.wire.front().arrives == now_) {
            flit_arrives(line, line.wire.front());
            line.wire.pop_front();
            moved = true;
        }
    }
    if (wormhole()) return moved; // there each flit is arbitrated
    for (Line& line : lines_) {
        const Passage* const keeper = line.keeper;
        if (keeper == nullptr) continue;
        const bool there = keeper->in_output_buffer || keeper->available.size() > keeper->sent;
        if (!there) continue;
        send_flit(line, *std::exchange(line.keeper, nullptr));
        moved = true;
    }
    return moved;
}

void FlitSimulation::flit_left(Line& line) {
    Passage& passage = *line.sending;
    line.sending = nullptr;
    ++passage.sent;
    last_move_ = now_;
    const bool over = passage.sent == passage.segment.flits;
    line.keeper = over ? nullptr : &passage;
    if (wormhole()) free_input(passage, 1);
    if (over) segment_left(line, passage);
}

void FlitSimulation::segment_left(Line& line, Passage& passage) {
    const FlitSegment& segment = passage.segment;
    const Hop hop = passage.next();
    result_.traversals.push_back({segment.message, segment.number, hop.channel, hop.lane, passage.start, now_});
    if (!line.to_switch) {
        Time& arrival = result_.arrivals[segment.message];
        arrival = later(arrival, now_ + line.channel.latency);
        if (--to_arrive_[segment.message] == 0) --missing_;
    }
    line.holder[hop.lane] = nullptr;
    const auto is_this = [&](const Passage& each) { return &each == &passage; };
    if (line.from_host) {
        line.leaving.remove_if(is_this);
    } else if (passage.in_output_buffer) {
        line.output_room[hop.lane] += segment.flits;
        line.output[hop.lane].remove_if(is_this);
    } else {
        if (!wormhole()) free_input(passage, segment.flits);
        --waiting_[line.channel.from.index()];
        this->line(passage.arrived_by).buffer[passage.arrived_by_lane].remove_if(is_this);
    }
}

// These flits of a segment are no longer in the buffer where it was.
void FlitSimulation::free_input(const Passage& passage, std::uint32_t flits) {
    if (passage.arrived_by == no_link) return;
    Line& before = line(passage.arrived_by);
    before.count[passage.arrived_by_lane] -= flits;
    if (parameters_.flow_control == FlowControl::credits) {
        before.notices.push_back(
            {now_ + before.channel.latency, Notice::Kind::credit, passage.arrived_by_lane, flits});
    }
}

void FlitSimulation::crossed(Line& line) {
    Passage& moved = *line.crossing;
    line.crossing = nullptr;
    last_move_ = now_;
    Line& input = this->line(moved.arrived_by);
    input.input_busy = false;
    free_input(moved, moved.segment.flits);
    --waiting_[line.channel.from.index()];
    input.buffer[moved.arrived_by_lane].pop_front(); // only the first of a queue crosses
}

void FlitSimulation::flit_arrives(Line& line, const FlitOnWire& flit) {
    last_move_ = now_;
    if (!line.to_switch) return;
    const std::uint32_t lane = (*flit.segment.path)[flit.hop].lane;
    std::list<Passage>& buffer = line.buffer[lane];
    if (flit.flit == 0) {
        Passage& passage = buffer.emplace_back();
        ++waiting_[line.channel.to.index()];
        passage.segment = flit.segment;
        passage.hop = flit.hop + 1;
        passage.arrived_by = (*flit.segment.path)[flit.hop].channel;
        passage.arrived_by_lane = lane;
        passage.incoming_flit_time = flit.flit_time;
    }
    if (wormhole()) {
        line.count[lane] += 1;
    } else if (flit.flit == 0) {
        line.count[lane] += flit.segment.flits;
    }
    if (line.count[lane] > in_flits(parameters_.buffer)) throw std::logic_error("a buffer overflows");
    Passage& last = buffer.back();
    if (last.available.size() != flit.flit || last.segment.message != flit.segment.message) {
        throw std::logic_error("flits of two segments are mixed in a lane");
    }
    last.available.push_back(now_ + parameters_.switch_delay);
}

void FlitSimulation::check_marks(Line& line) {
    if (!line.to_switch) return;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        const Time arrives = now_ + line.channel.latency;
        if (!line.stop_sent[lane] && line.count[lane] >= in_flits(parameters_.stop_mark)) {
            line.stop_sent[lane] = true;
            line.notices.push_back({arrives, Notice::Kind::stop, lane, 0});
        } else if (line.stop_sent[lane] && line.count[lane] <= in_flits(parameters_.go_mark)) {
            line.stop_sent[lane] = false;
            line.notices.push_back({arrives, Notice::Kind::go, lane, 0});
        }
    }
}

void FlitSimulation::receive_notice(Line& line, const Notice& notice) {
    last_move_ = now_;
    switch (notice.kind) {
    case Notice::Kind::credit: line.room[notice.lane] += notice.flits; break;
    case Notice::Kind::stop: line.stopped[notice.lane] = true; break;
    case Notice::Kind::go: line.stopped[notice.lane] = false; break;
    }
}

} // namespace orrery::reference
