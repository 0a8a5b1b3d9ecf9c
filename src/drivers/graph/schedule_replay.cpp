#include "drivers/graph/schedule_replay.h"

#include "drivers/graph/deadlock.h"
#include "drivers/graph/observers.h"
#include "engine/error.h"
#include "engine/interrupt.h"
#include "engine/pool.h"
#include "engine/sums.h"
#include "protocol/clock.h"
#include "protocol/messenger.h"

#include <chrono>
#include <deque>
#include <fmt/format.h>

namespace orrery {

namespace {

class ScheduleReplay {
  public:
    ScheduleReplay(const Schedule& schedule, const std::vector<HostId>& hosts, Network& network,
                   const ReplayOptions& options)
        : schedule_(schedule), network_(network), options_(options),
          messenger_(options.endpoint, network, clock_, hosts, options.observer),
          first_op_(first_operations(schedule)), cpus_(std::size_t{schedule.ranks()} * schedule.header().cpus),
          ranks_(schedule.ranks()), calls_(schedule.ranks()) {
        std::uint64_t total = 0;
        for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
            total = first_op_[rank] + schedule.checked_program(RankId{rank}).ops();
        }
        missing_.resize(total);
        state_.resize(total);
    }

    ReplayPrediction run();

  private:
    enum class Stage : std::uint8_t { computing, sending, sent, receiving, received };
    // An operation under way.
    struct Activity {
        std::uint32_t rank = 0;
        std::uint32_t op = 0;
        Stage stage = Stage::computing;
        Bytes bytes = 0;
    };
    struct Cpu {
        std::deque<std::uint32_t> queue; // activities; the first is running
    };

    void start_ranks();
    void start_rank(std::uint32_t rank);
    void settle();
    void ready(std::uint32_t rank, std::uint32_t op);
    void occupy(std::uint32_t activity);
    void begin(std::uint32_t activity);
    void leave(std::uint32_t activity);
    void end(std::uint32_t activity);
    void drain();
    void tell(const Activity& activity, Time busy);
    void notify(std::uint32_t rank, std::uint32_t op, bool start);
    [[nodiscard]] Cpu& cpu_of(const Activity& activity) {
        const std::uint32_t cpus = schedule_.header().cpus;
        const std::uint32_t cpu = schedule_.program(RankId{activity.rank}).record(activity.op).cpu() %
                                  cpus; // a damaged one stays inside
        return cpus_[std::size_t{activity.rank} * cpus + cpu];
    }
    [[noreturn]] void damaged(std::uint32_t rank, std::uint32_t op) const {
        throw InputError(
            Error{schedule_.name(), 0, 0, fmt::format("operation {} of rank {} is damaged", op, rank)});
    }

