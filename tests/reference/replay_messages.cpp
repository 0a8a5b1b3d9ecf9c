// ReplayTwin, part 3 of 6: what becomes of a message.
//
// A message meets its receive when its envelope arrives: with all of its bytes up to the eager limit, with the
// request of the handshake above it. Between two ranks envelopes arrive in the order in which they were sent.
// Or (matching at the send) it meets its receive at once.
#include "reference/replay_twin.h"

#include <algorithm>
#include <tuple>

namespace orrery::reference {

namespace {

void remove(std::vector<PostedRequest*>& from, const PostedRequest& which) {
    from.erase(std::find(from.begin(), from.end(), &which));
}

} // namespace

PostedRequest& ReplayTwin::make(const Fiber& fiber, PostedRequest::Kind kind) {
    PostedRequest& made = *requests_.emplace_back(std::make_unique<PostedRequest>());
    made.kind = kind;
    made.rank = fiber.rank;
    made.cpu = fiber.cpu;
    made.order = {fiber.cpu == 0 ? 0 : fiber.number, ++posted_so_far_};
    made.posted = now_;
    return made;
}

PostedRequest& ReplayTwin::post_send(Fiber& fiber, const PostedRequest& message, bool synchronous) {
    const EndpointParameters& endpoint = options_.endpoint;
    PostedRequest& sent = make(fiber, PostedRequest::Kind::send);
    sent.from = message.from;
    sent.to = message.to;
    sent.context = message.context;
    sent.tag = message.tag;
    sent.bytes = message.bytes;
    sent.eager = !synchronous && message.bytes < endpoint.eager_below;
    sent.fetched = endpoint.fetched && !sent.eager && hosts_[sent.from] == hosts_[sent.to];
    sent.flows = sent.fetched || (sent.eager && sent.bytes < endpoint.flows_below);
    ++result_.messages;
    result_.bytes += sent.bytes;
    if (by_cpu()) {
        leave(LeavingKind::envelope, sent);
    } else {
        send_at_once(sent);
    }
    if (sent.eager) complete(sent);
    return sent;
}

PostedRequest& ReplayTwin::post_receive(Fiber& fiber, const PostedRequest& message) {
    PostedRequest& receive = make(fiber, PostedRequest::Kind::receive);
    receive.from = message.from;
    receive.to = message.to;
    receive.context = message.context;
    receive.tag = message.tag;
    receive.bytes = message.bytes;
    if (PostedRequest* const found = find_message(receive)) {
        remove(unexpected_, *found);
        match(*found, receive);
    } else {
        posted_.push_back(&receive);
    }
    return receive;
}

// The message that such a receive would take.
PostedRequest* ReplayTwin::find_message(const PostedRequest& receive) {
    for (PostedRequest* const each : unexpected_) {
        if (each->matches(receive)) return each;
    }
    return nullptr;
}

// The oldest receive for a message. Those that nobody wants any more let it pass by.
PostedRequest* ReplayTwin::find_receive(const PostedRequest& send) {
    for (std::size_t i = 0; i < posted_.size();) {
        PostedRequest* const each = posted_[i];
        if (!send.matches(*each)) {
            ++i;
            continue;
        }
        posted_.erase(posted_.begin() + static_cast<std::ptrdiff_t>(i));
        if (!each->forgotten) return each;
        passed_by_.push_back(each);
    }
    return nullptr;
}

// Matching at the send.
void ReplayTwin::send_at_once(PostedRequest& sent) {
    const EndpointParameters& endpoint = options_.endpoint;
    if (sent.flows) fly(FlightKind::data, sent);
    if (!sent.fetched && !sent.eager && endpoint.handshake && endpoint.control_bytes > 0) {
        sent.request_away = true;
        fly(FlightKind::request, sent);
    }
    announce(sent);
}

void ReplayTwin::leave(LeavingKind kind, PostedRequest& send) {
    const PostedRequest& leaves = kind == LeavingKind::clear_to_send ? *send.partner : send;
    LeavingMessage leaving{leaves.rank, leaves.cpu, kind, leaves.order, &send, {}};
    if (kind == LeavingKind::data && send.eager) {
        leaving.kind = LeavingKind::eager_data; // in the order of those who receive them
        leaving.order = {send.to, send.partner->order.second};
    }
    leaving_.push_back(leaving);
}

bool ReplayTwin::messages_leave() {
    if (leaving_.empty()) return false;
    std::stable_sort(leaving_.begin(), leaving_.end(), [](const LeavingMessage& a, const LeavingMessage& b) {
        return std::tie(a.rank, a.cpu, a.kind, a.order) < std::tie(b.rank, b.cpu, b.kind, b.order);
    });
    for (std::size_t i = 0; i < leaving_.size(); ++i) { // one may let another leave
        const LeavingMessage leaving = leaving_[i];
        switch (leaving.kind) {
        case LeavingKind::envelope: envelope_leaves(*leaving.send); break;
        case LeavingKind::clear_to_send: clear_to_send_leaves(*leaving.send); break;
        case LeavingKind::data:
        case LeavingKind::eager_data: fly(FlightKind::data, *leaving.send); break;
        case LeavingKind::one_sided: leaving.leaves(); break;
        }
    }
    leaving_.clear();
    return true;
}

void ReplayTwin::envelope_leaves(PostedRequest& send) {
    under_way_.push_back(&send);
    if (send.flows) return fly(FlightKind::data, send);
    if (!options_.endpoint.handshake) return envelope_arrives(send);
    if (options_.endpoint.control_bytes > 0) return fly(FlightKind::request, send);
    at(now_ + delays_.of_envelope(hosts_[send.from], hosts_[send.to]), [this, &send] {
        send.request_there = true;
        envelope_arrives(send);
    });
}

void ReplayTwin::clear_to_send_leaves(PostedRequest& send) {
    if (options_.endpoint.control_bytes > 0) return fly(FlightKind::clear_to_send, send);
    at(now_ + delays_.of_envelope(hosts_[send.to], hosts_[send.from]), [this, &send] { cleared(send); });
}

void ReplayTwin::cleared(PostedRequest& send) {
    if (by_cpu()) {
        leave(LeavingKind::data, send);
    } else {
        fly(FlightKind::data, send);
    }
}

void ReplayTwin::fly(FlightKind kind, PostedRequest& send) {
    HostId from = hosts_[send.from];
    HostId to = hosts_[send.to];
    Bytes bytes = send.bytes + options_.endpoint.envelope;
    if (kind != FlightKind::data) bytes = options_.endpoint.control_bytes;
    if (kind == FlightKind::clear_to_send) std::swap(from, to);
    flights_.push_back({now_ + delays_.of(from, to, bytes), kind, &send, {}});
}

// All that arrives at this instant and has started before it.
bool ReplayTwin::land() {
    std::vector<MessageFlight> arrived;
    for (const MessageFlight& flight : flights_) {
        if (flight.arrives == now_) arrived.push_back(flight);
    }
    std::erase_if(flights_, [&](const MessageFlight& flight) { return flight.arrives == now_; });
    for (const MessageFlight& flight : arrived) {
        if (flight.kind != FlightKind::one_sided) landed(flight);
    }
    for (const MessageFlight& flight : arrived) {
        if (flight.kind == FlightKind::one_sided) flight.lands();
    }
    return !arrived.empty();
}

void ReplayTwin::landed(const MessageFlight& flight) {
    PostedRequest& send = *flight.send;
    switch (flight.kind) {
    case FlightKind::request:
        send.request_there = true;
        if (by_cpu()) return envelope_arrives(send);
        if (send.partner != nullptr) clear_to_send_leaves(send);
        return;
    case FlightKind::clear_to_send: return cleared(send);
    case FlightKind::data:
        if (by_cpu() && send.flows) return envelope_arrives(send);
        return bytes_arrive(send);
    case FlightKind::one_sided: return;
    }
}

// Those of the same two ranks that were sent before it come first.
void ReplayTwin::envelope_arrives(PostedRequest& send) {
    send.envelope_there = true;
    for (std::size_t i = 0; i < under_way_.size();) {
        PostedRequest& first = *under_way_[i];
        if (first.from != send.from || first.to != send.to) {
            ++i;
            continue;
        }
        if (!first.envelope_there) return;
        under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(i));
        announce(first);
    }
}

