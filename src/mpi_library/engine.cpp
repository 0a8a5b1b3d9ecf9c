#include "mpi_library/engine.h"

#include "emulate/compute/compute.h"
#include "emulate/memory/allocation.h"
#include "emulate/program/backtrace.h"
#include "emulate/program/instance.h"
#include "emulate/program/libc_state.h"
#include "emulate/program_failed.h"
#include "engine/error.h"
#include "engine/plural.h"
#include "engine/units.h"
#include "mpi_library/action_log.h"
#include "mpi_library/call_kinds.h"
#include "mpi_library/process_state.h"

#include <array>
#include <cctype>
#include <chrono>
#include <fmt/format.h>
#include <new>
#include <utility>

namespace orrery::emulate {

Rank* current = nullptr;

Rank::Rank() = default;
Rank::~Rank() = default;

namespace {

Engine* the_engine = nullptr;

enum BlockState : std::uint8_t { not_blocked, blocked_in_call, wake_pending };

} // namespace

Engine& engine() { return *the_engine; }
void set_engine(Engine* engine) { the_engine = engine; }
bool emulating() { return the_engine != nullptr; }

Engine::Engine(const Platform& platform, Network& network, const ReplayOptions& options,
               std::vector<HostId> hosts)
    : RankEngine(platform, network, options, std::move(hosts), &payloads_, receiving_of(options.endpoint)),
      processes_(ranks_.size()), blocked_(ranks_.size(), not_blocked) {
    unreceived_is_error_ = false;
    communicators_.add_world(0, size());
    for (std::uint32_t index = 0; index < size(); ++index) processes_[index].index = index;
}

Engine::~Engine() {
    if (the_engine == this) the_engine = nullptr;
}

ReplayPrediction Engine::run() {
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t rank = 0; rank < size(); ++rank) {
        const Time late = options_.skew.of(RankId{rank});
        ranks_[rank].times[CallKind::other] = late;
        start(rank, late);
    }
    try {
        run_to_end();
    } catch (const ProgramFailed&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw ProgramFailed(
            fmt::format("out of memory{}: the ranks of the program and their messages do not fit into "
                        "this computer; try fewer ranks or --share-above",
                        last_words()),
            1);
    } catch (const SimulationError& error) {
        if (exited_ == nobody) throw;
        throw ProgramFailed(fmt::format("{}\nrank {} ended with code {}", error.what(), exited_, exit_code_),
                            exit_code_);
    }
    const std::uint32_t unfinished = unfinished_;
    if (stopped_) end_unfinished();
    ReplayPrediction result = prediction();
    result.profile = profile(result.collectives);
    result.jobs.push_back({0, size(), Time::zero(), result.base.time});
    if (stopped_) {
        result.notes.push_back(
            fmt::format("stopped after {} of simulated time, before {} of {} ranks had ended",
                        format_time(stop_at_), unfinished, size()));
    }
    add_notes(result.notes);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    result.base.simulation_seconds = elapsed.count();
    return result;
}

// The time since a rank's last call counts as what it was at.
void Engine::end_unfinished() {
    for (std::uint32_t index = 0; index < size(); ++index) {
        if (ranks_[index].finished) continue;
        const Rank& rank = processes_[index];
        if (rank.in_call) {
            const mpi::FunctionId call = rank.mpi->present;
            account_since(index, calls_[static_cast<std::size_t>(call)], mpi::kind_of(call));
        } else {
            account_since(index, computing_, CallKind::compute);
        }
        ranks_[index].finish = clock_.now();
    }
}

void Engine::count_bytes(Bytes bytes) { calls_[static_cast<std::size_t>(self().mpi->present)].bytes += bytes; }

// Functions are called as in traces: "allreduce". Those that take no time and send nothing only ask.
std::vector<CallProfile> Engine::profile(const std::vector<CollectiveProfile>& collectives) const {
    std::vector<CallProfile> rows;
    for (std::size_t function = 0; function < calls_.size(); ++function) {
        const CallCount& count = calls_[function];
        const CallKind kind = mpi::kind_of(static_cast<mpi::FunctionId>(function));
        if (count.calls == 0 && count.ticks == 0) continue;
        if (kind == CallKind::other && count.ticks == 0) continue;
        std::string name;
        for (const char c : std::string_view(mpi::function_names[function]).substr(std::size("MPI_") - 1))
            name.push_back(static_cast<char>(std::tolower(c)));
        rows.push_back(profile_row(std::move(name), kind, count, collectives));
    }
    for (const auto& [kind, count] :
         {std::pair(ActionKind::compute, computing_), std::pair(ActionKind::sleep, pausing_)}) {
        const auto number = static_cast<std::size_t>(kind);
        if (count.ticks > 0)
            rows.push_back(profile_row(orrery::call_name(number), call_kind(number), count, collectives));
    }
    sort_profile(rows);
    return rows;
}

