#include "drivers/graph/schedule_driver.h"

#include "drivers/graph/deadlock.h"
#include "drivers/graph/observers.h"
#include "engine/error.h"
#include "engine/pool.h"
#include "engine/sums.h"
#include "engine/too_long.h"
#include "protocol/rank_engine.h"

#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace orrery {

namespace {

class ScheduleDriver final : public RankEngine {
  public:
    ScheduleDriver(const Schedule& schedule, const Platform& platform, const std::vector<HostId>& hosts,
                   Network& network, const ReplayOptions& options);
    ReplayPrediction run();

  private:
    // An operation that is ready or under way.
    struct Activity {
        std::uint32_t rank = 0;
        std::uint32_t op = 0;
        std::uint32_t cpu = 0;
        OpKind kind = OpKind::calc;
        Time busy; // how long it needs its CPU
    };

    void go(std::uint32_t index) override;
    void begin_operation(RankCpu& cpu, const RankCpu::Waiting& operation) override;
    void end_operation(std::uint32_t id) override;
    void end_computation(std::uint32_t id) override;
    void on_complete(RequestId id) override;
    void on_take(const Request& request, Time begin, Time end) override;
    [[nodiscard]] std::uint32_t taking_cpu(const Request& request) const override {
        return cpu_of(schedule_.program(RankId{request.rank}).record(request.line));
    }
    void interrupted() override;
    void check_ended() override;
    // A schedule has no fibers that go on, and no calls.
    void go_on(Fiber& /*fiber*/) override {}
    [[nodiscard]] std::string place(std::uint32_t /*rank*/, std::uint64_t /*line*/) const override {
        return {};
    }
    [[nodiscard]] std::string present_call(std::uint32_t /*rank*/) const override { return {}; }

    void start_rank(std::uint32_t rank);
    void make_ready(std::uint32_t rank, std::uint32_t op);
    void ready(std::uint32_t id);
    void perform(std::uint32_t id);
    void send(std::uint32_t id);
    void end(std::uint32_t id);
    void notify(std::uint32_t rank, std::uint32_t op, bool start);
    void tell(CpuOfRank who, std::uint32_t op, ActionKind kind, Time begin, Time end);
    void tell(const Activity& activity, ActionKind kind, Time begin, Time end) {
        if (options_.observer != nullptr) tell({activity.rank, activity.cpu}, activity.op, kind, begin, end);
    }
    [[nodiscard]] Op op_of(const Activity& activity) const {
        return schedule_.program(RankId{activity.rank}).op(activity.op);
    }
    // On another than the rank's first CPU: what leaves from that comes after what leaves from the first.
    static std::uint8_t beside(const Activity& activity) { return activity.cpu == 0 ? 0 : 1; }
    [[nodiscard]] std::uint32_t cpu_of(const BlockView::Record& record) const {
        return record.cpu() % schedule_.header().cpus; // a damaged one stays inside
    }
    // The activity acts now: what it sets off is caused by it. It has a place of its own among fibers in the
    // log.
    [[nodiscard]] std::uint32_t logged(std::uint32_t id) const { return schedule_.ranks() + id; }
    void acts(std::uint32_t id) {
        if (logs()) events_->runs(logged(id), activities_[id].rank);
    }
    void log_start(std::uint32_t id, Time busy);
    [[noreturn]] void damaged(std::uint32_t rank, std::uint32_t op) const {
        throw InputError(
            Error{schedule_.name(), 0, 0, fmt::format("operation {} of rank {} is damaged", op, rank)});
    }

    const Schedule& schedule_;
    std::vector<std::uint64_t> first_op_;
    std::vector<std::uint32_t> missing_; // dependencies left, per operation
    std::vector<std::uint8_t> state_;    // bits of ProgressObserver
    Pool<Activity> activities_;
    std::vector<Time> computing_since_; // by activity: on shared cores, if somebody watches
};

// Knows on which CPUs of their ranks messages were sent and received.
class CpusOfMessages final : public ReplayObserver {
  public:
    CpusOfMessages(const Schedule& schedule, ReplayObserver& next) : schedule_(schedule), next_(next) {}
    void performed(CpuOfRank who, const Action& action, Time begin, Time end) override {
        next_.performed(who, action, begin, end);
    }
    void passed(CpuOfRank who, const Action& action, Time at) override { next_.passed(who, action, at); }
    void delivered(std::uint32_t from, std::uint32_t to, std::uint32_t tag, Bytes bytes, Time sent,
                   Time arrived) override {
        next_.delivered(from, to, tag, bytes, sent, arrived);
    }
    void received(const Received& message) override {
        Received whole = message;
        whole.from_cpu = cpu_of(message.from, message.send_line);
        whole.to_cpu = cpu_of(message.to, message.recv_line);
        next_.received(whole);
    }

