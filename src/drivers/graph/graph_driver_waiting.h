// GraphDriver, part 1 of 3: set-up, dependencies, and operations that wait for a CPU or a NIC.
#pragma once

#include "drivers/graph/graph_driver.h"

#include <fmt/format.h>

namespace orrery {

template <bool Multi, typename Observer>
GraphDriver<Multi, Observer>::GraphDriver(const Schedule& schedule, const SimulationOptions& options,
                                          Observer& observer)
    : schedule_(schedule), observer_(observer), endpoint_(options.loggops), network_(options.loggops),
      noise_(options.noise), progress_(options.progress), skew_(options.skew),
      cpu_count_(schedule.header().cpus), nic_count_(schedule.header().nics),
      shared_programs_(schedule.header().layouts_at < cached_programs),
      numbered_through_(options.loggops.ties == Ties::loggopsim), ranks_(schedule.ranks(), true),
      messages_(std::min<std::uint64_t>({schedule.sends(), schedule.operations(), 0xFFFF'FFFE}), true) {
    const std::size_t count = schedule.ranks();
    // Something may pass from rank to rank within an instant.
    if (numbered_through_ || endpoint_.per_message() + network_.latency() == Time::zero())
        queue_.order_across_owners();
    if (noise_ != nullptr) noise_of_.resize(count);
    if constexpr (Multi) {
        cpus_ = LazyArray<Time>(count * cpu_count_);
        nics_ = LazyArray<Time>(count * nic_count_ * 2);
    }
    if (Multi || endpoint_.handshake()) message_times_ = LazyArray<Time>(messages_.size());
    bool joins = false;
    for (const BlockLayout& layout : schedule.layouts())
        joins = joins || (layout.flags & layout_flags::joins) != 0;
    if (joins) {
        std::uint64_t total = 0;
        first_join_.reserve(count);
        for (std::uint32_t rank = 0; rank < count; ++rank) {
            first_join_.push_back(total);
            const BlockLayout& layout = schedule.checked_program(RankId{rank}).layout();
            if ((layout.flags & layout_flags::joins) != 0) total += layout.ops;
        }
        satisfied_ = LazyArray<std::uint8_t>(total);
        if constexpr (Multi) join_ready_ = LazyArray<Time>(total);
    }
}

template <bool Multi, typename Observer> bool GraphDriver<Multi, Observer>::run() {
    std::uint64_t most_roots = 0; // numbers of roots are compared within a rank only
    for (std::uint32_t rank = 0; rank < schedule_.ranks(); ++rank) {
        if (!numbered_through_) next_number_ = 0;
        start_rank(rank);
        most_roots = std::max(most_roots, next_number_);
    }
    next_number_ = most_roots;
    std::uint64_t until_progress = progress_interval;
    while (!queue_.empty()) {
        const GraphEvent event = queue_.pop();
        prefetch();
        now_ = event.time;
        if ((event.drawn & retry) != 0) --ranks_[event.rank].retries;
        dispatch(event);
        if (--until_progress == 0) {
            until_progress = progress_interval;
            if (progress_) progress_(ops_ended_, now_);
        }
    }
    return ops_ended_ == schedule_.operations() && unexpected_.size() == 0;
}

// Queues the root operations, or leaves them implicit: a single one is an event, several sends (or
// computations) wait as a range in program order, receives are posted by being in the program (RootReceives).
template <bool Multi, typename Observer> void GraphDriver<Multi, Observer>::start_rank(std::uint32_t rank) {
    RankState& state = ranks_[rank];
    state.block = schedule_.block_number(RankId{rank});
    const BlockView view = schedule_.checked_program(RankId{rank});
    const BlockLayout& layout = view.layout();
    if (!schedule_.trusted() && checked_blocks_.insert(state.block).second) check_roots(view, rank);
    const Time late = skew_.of(RankId{rank});
    if (late > Time::zero()) {
        for (std::uint32_t cpu = 0; cpu < (Multi ? cpu_count_ : 1); ++cpu) cpu_free(rank, cpu) = late;
    }
    const auto queue_range = [&](Use use, std::uint32_t first, std::uint32_t count) {
        if (count == 1 || (Multi && count > 0)) {
            for (std::uint32_t i = 0; i < count; ++i) draw(late, operation, rank, view.root(first + i));
        } else if (count > 1) {
            std::uint32_t index = 0;
            WaitClass& waiting = waiting_class(rank, class_key(use, 0, 0), index);
            waiting.roots = {next_number_, first, 0, count};
            next_number_ += count;
            schedule_wake(rank, waiting, index, late);
        }
    };
    queue_range(Use::send, 0, layout.root_sends);
    if (implicit_receives(layout)) {
        next_number_ += layout.root_recvs;
        root_receives_.start(schedule_, RankId{rank}, state.root_receives);
        for (std::uint32_t i = 0; i < layout.root_recvs; ++i) {
            if constexpr (!std::is_same_v<Observer, NullObserver>) {
                observer_.started(rank, view.root(layout.root_sends + i));
            }
        }
    } else {
        for (std::uint32_t i = 0; i < layout.root_recvs; ++i) {
            draw(late, operation, rank, view.root(layout.root_sends + i));
        }
    }
    queue_range(Use::compute, layout.root_sends + layout.root_recvs, layout.root_calcs);
}

template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::check_roots(const BlockView& view, std::uint32_t rank) {
    for (std::uint32_t i = 0; i < view.layout().roots(); ++i) {
        if (view.root(i) >= view.ops()) damaged(rank);
    }
}

template <bool Multi, typename Observer>
std::uint32_t GraphDriver<Multi, Observer>::damaged_number(std::uint32_t limit) const {
    throw InputError(Error{
        schedule_.name(), 0, 0,
        fmt::format("damaged schedule: an operation names a CPU or NIC beyond the {} it declares", limit)});
}

// Brings what the next events will touch into the cache, in three steps as each needs the one before: the
// rank's state (and the message), the start of its program, the operation's record.
template <bool Multi, typename Observer> void GraphDriver<Multi, Observer>::prefetch() const {
    asm volatile(""); // a function that only prefetches has no effect that GCC 12 knows of: it drops the calls
    if (const GraphEvent* const next = queue_.ahead(18)) {
        __builtin_prefetch(&ranks_[next->rank], 1);
        if ((next->drawn & kind_mask) == message) __builtin_prefetch(&messages_[next->ref]);
    }
    if (shared_programs_) return;
    if (const GraphEvent* const next = queue_.ahead(12)) {
        __builtin_prefetch(schedule_.block_bytes(ranks_[next->rank].block));
    }
    if (const GraphEvent* const next = queue_.ahead(6);
        next != nullptr && (next->drawn & kind_mask) == operation) {
        __builtin_prefetch(program(next->rank).record_bytes(next->ref));
    }
}

template <bool Multi, typename Observer> void GraphDriver<Multi, Observer>::damaged(std::uint32_t rank) const {
    throw InputError(Error{schedule_.name(), 0, 0,
                           fmt::format("damaged schedule: the program of rank {} is inconsistent", rank)});
}

template <bool Multi, typename Observer>
Time GraphDriver<Multi, Observer>::noise(std::uint32_t rank, std::uint32_t cpu, Time start, Time busy) {
    if (noise_ == nullptr) return Time::zero();
    const Time delay = noise_->delay(RankId{rank}, cpu, start, busy);
    count_busy(noise_of_[rank], delay);
    return delay;
}

// --- dependencies

template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::count_end(std::uint32_t rank, std::uint32_t op) {
    if (++ops_ended_ > schedule_.operations()) damaged(rank); // some operation ran twice
    observer_.ended(rank, op);
}

template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::end_op(std::uint32_t rank, std::uint32_t op, Time at, Why why,
                                          FreedList& freed) {
    count_end(rank, op);
    const BlockView view = program(rank);
    view.dependents(view.record(op), op, false, true,
                    [&](std::uint32_t after, bool) { satisfy(view, rank, after, at, why, freed); });
}

// The operation starts now; if `ends`, its end at time `end` is known too.
template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::start_op(const BlockView& view, const BlockView::Record& record,
                                            std::uint32_t rank, std::uint32_t op, bool ends, Time end,
                                            Why why) {
    observer_.started(rank, op);
    if (ends) count_end(rank, op);
    view.dependents(record, op, true, ends, [&](std::uint32_t after, bool of_start) {
        satisfy(view, rank, after, of_start ? now_ : end, of_start ? observer_.at_start(why) : why, freed_);
    });
}

// One dependency of `op` has fallen at time `at`; if it was the last, the operation is free.
template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::satisfy(const BlockView& view, std::uint32_t rank, std::uint32_t op, Time at,
                                           Why why, FreedList& freed) {
    observer_.ready(rank, op, why, at);
    const BlockView::Record record = view.record(op);
    const std::uint32_t indegree = record.indegree();
    if (indegree == 0 || record.kind() > OpKind::calc) damaged(rank);
    if (indegree > 1) {
        if ((view.layout().flags & layout_flags::joins) == 0) damaged(rank);
        const std::uint64_t slot = first_join_[rank] + op;
        if constexpr (Multi) at = join_ready_[slot] = later(join_ready_[slot], at);
        const std::uint32_t count = indegree > 255 ? ++many_satisfied_[slot] : ++satisfied_[slot];
        if (count != indegree) return;
    }
    freed.push_back({op, record.kind(), cpu_of(record), nic_of(record), at});
}

// Queues operations that have become free, each at the earliest time at which it could start. Of several sends
// (or computations) for the same CPU and NIC the first goes first, so the next cannot start before that one has
// let go.
template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::queue_freed(std::uint32_t rank, FreedList& freed) {
    const auto by_kind = [](const Freed& a, const Freed& b) { return a.kind < b.kind; };
    if (!std::is_sorted(freed.begin(), freed.end(), by_kind))
        std::stable_sort(freed.begin(), freed.end(), by_kind);
    const Freed* previous = nullptr;
    Time previous_at; // without regard to the one before it
    Time previous_done;
    for (const Freed& next : freed) {
        Time at = later(later(next.ready, now_), cpu_free(rank, next.cpu));
        if (next.kind == OpKind::send) at = later(at, tx_free(rank, next.nic));
        if (next.kind == OpKind::recv) {
            observer_.recv_queued(rank, next.op, next.cpu, at);
        } else if (freed.size() > 1) {
            const Time own = at;
            const bool behind = previous != nullptr && previous->kind == next.kind &&
                                previous->cpu == next.cpu && previous->nic == next.nic && previous_at <= own;
            if (behind) at = later(at, previous_done);
            previous = &next;
            previous_at = own;
            previous_done = std::min(at + least_occupation(rank, next), Time::longest());
        }
        draw(at, operation, rank, next.op);
    }
    freed.clear();
}

// For how long an operation keeps others of its kind from starting on its CPU and NIC, at least.
template <bool Multi, typename Observer>
Time GraphDriver<Multi, Observer>::least_occupation(std::uint32_t rank, const Freed& freed) const {
    const BlockView view = program(rank);
    const BlockView::Record record = view.record(freed.op);
    if (freed.kind == OpKind::calc) {
        const auto ps = static_cast<std::int64_t>(std::min(record.calc_ps(), max_op_size));
        return std::min(Time::ps(ps), Time::longest());
    }
    const Bytes size = endpoint_.handshake() && !endpoint_.eager(record.size()) ? 1 : record.size();
    return later(endpoint_.send_overhead(size), network_.occupation(size));
}

// --- waiting

template <bool Multi, typename Observer>
Time GraphDriver<Multi, Observer>::class_ready(std::uint32_t rank, std::uint64_t key) {
    const auto cpu = static_cast<std::uint32_t>(key >> 16 & 0xFFFF);
    const auto nic = static_cast<std::uint32_t>(key & 0xFFFF);
    switch (static_cast<Use>(key >> 32)) {
    case Use::send: return later(cpu_free(rank, cpu), tx_free(rank, nic));
    case Use::receive: return later(cpu_free(rank, cpu), rx_free(rank, nic));
    case Use::compute: break;
    }
    return cpu_free(rank, cpu);
}

template <bool Multi, typename Observer>
WaitClass& GraphDriver<Multi, Observer>::waiting_class(std::uint32_t rank, std::uint64_t key,
                                                       std::uint32_t& index) {
    RankState& state = ranks_[rank];
    if (state.waits == 0) {
        if (free_rooms_.empty()) {
            rooms_.emplace_back();
            free_rooms_.push_back(static_cast<std::uint32_t>(rooms_.size() - 1));
        }
        state.waits = (free_rooms_.back() + 1) & 0xFF'FFFF;
        free_rooms_.pop_back();
    }
    auto& classes = rooms_[state.waits - 1].classes;
    for (index = 0; index < classes.size(); ++index) {
        if (classes[index].key == key) return classes[index];
    }
    classes.push_back({key, {}, {}, WaitClass::no_wake});
    return classes.back();
}

template <bool Multi, typename Observer>
Turn GraphDriver<Multi, Observer>::first_turn(const WaitClass& waiting) const {
    // Roots are older than anything that became ready later.
    if (!waiting.roots.empty())
        return turn_of(waiting.roots.first_number + waiting.roots.next, Time::zero(), operation);
    return waiting.set.oldest().turn;
}

template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::schedule_wake(std::uint32_t rank, WaitClass& waiting, std::uint32_t index,
                                                 Time at) {
    waiting.wake = first_turn(waiting);
    queue_.push({at, waiting.wake.drawn | wake, rank, index, waiting.wake.source, waiting.wake.number});
}

// The event's operation cannot go before `ready`. The first few that wait at a rank are simply put back; more
// wait in a class of their like, of which only the oldest has an event.
template <bool Multi, typename Observer>
void GraphDriver<Multi, Observer>::wait(const GraphEvent& event, std::uint64_t key, Time ready) {
    RankState& state = ranks_[event.rank];
    if (state.waits == 0 && state.retries < max_retries) {
        ++state.retries;
        GraphEvent again = event;
        again.time = ready;
        again.drawn |= retry;
        queue_.push(again);
        return;
    }
    std::uint32_t index = 0;
    WaitClass& waiting = waiting_class(event.rank, key, index);
    Turn turn = event.turn();
    turn.drawn &= ~retry;
    waiting.set.push({turn, event.ref});
    if (turn.before(waiting.wake)) schedule_wake(event.rank, waiting, index, ready);
}

template <bool Multi, typename Observer> void GraphDriver<Multi, Observer>::on_wake(const GraphEvent& event) {
    const std::uint32_t rank = event.rank;
    const std::uint32_t index = event.ref;
    if (ranks_[rank].waits == 0) return; // everybody has gone in the meantime
    const std::uint32_t room = ranks_[rank].waits - 1;
    if (index >= rooms_[room].classes.size()) return;
    GraphEvent first{now_, 0, rank, 0, 0, 0};
    {
        WaitClass& waiting = rooms_[room].classes[index];
        if (waiting.empty() || !waiting.wake.same(event.turn())) return; // a later wake-up replaced this one
        const Time ready = class_ready(rank, waiting.key);
        if (ready > now_) { // an older operation took the CPU or the NIC
            schedule_wake(rank, waiting, index, ready);
            return;
        }
        waiting.wake = WaitClass::no_wake;
        const Turn turn = first_turn(waiting);
        first.drawn = turn.drawn;
        first.source = turn.source;
        first.number = turn.number;
        first.ref = waiting.roots.empty() ? waiting.set.pop().ref
                                          : program(rank).root(waiting.roots.first + waiting.roots.next++);
    }
    dispatch(first);
    WaitClass& waiting = rooms_[room].classes[index];
    if (!waiting.empty()) {
        if (waiting.wake.same(WaitClass::no_wake)) {
            schedule_wake(rank, waiting, index, later(now_, class_ready(rank, waiting.key)));
        }
    } else if (rooms_[room].empty()) {
        free_rooms_.push_back(room);
        ranks_[rank].waits = 0;
    }
}

} // namespace orrery
