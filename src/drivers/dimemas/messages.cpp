// Sends, receives and waits: latency at both ends, matching, eager and rendezvous.
#include "drivers/dimemas/simulation.h"

#include <bit>
#include <fmt/format.h>

namespace orrery::dimemas {

Route Simulation::route(std::uint32_t from, std::uint32_t to, std::int64_t tag, Bytes bytes,
                        std::uint32_t& connection) const {
    const std::uint32_t source = node_of_[from];
    const std::uint32_t target = node_of_[to];
    if (source == target) return Route::memory;
    const std::uint32_t here = machine_.nodes[source].machine;
    const std::uint32_t there = machine_.nodes[target].machine;
    if (here == there) return Route::network;
    for (std::uint32_t i = 0; i < machine_.connections.size(); ++i) {
        const Connection& each = machine_.connections[i];
        const bool joins = (each.from == here && each.to == there) || (each.from == there && each.to == here);
        if (!joins || !each.takes(tag, bytes)) continue;
        connection = i;
        return Route::dedicated;
    }
    return Route::wide_area;
}

// Of the sender's node, at both ends of a message.
Time Simulation::latency(std::uint32_t from, Route route, std::uint32_t connection) const {
    const Node& node = machine_.nodes[node_of_[from]];
    switch (route) {
    case Route::memory: return node.intra_latency;
    case Route::network: return node.latency;
    case Route::wide_area: return node.wan_latency;
    case Route::dedicated: break;
    }
    return machine_.connections[connection].latency;
}

std::uint32_t Simulation::new_transfer(Purpose purpose, std::uint32_t thread) {
    std::uint32_t id = 0;
    if (free_transfers_.empty()) {
        id = static_cast<std::uint32_t>(transfers_.size());
        transfers_.emplace_back();
    } else {
        id = free_transfers_.back();
        free_transfers_.pop_back();
    }
    transfers_[id] = {};
    transfers_[id].purpose = purpose;
    transfers_[id].thread = thread;
    return id;
}

// Or the first of its task, if any may receive it.
std::uint32_t Simulation::target_of(const Transfer& message) const {
    const bool for_a_thread = message.purpose == Purpose::message && message.mailbox_to >= trace_.tasks();
    return for_a_thread ? message.mailbox_to - trace_.tasks() : trace_.thread_of(message.to_task, 0);
}

void Simulation::free_transfer(std::uint32_t transfer) { free_transfers_.push_back(transfer); }

// Mailboxes are tasks and, behind them, threads: messages between threads of a task meet by thread.
void Simulation::send(std::uint32_t id) {
    Thread& thread = threads_[id];
    const DimRecord record = thread.record;
    const auto to = static_cast<std::uint32_t>(record.peer);
    std::uint32_t connection = 0;
    const Route way = route(thread.task, to, record.tag, record.bytes, connection);
    if (pay_latency(id, latency(thread.task, way, connection))) return;

    const std::uint32_t made = new_transfer(Purpose::message, id);
    if (reports_) reports_->sent(made, thread.since);
    Transfer& transfer = transfers_[made];
    transfer.route = way;
    transfer.connection = connection;
    transfer.to_task = to;
    transfer.bytes = record.bytes;
    transfer.tag = record.tag;
    transfer.communicator = record.communicator;
    if (record.peer_thread == any_thread) {
        transfer.mailbox_to = to;
        transfer.mailbox_from = thread.task;
    } else {
        const auto peer_thread = static_cast<std::uint32_t>(record.peer_thread);
        if (peer_thread >= trace_.threads(to))
            fail(thread, fmt::format("a message to thread {} of task {}, which has {}", peer_thread, to,
                                     trace_.threads(to)));
        transfer.mailbox_to = trace_.tasks() + trace_.thread_of(to, peer_thread);
        transfer.mailbox_from = trace_.tasks() + id;
    }
    ++found_.point_to_point;
    found_.point_to_point_bytes += record.bytes;
    ++found_.by_size[static_cast<std::size_t>(std::bit_width(record.bytes))];

    const bool rendezvous =
        (record.rendezvous && !options_.asynchronous_sends) || record.bytes >= options_.rendezvous_from;
    const MatchKey key{transfer.mailbox_to, transfer.mailbox_from, record.tag, record.communicator};
    const std::optional<std::uint32_t> reached = expected_.take_for_message(key);
    if (!reached) announced_.push(key, rendezvous ? 1 : 0);
    const bool may_start =
        !rendezvous || (reached && *reached == 1) || receivers_.look_for_message(key).has_value();
    if (may_start) {
        carry(made);
        return proceed(id, Place::front);
    }
    transfer.sender_waits = !record.immediate;
    rendezvous_.push(key, made);
    // A blocking sender goes on when its receive is reached; see start_rendezvous.
    if (record.immediate) proceed(id, Place::front);
}

MatchKey Simulation::receive_key(const Thread& thread, std::uint32_t id) const {
    const DimRecord& record = thread.record;
    MatchKey key{thread.task, any_end, record.tag, record.communicator};
    if (record.peer == any_task) return key;
    key.from = static_cast<std::uint32_t>(record.peer);
    if (record.peer_thread == any_thread) return key;
    key.to = trace_.tasks() + id;
    const auto peer_thread = static_cast<std::uint32_t>(record.peer_thread);
    if (peer_thread >= trace_.threads(key.from))
        fail(thread, fmt::format("a message from thread {} of task {}, which has {}", peer_thread, key.from,
                                 trace_.threads(key.from)));
    key.from = trace_.tasks() + trace_.thread_of(key.from, peer_thread);
    return key;
}

Time Simulation::receive_latency(const Thread& thread) const {
    const DimRecord& record = thread.record;
    // Nobody knows yet where the message comes from: as if from another node.
    if (record.peer == any_task) return machine_.nodes[thread.node].latency;
    const auto from = static_cast<std::uint32_t>(record.peer);
    std::uint32_t connection = 0;
    const Route way = route(from, thread.task, record.tag, record.bytes, connection);
    return latency(from, way, connection);
}

// Tells senders that a receive has been reached; true if one waits for that by rendezvous.
bool Simulation::announce_receive(std::uint32_t id, bool no_wait) {
    const MatchKey key = receive_key(threads_[id], id);
    const std::optional<std::uint32_t> sent =
        key.from == any_end ? announced_.take_from_any(key, trace_.tasks()) : announced_.take(key);
    if (!sent) expected_.push(key, no_wait ? 1 : 0);
    return sent && *sent == 1;
}

bool Simulation::take_arrived(std::uint32_t id) {
    const MatchKey key = receive_key(threads_[id], id);
    const std::optional<std::uint32_t> there =
        key.from == any_end ? arrived_.take_from_any(key, trace_.tasks()) : arrived_.take(key);
    if (!there) return false;
    if (reports_) reports_->received(*there, transfers_[*there], id, threads_[id]);
    free_transfer(*there);
    return true;
}

void Simulation::start_rendezvous(std::uint32_t id) {
    const MatchKey key = receive_key(threads_[id], id);
    const std::optional<std::uint32_t> found =
        key.from == any_end ? rendezvous_.take_from_any(key, trace_.tasks()) : rendezvous_.take(key);
    if (!found) return;
    const std::uint32_t sender = transfers_[*found].thread;
    const bool sender_waits = transfers_[*found].sender_waits;
    carry(*found);
    if (sender_waits) proceed(sender, Place::front);
}

void Simulation::block_receiver(std::uint32_t id) { receivers_.push(receive_key(threads_[id], id), id); }

void Simulation::receive(std::uint32_t id) {
    if (pay_latency(id, receive_latency(threads_[id]))) return;
    (void)announce_receive(id, false);
    if (take_arrived(id)) return proceed(id, Place::front);
    start_rendezvous(id);
    block_receiver(id);
}

void Simulation::receive_no_wait(std::uint32_t id) {
    if (reports_) reports_->posted(id, threads_[id].record, now_);
    if (announce_receive(id, true)) start_rendezvous(id);
    proceed(id, Place::front);
}

void Simulation::wait(std::uint32_t id) {
    if (pay_latency(id, receive_latency(threads_[id]))) return;
    if (take_arrived(id)) return proceed(id, Place::front);
    start_rendezvous(id);
    block_receiver(id);
}

void Simulation::message_arrived(std::uint32_t id) {
    const Transfer& transfer = transfers_[id];
    const MatchKey key{transfer.mailbox_to, transfer.mailbox_from, transfer.tag, transfer.communicator};
    if (reports_) reports_->arrived(id, transfer, target_of(transfer), now_);
    const std::optional<std::uint32_t> receiver = receivers_.take_for_message(key);
    if (!receiver) return arrived_.push(key, id);
    if (reports_) reports_->received(id, transfer, *receiver, threads_[*receiver]);
    free_transfer(id);
    finish_record(threads_[*receiver], now_);
    if (!more(threads_[*receiver])) return;
    make_ready(*receiver, Place::back);
    const std::uint32_t node = threads_[*receiver].node;
    if (processors_[node].free > 0) run_next(node);
}

} // namespace orrery::dimemas
