// Recordings made by hand: the LogGOPS rules for a run whose order on each CPU is given by the caller.
//
// Each call adds an activity at the earliest time that its CPU, its NIC and what it waits for allow, and notes
// which of these was the last. There is no matching and no queue, so there is nothing of the simulator in it.
#pragma once

#include "network/loggops/parameters.h"
#include "results/recording.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace orrery::observe_test {

// The parameters of Figures 4 to 7 of the LogGOPSim paper.
inline LogGOPS figure_parameters() {
    LogGOPS parameters;
    parameters.L = Time::ns(2500);
    parameters.o = Time::ns(1500);
    parameters.g = Time::ns(4000);
    parameters.G = 6000;
    parameters.O = 8000;
    return parameters;
}

struct Where {
    std::uint32_t cpu = 0;
    std::uint32_t nic = 0;
    Time noise = Time::zero();
    std::uint32_t after = no_activity; // a dependency on the end of an activity
};

class RecordedRun {
  public:
    RecordedRun(std::uint32_t ranks, LogGOPS parameters) : ranks_(ranks), parameters_(parameters) {}

    std::uint32_t calc(std::uint32_t rank, Time time, Where where = {}) {
        Activity a = begin(ActivityKind::calc, rank, where);
        a.size = static_cast<std::uint64_t>(time.ps());
        a.end = a.start + time + where.noise;
        return add(a);
    }

    std::uint32_t send(std::uint32_t rank, std::uint32_t to, std::uint64_t bytes, Where where = {}) {
        Activity a = begin(ActivityKind::send, rank, where);
        a.size = bytes;
        a.peer = to;
        wait_for_port(a);
        a.end = a.start + parameters_.o + cost(bytes, parameters_.O) + where.noise;
        a.port_end = a.start + parameters_.g + cost(bytes, parameters_.G);
        return add(a);
    }

    // Receives the message of the activity `message`, a send.
    std::uint32_t recv(std::uint32_t message, Where where = {}) {
        const Activity sent = activities_[message];
        Activity a = begin(ActivityKind::recv, sent.peer, where);
        a.size = sent.size;
        a.peer = sent.rank;
        a.tag = sent.tag;
        a.partner = message;
        wait_for_port(a);
        delay(a, sent.start + parameters_.o + parameters_.L, message, Cause::arrival);
        const Time bytes = later(cost(sent.size, parameters_.O), cost(sent.size, parameters_.G));
        a.end = a.start + parameters_.o + bytes + where.noise;
        a.port_end = a.start + parameters_.g + cost(sent.size, parameters_.G);
        const std::uint32_t index = add(a);
        activities_[message].partner = index;
        return index;
    }

    // A rendezvous: nothing on `rank` goes on before the activity `receive` has started.
    void release(std::uint32_t rank, std::uint32_t receive) {
        cpus_[{rank, 0}] = {activities_[receive].start, receive, Cause::partner};
    }

    // The log in the order of start times.
    [[nodiscard]] Recording take() const {
        std::vector<std::uint32_t> order(activities_.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return activities_[a].start < activities_[b].start;
        });
        std::vector<std::uint32_t> place(order.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
        const auto moved = [&](std::uint32_t index) { return index == no_activity ? index : place[index]; };

        Recording recording;
        recording.ranks = ranks_;
        recording.finish.assign(ranks_, Time::zero());
        recording.last.assign(ranks_, no_activity);
        recording.last_how.assign(ranks_, Cause::none);
        for (const std::uint32_t index : order) {
            Activity a = activities_[index];
            a.cause = moved(a.cause);
            a.partner = moved(a.partner);
            recording.activities.push_back(a);
        }
        for (const auto& [key, free] : cpus_) {
            const std::uint32_t rank = key.first;
            if (free.time < recording.finish[rank] || free.time == Time::zero()) continue;
            recording.finish[rank] = free.time;
            recording.last[rank] = moved(free.activity);
            recording.last_how[rank] = free.how;
        }
        return recording;
    }

  private:
    struct Free {
        Time time;
        std::uint32_t activity = no_activity;
        Cause how = Cause::none;
    };
    using Key = std::pair<std::uint32_t, std::uint32_t>; // rank, number

    static Time cost(std::uint64_t bytes, double each) {
        return Time::from_ps(static_cast<double>(std::max<std::uint64_t>(bytes, 1) - 1) * each);
    }
    static void delay(Activity& a, Time until, std::uint32_t cause, Cause how) {
        if (until <= a.start) return;
        a.start = until;
        a.cause = cause;
        a.how = how;
    }
    Activity begin(ActivityKind kind, std::uint32_t rank, const Where& where) {
        Activity a;
        a.kind = kind;
        a.rank = rank;
        a.op = ops_[rank]++;
        a.cpu = where.cpu;
        a.nic = where.nic;
        a.noise = where.noise;
        const Free& cpu = cpus_[{rank, where.cpu}];
        delay(a, cpu.time, cpu.activity, cpu.how);
        if (where.after != no_activity) delay(a, activities_[where.after].end, where.after, Cause::end);
        return a;
    }
    void wait_for_port(Activity& a) {
        const Free& port = (a.kind == ActivityKind::send ? out_ : in_)[{a.rank, a.nic}];
        delay(a, port.time, port.activity, port.how);
    }
    std::uint32_t add(const Activity& a) {
        const auto index = static_cast<std::uint32_t>(activities_.size());
        activities_.push_back(a);
        cpus_[{a.rank, a.cpu}] = {a.end, index, Cause::end};
        if (a.kind == ActivityKind::send) out_[{a.rank, a.nic}] = {a.port_end, index, Cause::port};
        if (a.kind == ActivityKind::recv) in_[{a.rank, a.nic}] = {a.port_end, index, Cause::port};
        return index;
    }

    std::uint32_t ranks_;
    LogGOPS parameters_;
    std::vector<Activity> activities_;
    std::map<Key, Free> cpus_;
    std::map<Key, Free> out_;
    std::map<Key, Free> in_;
    std::map<std::uint32_t, std::uint32_t> ops_;
};

// The four patterns of the figures, on `ranks` ranks.

inline Recording linear_scatter(std::uint32_t ranks, std::uint64_t bytes, const LogGOPS& parameters) {
    RecordedRun run(ranks, parameters);
    for (std::uint32_t to = 1; to < ranks; ++to) run.recv(run.send(0, to, bytes));
    return run.take();
}

inline Recording linear_gather(std::uint32_t ranks, std::uint64_t bytes, const LogGOPS& parameters) {
    RecordedRun run(ranks, parameters);
    for (std::uint32_t from = 1; from < ranks; ++from) run.recv(run.send(from, 0, bytes));
    return run.take();
}

inline Recording binomial_broadcast(std::uint32_t ranks, std::uint64_t bytes, const LogGOPS& parameters) {
    RecordedRun run(ranks, parameters);
    for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
        for (std::uint32_t rank = 0; rank < distance && rank + distance < ranks; ++rank) {
            run.recv(run.send(rank, rank + distance, bytes));
        }
    }
    return run.take();
}

inline Recording dissemination(std::uint32_t ranks, std::uint64_t bytes, const LogGOPS& parameters) {
    RecordedRun run(ranks, parameters);
    for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
        std::vector<std::uint32_t> messages;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            messages.push_back(run.send(rank, (rank + distance) % ranks, bytes));
        }
        for (const std::uint32_t message : messages) run.recv(message);
    }
    return run.take();
}

} // namespace orrery::observe_test
