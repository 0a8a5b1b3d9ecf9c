#include "protocol/messenger.h"

#include "engine/sums.h"
#include "protocol/sort_by_runs.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace orrery {

Messenger::Messenger(const EndpointParameters& endpoint, Network& network, Clock& clock,
                     std::vector<HostId> hosts, ReplayObserver* observer, Payloads* payloads)
    : endpoint_(endpoint), network_(network), clock_(clock), hosts_(std::move(hosts)), observer_(observer),
      payloads_(payloads), lists_(hosts_.size()) {}

RequestId Messenger::make(Request::Kind kind, const Message& message, std::uint32_t rank, std::uint32_t peer) {
    const RequestId id = requests_.add_as_left();
    // Each member by itself: a whole one, made on the stack first, would wait for the stores before it.
    Request& request = requests_[id];
    request.posted = clock_.now();
    request.moved = Time::zero();
    request.bytes = message.bytes;
    request.rank = rank;
    request.peer = peer;
    request.partner = no_request;
    request.context = message.context;
    request.tag = message.tag;
    request.waiter = nobody;
    request.line = message.line;
    request.kind = kind;
    request.flags = 0;
    request.phase = Request::Phase::data;
    request.turn = message.order;
    request.bits = message.cpu;
    return id;
}

[[gnu::flatten]] RequestId Messenger::send(const Message& message, bool synchronous) {
    const RequestId id = make(Request::Kind::send, message, message.from, message.to);
    ++statistics_.messages;
    add_bytes(statistics_.bytes, message.bytes);
    if (message.context % 2 == 0) { // see Communicators::messages_context
        ++statistics_.point_to_point;
        statistics_.point_to_point_bytes += message.bytes;
    }
    ++statistics_.by_size[static_cast<std::size_t>(std::bit_width(message.bytes))];

    const bool eager = !synchronous && message.bytes < endpoint_.eager_below;
    if (eager) requests_[id].flags |= Request::eager;
    if (logs()) events_->message_waits(id, message.from);
    if (processors_ != nullptr) {
        send_by_interface(id);
        return id;
    }
    const bool fetch = endpoint_.fetched && !eager && hosts_[message.from] == hosts_[message.to];
    if (fetch) requests_[id].flags |= Request::fetch;
    if (endpoint_.matching == Matching::at_arrival) {
        if (payloads_ != nullptr) payloads_->sent(requests_[id], nullptr);
        leave(Leaving::envelope, id);
        if (eager) complete(id);
        return id;
    }
    if (fetch || (eager && message.bytes < endpoint_.flows_below)) begin(id);
    if (!fetch && !eager && endpoint_.handshake && endpoint_.control_bytes > 0) request_to_send(id);
    const std::optional<RequestId> found = take_posted(requests_[id]);
    if (found) {
        match(id, *found);
    } else {
        unexpected_.append(lists_[message.to].unexpected, {message.context, message.from, message.tag}, id);
    }
    came_to(message.to, clock_.now()); // a probe can see it
    if (payloads_ != nullptr) payloads_->sent(requests_[id], found ? &requests_[*found] : nullptr);
    if (eager) complete(id);
    return id;
}

