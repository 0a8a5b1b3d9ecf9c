// GraphDriver, part 3 of 3: messages as they arrive, the rendezvous protocols, and the result.
#pragma once

#include "drivers/graph/graph_driver.h"

namespace orrery {

template <bool Multi, typename Observer> std::uint32_t GraphDriver<Multi, Observer>::new_message() {
    if (free_messages_ == 0) {
        if (messages_used_ == messages_.size()) damaged(0); // more sends than the file declares
        return messages_used_++;
    }
    const std::uint32_t id = free_messages_ - 1;
    free_messages_ = messages_[id].aux;
    return id;
}

template <bool Multi, typename Observer> void GraphDriver<Multi, Observer>::free_message(std::uint32_t id) {
    observer_.message_done(id);
    messages_[id].aux = free_messages_;
    free_messages_ = id + 1;
}

// The receive that this message would match now: root receives were posted before all others.
template <bool Multi, typename Observer>
std::optional<std::uint32_t> GraphDriver<Multi, Observer>::find_posted(std::uint32_t rank,
                                                                       const Message& arrived, bool take) {
    RankState& state = ranks_[rank];
    const BlockView view = program(rank);
    if (implicit_receives(view.layout())) {
        const auto found =
            root_receives_.find(view, state.block, state.root_receives, arrived.source, arrived.tag, take);
        if (found) return found;
    }
    if (state.posted == 0) return std::nullopt;
    const Envelope envelope{0, arrived.source, arrived.tag};
    return take ? posted_.take(state.posted, envelope) : posted_.peek(state.posted, envelope);
}

// With several CPUs or NICs a message could overtake an earlier one of the same pair of ranks that waits for a
// busy CPU. It may not: messages of a pair are received in the order in which they were sent.
template <bool Multi, typename Observer>
bool GraphDriver<Multi, Observer>::hold_for_earlier(const GraphEvent& event, const Message& arrived) {
    const auto [found, first] = pairs_.try_emplace(pair_key(event.rank, arrived.source));
    if (first) return false;
    found.value().push_back(event);
    found.value().back().drawn &= ~retry;
    return true;
}

template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::let_next_of_pair(std::uint32_t rank, std::uint32_t source, Time at,
                                                    Why why) {
    const auto found = pairs_.find(pair_key(rank, source));
    if (found == pairs_.end()) return;
    std::deque<GraphEvent>& held = found.value();
    if (held.empty()) {
        pairs_.erase(found);
        return;
    }
    GraphEvent next = held.front();
    held.pop_front();
    next.time = at;
    observer_.held_until(next.ref, observer_.at_start(why), at);
    queue_.push(next);
}

template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::on_message(const GraphEvent& event) {
    const std::uint32_t rank = event.rank;
    Message& arrived = messages_[event.ref];
    if constexpr (Multi) {
        if ((arrived.flags & (looked_at | clear_to_send | data)) == 0) {
            arrived.flags |= looked_at;
            if (const auto op = find_posted(rank, arrived, false)) {
                const BlockView view = program(rank);
                const BlockView::Record record = view.record(*op);
                arrived.cpu = static_cast<std::uint16_t>(cpu_of(record));
                arrived.nic = static_cast<std::uint16_t>(nic_of(record));
            }
            if (hold_for_earlier(event, arrived)) return;
        }
    }
    const std::uint32_t cpu = Multi ? arrived.cpu : 0;
    const std::uint32_t nic = Multi ? arrived.nic : 0;
    const Time ready = later(cpu_free(rank, cpu), rx_free(rank, nic));
    if (ready > now_) return wait(event, class_key(Use::receive, cpu, nic), ready);
    receive(rank, event.ref, now_);
}

// Charges the receiver's CPU and NIC from `at` on.
template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::absorb(std::uint32_t rank, std::uint32_t cpu, std::uint32_t nic, Bytes size,
                                          Time at, Occupation& used) {
    const Time busy = endpoint_.recv_overhead(size, network_.drain(size));
    const Time delay = noise(rank, cpu, at, busy);
    used = {cpu, nic, at, at + busy + delay, at + network_.occupation(size), delay};
    check_length(later(used.end, used.port_end));
    cpu_free(rank, cpu) = used.end;
    rx_free(rank, nic) = used.port_end;
    count_busy(ranks_[rank].overhead, busy);
}

template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::receive(std::uint32_t rank, std::uint32_t id, Time at) {
    Message& arrived = messages_[id];
    const bool control = (arrived.flags & (request | clear_to_send)) != 0;
    const bool matched_before = (arrived.flags & (clear_to_send | data)) != 0;
    Occupation used;
    absorb(rank, arrived.cpu, arrived.nic, control ? 1 : arrived.size, at, used);
    const Why why = observer_.recv(rank, used, arrived, id, control);
    if constexpr (Multi) {
        if (!matched_before) let_next_of_pair(rank, arrived.source, at, why);
    }
    if ((arrived.flags & clear_to_send) != 0) { // the sender may now send the data
        arrived.flags = data;
        observer_.task_ready(id, why, used.end);
        const Time ready = later(used.end, tx_free(rank, arrived.nic));
        draw(ready, task, rank, id);
        return;
    }
    if ((arrived.flags & data) != 0) {
        const std::uint32_t op = arrived.aux;
        observer_.matched(id, op);
        free_message(id);
        end_op(rank, op, used.end, why, freed_);
        queue_freed(rank, freed_);
        return;
    }
    const bool waits = !endpoint_.eager(arrived.size) && (arrived.flags & request) == 0;
    const std::optional<std::uint32_t> op = find_posted(rank, arrived, true);
    if (!op) {
        if (waits) arrived.flags |= rendezvous;
        if ((arrived.flags & request) != 0) {
            message_times_[id] = used.end; // its size is still needed
        } else {
            arrived.size = static_cast<std::uint64_t>(used.end.ticks());
        }
        unexpected_.append(ranks_[rank].unexpected, {0, arrived.source, arrived.tag}, id);
        return;
    }
    observer_.matched(id, *op);
    if ((arrived.flags & request) != 0) {
        owe_clear_to_send(rank, id, *op, used.end, why);
    } else if (waits) {
        const Message received = arrived;
        const std::uint32_t send_cpu = cpu_of(program(received.source).record(received.op));
        release_sender(received.source, send_cpu, at, observer_.partner(why));
        Time send_end = at;
        Why sender_why = observer_.partner(why);
        if constexpr (Multi) {
            send_end = later(at, message_times_[id]);
            sender_why = observer_.later_of(sender_why, at, observer_.injection(id), send_end);
        }
        free_message(id);
        finish_transfer(received.source, received.op, send_end, sender_why, rank, *op, used.end, why);
    } else {
        free_message(id);
        end_op(rank, *op, used.end, why, freed_);
        queue_freed(rank, freed_);
    }
}

// A rendezvous ends for both ranks; operations freed on the lower rank draw their numbers first.
template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::finish_transfer(std::uint32_t source, std::uint32_t send_op, Time send_end,
                                                   Why sender_why, std::uint32_t rank, std::uint32_t recv_op,
                                                   Time recv_end, Why why) {
    end_op(source, send_op, send_end, sender_why, source == rank ? freed_ : freed_elsewhere_);
    end_op(rank, recv_op, recv_end, why, freed_);
    if (source < rank) queue_freed(source, freed_elsewhere_);
    queue_freed(rank, freed_);
    if (source > rank) queue_freed(source, freed_elsewhere_);
}

// The sender's CPU is taken to have been held until its rendezvous partner was there.
template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::release_sender(std::uint32_t rank, std::uint32_t cpu, Time at, Why why) {
    Time& free = cpu_free(rank, cpu);
    if (free >= at) return;
    free = at;
    observer_.released(rank, cpu, why);
}

// --- handshake: request (RTS) -> clear to send (CTS) -> data

template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::owe_clear_to_send(std::uint32_t rank, std::uint32_t id,
                                                     std::uint32_t recv_op, Time ready, Why why) {
    const BlockView view = program(rank);
    const BlockView::Record record = view.record(recv_op);
    Message& pending = messages_[id];
    pending.flags = clear_to_send;
    pending.aux = recv_op;
    pending.cpu = static_cast<std::uint16_t>(cpu_of(record));
    pending.nic = static_cast<std::uint16_t>(nic_of(record));
    observer_.task_ready(id, why, ready);
    const Time free = later(cpu_free(rank, pending.cpu), tx_free(rank, pending.nic));
    draw(later(ready, free), task, rank, id);
}

// Sends what a handshake owes: the receiver's clear-to-send, or the sender's data.
template <bool Multi, typename Observer> void GraphDriver<Multi, Observer>::on_task(const GraphEvent& event) {
    const std::uint32_t rank = event.rank;
    Message& pending = messages_[event.ref];
    const Time ready = later(cpu_free(rank, pending.cpu), tx_free(rank, pending.nic));
    if (ready > now_) return wait(event, class_key(Use::send, pending.cpu, pending.nic), ready);

    const bool control = (pending.flags & clear_to_send) != 0;
    const BlockView sender = program(pending.source);
    const BlockView::Record send_record = sender.record(pending.op);
    const std::uint32_t peer = send_record.peer();
    Occupation used;
    const Time arrival = inject(rank, pending.cpu, pending.nic, control ? 1 : pending.size, now_, used);
    const Why why = observer_.send(rank, control ? pending.aux : pending.op, used, pending, event.ref,
                                   control ? pending.source : peer, arrival, control);
    draw(arrival, message, control ? pending.source : peer, event.ref, rank + 1);
    if (control) {
        pending.cpu = static_cast<std::uint16_t>(cpu_of(send_record));
        pending.nic = static_cast<std::uint16_t>(nic_of(send_record));
        return;
    }
    const BlockView receiver = program(peer);
    const BlockView::Record recv_record = receiver.record(pending.aux);
    pending.cpu = static_cast<std::uint16_t>(cpu_of(recv_record));
    pending.nic = static_cast<std::uint16_t>(nic_of(recv_record));
    end_op(rank, pending.op, used.end, why, freed_);
    queue_freed(rank, freed_);
}

template <bool Multi, typename Observer>
std::vector<UnreceivedMessage> GraphDriver<Multi, Observer>::unreceived() const {
    std::vector<UnreceivedMessage> all;
    for (std::uint32_t rank = 0; rank < schedule_.ranks(); ++rank) {
        unexpected_.for_each(ranks_[rank].unexpected, [&](const Envelope&, std::uint32_t id) {
            all.push_back({messages_[id].source, messages_[id].op});
        });
    }
    return all;
}

template <bool Multi, typename Observer> Prediction GraphDriver<Multi, Observer>::prediction() const {
    Prediction result;
    result.operations = schedule_.operations();
    result.messages = schedule_.sends();
    result.events = result.operations + result.messages;
    result.bytes = schedule_.header().bytes_sent;
    result.cpus = cpu_count_;
    result.ranks.resize(schedule_.ranks());
    for (std::uint32_t rank = 0; rank < schedule_.ranks(); ++rank) {
        const RankState& state = ranks_[rank];
        Time finish = state.cpu_free;
        if constexpr (Multi) {
            for (std::uint32_t cpu = 0; cpu < cpu_count_; ++cpu) {
                finish = later(finish, cpus_[std::size_t{rank} * cpu_count_ + cpu]);
            }
        }
        result.ranks[rank] = {finish, state.compute, state.overhead,
                              noise_ != nullptr ? noise_of_[rank] : Time::zero()};
        if (finish > result.time) {
            result.time = finish;
            result.critical_rank = rank;
        }
    }
    return result;
}

} // namespace orrery
