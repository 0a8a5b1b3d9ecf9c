#include "drivers/dimemas/simulation.h"

#include "engine/error.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace orrery::dimemas {

namespace {

LinkSet link_set(const Links& links) {
    LinkSet set;
    set.endless = links.endless();
    set.half_duplex = links.half_duplex();
    set.free_out = set.half_duplex ? links.most() : links.out;
    set.free_in = links.in;
    return set;
}

const char* call_of(const DimRecord& record) {
    switch (record.kind) {
    case RecordKind::send: return "send to";
    case RecordKind::receive: return "receive from";
    case RecordKind::wait: return "wait for a message from";
    default: return "collective on communicator";
    }
}

} // namespace

Simulation::Simulation(const DimFile& trace, const Configuration& machine, const SimulationOptions& options)
    : trace_(trace), machine_(machine), options_(options), node_of_(place_tasks(machine, trace.tasks())) {
    if (options.observer != nullptr) reports_.emplace(trace, *options.observer);
    if (options.events != nullptr) {
        std::vector<std::uint32_t> nodes;
        for (std::uint32_t task = 0; task < trace.tasks(); ++task)
            nodes.insert(nodes.end(), trace.threads(task), node_of_[task]);
        causes_.emplace(*options.events, nodes);
    }
    threads_.resize(trace.threads());
    for (std::uint32_t task = 0; task < trace.tasks(); ++task) {
        for (std::uint32_t i = 0; i < trace.threads(task); ++i) {
            Thread& thread = threads_[trace.thread_of(task, i)];
            thread.cursor = trace.begin(trace.thread_of(task, i));
            thread.task = task;
            thread.node = node_of_[task];
        }
    }
    for (const Node& node : machine.nodes) {
        processors_.push_back({});
        processors_.back().free = node.cpus;
        node_links_.push_back(link_set(node.links));
        memory_buses_.push_back({node.intra_buses, 0, {}, {}});
    }
    for (const std::uint32_t node : node_of_) task_links_.push_back(link_set(machine.nodes[node].intra));
    for (const Cluster& cluster : machine.clusters) {
        buses_.push_back({cluster.buses, 0, {}, {}});
        wan_links_.push_back(link_set({1, 1}));
    }
    connection_links_.assign(machine.connections.size(), link_set({1, 1}));
    for (const DimCommunicator& each : trace.communicators()) {
        CommunicatorState& communicator = communicators_.emplace_back();
        communicator.id = each.id;
        communicator.tasks = each.tasks;
        communicator.size = static_cast<std::uint32_t>(each.tasks.size());
        std::sort(communicator.tasks.begin(), communicator.tasks.end());
        std::vector<std::uint32_t> nodes;
        for (const std::uint32_t task : each.tasks) nodes.push_back(node_of_[task]);
        std::sort(nodes.begin(), nodes.end());
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        communicator.one_node = nodes.size() <= 1;
        communicator.shares_nodes = nodes.size() < each.tasks.size();
        for (const std::uint32_t node : nodes)
            communicator.one_cluster &= machine.nodes[node].machine == machine.nodes[nodes.front()].machine;
        communicator_index_[each.id] = static_cast<std::uint32_t>(communicators_.size() - 1);
    }
}

void Simulation::fail(const Thread& thread, const std::string& reason) const {
    trace_.fail(thread.record_at, reason);
}

// Whatever an event sets off is caused by what it is the end of.
void Simulation::log_actor(const Event& event) {
    switch (static_cast<What>(event.rank)) {
    case What::processor: return causes_->thread_acts(event.ref);
    case What::resources: return causes_->resources_free(event.ref);
    case What::arrival: return causes_->arrives(event.ref);
    case What::group_resources: return causes_->collective_frees(event.ref);
    case What::group_end: return causes_->collective_ends(event.ref);
    }
}

void Simulation::handle(const Event& event) {
    now_ = event.time;
    if (causes_) log_actor(event);
    switch (static_cast<What>(event.rank)) {
    case What::processor: end_of_work(event.ref); break;
    case What::resources: resources_free(event.ref); break;
    case What::arrival:
        if (transfers_[event.ref].purpose == Purpose::message) {
            message_arrived(event.ref);
        } else {
            reduction_arrived(event.ref);
        }
        break;
    case What::group_resources: free_collective_resources(event.ref); break;
    case What::group_end: end_collective(event.ref); break;
    }
    hand_out_processors();
}

ReplayPrediction Simulation::run() {
    const auto start = std::chrono::steady_clock::now();
    start_threads();
    while (!events_.empty()) {
        handle(events_.pop());
        if ((++handled_ & 0xFFFF) != 0) continue;
        if (options_.progress) options_.progress(records_, now_);
    }
    check_all_finished();
    ReplayPrediction answer = prediction();
    answer.base.simulation_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return answer;
}

void Simulation::check_all_finished() const {
    constexpr std::size_t most = 8;
    std::vector<std::string> stuck;
    std::size_t count = 0;
    for (const Thread& thread : threads_) {
        if (thread.finished) continue;
        ++count;
        if (stuck.size() == most) continue;
        const DimRecord& record = thread.record;
        const bool collective = record.kind == RecordKind::collective;
        stuck.push_back(fmt::format("task {} in a {} {}{} (line {})", thread.task, call_of(record),
                                    collective ? record.communicator : record.peer,
                                    collective ? "" : fmt::format(" with tag {}", record.tag),
                                    trace_.line_at(thread.record_at)));
    }
    if (count == 0) return;
    throw SimulationError(fmt::format(
        "deadlock: {} of {} threads can never end: {}{}", count, threads_.size(), fmt::join(stuck, "; "),
        count > stuck.size() ? fmt::format("; {} more", count - stuck.size()) : ""));
}

ReplayPrediction Simulation::prediction() const {
    ReplayPrediction answer = found_;
    Prediction& base = answer.base;
    base.operations = records_;
    base.events = handled_;
    base.ranks.resize(trace_.tasks());
    answer.calls.resize(trace_.tasks());
    // A task is as late as its last thread; its time went where that thread's did.
    for (std::uint32_t task = 0; task < trace_.tasks(); ++task) {
        const Thread* last = &threads_[trace_.thread_of(task, 0)];
        for (std::uint32_t i = 1; i < trace_.threads(task); ++i) {
            const Thread& thread = threads_[trace_.thread_of(task, i)];
            if (thread.finish > last->finish) last = &thread;
        }
        answer.calls[task] = last->times;
        base.ranks[task].finish = last->finish;
        base.ranks[task].compute = last->times[CallKind::compute];
        if (last->finish > base.time) {
            base.time = last->finish;
            base.critical_rank = task;
        }
    }
    answer.jobs.push_back({0, trace_.tasks(), Time::zero(), base.time});
    answer.busiest = busiest_links(base.time);
    tally_.add_to(answer, machine_);
    if (!not_started_.empty()) {
        const Thread& first = threads_[not_started_.front()];
        answer.notes.push_back(fmt::format("{} of {} threads do not begin with a burst and are left out, as "
                                           "Dimemas does; the first is thread {} "
                                           "of task {}",
                                           not_started_.size(), threads_.size(), first.cursor.thread,
                                           first.task));
    }
    for (const std::string& note : machine_.notes) answer.notes.push_back(note);
    return answer;
}

ReplayPrediction simulate(const DimFile& trace, const Configuration& machine,
                          const SimulationOptions& options) {
    return Simulation(trace, machine, options).run();
}

} // namespace orrery::dimemas
