// Threads on processors: each goes through its records, and through the ready queue of its node between them.
#include "drivers/dimemas/record_calls.h"
#include "drivers/dimemas/simulation.h"
#include "engine/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::dimemas {

namespace {

CallKind kind_of(const DimRecord& record) {
    switch (record.kind) {
    case RecordKind::send: return CallKind::send;
    case RecordKind::receive:
    case RecordKind::receive_no_wait: return CallKind::receive;
    case RecordKind::wait: return CallKind::wait;
    case RecordKind::collective:
        return record.synchrony == Synchrony::waiting ? CallKind::wait : CallKind::collective;
    case RecordKind::burst:
    case RecordKind::gpu_burst: return CallKind::compute;
    case RecordKind::nothing:
    case RecordKind::event: break;
    }
    return CallKind::other;
}

} // namespace

void Simulation::start_threads() {
    for (std::uint32_t id = 0; id < threads_.size(); ++id) {
        Thread& thread = threads_[id];
        thread.started = more(thread) && thread.has_work;
        if (thread.started) {
            make_ready(id, Place::back);
        } else {
            // As Dimemas: a thread that does not begin with a burst is left out.
            thread.finished = true;
            not_started_.push_back(id);
        }
    }
    hand_out_processors();
}

// Makes sure that work or a record is at hand; false at the end of the thread.
bool Simulation::more(Thread& thread) {
    if (thread.has_work || thread.has_record) return true;
    thread.record_at = thread.cursor.offset;
    if (!trace_.next(thread.cursor, thread.record)) {
        thread.finished = true;
        thread.finish = now_;
        if (causes_) causes_->finished(id_of(thread), now_);
        return false;
    }
    ++records_;
    thread.since = now_;
    if (thread.record.kind == RecordKind::burst || thread.record.kind == RecordKind::gpu_burst) {
        begin_burst(thread);
    } else {
        thread.has_record = true;
    }
    return true;
}

void Simulation::begin_burst(Thread& thread) {
    const Node& node = machine_.nodes[thread.node];
    double ps = thread.record.seconds * 1e12;
    if (thread.record.kind == RecordKind::gpu_burst) {
        const double speed = node.accelerator_speed;
        ps = speed > 0 ? ps / speed : -speed * 1e12;
    } else {
        if (!thread.modules.empty()) {
            const double ratio = machine_.modules[thread.modules.back()].ratio;
            ps = ratio > 0 ? ps / ratio : -ratio * 1e12;
        }
        ps = node.speed > 0 ? ps / node.speed : 0;
    }
    thread.work = Time::from_ps(ps, "Dimemas: a burst");
    thread.burst = thread.work;
    thread.has_work = true;
    thread.in_burst = true;
}

void Simulation::make_ready(std::uint32_t id, Place place) {
    Thread& thread = threads_[id];
    if (!thread.has_work) {
        thread.has_work = true;
        thread.work = Time::zero();
    }
    Processors& node = processors_[thread.node];
    if (node.first_ready == nobody) {
        thread.next_ready = nobody;
        node.first_ready = node.last_ready = id;
    } else if (place == Place::front) {
        thread.next_ready = node.first_ready;
        node.first_ready = id;
    } else {
        thread.next_ready = nobody;
        threads_[node.last_ready].next_ready = id;
        node.last_ready = id;
    }
    if (!node.touched) {
        node.touched = true;
        touched_.push_back(thread.node);
    }
    if (causes_) causes_->ready(id, now_);
}

// Detours during the burst of a thread that has got a processor: they come upon the thread, wherever it runs.
Time Simulation::add_noise(Thread& thread) {
    if (!thread.in_burst || thread.work == Time::zero()) return Time::zero();
    const Time begin = now_ + machine_.context_switch;
    const Time noise = options_.noise->delay(RankId{id_of(thread)}, 0, begin, thread.work);
    thread.work += noise;
    thread.burst += noise;
    return noise;
}

// What a thread that has got a processor does with it.
void Simulation::log_work(const Thread& thread, Time noise) {
    const std::uint32_t id = id_of(thread);
    CauseTracker::Work work;
    work.context_switch = machine_.context_switch;
    work.busy = thread.work - noise;
    work.noise = noise;
    work.peer = id;
    if (thread.paying_latency) {
        const DimRecord& record = thread.record;
        work.kind = EventKind::startup;
        work.bytes = record.bytes;
        if (record.kind != RecordKind::collective && record.peer != any_task)
            work.peer = trace_.thread_of(static_cast<std::uint32_t>(record.peer), 0);
    }
    causes_->runs(id, work, now_);
}