void Engine::add_notes(std::vector<std::string>& notes) const {
    if (exited_ != nobody) notes.push_back(fmt::format("rank {} ended with code {}", exited_, exit_code_));
    if (ranks_with_mpi_ == 0 && !stopped_) notes.emplace_back("no rank called MPI_Init");
    if (unfinalised_ > 0) notes.push_back(plural(unfinalised_, "rank") + " ended without MPI_Finalize");
    if (leaked_requests_ > 0) {
        notes.push_back(fmt::format("{} of {} {} neither completed nor freed when MPI ended",
                                    plural(static_cast<std::uint64_t>(leaked_requests_), "request"),
                                    plural(static_cast<std::uint64_t>(leaking_ranks_), "rank"),
                                    leaked_requests_ == 1 ? "was" : "were"));
    }
    if (const auto& mismatches = payloads_.mismatches(); mismatches.count > 0)
        notes.push_back(
            fmt::format("types of {} do not match: {}", plural(mismatches.count, "message"), mismatches.first));
    if (const std::size_t lost = messenger_.unreceived().size(); lost > 0)
        notes.push_back(
            fmt::format("{} {} sent but never received", plural(lost, "message"), lost == 1 ? "was" : "were"));
}

void Engine::run_beside(Context scheduler) {
    scheduler_ = scheduler;
    current = &processes_[0];
    leave(); // until it switches to the first rank that is to run
}

void Engine::tell_progress() {
    constexpr std::uint64_t often = 1U << 16U;
    next_progress_ = actions_ + often;
    if (options_.progress) options_.progress(actions_, clock_.now());
}