  private:
    [[nodiscard]] std::uint32_t cpu_of(std::uint32_t rank, std::uint32_t op) const {
        return schedule_.program(RankId{rank}).record(op).cpu() % schedule_.header().cpus;
    }
    const Schedule& schedule_;
    ReplayObserver& next_;
};

ScheduleDriver::ScheduleDriver(const Schedule& schedule, const Platform& platform,
                               const std::vector<HostId>& hosts, Network& network, const ReplayOptions& options)
    : RankEngine(platform, network, options, hosts, nullptr, Receiving::by_cpu, schedule.header().cpus),
      schedule_(schedule), first_op_(first_operations(schedule)) {
    unfinished_ = 0; // counted by operations
    std::uint64_t total = 0;
    for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank)
        total = first_op_[rank] + schedule.checked_program(RankId{rank}).ops();
    missing_.resize(total);
    state_.resize(total);
}

// The start of a rank, or an operation that has become ready.
void ScheduleDriver::go(std::uint32_t index) {
    if (index >= schedule_.ranks()) return ready(index - schedule_.ranks());
    if (logs()) events_->runs(index, index);
    start_rank(index);
}

void ScheduleDriver::start_rank(std::uint32_t rank) {
    fibers_[rank].mode = Fiber::Mode::over; // its CPU takes messages whenever it is free
    ranks_[rank].finish = clock_.now();
    const BlockView view = schedule_.program(RankId{rank});
    for (std::uint32_t op = 0; op < view.ops(); ++op)
        missing_[first_op_[rank] + op] = view.record(op).indegree();
    for (std::uint32_t i = 0; i < view.layout().roots(); ++i) {
        if (view.root(i) >= view.ops()) damaged(rank, view.root(i));
        make_ready(rank, view.root(i));
    }
}

void ScheduleDriver::make_ready(std::uint32_t rank, std::uint32_t op) {
    const std::uint32_t id = activities_.add({rank, op, 0, OpKind::calc, {}});
    if (logs()) events_->spawned(logged(id), rank);
    clock_.go_on(schedule_.ranks() + id);
}

void ScheduleDriver::ready(std::uint32_t id) {
    Activity& activity = activities_[id];
    const Op what = op_of(activity);
    if (what.size > max_op_size) damaged(activity.rank, activity.op);
    if (what.kind != OpKind::calc && what.peer >= schedule_.ranks() &&
        !(what.kind == OpKind::recv && what.peer == any_source)) {
        damaged(activity.rank, activity.op);
    }
    acts(id);
    activity.kind = what.kind;
    activity.cpu = what.cpu % schedule_.header().cpus;
    if (what.kind == OpKind::calc) activity.busy = Time::ps(static_cast<std::int64_t>(what.size));
    if (what.kind == OpKind::send) activity.busy = options_.endpoint.isend_cost(what.size);
    check_length(activity.busy);
    RankCpu& cpu = rank_cpus_.at(activity.rank, activity.cpu);
    const bool takes_time = activity.busy > Time::zero();
    if (!takes_time && cpu.lets_pass(clock_.now())) return perform(id);
    RankCpu::add(cpu.operations, {clock_.now(), activity.op, id, takes_time});
    rank_cpus_.unsettle(cpu);
}