// It can be matched from now on.
void ReplayTwin::announce(PostedRequest& send) {
    send.announced = true;
    if (send.withdrawn) return;
    if (by_cpu() && send.flows) send.bytes_there = true;
    if (PostedRequest* const receive = find_receive(send)) {
        match(send, *receive);
    } else {
        unexpected_.push_back(&send);
    }
    message_came(send.to);
}

void ReplayTwin::message_came(std::uint32_t rank) {
    if (fibers_[rank]->probes) let_go_on(*fibers_[rank]);
}

void ReplayTwin::match(PostedRequest& send, PostedRequest& receive) {
    send.partner = &receive;
    receive.partner = &send;
    receive.bytes = send.bytes;
    receive.eager = send.eager;
    receive.fetched = send.fetched;
    if (send.bytes_there) return take_or_complete(receive);
    if (by_cpu()) return leave(send.request_there ? LeavingKind::clear_to_send : LeavingKind::data, send);
    if (send.flows) return;
    if (send.request_there) return clear_to_send_leaves(send);
    if (send.request_away) return; // it is answered when it arrives
    if (!options_.endpoint.handshake || send.eager) return fly(FlightKind::data, send);
    const Time requested = later(now_, send.posted + delays_.of_envelope(hosts_[send.from], hosts_[send.to]));
    at(requested + delays_.of_envelope(hosts_[send.to], hosts_[send.from]), [this, &send] { cleared(send); });
}

