#include "observe/paraver/mpi_trace.h"

#include "formats/paraver/paraver_events.h"
#include "observe/paraver/trace_writer.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

namespace orrery {

namespace {

using paraver::Entity;

ParaverState state_of(const Action& action) {
    switch (action.kind) {
    case ActionKind::compute: return ParaverState::running;
    case ActionKind::send:
    case ActionKind::ssend: return ParaverState::blocking_send;
    case ActionKind::isend:
    case ActionKind::issend:
    case ActionKind::one_sided: return ParaverState::immediate_send;
    case ActionKind::recv: return ParaverState::waiting_message;
    case ActionKind::irecv: return ParaverState::immediate_receive;
    case ActionKind::sendrecv: return ParaverState::send_receive;
    case ActionKind::probe:
    case ActionKind::test: return ParaverState::test_probe;
    case ActionKind::wait:
    case ActionKind::wait_all:
    case ActionKind::wait_any:
    case ActionKind::wait_some:
    case ActionKind::await: return ParaverState::wait_all;
    case ActionKind::collective:
        return action.collective == Collective::barrier ? ParaverState::synchronization
                                                        : ParaverState::group_communication;
    case ActionKind::comm_split:
    case ActionKind::comm_dup:
    case ActionKind::aside: return ParaverState::group_communication;
    case ActionKind::window: return ParaverState::synchronization;
    case ActionKind::sleep:
    case ActionKind::comm_create:
    case ActionKind::comm_free:
    case ActionKind::forget:
    case ActionKind::neighbours:
    case ActionKind::cancel: break;
    }
    return ParaverState::others;
}

// What a rank gives and gets in a collective, where its action alone says so (CollectiveCall::bytes).
struct Volume {
    Bytes sent = 0;
    Bytes received = 0;
};
Volume volume_of(const Action& action, bool root) {
    const Bytes bytes = action.bytes;
    switch (action.collective) {
    case Collective::barrier: return {};
    case Collective::bcast: return root ? Volume{bytes, 0} : Volume{0, bytes};
    case Collective::gather:
    case Collective::reduce: return {bytes, root ? bytes : 0};
    case Collective::scatter: return {root ? bytes : 0, bytes};
    default: break;
    }
    return {bytes, bytes};
}

class MpiTrace final : public ReplayTimeline {
  public:
    MpiTrace(const std::string& path, const ParaverRun& run)
        : writer_(path), cpus_(run.cpus), ended_(run.hosts.size() * run.cpus) {
        place(run);
        for (std::uint32_t rank = 0; rank < run.starts.size(); ++rank) {
            for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu)
                state_until({rank, cpu}, run.starts[rank], ParaverState::not_created);
        }
    }

    void performed(CpuOfRank who, const Action& action, Time begin, Time end) override {
        state_until(who, begin, ParaverState::idle);
        state_until(who, end, state_of(action));
        call(thread(who), action, begin, end);
    }

    void passed(CpuOfRank who, const Action& action, Time at) override { call(thread(who), action, at, at); }

    void delivered(std::uint32_t /*from*/, std::uint32_t /*to*/, std::uint32_t /*tag*/, Bytes /*bytes*/,
                   Time /*sent*/, Time /*arrived*/) override {}

    void received(const Received& message) override {
        if (message.collective) return;
        writer_.communication({.from = thread({message.from, message.from_cpu}),
                               .logical_send = message.sent,
                               .physical_send = message.left,
                               .to = thread({message.to, message.to_cpu}),
                               .logical_receive = message.posted,
                               .physical_receive = message.arrived,
                               .bytes = message.bytes,
                               .tag = message.tag});
    }

    void finish(Time end) override {
        for (std::uint32_t rank = 0; rank < tasks_.size(); ++rank) {
            for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu) state_until({rank, cpu}, end, ParaverState::idle);
        }
        writer_.finish(objects_, legend(), end);
    }