void ScheduleDriver::begin_operation(RankCpu& cpu, const RankCpu::Waiting& operation) {
    const std::uint32_t id = operation.ref;
    if (logs()) events_->granted(logged(id), cpu.rank, cpu.number, clock_.now());
    acts(id);
    if (!operation.takes_time) return perform(id);
    const Activity activity = activities_[id];
    const Time now = clock_.now();
    const Time busy = prolonged(activity.rank, activity.cpu, now, activity.busy);
    const bool calc = activity.kind == OpKind::calc;
    add_busy(ranks_[activity.rank].times[calc ? CallKind::compute : CallKind::send], busy);
    const bool shares_cores = calc && cpus_.crowded(hosts_[activity.rank]);
    if (!shares_cores) {
        tell(activity, calc ? ActionKind::compute : ActionKind::isend, now, now + busy);
    } else if (options_.observer != nullptr) {
        if (id >= computing_since_.size()) computing_since_.resize(std::size_t{id} + 1);
        computing_since_[id] = now;
    }
    notify(activity.rank, activity.op, true);
    if (logs()) log_start(id, busy);
    if (shares_cores) return cpus_.compute(id, hosts_[activity.rank], busy);
    clock_.at(now + busy, Clock::Kind::operation, id);
}

// Its part of the CPU, into the log; of a computation on cores that are shared when it has ended.
void ScheduleDriver::log_start(std::uint32_t id, Time busy) {
    const Activity& activity = activities_[id];
    const Time now = clock_.now();
    const bool calc = activity.kind == OpKind::calc;
    events_->begin_compute(logged(id), now, busy, busy - activity.busy);
    if (calc && cpus_.crowded(hosts_[activity.rank])) return;
    const Time alone = now + activity.busy;
    const Op what = op_of(activity);
    events_->passes(logged(id), activity.rank, calc ? EventKind::compute : EventKind::send, now, alone,
                    calc ? 0 : what.size, calc ? activity.rank : what.peer);
    events_->passes(logged(id), activity.rank, EventKind::noise, alone, now + busy);
    events_->occupied(logged(id), activity.rank, activity.cpu);
}

void ScheduleDriver::end_computation(std::uint32_t id) {
    const Activity& activity = activities_[id];
    if (options_.observer != nullptr) tell(activity, ActionKind::compute, computing_since_[id], clock_.now());
    if (logs()) {
        events_->end_compute(logged(id), activity.rank, clock_.now());
        events_->occupied(logged(id), activity.rank, activity.cpu);
    }
    end_operation(id);
}

// The CPU has done its part of the operation.
void ScheduleDriver::end_operation(std::uint32_t id) {
    acts(id);
    const Activity activity = activities_[id];
    RankCpu& cpu = rank_cpus_.at(activity.rank, activity.cpu);
    cpu.occupied = false;
    rank_cpus_.unsettle(cpu);
    if (activity.kind == OpKind::calc) return end(id);
    send(id);
}

// One that needs no CPU time.
void ScheduleDriver::perform(std::uint32_t id) {
    const Activity activity = activities_[id];
    notify(activity.rank, activity.op, true);
    const Time now = clock_.now();
    switch (activity.kind) {
    case OpKind::calc: tell(activity, ActionKind::compute, now, now); return end(id);
    case OpKind::send: tell(activity, ActionKind::isend, now, now); return send(id);
    case OpKind::recv: break;
    }
    tell(activity, ActionKind::irecv, now, now);
    const Op what = op_of(activity);
    const RequestId request = messenger_.recv(
        {what.peer, activity.rank, 0, what.tag, what.size, activity.op, beside(activity), activity.op});
    messenger_.request(request).waiter = id;
    if (messenger_.request(request).is(Request::complete)) return on_complete(request);
    drain();
}

void ScheduleDriver::send(std::uint32_t id) {
    const Activity activity = activities_[id];
    const Op what = op_of(activity);
    const RequestId request = messenger_.send(
        {activity.rank, what.peer, 0, what.tag, what.size, activity.op, beside(activity), activity.op}, false);
    messenger_.request(request).waiter = id;
    if (messenger_.request(request).is(Request::complete)) on_complete(request);
    drain();
}

void ScheduleDriver::on_complete(RequestId request) {
    const std::uint32_t id = messenger_.request(request).waiter;
    if (logs()) events_->done_for(logged(id), request);
    acts(id);
    messenger_.release(request);
    end(id);
}

