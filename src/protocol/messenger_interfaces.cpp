// Messenger, part 2 of 2: endpoints with network interfaces of their own (LogGOPS).
//
// A message occupies the sender's CPU and interface, travels for a latency, and waits at its destination until
// CPU and interface are free; then it is taken and matched. docs/loggops.md states who holds what for how long.
// A larger one than the eager limit either goes at once and its sender waits until it is taken, or there is a
// handshake: request, clear-to-send and data are messages, the first two of one byte.
#include "engine/too_long.h"
#include "protocol/messenger.h"

#include <algorithm>

namespace orrery {

void Messenger::use(Processors& processors, Noise* noise) {
    processors_ = &processors;
    noise_ = noise;
    second_cpu_.resize(hosts_.size());
}

void Messenger::use_second_cpu(std::uint32_t rank) {
    if (processors_ == nullptr || second_cpu_[rank]) return;
    second_cpu_[rank] = true;
    // From now on a message could overtake one that waits for the first CPU.
    processors_->for_each_arrival(rank, 0, [&](RequestId each) {
        const Request& sent = requests_[each];
        const bool matched = sent.phase == Request::Phase::data && sent.is(Request::matched);
        if (!matched && sent.phase != Request::Phase::clear_to_send) ++pairs_[sent.pair_key()].waiting;
    });
}

void Messenger::send_by_interface(RequestId id) {
    Request& sent = requests_[id];
    const bool eager = sent.is(Request::eager);
    const bool request = !eager && endpoint_.handshake;
    if (request) sent.phase = Request::Phase::request;
    sent.flags |= Request::started;
    sent.moved = depart(id, sent.rank, sent.bits & Request::posters, request ? 1 : sent.bytes);
    if (payloads_ != nullptr) payloads_->sent(requests_[id], nullptr);
    if (eager) complete(id);
}

// A message takes CPU and interface from now on; returns when the CPU is done.
Time Messenger::occupy(std::uint32_t rank, std::uint32_t cpu, Processors::Use use, std::uint32_t peer,
                       Time busy, Bytes bytes) {
    const Time now = clock_.now();
    const Time alone = busy;
    if (noise_ != nullptr) busy += noise_->delay(RankId{rank}, cpu, now, busy);
    const Time end = now + busy;
    const Time interface_end = now + endpoint_.occupation(bytes);
    check_length(later(end, interface_end));
    if (logs())
        events_->uses_interface(rank, cpu, use == Processors::Use::send ? EventKind::send : EventKind::receive,
                                peer, bytes, now, alone, busy - alone, interface_end);
    processors_->occupy(rank, cpu, end, use, interface_end);
    return end;
}

// Sends it from now on; returns when the CPU is done. The message arrives by an event.
Time Messenger::depart(RequestId send, std::uint32_t rank, std::uint32_t cpu, Bytes bytes) {
    const Request& sent = requests_[send];
    const std::uint32_t to = rank == sent.rank ? sent.peer : sent.rank;
    const Time end = occupy(rank, cpu, Processors::Use::send, to, endpoint_.isend_cost(bytes), bytes);
    const Time left = clock_.now() + endpoint_.isend_cost(0);
    const Time arrives = left + network_.latency(hosts_[rank], hosts_[to]);
    if (logs())
        events_->leaves_interface(send,
                                  sent.phase == Request::Phase::data ? EventKind::transfer : EventKind::control,
                                  rank, to, bytes, left, arrives);
    clock_.at({arrives, clock_.draw(), to, rank + 1, 0, send, Clock::Kind::arrival});
    return end;
}

// With two CPUs a message could overtake an earlier one of the same pair of ranks that waits for a busy CPU. It
// may not: messages of a pair are taken in the order in which they were sent.
bool Messenger::hold_for_earlier(const Clock::Due& due, const Request& sent) {
    if (!second_cpu_[sent.peer]) return false;
    Pair& pair = pairs_[sent.pair_key()];
    if (pair.waiting == 0) {
        pair.waiting = 1;
        return false;
    }
    pair.held.push_back(due);
    return true;
}

void Messenger::let_next_of_pair(const Request& sent) {
    if (!second_cpu_[sent.peer]) return;
    const auto found = pairs_.find(sent.pair_key());
    if (found == pairs_.end() || --found.value().waiting > 0) return;
    std::vector<Clock::Due>& held = found.value().held;
    if (held.empty()) {
        pairs_.erase(found);
        return;
    }
    Clock::Due next = held.front();
    held.erase(held.begin()); // few
    found.value().waiting = 1;
    if (logs()) events_->let_in(next.ref);
    next.time = clock_.now();
    clock_.at(next);
}

void Messenger::arrive_by_interface(const Clock::Due& due) {
    Request& sent = requests_[due.ref];
    if (logs()) events_->because_of_message(due.ref);
    const bool clear = sent.phase == Request::Phase::clear_to_send;
    const std::uint32_t rank = clear ? sent.rank : sent.peer;
    std::uint32_t cpu = sent.bits & Request::posters;
    if (!clear && sent.is(Request::matched) && !sent.is(Request::withdrawn)) { // the data of a handshake
        cpu = requests_[sent.partner].bits & Request::posters;
    } else if (!clear) {
        if ((sent.bits & Request::chosen) == 0) {
            const Envelope envelope{sent.context, sent.rank, sent.tag};
            const auto found = posted_.peek(lists_[rank].posted, envelope);
            const std::uint32_t takes = found ? requests_[*found].bits & Request::posters : cpu;
            sent.bits |= Request::chosen | (takes != 0 ? Request::takers : 0);
            if (takes != 0) use_second_cpu(rank);
            if (hold_for_earlier(due, sent)) return;
        }
        cpu = (sent.bits & Request::takers) != 0 ? 1 : 0;
    }
    if (processors_->free(rank, cpu, Processors::Use::receive) > clock_.now())
        return processors_->wait(due, rank, cpu, Processors::Use::receive);
    take(due.ref, rank, cpu);
}

// The CPU takes a message from the interface.
void Messenger::take(RequestId send, std::uint32_t rank, std::uint32_t cpu) {
    Request& sent = requests_[send];
    const bool control = sent.phase != Request::Phase::data;
    const Bytes bytes = control ? 1 : sent.bytes;
    const std::uint32_t from = rank == sent.rank ? sent.peer : sent.rank;
    const Time end = occupy(rank, cpu, Processors::Use::receive, from, endpoint_.take_cost(bytes), bytes);
    if (logs()) events_->taken(send, clock_.now());
    if (sent.phase == Request::Phase::clear_to_send) {
        sent.phase = Request::Phase::data;
        return owe(send, end);
    }
    const bool announced = sent.is(Request::matched) && !sent.is(Request::withdrawn);
    if (!control) {
        sent.flags |= Request::arrived;
        if (observer_ != nullptr && !sent.is(Request::withdrawn))
            observer_->delivered(sent.rank, sent.peer, sent.tag, sent.bytes, sent.posted, end);
    }
    if (announced) { // the data of a handshake
        finish_receive(send, end, end);
        return dispose_if_over(send);
    }
    let_next_of_pair(sent);
    if (sent.is(Request::withdrawn)) {
        sent.flags |= Request::arrived;
        return dispose_if_over(send);
    }
    if (control) sent.phase = Request::Phase::requested;
    sent.moved = end;
    if (const std::optional<RequestId> found = take_posted(sent)) return match(send, *found);
    unexpected_.append(lists_[sent.peer].unexpected, {sent.context, sent.rank, sent.tag}, send);
    came_.push_back({rank, end});
    if (logs()) events_->came_taken(rank);
}

bool Messenger::withdraw_by_interface(RequestId send) {
    Request& sent = requests_[send];
    if (sent.is(Request::arrived) || sent.phase == Request::Phase::requested) {    // it waits for a receive
        if (!unexpected_.remove(lists_[sent.peer].unexpected, send)) return false; // a probe has taken it
        sent.flags |= Request::arrived;
    }
    sent.flags |= Request::withdrawn | Request::matched;
    if (!sent.is(Request::complete)) {
        sent.moved = clock_.now();
        sent.turn = clock_.draw();
        complete(send);
    }
    return true;
}

// A message that has been taken has found its receive, which has all that it needs at `end`.
void Messenger::match_taken(RequestId send, Time end) {
    Request& sent = requests_[send];
    if (logs()) events_->matched(send, sent.peer);
    if (sent.phase == Request::Phase::requested) return owe(send, end);
    const bool waits = !sent.is(Request::complete);
    const Time arrived = sent.moved;
    const auto release_sender = [&] {
        // Its CPU is taken to have been held until its partner was there.
        const std::uint32_t cpu = sent.bits & Request::posters;
        sent.moved = later(processors_->cpu_free(sent.rank, cpu), clock_.now());
        if (logs()) events_->extended(sent.rank, cpu, clock_.now());
        processors_->extend(sent.rank, cpu, clock_.now());
        sent.turn = clock_.draw();
        complete(send);
        if (logs()) events_->released_at(send, sent.rank, cpu, sent.moved);
    };
    if (waits && sent.rank < sent.peer) release_sender(); // the lower rank's turn comes first
    finish_receive(send, end, arrived);
    if (waits && sent.rank >= sent.peer) release_sender();
    dispose_if_over(send);
}

void Messenger::finish_receive(RequestId send, Time end, Time arrived) {
    const Request& sent = requests_[send];
    Request& received = requests_[sent.partner];
    received.moved = later(end, processors_->cpu_free(received.rank, received.bits & Request::posters));
    received.turn = clock_.draw();
    if (observer_ != nullptr) tell_received(sent, arrived);
    hand_over(sent);
    complete(sent.partner);
    if (logs())
        events_->done_at(sent.partner, send, received.rank, received.bits & Request::posters, received.moved);
}

// The receiver owes a clear-to-send, or the sender its data: sent when CPU and interface are free.
void Messenger::owe(RequestId send, Time ready) {
    const Request& sent = requests_[send];
    const bool clear = sent.phase == Request::Phase::requested;
    const std::uint32_t rank = clear ? sent.peer : sent.rank;
    const std::uint32_t cpu = (clear ? requests_[sent.partner] : sent).bits & Request::posters;
    const Time free = processors_->free(rank, cpu, Processors::Use::send);
    const bool known = free != Processors::until_released(); // otherwise it waits when it is ready
    clock_.at({known ? later(ready, free) : ready, clock_.draw(), rank, 0, 0, send, Clock::Kind::answer});
}

void Messenger::answer(const Clock::Due& due) {
    Request& sent = requests_[due.ref];
    if (logs()) events_->because_of_message(due.ref);
    const bool clear = sent.phase == Request::Phase::requested;
    const std::uint32_t rank = clear ? sent.peer : sent.rank;
    const std::uint32_t cpu = (clear ? requests_[sent.partner] : sent).bits & Request::posters;
    if (processors_->free(rank, cpu, Processors::Use::send) > clock_.now())
        return processors_->wait(due, rank, cpu, Processors::Use::send);
    if (clear) {
        sent.phase = Request::Phase::clear_to_send;
        depart(due.ref, rank, cpu, 1);
        return;
    }
    sent.moved = depart(due.ref, rank, cpu, sent.bytes);
    sent.turn = clock_.draw();
    complete(due.ref);
    if (logs()) events_->sent_at(due.ref, sent.moved);
}

} // namespace orrery
