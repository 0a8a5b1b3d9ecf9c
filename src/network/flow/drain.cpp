#include "network/flow/drain.h"

#include <algorithm>
#include <utility>

namespace orrery {

namespace {

Time after(Time since, double work, double level) {
    const double duration = work / level;
    // At the present level only: a flow may get more before, so that it is not refused until time gets there.
    if (!(duration < Time::longest().picoseconds())) return since + Time::longest();
    return since + Time::from_ps(std::max(duration, 0.0), "the transfer of a message");
}

double passed(Time since, Time now) { return (now - since).picoseconds(); }

} // namespace

double Drain::Clock::read(Time now) const {
    return flows.empty() ? 0 : reading + level * passed(since, now); // without flows the level may be infinite
}

Time Drain::Clock::when(double at) const { return after(since, at - reading, level); }

Drain::Drain(std::size_t links) : clocks_(links), link_at_(links, nowhere) {}

Drain::Member& Drain::enter(FlowId flow) {
    if (flow.index() >= members_.size()) {
        members_.resize(std::max<std::size_t>(flow.index() + 1, 2 * members_.size()));
        flow_at_.resize(members_.size(), nowhere);
    }
    return members_[flow.index()];
}

void Drain::join(FlowId flow, LinkId link, double work, Time now) {
    Clock& clock = clocks_[link.index()];
    if (clock.flows.empty()) { // starts at zero again, so that its reading stays as precise as its flows' work
        clock.reading = 0;
        clock.since = now;
    }
    enter(flow) = {link, now, clock.level, work};
    clock.flows.push(clock.read(now) + work, flow.value, flow_at_);
    wake(link);
}

void Drain::join_alone(FlowId flow, double level, double work, Time now) {
    enter(flow) = {MaxMin::no_link, now, level, work};
    alone_.push(after(now, work, level), flow.value, flow_at_);
}

double Drain::leave(FlowId flow, Time now) {
    const Member& member = members_[flow.index()];
    const std::uint32_t position = std::exchange(flow_at_[flow.index()], nowhere);
    if (member.link == MaxMin::no_link) {
        alone_.remove(position, flow_at_);
        return std::max(0.0, member.work - member.level * passed(member.since, now));
    }
    Clock& clock = clocks_[member.link.index()];
    const double left = clock.flows.at(position).key - clock.read(now);
    clock.flows.remove(position, flow_at_);
    wake(member.link);
    return std::max(0.0, left);
}

void Drain::set_level(LinkId link, double level, Time now) {
    Clock& clock = clocks_[link.index()];
    clock.reading = clock.read(now);
    clock.since = now;
    clock.level = level;
    wake(link);
}

// Puts the link where its first flow belongs.
void Drain::wake(LinkId link) {
    const Clock& clock = clocks_[link.index()];
    const std::uint32_t position = link_at_[link.index()];
    if (clock.flows.empty()) {
        if (position == nowhere) return;
        links_.remove(position, link_at_);
        link_at_[link.index()] = nowhere;
    } else if (const Time first = clock.when(clock.flows.top().key); position == nowhere) {
        links_.push(first, link.value, link_at_);
    } else if (links_.at(position).key != first) {
        links_.change(position, first, link_at_);
    }
}

Time Drain::next() const {
    const Time shared = links_.empty() ? Time::max() : links_.top().key;
    const Time alone = alone_.empty() ? Time::max() : alone_.top().key;
    return std::min(shared, alone);
}

void Drain::finish(Time now, std::vector<FlowId>& finished) {
    alone_.take_until(now, flow_at_, [&](std::uint32_t flow) {
        finished.push_back({flow});
        flow_at_[flow] = nowhere;
    });
    while (!links_.empty() && links_.top().key <= now) {
        const LinkId link{links_.top().item};
        Clock& clock = clocks_[link.index()];
        while (!clock.flows.empty() && clock.when(clock.flows.top().key) <= now) {
            finished.push_back({clock.flows.top().item});
            flow_at_[clock.flows.top().item] = nowhere;
            clock.flows.remove(0, flow_at_);
        }
        wake(link);
    }
}

} // namespace orrery