void ScheduleDriver::on_take(const Request& request, Time begin, Time end) {
    const bool receives = request.kind == Request::Kind::recv;
    add_busy(ranks_[request.rank].times[receives ? CallKind::receive : CallKind::send], end - begin);
    if (options_.observer == nullptr) return;
    tell({request.rank, taking_cpu(request)}, request.line, receives ? ActionKind::recv : ActionKind::send,
         begin, end);
}

void ScheduleDriver::end(std::uint32_t id) {
    const Activity activity = activities_[id];
    if (logs()) events_->let_go_on(activity.rank, activity.rank); // its rank ends with this, as far as is known
    activities_.remove(id);
    ++actions_;
    state_[first_op_[activity.rank] + activity.op] |= ProgressObserver::has_ended;
    ranks_[activity.rank].finish = clock_.now();
    notify(activity.rank, activity.op, false);
    if ((actions_ & 0xFFFF) == 0 && options_.progress) options_.progress(actions_, clock_.now());
}

// As the action of a trace that it amounts to.
void ScheduleDriver::tell(CpuOfRank who, std::uint32_t op, ActionKind kind, Time begin, Time end) {
    const Op what = schedule_.program(RankId{who.rank}).op(op);
    Action action;
    action.kind = kind;
    if (kind == ActionKind::compute) {
        action.volume = static_cast<double>(what.size);
    } else {
        action.peer = what.peer;
        action.tag = what.tag;
        action.bytes = what.size;
    }
    action.line = op;
    if (end > begin) {
        options_.observer->performed(who, action, begin, end);
    } else {
        options_.observer->passed(who, action, begin);
    }
}

// An operation started, or ended: what waited for that may be ready.
void ScheduleDriver::notify(std::uint32_t rank, std::uint32_t op, bool start) {
    if (start) state_[first_op_[rank] + op] |= ProgressObserver::has_started;
    const BlockView view = schedule_.program(RankId{rank});
    view.dependents(view.record(op), op, start, !start, [&](std::uint32_t next, bool) {
        std::uint32_t& missing = missing_[first_op_[rank] + next];
        if (missing == 0) damaged(rank, next);
        if (--missing == 0) make_ready(rank, next);
    });
}

void ScheduleDriver::interrupted() {
    if (options_.progress) options_.progress(actions_, clock_.now()); // it says how far it came
}

void ScheduleDriver::check_ended() {
    if (actions_ == missing_.size() && messenger_.all_received()) return;
    std::vector<UnreceivedMessage> unreceived;
    for (const RequestId id : messenger_.unreceived())
        unreceived.push_back({messenger_.request(id).rank, messenger_.request(id).line});
    throw_deadlock(schedule_, first_op_, state_, unreceived, clock_.now());
}

ReplayPrediction ScheduleDriver::run() {
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t rank = 0; rank < schedule_.ranks(); ++rank) start(rank, options_.skew.of(RankId{rank}));
    run_to_end();
    ReplayPrediction result = prediction();
    result.notes.clear(); // sizes of receives are not part of a schedule's meaning
    result.base.cpus = schedule_.header().cpus;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        CallTimes& times = result.calls[rank];
        result.base.ranks[rank].overhead = saturated_sum(times[CallKind::send], times[CallKind::receive]);
        // What is left of a rank's run time, it waited (with several CPUs they may be busy at once).
        Time busy;
        for (const Time part : times.by_kind) busy = saturated_sum(busy, part);
        times[CallKind::wait] = later(Time::zero(), result.base.ranks[rank].finish - busy);
    }
    result.jobs.push_back({0, schedule_.ranks(), Time::zero(), result.base.time});
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    result.base.simulation_seconds = elapsed.count();
    return result;
}

} // namespace

ReplayPrediction replay(const Schedule& schedule, const Platform& platform, const std::vector<HostId>& hosts,
                        Network& network, const ReplayOptions& options) {
    ReplayOptions own = options;
    own.endpoint.interfaces = false;
    std::optional<CpusOfMessages> cpus_of_messages;
    if (options.observer != nullptr && schedule.header().cpus > 1)
        own.observer = &cpus_of_messages.emplace(schedule, *options.observer);
    return ScheduleDriver(schedule, platform, hosts, network, own).run();
}

} // namespace orrery