void Simulation::run_next(std::uint32_t node_id) {
    Processors& node = processors_[node_id];
    const std::uint32_t id = node.first_ready;
    Thread& thread = threads_[id];
    node.first_ready = thread.next_ready;
    if (node.first_ready == nobody) node.last_ready = nobody;
    --node.free;
    thread.has_work = false;
    const Time noise = options_.noise == nullptr ? Time::zero() : add_noise(thread);
    if (causes_) log_work(thread, noise);
    plan(now_ + machine_.context_switch + thread.work, What::processor, id);
}

void Simulation::hand_out_processors() {
    if (touched_.size() > 1) std::sort(touched_.begin(), touched_.end());
    for (const std::uint32_t id : touched_) {
        Processors& node = processors_[id];
        node.touched = false;
        while (node.first_ready != nobody && node.free > 0) run_next(id);
    }
    touched_.clear();
}

void Simulation::end_of_work(std::uint32_t id) {
    Thread& thread = threads_[id];
    Processors& node = processors_[thread.node];
    ++node.free;
    if (thread.paying_latency) {
        thread.paying_latency = false;
        thread.latency_paid = true;
    } else if (thread.in_burst) {
        thread.in_burst = false;
        thread.times[CallKind::compute] += thread.burst;
        tally_.finished(thread.record, thread.burst);
        if (reports_) reports_->computed(id, thread.record, now_ - thread.burst, now_);
        thread.times[CallKind::other] += now_ - thread.since - thread.burst; // for a processor
    }
    step(id);
    if (node.first_ready != nobody && node.free > 0) run_next(thread.node);
}

void Simulation::finish_record(Thread& thread, Time until) {
    thread.times[kind_of(thread.record)] += until - thread.since;
    if (is_call(thread.record)) tally_.finished(thread.record, until - thread.since);
    if (reports_) reports_->called(id_of(thread), thread.task, thread.record, thread.since, until);
    thread.has_record = false;
}

void Simulation::proceed(std::uint32_t id, Place place) {
    Thread& thread = threads_[id];
    finish_record(thread, now_);
    if (more(thread)) make_ready(id, place);
}

bool Simulation::pay_latency(std::uint32_t id, Time latency) {
    Thread& thread = threads_[id];
    if (!thread.latency_paid && latency > Time::zero()) {
        thread.paying_latency = true;
        thread.work = latency;
        thread.has_work = true;
        make_ready(id, Place::front);
        return true;
    }
    thread.latency_paid = false;
    return false;
}

void Simulation::enter_or_leave_module(Thread& thread) {
    const DimRecord& event = thread.record;
    if (event.value == 0) {
        if (!thread.modules.empty() && machine_.modules[thread.modules.back()].type == event.type)
            thread.modules.pop_back();
        return;
    }
    for (std::uint32_t i = 0; i < machine_.modules.size(); ++i) {
        if (machine_.modules[i].type != event.type || machine_.modules[i].value != event.value) continue;
        thread.modules.push_back(i);
        return;
    }
}

// The thread has a processor and looks at what comes next.
void Simulation::step(std::uint32_t id) {
    step_records(id);
    Processors& node = processors_[threads_[id].node];
    while (!started_.empty()) {
        const Started started = started_.back();
        started_.pop_back();
        if (node.first_ready != nobody && node.free > 0) run_next(threads_[id].node);
        start_nonblocking(started);
    }
}

void Simulation::step_records(std::uint32_t id) {
    Thread& thread = threads_[id];
    while (more(thread)) {
        if (thread.has_work) return make_ready(id, Place::back); // burst after burst: others may go first
        Place place = Place::back;
        switch (thread.record.kind) {
        case RecordKind::send: return send(id);
        case RecordKind::receive: return receive(id);
        case RecordKind::receive_no_wait: return receive_no_wait(id);
        case RecordKind::wait: return wait(id);
        case RecordKind::collective:
            // Communicator 0 marks synchronisation with an accelerator: nothing happens.
            if (thread.record.communicator <= 0) break;
            if (!collective(id)) return;
            continue;
        case RecordKind::event: enter_or_leave_module(thread); break;
        case RecordKind::nothing: place = Place::front; break;
        case RecordKind::burst:
        case RecordKind::gpu_burst: break; // they are work, see more()
        }
        finish_record(thread, now_);
        if (more(thread) && thread.has_work) return make_ready(id, place);
    }
}

} // namespace orrery::dimemas