void Messenger::leave(Leaving what, RequestId id) {
    const Request& sent = requests_[id];
    const Request& leaves = what == Leaving::clear_to_send ? requests_[sent.partner] : sent;
    const std::uint64_t cpu = leaves.bits & Request::posters;
    std::uint64_t order = leaves.turn;
    if (what == Leaving::eager_data)
        order = std::uint64_t{sent.peer} << 32 | (requests_[sent.partner].turn & 0xFFFF'FFFF);
    if (logs() && what != Leaving::envelope) events_->message_waits(id, leaves.rank);
    departures_.push_back(
        {std::uint64_t{leaves.rank} << 8 | cpu << 4 | static_cast<std::uint64_t>(what), order, id});
}

[[gnu::flatten]] void Messenger::depart() {
    if (departures_.size() > 1 && !std::is_sorted(departures_.begin(), departures_.end()))
        sort_by_runs(departures_);
    for (std::size_t i = 0; i < departures_.size(); ++i) { // what leaves may let others leave
        const RequestId id = departures_[i].request;
        if (logs()) events_->leaves(id, static_cast<std::uint32_t>(departures_[i].place >> 8));
        switch (static_cast<Leaving>(departures_[i].place & 0xF)) {
        case Leaving::envelope: send_envelope(id); break;
        case Leaving::clear_to_send: clear_to_send(id); break;
        case Leaving::data:
        case Leaving::eager_data:
        case Leaving::one_sided: begin(id); break;
        }
    }
    departures_.clear();
}

void Messenger::send_envelope(RequestId id) {
    const Request& sent = requests_[id];
    const bool flows =
        sent.is(Request::fetch) || (sent.is(Request::eager) && sent.bytes < endpoint_.flows_below);
    join_pair(id);
    if (flows) return begin(id);
    if (endpoint_.handshake) return request_to_send(id);
    envelope_arrived(id);
}

// Behind those of the same pair of ranks that are on their way.
void Messenger::join_pair(RequestId id) {
    Request& sent = requests_[id];
    std::uint32_t& last = last_of_pair_.at(sent.rank, sent.peer, id);
    if (last == id) return;
    requests_[last].partner = id;
    sent.bits |= Request::behind;
    last = id;
}

// Returns the next of its pair, if there is one.
RequestId Messenger::leave_pair(RequestId id) {
    const RequestId next = std::exchange(requests_[id].partner, no_request);
    if (next == no_request) {
        last_of_pair_.erase(requests_[id].rank, requests_[id].peer);
    } else {
        requests_[next].bits &= static_cast<std::uint8_t>(~Request::behind);
    }
    return next;
}

void Messenger::envelope_arrived(RequestId id) {
    if (requests_[id].is(Request::behind)) {
        requests_[id].bits |= Request::held;
        return;
    }
    for (;;) {
        const RequestId next = leave_pair(id);
        announce(id);
        if (next == no_request || !requests_[next].is(Request::held)) return;
        id = next;
    }
}

// The envelope is there, and all that were sent before it: the message meets its receive, or waits for one.
void Messenger::announce(RequestId id) {
    Request& sent = requests_[id];
    sent.bits |= Request::announced;
    if (sent.is(Request::withdrawn)) {
        sent.flags |= Request::arrived;
        return dispose_if_over(id);
    }
    if (sent.is(Request::started)) sent.flags |= Request::arrived; // with all its bytes
    sent.moved = clock_.now();
    came_to(sent.peer, clock_.now());
    if (const std::optional<RequestId> found = take_posted(sent)) return match(id, *found);
    unexpected_.append(lists_[sent.peer].unexpected, {sent.context, sent.rank, sent.tag}, id);
}

// The oldest receive that waits for it; those that nobody wants any more stand back.
std::optional<RequestId> Messenger::take_posted(const Request& sent) {
    const Envelope envelope{sent.context, sent.rank, sent.tag};
    auto found = posted_.take(lists_[sent.peer].posted, envelope);
    while (found && requests_[*found].is(Request::released)) {
        forgotten_.push_back(*found);
        found = posted_.take(lists_[sent.peer].posted, envelope);
    }
    return found;
}

[[gnu::flatten]] RequestId Messenger::recv(const Message& message) {
    const RequestId id = make(Request::Kind::recv, message, message.to, message.from);
    const Envelope envelope{message.context, message.from, message.tag};
    if (const auto found = unexpected_.take(lists_[message.to].unexpected, envelope)) {
        match(*found, id);
    } else {
        posted_.append(lists_[message.to].posted, envelope, id);
    }
    return id;
}

std::optional<Bytes> Messenger::peek(const Message& message) {
    const Envelope envelope{message.context, message.from, message.tag};
    const auto found = unexpected_.peek(lists_[message.to].unexpected, envelope);
    return found && visible(*found) ? std::optional(requests_[*found].bytes) : std::nullopt;
}

const Request* Messenger::look_at(const Message& message) {
    const Envelope envelope{message.context, message.from, message.tag};
    const auto found = unexpected_.peek(lists_[message.to].unexpected, envelope);
    return found && visible(*found) ? &requests_[*found] : nullptr;
}

std::optional<RequestId> Messenger::take(const Message& message) {
    const Envelope envelope{message.context, message.from, message.tag};
    return unexpected_.take(lists_[message.to].unexpected, envelope);
}

RequestId Messenger::recv_taken(RequestId send, const Message& message) {
    const RequestId id = make(Request::Kind::recv, message, message.to, message.from);
    match(send, id);
    return id;
}

bool Messenger::cancel(RequestId id) {
    if (requests_[id].is(Request::matched)) return false;
    if (requests_[id].kind == Request::Kind::send)
        return processors_ != nullptr ? withdraw_by_interface(id) : withdraw(id);
    posted_.remove(lists_[requests_[id].rank].posted, id);
    requests_[id].moved = clock_.now();
    complete(id);
    return true;
}

bool Messenger::withdraw(RequestId send) {
    Request& sent = requests_[send];
    const bool to_come = endpoint_.matching == Matching::at_arrival && !sent.is(Request::announced);
    if (!to_come && !unexpected_.remove(lists_[sent.peer].unexpected, send))
        return false; // a probe has taken it
    const bool under_way = to_come || sent.phase == Request::Phase::request ||
                           (sent.is(Request::started) && !sent.is(Request::arrived));
    sent.flags |= Request::withdrawn | Request::matched;
    if (!under_way) sent.flags |= Request::arrived;
    if (!sent.is(Request::complete)) complete(send);
    return true;
}

RequestId Messenger::transfer(std::uint32_t from, std::uint32_t to, Bytes bytes, std::uint32_t line) {
    const RequestId id =
        make(Request::Kind::transfer, {from, to, 0, 0, bytes, line, 0, ++transfers_}, from, to);
    ++statistics_.messages;
    add_bytes(statistics_.bytes, bytes);
    ++statistics_.by_size[static_cast<std::size_t>(std::bit_width(bytes))];
    if (processors_ == nullptr && endpoint_.matching == Matching::at_arrival) {
        leave(Leaving::one_sided, id);
    } else {
        begin(id);
    }
    return id;
}

RequestId Messenger::activity(std::uint32_t rank) { return make(Request::Kind::activity, {}, rank, rank); }

void Messenger::finish(RequestId activity) {
    if (processors_ != nullptr) {
        Request& request = requests_[activity];
        request.moved = later(clock_.now(), processors_->cpu_free(request.rank, 0));
        request.turn = clock_.draw();
    }
    complete(activity);
    if (logs() && processors_ != nullptr)
        events_->released_at(activity, requests_[activity].rank, 0, requests_[activity].moved);
}

void Messenger::match(RequestId send, RequestId recv) {
    Request& sent = requests_[send];
    Request& received = requests_[recv];
    sent.partner = recv;
    received.partner = send;
    sent.flags |= Request::matched;
    received.flags |= Request::matched;
    received.flags |= sent.flags & (Request::eager | Request::fetch);
    if (sent.bytes > received.bytes) ++statistics_.truncated;
    received.peer = sent.rank;
    received.tag = sent.tag;
    received.bytes = sent.bytes;
    if (processors_ != nullptr) return match_taken(send, later(clock_.now(), sent.moved));
    const bool at_arrival = endpoint_.matching == Matching::at_arrival;
    if (sent.is(Request::arrived)) {
        if (observer_ != nullptr && !sent.is(Request::fetch)) tell_received(sent, sent.moved);
        take_or_complete(send);
        dispose_if_over(send);
    } else if (!sent.is(Request::started)) {
        if (sent.phase == Request::Phase::requested)
            return at_arrival ? leave(Leaving::clear_to_send, send) : clear_to_send(send);
        if (sent.phase == Request::Phase::request) return; // answered when it arrives
        if (at_arrival) return leave_with_data(send);
        if (!endpoint_.handshake || sent.is(Request::eager)) return begin(send);
        // The request is under way since the send; the clear-to-send goes back when it and the receive are
        // there.
        const Time latency = network_.latency(hosts_[sent.rank], hosts_[sent.peer]);
        const Time requested = later(clock_.now(), sent.posted + latency);
        const Time cleared = requested + network_.latency(hosts_[sent.peer], hosts_[sent.rank]);
        if (logs()) events_->answers(send, sent.peer, sent.rank, sent.posted, latency, requested, cleared);
        clock_.at(cleared, Clock::Kind::start_transfer, send);
    }
}

// It is there, with all its bytes, and has its receive.
void Messenger::take_or_complete(RequestId send) {
    Request& sent = requests_[send];
    const Request& received = requests_[sent.partner];
    if (!sent.is(Request::fetch) && (!driver_takes_ || taking_cost(received) == Time::zero()))
        return end_receive(send);
    if (logs()) events_->message_waits(send, sent.peer);
    sent.bits |= Request::to_be_taken;
    to_take_.push_back(sent.partner);
}

void Messenger::end_receive(RequestId send) {
    const Request& sent = requests_[send];
    hand_over(sent);
    complete(sent.partner);
}

void Messenger::taken(RequestId request) {
    if (requests_[request].kind == Request::Kind::send) {
        complete(request);
        return dispose_if_over(request);
    }
    const RequestId send = requests_[request].partner;
    Request& sent = requests_[send];
    sent.bits &= static_cast<std::uint8_t>(~Request::to_be_taken);
    if (sent.is(Request::fetch) && observer_ != nullptr) {
        observer_->delivered(sent.rank, sent.peer, sent.tag, sent.bytes, sent.posted, clock_.now());
        tell_received(sent, clock_.now());
    }
    end_receive(send);
    dispose_if_over(send);
}

void Messenger::told(RequestId send) {
    const Request& sent = requests_[send];
    if (!sent.is(Request::released) && taking_cost(sent) > Time::zero()) return to_take_.push_back(send);
    complete(send);
    dispose_if_over(send);
}

void Messenger::begin(RequestId send) {
    Request& sent = requests_[send];
    sent.flags |= Request::started;
    sent.moved = clock_.now();
    if (logs()) events_->departs(send, sent.rank, clock_.now());
    network_.start(TransferId{send}, hosts_[sent.rank], hosts_[sent.peer], sent.bytes + endpoint_.envelope,
                   clock_.now());
}

void Messenger::request_to_send(RequestId send) {
    Request& sent = requests_[send];
    sent.phase = Request::Phase::request;
    if (endpoint_.control_bytes == 0) {
        const Time arrives = clock_.now() + network_.latency(hosts_[sent.rank], hosts_[sent.peer]);
        if (logs()) events_->travels(send, sent.rank, sent.peer, clock_.now(), arrives);
        return clock_.at(arrives, Clock::Kind::arrival, send);
    }
    if (logs()) events_->departs(send, sent.rank, clock_.now());
    network_.start_control(TransferId{send}, hosts_[sent.rank], hosts_[sent.peer], endpoint_.control_bytes,
                           clock_.now());
}

void Messenger::clear_to_send(RequestId send) {
    Request& sent = requests_[send];
    sent.phase = Request::Phase::clear_to_send;
    if (endpoint_.control_bytes == 0) {
        const Time arrives = clock_.now() + network_.latency(hosts_[sent.peer], hosts_[sent.rank]);
        if (logs()) events_->travels(send, sent.peer, sent.rank, clock_.now(), arrives);
        return clock_.at(arrives, Clock::Kind::start_transfer, send);
    }
    if (logs()) events_->departs(send, sent.peer, clock_.now());
    network_.start_control(TransferId{send}, hosts_[sent.peer], hosts_[sent.rank], endpoint_.control_bytes,
                           clock_.now());
}

void Messenger::start_transfer(RequestId send) {
    requests_[send].phase = Request::Phase::data;
    if (endpoint_.matching == Matching::at_arrival) {
        if (logs()) events_->because_of_message(send);
        return leave_with_data(send);
    }
    if (logs()) events_->because_of_message(send);
    begin(send);
}

[[gnu::flatten]] void Messenger::arrive(std::span<const TransferId> transfers) {
    for (std::size_t i = 0; i < transfers.size(); ++i) {
        // Thousands may arrive at once: what the next ones need comes into the cache meanwhile.
        if (i + 8 < transfers.size()) __builtin_prefetch(&requests_[transfers[i + 8].value], 1);
        if (i + 4 < transfers.size()) prefetch_partner(requests_[transfers[i + 4].value]);
        arrive_one(transfers[i].value);
    }
}

void Messenger::arrive(const Clock::Due& due) {
    if (processors_ != nullptr) return arrive_by_interface(due);
    if (logs()) events_->because_of_message(due.ref);
    requests_[due.ref].phase = Request::Phase::requested;
    envelope_arrived(due.ref);
}

// Of what the network has transferred: a request, a clear-to-send, or the bytes.
void Messenger::log_arrival(RequestId id) {
    const Request& sent = requests_[id];
    const bool back = sent.phase == Request::Phase::clear_to_send;
    const bool control = back || sent.phase == Request::Phase::request;
    events_->arrives(id, control ? EventKind::control : EventKind::transfer, back ? sent.peer : sent.rank,
                     back ? sent.rank : sent.peer,
                     control ? endpoint_.control_bytes : sent.bytes + endpoint_.envelope, clock_.now());
}

void Messenger::arrive_one(RequestId id) {
    Request& sent = requests_[id];
    if (logs()) log_arrival(id);
    if (sent.kind == Request::Kind::transfer) {
        if (logs()) events_->transferred(sent.line);
        transferred_.push_back({sent.line, sent.peer});
        return dispose(id);
    }
    const bool at_arrival = endpoint_.matching == Matching::at_arrival;
    if (at_arrival && !sent.is(Request::announced)) {
        if (sent.phase == Request::Phase::request) {
            sent.phase = Request::Phase::requested;
        } else if (observer_ != nullptr && !sent.is(Request::withdrawn)) {
            observer_->delivered(sent.rank, sent.peer, sent.tag, sent.bytes, sent.posted, clock_.now());
        }
        return envelope_arrived(id);
    }
    if (sent.is(Request::withdrawn)) {
        sent.flags |= Request::arrived;
        return dispose_if_over(id);
    }
    if (sent.phase == Request::Phase::request) {
        sent.phase = Request::Phase::requested;
        if (sent.is(Request::matched)) clear_to_send(id);
        return;
    }
    if (sent.phase == Request::Phase::clear_to_send) {
        return start_transfer(id);
    }
    sent.flags |= Request::arrived;
    if (!sent.is(Request::matched)) sent.moved = clock_.now();
    if (!sent.is(Request::fetch)) {
        deliver(id);
    } else if (sent.is(Request::matched)) {
        take_or_complete(id);
    }
}

void Messenger::deliver(RequestId id) {
    const Request& sent = requests_[id];
    if (observer_ != nullptr)
        observer_->delivered(sent.rank, sent.peer, sent.tag, sent.bytes, sent.posted, clock_.now());
    if (observer_ != nullptr && sent.is(Request::matched)) tell_received(sent, clock_.now());
    if (sent.is(Request::matched)) take_or_complete(id);
    if (!requests_[id].is(Request::complete)) complete(id);
    dispose_if_over(id);
}

void Messenger::tell_received(const Request& sent, Time arrived) {
    // What flows before there is a receive left when it was sent.
    const bool at_once = processors_ != nullptr || sent.is(Request::fetch) ||
                         (sent.is(Request::eager) && sent.bytes < endpoint_.flows_below);
    observer_->received({.from = sent.rank,
                         .to = sent.peer,
                         .send_line = sent.line,
                         .recv_line = requests_[sent.partner].line,
                         .tag = sent.tag,
                         .collective = sent.context % 2 != 0, // see Communicators::messages_context
                         .bytes = sent.bytes,
                         .sent = sent.posted,
                         .left = at_once ? sent.posted : sent.moved,
                         .posted = requests_[sent.partner].posted,
                         .arrived = arrived});
}

void Messenger::complete(RequestId id) {
    requests_[id].flags |= Request::complete;
    if (logs()) events_->completed(id, requests_[id].rank);
    if (processors_ == nullptr) requests_[id].turn = static_cast<Clock::Turn>(clock_.now().ticks());
    if (requests_[id].waiter != nobody) completed_.push_back(id);
    if (requests_[id].is(Request::released) && requests_[id].kind != Request::Kind::send) dispose(id);
}

void Messenger::release(RequestId id) {
    Request& request = requests_[id];
    request.flags |= Request::released;
    if (request.kind == Request::Kind::send) return dispose_if_over(id);
    if (request.is(Request::complete)) dispose(id);
}

bool Messenger::settle_forgotten() {
    bool any = false;
    std::vector<RequestId> left;
    for (const RequestId id : std::exchange(forgotten_, {})) {
        const Request& request = requests_[id];
        const Envelope envelope{request.context, request.peer, request.tag};
        if (const auto found = unexpected_.take(lists_[request.rank].unexpected, envelope)) {
            any = true;
            match(*found, id);
        } else {
            left.push_back(id);
        }
    }
    forgotten_.insert(forgotten_.end(), left.begin(), left.end());
    return any;
}

// A send lives until its poster has forgotten it and its receive has got it.
void Messenger::dispose_if_over(RequestId id) {
    const Request& request = requests_[id];
    constexpr std::uint8_t over = Request::matched | Request::arrived | Request::released;
    if (request.is(Request::fetch) && !request.is(Request::complete)) return;
    if (request.is(Request::to_be_taken)) return;
    if ((request.flags & over) == over) dispose(id);
}

void Messenger::dispose(RequestId id) {
    requests_[id].kind = Request::Kind::unused;
    requests_.remove(id);
}

Time Messenger::taking_cost(const Request& request) const {
    if (request.kind == Request::Kind::send) return endpoint_.completion_cost(request.bytes);
    const bool free =
        endpoint_.overhead_if_eager_only && !request.is(Request::eager) && !request.is(Request::fetch);
    return free ? Time::zero() : endpoint_.recv_cost(request.bytes);
}

Time Messenger::completion_cost(const Request& request) const {
    // A CPU has paid when it took the message.
    if (endpoint_.interfaces || driver_takes_ || request.is(Request::fetch)) return Time::zero();
    return request.kind == Request::Kind::recv ? taking_cost(request) : Time::zero();
}

std::vector<std::vector<RequestId>> Messenger::pending() const {
    std::vector<std::vector<RequestId>> by_rank(lists_.size());
    for (RequestId id = 0; id < requests_.size(); ++id) {
        const Request& each = requests_[id];
        if (each.kind != Request::Kind::unused && !each.is(Request::complete)) by_rank[each.rank].push_back(id);
    }
    return by_rank;
}

std::vector<RequestId> Messenger::unreceived() const {
    std::vector<RequestId> all;
    for (const Lists& lists : lists_) {
        unexpected_.for_each(lists.unexpected, [&](const Envelope&, std::uint32_t id) { all.push_back(id); });
    }
    return all;
}

} // namespace orrery
