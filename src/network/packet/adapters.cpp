// Adapters: messages are cut into segments and wait for the channel of their first hop; and their paths.
#include "engine/error.h"
#include "engine/too_long.h"
#include "machine/platform.h"
#include "network/packet/core.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace orrery::packet {

void Core::start(TransferId transfer, HostId from, HostId to, Bytes bytes, bool control, Time now) {
    assert(now >= now_);
    if (now > now_) run_before(now, all_instants);
    now_ = now;
    process_events();
    const std::uint32_t index = messages_.add();
    Message& message = messages_[index];
    message.transfer = transfer;
    message.from = from;
    message.to = to;
    message.bytes = bytes;
    message.order = start_order_.next(from);
    message.start = now;
    if (from == to) {
        start_loopback(index);
        return;
    }
    const Bytes count = bytes == 0 ? 1 : (bytes - 1) / parameters_.segment + 1;
    if (count > std::numeric_limits<std::int32_t>::max()) {
        throw InputError("a message of more than 2^31 segments; packet.segment is too small for it");
    }
    message.segments = static_cast<std::uint32_t>(count);
    message.to_come = message.segments & 0x7FFF'FFFF;
    message.control = control && control_lane_;
    const std::uint64_t draw = first_draw(message);
    if (numbered_) {
        if (numbers_.size() <= index) numbers_.resize(index + std::size_t{1});
        numbers_[index] = {observed_, draw};
    }
    if (observer_ != nullptr) observer_->message({observed_++, from, to, bytes, control, now});
    if (host_queues_.empty()) {
        message.path = find_path(from, to, draw, message.control);
        join_outbox(index, false);
        activate(channel_of(paths_[message.path]));
    } else {
        HostQueue& queue = host_queue(message);
        queue.messages.append(messages_, index);
        if (!queue.decided) offer_next(queue);
    }
}

// The number of the message, or of its first segment, among those that its host has sent; 0 if the routing does
// not ask for it.
std::uint64_t Core::first_draw(const Message& message) {
    if (draws_.empty()) return 0;
    std::uint64_t& next = draws_[message.from.index()];
    const std::uint64_t draw = next;
    next += host_queues_.empty() ? 1 : message.segments;
    return draw;
}

void Core::start_loopback(std::uint32_t index) {
    const Message& message = messages_[index];
    links_.clear();
    fabric_.platform().route(message.from, message.to, links_);
    Time takes;
    for (const LinkId id : links_) {
        const Link& link = fabric_.platform().link(id);
        add_latency(takes, link.latency);
        if (link.bandwidth > 0)
            takes +=
                transfer_time(static_cast<double>(message.bytes), link.bandwidth, "the transfer of a message");
        check_length(takes);
    }
    odd_deliveries_.push(now_ + takes, 0, index);
}

std::uint32_t Core::find_path(HostId from, HostId to, std::uint64_t draw, bool control) {
    hops_.clear();
    routing_.path(from, to, draw, *this, hops_);
    assert(!hops_.empty());
    const std::size_t count = decides_ == Decides::per_hop ? 1 : hops_.size();
    const std::uint32_t path = paths_.add(count);
    Time before = Time::zero();
    for (std::uint32_t i = 0; i < count; ++i) {
        const Hop& hop = hops_[i];
        const Time flit_time = flit_times_[hop.channel.index()];
        const Slot slot = slot_of(hop.channel.value, control ? lanes_ - 1 : hop.lane);
        paths_.set(path + i, flit_time < before ? slot | Paths::faster : slot);
        before = flit_time;
    }
    return path;
}

std::uint64_t Core::flits_left(const Message& message) const {
    const std::uint64_t whole = message.segments - message.sent - 1;
    return whole * full_flits_ + last_flits(message.bytes);
}