  private:
    // Hosts become nodes in the order in which ranks use them, each rank with CPUs of its own.
    void place(const ParaverRun& run) {
        std::map<std::string, std::uint32_t> nodes;
        std::vector<std::uint32_t> node_of;
        for (const std::string& host : run.hosts) {
            const auto [found, added] = nodes.try_emplace(host, static_cast<std::uint32_t>(nodes.size()));
            if (added) objects_.nodes.push_back({host, 0});
            node_of.push_back(found->second);
            objects_.nodes[found->second].cpus += cpus_;
        }
        std::vector<std::uint32_t> next_cpu(objects_.nodes.size(), 1);
        for (std::size_t node = 1; node < next_cpu.size(); ++node)
            next_cpu[node] = next_cpu[node - 1] + objects_.nodes[node - 1].cpus;
        std::uint32_t rank = 0;
        for (const std::uint32_t ranks : run.job_ranks) {
            paraver::Objects::Application& application = objects_.applications.emplace_back();
            application.name = fmt::format("job {}", objects_.applications.size());
            application.communicator = true;
            for (std::uint32_t task = 0; task < ranks; ++task, ++rank) {
                tasks_.push_back({static_cast<std::uint32_t>(objects_.applications.size() - 1), task, 0});
                std::uint32_t& next = next_cpu[node_of[rank]];
                application.tasks.push_back(
                    {fmt::format("rank {}", task), thread_names(task), node_of[rank], next, true});
                next += cpus_;
            }
        }
    }

    [[nodiscard]] std::vector<std::string> thread_names(std::uint32_t task) const {
        if (cpus_ == 1) return {fmt::format("rank {}", task)};
        std::vector<std::string> names;
        for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu)
            names.push_back(fmt::format("rank {} CPU {}", task, cpu));
        return names;
    }

    [[nodiscard]] Entity thread(CpuOfRank who) const {
        Entity entity = tasks_[who.rank];
        entity.thread = who.cpu;
        return entity;
    }

    // From the end of its state before.
    void state_until(CpuOfRank who, Time end, ParaverState state) {
        Time& ended = ended_[std::size_t{who.rank} * cpus_ + who.cpu];
        if (end <= ended) return;
        writer_.state(thread(who), ended, end, static_cast<std::uint32_t>(state));
        ended = end;
    }

    void call(const Entity& who, const Action& action, Time begin, Time end) {
        const ParaverCall* const call = paraver_call_of(action);
        if (call == nullptr) return;
        const std::uint32_t type = event_type(call->group);
        used_.insert(call->number);
        writer_.event(who, begin, type, call->number);
        if (action.kind == ActionKind::collective) {
            // Ranks of a communicator of its own are not known here: the root of the world is.
            const bool root = action.comm == world && action.peer == who.task;
            const Volume volume = volume_of(action, root);
            writer_.event(who, begin, paraver_sent_bytes, volume.sent);
            writer_.event(who, begin, paraver_received_bytes, volume.received);
            writer_.event(who, begin, paraver_root, root ? 1 : 0);
            writer_.event(who, begin, paraver_communicator, std::uint64_t{action.comm} + 1);
        }
        writer_.event(who, end, type, 0);
    }

    [[nodiscard]] paraver::Legend legend() const {
        paraver::Legend legend;
        legend.states.assign(paraver::mpi_states().begin(), paraver::mpi_states().end());
        constexpr std::array groups{ParaverGroup::point_to_point, ParaverGroup::collective, ParaverGroup::other,
                                    ParaverGroup::one_sided};
        for (const ParaverGroup group : groups) {
            paraver::EventName& event = legend.events.emplace_back();
            event.type = event_type(group);
            event.name = std::string(name_of(group));
            event.values.emplace_back(0, "Outside MPI");
            for (const std::uint32_t number : used_) {
                const ParaverCall* const call = paraver_call(number);
                if (call->group == group) event.values.emplace_back(number, std::string(call->name));
            }
        }
        legend.events.push_back({paraver_sent_bytes, "Send Size in MPI Global OP", {}});
        legend.events.push_back({paraver_received_bytes, "Recv Size in MPI Global OP", {}});
        legend.events.push_back({paraver_root, "Root in MPI Global OP", {}});
        legend.events.push_back({paraver_communicator, "Communicator in MPI Global OP", {}});
        return legend;
    }

    paraver::TraceWriter writer_;
    paraver::Objects objects_;
    std::uint32_t cpus_ = 1;       // of each rank
    std::vector<Entity> tasks_;    // per rank: its first thread
    std::vector<Time> ended_;      // per CPU: the end of its last state
    std::set<std::uint32_t> used_; // calls, by number
};

} // namespace

std::unique_ptr<ReplayTimeline> make_paraver_timeline(const std::string& path, const ParaverRun& run) {
    return std::make_unique<MpiTrace>(path, run);
}

} // namespace orrery