// Of a message that is matched, or (matching at the send) may be.
void ReplayTwin::bytes_arrive(PostedRequest& send) {
    send.bytes_there = true;
    if (send.withdrawn) return;
    if (send.partner != nullptr) take_or_complete(*send.partner);
    if (!send.fetched && !send.complete) complete(send);
}

// What costs nothing needs no CPU.
void ReplayTwin::take_or_complete(PostedRequest& receive) {
    if (receive.fetched || (by_cpu() && taking_cost(receive) > Time::zero())) return to_be_taken(receive);
    complete(receive);
}

void ReplayTwin::taken(PostedRequest& request) { complete(request); }

// The sender of a message that is fetched learns of its end.
void ReplayTwin::told(PostedRequest& send) {
    if (!send.forgotten && taking_cost(send) > Time::zero()) return to_be_taken(send);
    complete(send);
}

void ReplayTwin::complete(PostedRequest& request) {
    request.complete = true;
    request.completed = now_;
    for (const std::unique_ptr<Fiber>& fiber : fibers_) {
        if (fiber->state != Fiber::State::in_call) continue;
        const std::vector<PostedRequest*>& awaited = fiber->awaited;
        if (std::find(awaited.begin(), awaited.end(), &request) == awaited.end()) continue;
        if (!fiber->one_is_enough)
            fiber->paid_until = later(fiber->paid_until, taking_until(fiber->rank)) + waiting_cost(request);
        const bool all = std::all_of(awaited.begin(), awaited.end(), [](auto* each) { return each->complete; });
        if (fiber->one_is_enough || all) let_go_on(*fiber);
    }
}

// Nobody has received it: nobody will. What of it is on its way still arrives.
void ReplayTwin::withdraw(PostedRequest& send) {
    if (send.partner != nullptr) return;
    if (send.announced) {
        if (std::find(unexpected_.begin(), unexpected_.end(), &send) == unexpected_.end()) return; // taken
        remove(unexpected_, send);
    }
    send.withdrawn = true;
    if (!send.complete) complete(send);
}

// Nothing else can happen any more: receives that a message has passed by take one that nobody else has taken.
bool ReplayTwin::forgotten_receive() {
    const std::vector<PostedRequest*> forgotten = std::exchange(passed_by_, {});
    bool any = false;
    for (PostedRequest* const receive : forgotten) {
        if (PostedRequest* const found = find_message(*receive)) {
            any = true;
            remove(unexpected_, *found);
            match(*found, *receive);
        } else {
            passed_by_.push_back(receive);
        }
    }
    return any;
}

Time ReplayTwin::taking_cost(const PostedRequest& request) const {
    const EndpointParameters& endpoint = options_.endpoint;
    if (request.kind == PostedRequest::Kind::send) return cost(endpoint.completion_overhead, request.bytes);
    const bool free = endpoint.overhead_if_eager_only && !request.eager && !request.fetched;
    return free ? Time::zero() : cost(endpoint.recv_overhead, request.bytes);
}

// Matching at the send: what the wait for it costs.
Time ReplayTwin::waiting_cost(const PostedRequest& request) const {
    if (by_cpu() || request.kind != PostedRequest::Kind::receive || request.fetched) return Time::zero();
    return taking_cost(request);
}

} // namespace orrery::reference