    const Schedule& schedule_;
    Network& network_;
    const ReplayOptions& options_;
    Clock clock_;
    Messenger messenger_;
    std::vector<std::uint64_t> first_op_;
    std::vector<std::uint32_t> missing_; // dependencies left, per operation
    std::vector<std::uint8_t> state_;    // bits of ProgressObserver
    std::vector<Cpu> cpus_;
    std::vector<RankTimes> ranks_;
    std::vector<CallTimes> calls_;
    Pool<Activity> activities_;
    std::deque<std::pair<std::uint32_t, std::uint32_t>>
        ready_; // operations that may start now: rank, operation
    std::vector<TransferId> arrived_;
    std::uint64_t ended_ = 0;
};

void ScheduleReplay::start_ranks() {
    for (std::uint32_t rank = 0; rank < schedule_.ranks(); ++rank) {
        const BlockView view = schedule_.program(RankId{rank});
        for (std::uint32_t op = 0; op < view.ops(); ++op) {
            missing_[first_op_[rank] + op] = view.record(op).indegree();
        }
        const Time late = options_.skew.of(RankId{rank});
        if (late == Time::zero()) {
            start_rank(rank);
        } else {
            clock_.at(late, Clock::Kind::cpu, rank);
        }
    }
}

void ScheduleReplay::start_rank(std::uint32_t rank) {
    const BlockView view = schedule_.program(RankId{rank});
    for (std::uint32_t i = 0; i < view.layout().roots(); ++i) {
        if (view.root(i) >= view.ops()) damaged(rank, view.root(i));
        ready_.emplace_back(rank, view.root(i));
    }
}

// Starts all that can start at this instant.
void ScheduleReplay::settle() {
    while (!ready_.empty()) {
        const auto [rank, op] = ready_.front();
        ready_.pop_front();
        ready(rank, op);
    }
}

void ScheduleReplay::ready(std::uint32_t rank, std::uint32_t op) {
    const BlockView view = schedule_.program(RankId{rank});
    const Op what = view.op(op);
    const std::uint32_t id = activities_.add({rank, op, Stage::computing, what.size});
    Activity& activity = activities_[id];
    if (what.size > max_op_size) damaged(rank, op);
    if (what.kind != OpKind::calc && what.peer >= schedule_.ranks() &&
        !(what.kind == OpKind::recv && what.peer == any_source)) {
        damaged(rank, op);
    }
    switch (what.kind) {
    case OpKind::calc: return occupy(id);
    case OpKind::send: activity.stage = Stage::sending; return occupy(id);
    case OpKind::recv: break;
    }
    activity.stage = Stage::receiving;
    if (options_.observer != nullptr) tell(activity, Time::zero());
    notify(rank, op, true);
    const RequestId request = messenger_.recv({what.peer, rank, 0, what.tag, what.size, op});
    if (messenger_.request(request).is(Request::complete)) {
        messenger_.request(request).waiter = id;
        messenger_.completed().push_back(request);
    } else {
        messenger_.request(request).waiter = id;
    }
    drain();
}

void ScheduleReplay::occupy(std::uint32_t id) {
    Cpu& cpu = cpu_of(activities_[id]);
    cpu.queue.push_back(id);
    if (cpu.queue.size() == 1) begin(id);
}

void ScheduleReplay::begin(std::uint32_t id) {
    const Activity activity = activities_[id];
    Time busy;
    switch (activity.stage) {
    case Stage::computing:
        busy = Time::ps(static_cast<std::int64_t>(activity.bytes));
        check_length(busy);
        break;
    case Stage::sending: busy = options_.endpoint.isend_cost(activity.bytes); break;
    default: busy = options_.endpoint.recv_cost(activity.bytes); break;
    }
    if (options_.noise != nullptr) busy += options_.noise->delay(RankId{activity.rank}, 0, clock_.now(), busy);
    if (activity.stage == Stage::computing) {
        add_busy(ranks_[activity.rank].compute, busy);
        add_busy(calls_[activity.rank][CallKind::compute], busy);
    } else {
        add_busy(ranks_[activity.rank].overhead, busy);
        add_busy(calls_[activity.rank][activity.stage == Stage::sending ? CallKind::send : CallKind::receive],
                 busy);
    }
    if (options_.observer != nullptr) tell(activity, busy);
    if (activity.stage != Stage::received) notify(activity.rank, activity.op, true);
    clock_.at(clock_.now() + busy, Clock::Kind::resume, id);
}

// The CPU has done its part of the activity.
void ScheduleReplay::leave(std::uint32_t id) {
    const Activity activity = activities_[id];
    Cpu& cpu = cpu_of(activity);
    cpu.queue.pop_front();
    if (!cpu.queue.empty()) begin(cpu.queue.front());
    if (activity.stage != Stage::sending) return end(id);
    const Op what = schedule_.program(RankId{activity.rank}).op(activity.op);
    activities_[id].stage = Stage::sent;
    const RequestId request =
        messenger_.send({activity.rank, what.peer, 0, what.tag, what.size, activity.op}, false);
    if (messenger_.request(request).is(Request::complete)) {
        messenger_.release(request);
        drain();
        return end(id);
    }
    messenger_.request(request).waiter = id;
    drain();
}

void ScheduleReplay::drain() {
    std::vector<RequestId>& completed = messenger_.completed();
    while (!completed.empty()) {
        const std::vector<RequestId> now = std::exchange(completed, {});
        for (const RequestId request : now) {
            const std::uint32_t id = messenger_.request(request).waiter;
            const bool overhead = messenger_.completion_cost(messenger_.request(request)) > Time::zero();
            activities_[id].bytes = messenger_.request(request).bytes;
            messenger_.release(request);
            if (overhead) {
                activities_[id].stage = Stage::received;
                occupy(id);
            } else {
                end(id);
            }
        }
    }
}

void ScheduleReplay::end(std::uint32_t id) {
    const Activity activity = activities_[id];
    activities_.remove(id);
    ++ended_;
    state_[first_op_[activity.rank] + activity.op] |= ProgressObserver::has_ended;
    ranks_[activity.rank].finish = clock_.now();
    notify(activity.rank, activity.op, false);
}

// As the action of a trace that it amounts to.
void ScheduleReplay::tell(const Activity& activity, Time busy) {
    const Op what = schedule_.program(RankId{activity.rank}).op(activity.op);
    Action action;
    switch (activity.stage) {
    case Stage::computing: action.kind = ActionKind::compute; break;
    case Stage::sending: action.kind = ActionKind::isend; break;
    case Stage::receiving: action.kind = ActionKind::irecv; break;
    case Stage::sent:
    case Stage::received: action.kind = ActionKind::wait; break;
    }
    if (activity.stage == Stage::computing) {
        action.volume = static_cast<double>(activity.bytes);
    } else {
        action.peer = what.peer;
        action.tag = what.tag;
        action.bytes = activity.bytes;
    }
    action.line = activity.op;
    if (busy > Time::zero()) {
        options_.observer->performed(activity.rank, action, clock_.now(), clock_.now() + busy);
    } else {
        options_.observer->passed(activity.rank, action, clock_.now());
    }
}

// An operation started, or ended: what waited for that may be ready.
void ScheduleReplay::notify(std::uint32_t rank, std::uint32_t op, bool start) {
    if (start) state_[first_op_[rank] + op] |= ProgressObserver::has_started;
    const BlockView view = schedule_.program(RankId{rank});
    view.dependents(view.record(op), op, start, !start, [&](std::uint32_t next, bool) {
        std::uint32_t& missing = missing_[first_op_[rank] + next];
        if (missing == 0) damaged(rank, next);
        if (--missing == 0) ready_.emplace_back(rank, next);
    });
}

ReplayPrediction ScheduleReplay::run() {
    const auto begin = std::chrono::steady_clock::now();
    start_ranks();
    std::uint64_t steps = 0;
    for (;;) {
        settle();
        const Time event = clock_.next_event();
        const Time network = network_.next_until(event);
        if (event == Time::max() && network == Time::max()) break;
        if (event <= network) {
            const Event due = clock_.pop();
            if (Clock::kind_of(due) == Clock::Kind::start_transfer) {
                messenger_.start_transfer(due.ref);
            } else if (Clock::kind_of(due) == Clock::Kind::arrival) {
                messenger_.arrive(due);
                drain();
            } else if (Clock::kind_of(due) == Clock::Kind::cpu) {
                start_rank(due.ref);
            } else {
                leave(due.ref);
            }
        } else {
            clock_.move_to(network);
            arrived_.clear();
            network_.advance(network, arrived_);
            messenger_.arrive(arrived_);
            drain();
            messenger_.came().clear();
        }
        if (((++steps & 0xFFFF) == 0 || interrupt_requested() != 0) && options_.progress)
            options_.progress(ended_, clock_.now());
    }
    if (ended_ != missing_.size() || !messenger_.all_received()) {
        std::vector<UnreceivedMessage> unreceived;
        for (const RequestId id : messenger_.unreceived())
            unreceived.push_back({messenger_.request(id).rank, messenger_.request(id).line});
        throw_deadlock(schedule_, first_op_, state_, unreceived, clock_.now());
    }
    ReplayPrediction result;
    result.base.operations = ended_;
    result.base.messages = messenger_.statistics().messages;
    result.base.bytes = messenger_.statistics().bytes;
    result.base.events = ended_ + result.base.messages;
    result.base.cpus = schedule_.header().cpus;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        if (ranks_[rank].finish > result.base.time) {
            result.base.time = ranks_[rank].finish;
            result.base.critical_rank = rank;
        }
        // What is left of a rank's run time, it waited (with several CPUs they may be busy at once).
        Time busy;
        for (const Time part : calls_[rank].by_kind) busy = saturated_sum(busy, part);
        calls_[rank][CallKind::wait] = later(Time::zero(), ranks_[rank].finish - busy);
    }
    result.jobs.push_back({0, schedule_.ranks(), Time::zero(), result.base.time});
    result.base.ranks = std::move(ranks_);
    result.calls = std::move(calls_);
    result.by_size = messenger_.statistics().by_size;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    result.base.simulation_seconds = elapsed.count();
    return result;
}

} // namespace

ReplayPrediction replay(const Schedule& schedule, const std::vector<HostId>& hosts, Network& network,
                        const ReplayOptions& options) {
    return ScheduleReplay(schedule, hosts, network, options).run();
}

} // namespace orrery
