// When the routing is asked for what, and what it sees of the network ("Routes" in docs/packet.md).
#include "reference/flit_simulation.h"

#include <algorithm>

namespace orrery::reference {

void FlitSimulation::join(std::uint32_t message) {
    last_move_ = now_;
    const FlitMessage& each = messages_[message];
    Outgoing& outgoing = outgoing_[message];
    if (per_segment()) {
        const bool priority = each.control && parameters_.control_priority;
        undecided_[each.from.index()][priority ? 1 : 0].messages.push_back(std::move(outgoing));
        offer_next(each.from, priority);
        return;
    }
    std::vector<Hop> path;
    routing_.path(each.from, each.to, outgoing.draw, *this, path);
    for (const FlitSegment& segment : outgoing.segments) {
        *segment.path = path;
        set_lanes(segment);
    }
    const Hop first = outgoing.segments.front().path->front();
    line(first.channel).messages[first.lane].push_back(std::move(outgoing));
}

// The first segment of the first message is decided, if it is not yet, and joins the queue of its channel.
void FlitSimulation::offer_next(HostId host, bool priority) {
    Undecided& undecided = undecided_[host.index()][priority ? 1 : 0];
    if (undecided.offered || undecided.messages.empty()) return;
    undecided.offered = true;
    const Outgoing& message = undecided.messages.front();
    const FlitSegment& segment = message.segments.front();
    const FlitMessage& each = messages_[segment.message];
    if (routing_.decides() == Decides::per_hop) {
        segment.path->push_back(
            routing_.next(NodeId{host.value}, {no_link, 0}, each.from, each.to, segment.draw, *this));
    } else {
        routing_.path(each.from, each.to, segment.draw, *this, *segment.path);
    }
    set_lanes(segment);
    const Hop first = segment.path->front();
    line(first.channel).messages[first.lane].push_back({{segment}, message.time});
}

void FlitSimulation::started(HostId host, bool priority) {
    Undecided& undecided = undecided_[host.index()][priority ? 1 : 0];
    undecided.offered = false;
    Outgoing message = std::move(undecided.messages.front());
    undecided.messages.pop_front();
    message.segments.pop_front();
    if (!message.segments.empty()) {
        if (parameters_.injection == Injection::interleaved) {
            undecided.messages.push_back(std::move(message));
        } else {
            undecided.messages.push_front(std::move(message));
        }
    }
    offer_next(host, priority);
}

void FlitSimulation::decide_hops() {
    for (Line& line : lines_) {
        for (std::list<Passage>& buffer : line.buffer) {
            for (Passage& each : buffer) {
                if (!each.decided() && each.first() <= now_) decide_hop(each, line.channel.to);
                if (parameters_.queueing != Queueing::output) break; // only the first of a queue
            }
        }
    }
}

void FlitSimulation::decide_hop(Passage& passage, NodeId at) {
    const FlitMessage& message = messages_[passage.segment.message];
    passage.segment.path->push_back(routing_.next(at, {passage.arrived_by, passage.arrived_by_lane},
                                                  message.from, message.to, passage.segment.draw, *this));
    set_lanes(passage.segment);
}

void FlitSimulation::set_lanes(const FlitSegment& segment) const {
    if (!parameters_.control_priority || !messages_[segment.message].control) return;
    for (Hop& hop : *segment.path) hop.lane = lanes_ - 1;
}

bool FlitSimulation::waits_for(const Passage& passage, LinkId channel) const {
    if (!passage.decided() || passage.next().channel != channel) return false;
    if (routing_.decides() == Decides::per_hop) return true;
    const bool at_once = wormhole() || combined();
    const Time since = at_once ? passage.first() : candidate_since(passage, lines_[channel.index()]);
    return since <= now_;
}

Bytes FlitSimulation::queued(LinkId channel) const {
    const Line& line = lines_[channel.index()];
    Bytes flits = 0;
    for (const std::deque<Outgoing>& queue : line.messages) {
        for (const Outgoing& message : queue) {
            for (const FlitSegment& segment : message.segments) flits += segment.flits;
        }
    }
    for (const Passage& each : line.leaving) flits += each.segment.flits;
    for (const std::list<Passage>& output : line.output) {
        for (const Passage& each : output) flits += waits_for(each, channel) ? each.segment.flits : 0;
    }
    if (line.from_host) return flits * parameters_.flit;
    for (std::uint32_t port = 0; port < fabric_.port_count(line.channel.from); ++port) {
        const LinkId input = fabric_.in(line.channel.from, port);
        if (input == no_link) continue;
        for (const std::list<Passage>& buffer : lines_[input.index()].buffer) {
            for (const Passage& each : buffer) {
                if (combined() && each.begun) continue; // it is in the output buffer as well
                flits += waits_for(each, channel) ? each.segment.flits : 0;
            }
        }
    }
    return flits * parameters_.flit;
}

} // namespace orrery::reference
