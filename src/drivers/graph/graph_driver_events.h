// GraphDriver, part 2 of 3: computations, sends and receives as they start.
#pragma once

#include "drivers/graph/graph_driver.h"

namespace orrery {

// Puts into the queue what is drawn now.
template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::draw(Time at, Kind kind, std::uint32_t rank, std::uint32_t ref,
                                        std::uint32_t source) {
    const Turn turn = turn_of(next_number_++, now_, kind, source);
    queue_.push({at, turn.drawn, rank, ref, turn.source, turn.number});
}

template <bool Multi, typename Observer> void GraphDriver<Multi, Observer>::dispatch(const GraphEvent& event) {
    switch (event.drawn & kind_mask) {
    case operation: on_operation(event); break;
    case message: on_message(event); break;
    case task: on_task(event); break;
    default: on_wake(event); break;
    }
}

template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::on_operation(const GraphEvent& event) {
    const BlockView view = program(event.rank);
    const BlockView::Record record = view.record(event.ref);
    switch (record.kind()) {
    case OpKind::send: on_send(event, view, record); break;
    case OpKind::recv: on_recv(event, view, record); break;
    default: on_calc(event, view, record); break;
    }
}

template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::on_calc(const GraphEvent& event, const BlockView& view,
                                           const BlockView::Record& record) {
    const std::uint32_t rank = event.rank;
    const std::uint32_t cpu = cpu_of(record);
    Time& free = cpu_free(rank, cpu);
    if (free > now_) return wait(event, class_key(Use::compute, cpu, 0), free);

    if (record.calc_ps() > max_op_size) damaged(rank);
    const Time busy = Time::ps(static_cast<std::int64_t>(record.calc_ps()));
    check_length(now_ + busy);
    const Time delay = noise(rank, cpu, now_, busy);
    free = now_ + busy + delay;
    check_length(free);
    count_busy(ranks_[rank].compute, busy);
    const Why why = observer_.calc(rank, event.ref, {cpu, 0, now_, free, free, delay}, record.calc_ps());
    start_op(view, record, rank, event.ref, true, free, why);
    queue_freed(rank, freed_);
}

// Charges the sender's CPU and NIC from `at` on; returns when the first byte arrives.
template <bool Multi, typename Observer>
Time GraphDriver<Multi, Observer>::inject(std::uint32_t rank, std::uint32_t cpu, std::uint32_t nic, Bytes size,
                                          Time at, Occupation& used) {
    const Time busy = endpoint_.send_overhead(size);
    const Time delay = noise(rank, cpu, at, busy);
    used = {cpu, nic, at, at + busy + delay, at + network_.occupation(size), delay};
    check_length(later(used.end, used.port_end));
    cpu_free(rank, cpu) = used.end;
    tx_free(rank, nic) = used.port_end;
    count_busy(ranks_[rank].overhead, busy);
    return at + endpoint_.per_message() + network_.latency();
}

template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::on_send(const GraphEvent& event, const BlockView& view,
                                           const BlockView::Record& record) {
    const std::uint32_t rank = event.rank;
    const std::uint32_t cpu = cpu_of(record);
    const std::uint32_t nic = nic_of(record);
    const Time ready = later(cpu_free(rank, cpu), tx_free(rank, nic));
    if (ready > now_) return wait(event, class_key(Use::send, cpu, nic), ready);

    const std::uint32_t peer = record.peer();
    if (peer >= schedule_.ranks()) damaged(rank);
    const Bytes size = record.size();
    if (size > max_op_size) damaged(rank);
    const bool eager = endpoint_.eager(size);
    const bool control = !eager && endpoint_.handshake();
    if (!eager && !control) queue_.order_across_owners(); // its receiver ends it, at once
    const std::uint32_t id = new_message();
    Message& sent = messages_[id];
    sent = {rank,
            event.ref,
            record.tag(),
            0,
            size,
            control ? std::uint32_t{request} : 0U,
            static_cast<std::uint16_t>(cpu),
            static_cast<std::uint16_t>(nic)};

    Occupation used;
    const Time arrival = inject(rank, cpu, nic, control ? 1 : size, now_, used);
    const Why why = observer_.send(rank, event.ref, used, sent, id, peer, arrival, control);
    if constexpr (Multi) message_times_[id] = used.end;
    draw(arrival, message, peer, id, rank + 1);

    start_op(view, record, rank, event.ref, eager, used.end, why);
    queue_freed(rank, freed_);
}

template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::on_recv(const GraphEvent& event, const BlockView& view,
                                           const BlockView::Record& record) {
    const std::uint32_t rank = event.rank;
    const std::uint32_t peer = record.peer();
    if (peer >= schedule_.ranks() && peer != any_source) damaged(rank);
    const Envelope wanted{0, peer, record.tag()};
    const Why why = observer_.post(rank, event.ref, {cpu_of(record), nic_of(record), now_, now_, now_, {}},
                                   peer, wanted.tag, record.size());
    start_op(view, record, rank, event.ref, false, now_, why);
    const std::optional<std::uint32_t> id = unexpected_.take(ranks_[rank].unexpected, wanted);
    if (!id) {
        posted_.append(ranks_[rank].posted, wanted, event.ref);
        if (posted_.size() > schedule_.operations()) damaged(rank); // some receive is posted again and again
        queue_freed(rank, freed_);
        return;
    }
    observer_.matched(*id, event.ref);
    const Message found = messages_[*id];
    const bool requested = (found.flags & request) != 0;
    const Time received = requested ? message_times_[*id] : Time::ticks(static_cast<std::int64_t>(found.size));
    const Time end = later(now_, received);
    const Why end_why = observer_.later_of(why, now_, observer_.reception(*id), received);
    if (requested) {
        owe_clear_to_send(rank, *id, event.ref, end, end_why);
        queue_freed(rank, freed_);
    } else if ((found.flags & rendezvous) != 0) {
        const std::uint32_t send_cpu = cpu_of(program(found.source).record(found.op));
        release_sender(found.source, send_cpu, now_, observer_.partner(why));
        Time send_end = now_;
        Why sender_why = observer_.partner(why);
        if constexpr (Multi) {
            send_end = later(now_, message_times_[*id]);
            sender_why = observer_.later_of(sender_why, now_, observer_.injection(*id), send_end);
        }
        finish_transfer(found.source, found.op, send_end, sender_why, rank, event.ref, end, end_why);
        free_message(*id);
    } else {
        free_message(*id);
        end_op(rank, event.ref, end, end_why, freed_);
        queue_freed(rank, freed_);
    }
}

} // namespace orrery