void Engine::go_on(Fiber& fiber) {
    if (actions_ >= next_progress_) tell_progress();
    Rank& rank = processes_[fiber.rank];
    current = &rank;
    last_run_ = fiber.rank;
    if (on_switch_ != nullptr) on_switch_(rank);
    heap_.follow();
    Context::swap(scheduler_, rank.context);
    current = nullptr;
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Engine::prepare(std::uint32_t index, unsigned int stage) {
    const auto fetch = [](const auto* what) {
        const auto* const lines = reinterpret_cast<const std::byte*>(what);
        for (std::size_t i = 0; i < sizeof *what; i += 64) __builtin_prefetch(lines + i, 1);
    };
    const Rank& rank = processes_[index];
    const Fiber& next = fibers_[index];
    if (stage == 0) {
        fetch(&rank);
        fetch(&next);
        fetch(&ranks_[index]);
    } else if (const std::uint32_t run = next.run; run != nobody) { // it may well not go on itself
        if (stage == 1) {
            fetch(&runs_[run]);
        } else if (runs_[run].data != nullptr) {
            fetch(static_cast<const CollectiveData*>(runs_[run].data));
        }
    } else if (stage == 1) {
        rank.context.prefetch();
        rank.mpi->prefetch();
        __builtin_prefetch(rank.compute.get(), 1);
        __builtin_prefetch(rank.instance.get(), 1);
        __builtin_prefetch(rank.needed_soon);
    }
}

template <typename Work> auto Engine::or_abort(const Work& work) {
    std::exception_ptr failure;
    try {
        return work();
    } catch (...) {
        failure = std::current_exception();
    }
    abort(1, std::move(failure));
}

void Engine::compute(Time busy) {
    const Time begun = clock_.now();
    if (log_ != nullptr && busy > Time::zero()) log(ActionKind::compute, logged_volume(busy));
    std::uint8_t phase = 0;
    while (or_abort([&] { return RankEngine::compute(fiber(), phase, busy); }) == Outcome::blocked) leave();
    ++computing_.calls;
    account_since(self().index, computing_, CallKind::compute);
    tell_own(ActionKind::compute, begun);
}

void Engine::compute_volume(double flops) {
    if (flops > 0) compute(or_abort([&] { return busy_time(self().index, flops, 0); }));
}

void Engine::tell(const Action& action, Time since) {
    if (since != clock_.now()) {
        options_.observer->performed({self().index}, action, since, clock_.now());
    } else {
        options_.observer->passed({self().index}, action, since);
    }
}

void Engine::tell_own(ActionKind kind, Time since) {
    if (!watched() || self().in_call || since == clock_.now()) return;
    Action action;
    action.kind = kind;
    action.volume = logged_volume(clock_.now() - since);
    tell(action, since);
}

void Engine::log(ActionKind kind, double volume) {
    Action action;
    action.kind = kind;
    action.volume = volume;
    log_->add(self().index, action);
}

void Engine::sleep(Time duration) {
    const Time begun = clock_.now();
    if (log_ != nullptr) log(ActionKind::sleep, duration.picoseconds() * 1e-12);
    if (by_turns()) {
        std::uint8_t phase = 0;
        while (duration > Time::zero() &&
               or_abort([&] { return occupy(fiber(), phase, duration); }) == Outcome::blocked)
            leave();
    } else if (passes(begun + duration)) {
        if (logs()) events_->passes(self().index, self().index, EventKind::idle, begun, begun + duration);
    } else if (or_abort([&] { return spend(fiber(), begun + duration, EventKind::idle); }) ==
               Outcome::blocked) {
        leave();
    }
    if (!self().in_call) {
        ++pausing_.calls;
        account_since(self().index, pausing_, CallKind::other);
    }
    tell_own(ActionKind::sleep, begun);
}

Time Engine::read_clock() {
    if (self().mpi != nullptr) self().mpi->quiet_place = 0; // it does more than probe for messages
    if (self().in_call) ++idle_calls_;
    const std::int64_t reads = ++self().clock_reads;
    const Time ahead = reads * options_.endpoint.clock;
    constexpr std::int64_t most = 1000; // should they cost nothing
    if (ahead < Time::us(1) && reads < most) return clock_.now() + ahead;
    pass_clock_reads();
    return clock_.now();
}

void Engine::pass_clock_reads() {
    sleep(std::exchange(self().clock_reads, std::uint16_t{0}) * options_.endpoint.clock);
}

void Engine::run_out() {
    (void)or_abort([&] { return sleep_until(fiber(), stop_at_ + Time::tick()); });
    leave();
    std::terminate(); // the run ends before
}

void Engine::wait_forever(const char* call) {
    for (;;) block(call);
}

void Engine::block(const char* call) {
    const std::uint32_t rank = self().index;
    if (blocked_[rank] == wake_pending) {
        blocked_[rank] = not_blocked;
        return;
    }
    const Time begun = clock_.now();
    blocked_[rank] = blocked_in_call;
    self().blocked_in = call;
    fiber().mode = Fiber::Mode::waiting_any;
    take_messages(rank);
    leave();
    self().blocked_in = nullptr;
    if (log_ != nullptr) log_->pause(rank, clock_.now() - begun, Pause::in_call);
}

void Engine::wake(std::uint32_t rank) {
    if (blocked_[rank] == blocked_in_call) {
        blocked_[rank] = not_blocked;
        let_go_on(fibers_[rank]);
    } else {
        blocked_[rank] = wake_pending;
    }
}

void Engine::window_call(WindowMember& own, WindowCall call, std::uint32_t target, std::uint32_t flags,
                         std::span<const Bytes> ranks) {
    std::uint8_t phase = 0;
    while (RankEngine::window_call(fiber(), phase, own, call, target, flags, ranks) == Outcome::blocked)
        leave();
}

void Engine::one_sided(WindowMember& own, std::uint32_t target, Bytes bytes, Bytes back, RequestId* request,
                       void* memory) {
    count_bytes(bytes + back);
    std::uint8_t phase = 0;
    while (RankEngine::one_sided(fiber(), phase, own, target, bytes, back, request, memory) == Outcome::blocked)
        leave();
}

void Engine::send(const Messenger::Message& message, bool synchronous) {
    count_bytes(message.bytes);
    std::uint8_t phase = 0;
    while (RankEngine::send(fiber(), phase, message, true, synchronous, nullptr) == Outcome::blocked) leave();
}

RequestId Engine::isend(const Messenger::Message& message, bool synchronous) {
    count_bytes(message.bytes);
    std::uint8_t phase = 0;
    RequestId request = no_request;
    while (RankEngine::send(fiber(), phase, message, false, synchronous, &request) == Outcome::blocked) leave();
    return request;
}

RequestId Engine::irecv(const Messenger::Message& message) {
    std::uint8_t phase = 0;
    RequestId request = no_request;
    while (RankEngine::post_receive(fiber(), phase, message, &request) == Outcome::blocked) leave();
    return request;
}

void Engine::wait(std::span<const RequestId> requests) {
    Fiber& own = fiber();
    begin_wait(own);
    for (const RequestId request : requests) add_wait(own, request);
    if (end_wait(own) == Outcome::blocked) leave();
}

void Engine::wait_any(std::span<const RequestId> requests) {
    Fiber& own = fiber();
    for (const RequestId request : requests) {
        if (done(request)) return;
    }
    if (blocked_[own.rank] == wake_pending) {
        blocked_[own.rank] = not_blocked;
        return;
    }
    RequestId first = no_request;
    for (const RequestId request : requests) {
        if (first == no_request || known_end(request) < known_end(first)) first = request;
    }
    if (first != no_request && known_end(first) != Time::max()) {
        if (sleep_until_done(own, first) == Outcome::blocked) leave();
        return;
    }
    for (const RequestId request : requests) messenger_.request(request).waiter = own.index;
    blocked_[own.rank] = blocked_in_call;
    own.mode = Fiber::Mode::waiting_any;
    take_messages(own.rank);
    leave();
    blocked_[own.rank] = not_blocked;
    for (const RequestId request : requests) messenger_.request(request).waiter = nobody;
}

void Engine::pay_test() {
    if (failed_probe(fiber()) == Outcome::blocked) leave();
}

void Engine::take(RequestId request) { wait({&request, 1}); }

void Engine::forget(RequestId request) { messenger_.release(request); }

bool Engine::cancel(RequestId request) {
    if (!messenger_.cancel(request)) return false;
    const Request& cancelled = messenger_.request(request);
    if (cancelled.kind == Request::Kind::send) payloads_.remove(cancelled.line);
    return true;
}

void Engine::timed_wait(Time most) {
    const Time begun = clock_.now();
    try {
        (void)RankEngine::timed_wait(fiber(), begun + most);
    } catch (const SimulationError& error) {
        abort(1, fmt::format("{}: rank {} calls {} again and again, since {} before, and nothing comes{}",
                             error.what(), self().index, present_call(self().index),
                             format_time(begun - self().mpi->quiet_since), stack_words(frames_from(nullptr))));
    }
    leave();
    probers_[self().index] = nobody;
    if (log_ != nullptr) log_->pause(self().index, clock_.now() - begun, Pause::timed_wait, most);
}

void Engine::await_message() {
    (void)RankEngine::await_message(fiber());
    leave();
    probers_[self().index] = nobody;
}

RequestId Engine::recv_taken(RequestId send, const Messenger::Message& message) {
    return receive_taken(fiber(), send, message);
}

std::string Engine::place(std::uint32_t /*rank*/, std::uint64_t /*line*/) const {
    return {}; // a program has no lines of a trace
}

std::string Engine::present_call(std::uint32_t rank) const {
    const Rank& process = processes_[rank];
    if (process.blocked_in != nullptr) return process.blocked_in;
    return process.mpi == nullptr ? "its own code" : mpi::name_of(process.mpi->present);
}

std::string Engine::last_words() const {
    if (last_run_ == nobody) return {};
    return fmt::format(", when rank {} was in {}", last_run_, present_call(last_run_));
}

void Engine::end_rank(int exit_code) {
    pay_clock();
    Rank& rank = self();
    rank.ended = true;
    if (rank.mpi != nullptr && rank.mpi->begun) {
        ++ranks_with_mpi_;
        if (!rank.mpi->over) ++unfinalised_;
    }
    if (exit_code != 0 && exited_ == nobody) {
        exit_code_ = exit_code;
        exited_ = rank.index;
    }
    account_since(rank.index, pausing_, CallKind::other);
    if (running_memory != nullptr && running_memory->folded() != nullptr)
        running_memory->folded()->free_all(rank.index);
    or_abort([&] { finish_rank(rank.index); });
    leave();
    std::terminate(); // nobody switches to a rank that has ended
}

void Engine::abort(int exit_code, const std::string& words) {
    const int code = (exit_code & 0xff) == 0 ? 1 : exit_code & 0xff; // what a process can end with, but not 0
    abort(code, std::make_exception_ptr(ProgramFailed(words, code)));
}

void Engine::abort(int exit_code, std::exception_ptr failure) {
    exit_code_ = exit_code;
    failure_ = std::move(failure);
    leave();
    std::terminate();
}

} // namespace orrery::emulate