// The message waits for the channel and lane of its first hop.
void Core::join_outbox(std::uint32_t index, bool first) {
    const Slot slot = paths_[messages_[index].path];
    if (first) {
        outbox_[slot].put_first(messages_, index);
    } else {
        outbox_[slot].append(messages_, index);
    }
    if (!adaptive_) return;
    const Message& message = messages_[index];
    if (!host_queues_.empty()) {
        load_[channel_of(slot)] += next_flits(message);
    } else if (message.sent == 0) {
        load_[channel_of(slot)] += flits_left(message);
    }
}

// The next segment of the first message of a host is decided and joins the queue of its channel.
void Core::offer_next(HostQueue& queue) {
    if (queue.messages.empty()) return;
    const std::uint32_t index = queue.messages.take(messages_);
    Message& message = messages_[index];
    message.path =
        find_path(message.from, message.to, numbers_[index].first_draw + message.sent, message.control);
    queue.decided = true;
    join_outbox(index, false);
    activate(channel_of(paths_[message.path]));
}

std::uint32_t Core::take_segment(Slot slot) {
    const std::uint32_t index = outbox_[slot].take(messages_);
    if (!outbox_[slot].empty()) __builtin_prefetch(&messages_[outbox_[slot].head]);
    const std::uint32_t taken = segments_.add();
    Message& message = messages_[index];
    Segment& segment = segments_[taken];
    segment.message = index;
    segment.flits = next_flits(message);
    segment.slot = slot;
    segment.path = message.path + 1;
    segment.number = message.sent++;
    const bool more = message.sent < message.segments;
    segment.payload = static_cast<std::uint32_t>(more ? parameters_.segment
                                                      : message.bytes - segment.number * parameters_.segment);
    segment.first = message.start;
    segment.last = message.start;
    segment.ready = message.start;
    const bool in_order = parameters_.injection == Injection::in_order;
    if (host_queues_.empty()) {
        if (adaptive_) load_[channel_of(slot)] -= segment.flits;
        if (more) join_outbox(index, in_order);
        return taken;
    }
    if (decides_ == Decides::per_hop) {
        paths_.remove(message.path);
    } else {
        segment.block = message.path;
    }
    message.path = none;
    HostQueue& queue = host_queue(message);
    if (more && in_order) queue.messages.put_first(messages_, index);
    if (more && !in_order) queue.messages.append(messages_, index);
    queue.decided = false;
    offer_next(queue);
    if (adaptive_)
        load_[channel_of(slot)] -= segments_[taken].flits; // the next one was decided with it in sight
    return taken;
}

void Core::deliver_segment(Segment& segment, Time at) {
    Message& message = messages_[segment.message];
    message.latest = later(message.latest, at);
    if (--message.to_come > 0) return;
    deliver(segment.message, message.latest);
}

// Most messages end in a whole segment over one of a few kinds of channels, after the same times.
void Core::deliver(std::uint32_t message, Time at) {
    const std::uint32_t line = deliveries_.line(at - now_);
    if (line == none) {
        odd_deliveries_.push(at, 0, message);
    } else {
        deliveries_.push(line, at, message);
    }
}

void Core::segment_done(std::uint32_t index) {
    if (segments_[index].block != none) paths_.remove(segments_[index].block);
    segments_.remove(index);
}

void Core::decide_hop(Segment& segment) {
    const Message& message = messages_[segment.message];
    const Hop arrived_by{LinkId{channel_of(segment.buffer)}, message.control ? 0 : lane_of(segment.buffer)};
    const NodeId at = fabric_.channel(arrived_by.channel).to;
    const Hop hop = routing_.next(at, arrived_by, message.from, message.to,
                                  numbers_[segment.message].first_draw + segment.number, *this);
    segment.slot = slot_of(hop.channel.value, message.control ? lanes_ - 1 : hop.lane);
}

PacketObserver::Traversal Core::traversal_of(const Segment& segment, Time start, Time end) const {
    const Message& message = messages_[segment.message];
    return {LinkId{channel_of(segment.slot)},
            lane_of(segment.slot),
            numbers_[segment.message].number,
            segment.number,
            segment.number + 1 == message.segments,
            segment.payload,
            segment.first,
            start,
            end};
}

} // namespace orrery::packet
