#include "drivers/graph/recorder.h"

#include "engine/error.h"

namespace orrery {

Recorder::Recorder(const Schedule& schedule, Recording& recording)
    : recording_(recording), cpu_count_(schedule.header().cpus), nic_count_(schedule.header().nics) {
    const std::size_t ranks = schedule.ranks();
    first_op_.reserve(ranks);
    std::uint64_t total = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        first_op_.push_back(total);
        total += schedule.checked_program(RankId{rank}).ops();
    }
    if (total + schedule.sends() * 3 >= no_activity) {
        throw UsageError(
            "the run is too long to be recorded: a timeline or critical path needs fewer than 2^32 "
            "activities");
    }
    recording_ = {};
    recording_.ranks = schedule.ranks();
    ready_.resize(total);
    cpus_.resize(ranks * cpu_count_);
    ports_.resize(ranks * nic_count_ * 2);
}

Recorder::Flight& Recorder::flight(std::uint32_t id) {
    if (id >= flights_.size()) flights_.resize(std::size_t{id} + 1);
    return flights_[id];
}

// Appends an activity. What made it start is, in this order: its dependency or its message's arrival, the CPU,
// the NIC; whichever happened at its start.
Recorder::Why Recorder::add(Activity activity, const Occupation& used, const Instant& trigger,
                            Last* busy_port) {
    Last& busy_cpu = cpu(activity.rank, used.cpu);
    activity.start = used.start;
    activity.end = used.end;
    activity.port_end = used.port_end;
    activity.noise = used.noise;
    activity.cpu = used.cpu;
    activity.nic = used.nic;
    Why why;
    if (trigger.why.activity != no_activity && trigger.time == used.start) {
        why = trigger.why;
    } else if (busy_cpu.activity != no_activity && busy_cpu.until == used.start) {
        why = {busy_cpu.activity, busy_cpu.how};
    } else if (busy_port != nullptr && busy_port->activity != no_activity && busy_port->until == used.start) {
        why = {busy_port->activity, Cause::port};
    }
    activity.cause = why.activity;
    activity.how = why.how;
    const auto number = static_cast<std::uint32_t>(recording_.activities.size());
    recording_.activities.push_back(activity);
    if (activity.kind != ActivityKind::post) {
        busy_cpu = {number, Cause::end, used.end};
        if (busy_port != nullptr) *busy_port = {number, Cause::port, used.port_end};
    }
    return {number, Cause::end};
}

Recorder::Why Recorder::calc(std::uint32_t rank, std::uint32_t op, const Occupation& used, std::uint64_t size) {
    Activity activity;
    activity.kind = ActivityKind::calc;
    activity.rank = rank;
    activity.op = op;
    activity.size = size;
    return add(activity, used, ready_[first_op_[rank] + op], nullptr);
}

Recorder::Why Recorder::send(std::uint32_t rank, std::uint32_t op, const Occupation& used,
                             const Message& message, std::uint32_t id, std::uint32_t peer, Time arrival,
                             bool control) {
    Activity activity;
    activity.kind = ActivityKind::send;
    activity.rank = rank;
    activity.op = op;
    activity.size = message.size;
    activity.peer = peer;
    activity.tag = message.tag;
    activity.control = control;
    Flight& way = flight(id);
    const bool is_task = way.task.why.activity != no_activity;
    const Instant trigger = is_task ? way.task : ready_[first_op_[rank] + op];
    const Why why = add(activity, used, trigger, &port(rank, used.nic, false));
    way = {why.activity, no_activity, arrival, {}, {}};
    return why;
}

Recorder::Why Recorder::recv(std::uint32_t rank, const Occupation& used, const Message& message,
                             std::uint32_t id, bool control) {
    Flight& way = flight(id);
    Activity activity;
    activity.kind = ActivityKind::recv;
    activity.rank = rank;
    activity.op = message.op; // of the sender's program until matched
    activity.size = message.size;
    activity.peer = recording_.activities[way.injection].rank;
    activity.tag = message.tag;
    activity.control = control;
    activity.partner = way.injection;
    const bool held = way.held.why.activity != no_activity && way.held.time == used.start;
    const Instant trigger = held ? way.held : Instant{{way.injection, Cause::arrival}, way.arrival};
    const Why why = add(activity, used, trigger, &port(rank, used.nic, true));
    recording_.activities[way.injection].partner = why.activity;
    way.reception = why.activity;
    return why;
}

Recorder::Why Recorder::post(std::uint32_t rank, std::uint32_t op, const Occupation& at, std::uint32_t peer,
                             std::uint32_t tag, std::uint64_t size) {
    Activity activity;
    activity.kind = ActivityKind::post;
    activity.rank = rank;
    activity.op = op;
    activity.size = size;
    activity.peer = peer;
    activity.tag = tag;
    return add(activity, at, ready_[first_op_[rank] + op], nullptr);
}

void Recorder::matched(std::uint32_t id, std::uint32_t op) {
    const std::uint32_t reception = flights_[id].reception;
    recording_.activities[reception].op = op;
    recording_.activities[reception].waited = std::size_t{reception} + 1 < recording_.activities.size();
}

void Recorder::ready(std::uint32_t rank, std::uint32_t op, Why why, Time at) {
    Instant& instant = ready_[first_op_[rank] + op];
    if (instant.why.activity == no_activity || at > instant.time) instant = {why, at};
}

// A receive is posted when its CPU is free next, which is settled when it becomes ready: by the time it is
// posted, another operation may have taken the CPU.
void Recorder::recv_queued(std::uint32_t rank, std::uint32_t op, std::uint32_t number, Time at) {
    Instant& instant = ready_[first_op_[rank] + op];
    const Last& busy = cpu(rank, number);
    if (instant.time != at && busy.activity != no_activity && busy.until == at) {
        instant = {{busy.activity, busy.how}, at};
    }
}

void Recorder::task_ready(std::uint32_t id, Why why, Time at) { flights_[id].task = {why, at}; }

void Recorder::released(std::uint32_t rank, std::uint32_t number, Why why) {
    cpu(rank, number) = {why.activity, why.how, recording_.activities[why.activity].start};
}

void Recorder::finish(const std::vector<Time>& finish_times) {
    recording_.finish = finish_times;
    recording_.last.assign(recording_.ranks, no_activity);
    recording_.last_how.assign(recording_.ranks, Cause::none);
    for (std::uint32_t rank = 0; rank < recording_.ranks; ++rank) {
        for (std::uint32_t number = 0; number < cpu_count_; ++number) {
            const Last& last = cpu(rank, number);
            if (last.activity == no_activity || last.until != finish_times[rank]) continue;
            recording_.last[rank] = last.activity;
            recording_.last_how[rank] = last.how;
            break;
        }
    }
}

} // namespace orrery
