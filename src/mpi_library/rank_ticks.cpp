#include "mpi_library/rank_ticks.h"

#include "emulate/compute/compute.h"
#include "emulate/context/sanitizer.h"
#include "emulate/program/backtrace.h"
#include "emulate/program/faults.h"
#include "emulate/program/program.h"
#include "emulate/program/signals.h"
#include "engine/error.h"
#include "engine/interrupt.h"
#include "engine/plural.h"
#include "engine/units.h"
#include "mpi_library/engine.h"

#include <cerrno>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <ucontext.h>
#include <unistd.h>

namespace orrery::emulate {

namespace {

constexpr long tick_ns = 20'000'000;
RankTicks* present_ticks = nullptr;

Time processor_time() {
    timespec now{};
    (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return Time::of_clock(now.tv_sec, now.tv_nsec);
}

std::string in_one_line(std::string words) {
    for (std::size_t at = 0; (at = words.find("\n  ", at)) != std::string::npos;) {
        words.erase(at, 1);
        words[at] = ',';
    }
    return words;
}

} // namespace

RankTicks::RankTicks(Engine& engine, Compute& compute, const Options& options)
    : engine_(engine), compute_(compute), options_(options), progress_at_(processor_time()),
      patience_(options.stall) {
    present_ticks = this;
    struct sigaction action {};
    action.sa_sigaction = tick;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
    (void)::sigaction(SIGRTMAX, &action, &before_);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGRTMAX;
    event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
    ticks_ = ::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
    const itimerspec often{{0, tick_ns}, {0, tick_ns}};
    if (ticks_) (void)::timer_settime(timer_, 0, &often, nullptr);
    signals::at_safe_point = at_safe_point;
}

RankTicks::~RankTicks() {
    if (ticks_) (void)::timer_delete(timer_);
    (void)::sigaction(SIGRTMAX, &before_, nullptr);
    if (asked_) --signals::armed;
    signals::at_safe_point = nullptr;
    present_ticks = nullptr;
}

void RankTicks::tick(int /*number*/, siginfo_t* /*info*/, void* context) {
    const int error = errno;
    if (present_ticks != nullptr && current != nullptr) present_ticks->inspect(context);
    errno = error;
}

// The calls that are under way are still there; they are no more when `last` is called.
void RankTicks::end_from(void* context, void (*last)()) {
    const auto at = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
    frames_ = frames_from(reinterpret_cast<const void*>(at));
    leave_for(context, last);
}

bool RankTicks::stalled(Time limit) {
    const Time now = processor_time();
    if (const std::uint64_t progress = engine_.progress(); progress > progress_) {
        progress_ = progress;
        progress_at_ = now;
    }
    return options_.stall > Time::zero() && now - progress_at_ >= limit;
}

void RankTicks::inspect(void* context) {
    const auto at = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
    const bool elsewhere = current->in_call || !Program::active->offset(reinterpret_cast<const void*>(at));
    const bool waits_in_vain = !elsewhere && options_.until != Time::max() && !compute_.passes_time();
    const bool stalls = stalled(waits_in_vain ? patience_ : options_.stall);
    const bool interrupted = interrupt_requested() != 0;
    if (elsewhere) {
        if ((stalls || interrupted) && !asked_)
            ++signals::armed; // the end of a call looks whether there is anything
        asked_ = asked_ || stalls || interrupted;
        return;
    }
    if (interrupted) return end_from(context, end_interrupted);
    if (stalls) return end_from(context, waits_in_vain ? leave_stalled : end_stalled);
    if (options_.until == Time::max() && signals::armed == 0) return;
    const Time burst = compute_.so_far();
    if (burst >= Time::max() - engine_.now()) return;
    const Time now = engine_.now() + burst;
    if (now > options_.until) return end_from(context, end_until);
    if (signals::armed > 0) (void)signals::check_timers(now);
}

void RankTicks::at_safe_point() {
    RankTicks& ticks = *present_ticks;
    if (!ticks.asked_) return;
    ticks.at_call_ = true;
    ticks.frames_ = frames_from(nullptr);
    if (interrupt_requested() != 0) say_interrupted();
    if (ticks.stalled(ticks.options_.stall)) say_stalled();
}

// The stack of the signal was left for these.
void RankTicks::end_interrupted() {
    sanitizer::arrived(nullptr);
    say_interrupted();
}
void RankTicks::end_stalled() {
    sanitizer::arrived(nullptr);
    say_stalled();
}
void RankTicks::end_until() {
    sanitizer::arrived(nullptr);
    present_ticks->engine_.run_out();
}
void RankTicks::leave_stalled() {
    sanitizer::arrived(nullptr);
    RankTicks& ticks = *present_ticks;
    if (ticks.left_++ == 0)
        ticks.first_left_ =
            fmt::format("rank {}, {} after the start{}", self().index, format_time(ticks.engine_.now()),
                        in_one_line(stack_words(ticks.frames_)));
    ticks.patience_ = Time::ticks(ticks.patience_.ticks() / 2);
    ticks.progress_at_ = processor_time();
    ticks.engine_.run_out();
}

std::string RankTicks::left_ranks() const {
    if (left_ == 0) return {};
    return fmt::format(
        "{} computed for longer than --stall permits ({} of processor time) and did not go on: "
        "computation takes no simulated time here, so that --until cannot end it; the first was {}",
        plural(left_, "rank"), format_time(options_.stall), first_left_);
}

void RankTicks::say_interrupted() {
    Engine& engine = present_ticks->engine_;
    std::exception_ptr stop;
    try {
        throw_interrupted(
            fmt::format("after {} of simulated time, when rank {} was running; no result is kept{}",
                        format_time(engine.now()), self().index, stack_words(present_ticks->frames_)));
    } catch (...) {
        stop = std::current_exception();
    }
    engine.abort(128 + interrupt_requested(), std::move(stop));
}

void RankTicks::say_stalled() {
    Engine& engine = present_ticks->engine_;
    const std::string stack = stack_words(present_ticks->frames_);
    const std::string limit = format_time(present_ticks->options_.stall);
    const std::string doing =
        present_ticks->at_call_ ? fmt::format("calls {} again and again", engine.present_call_of(self().index))
                                : std::string("computes without calling MPI");
    engine.abort(1,
                 fmt::format("no rank has got on for {} of processor time (--stall): rank {} {}, {} after the "
                             "start{}",
                             limit, self().index, doing, format_time(engine.now()), stack));
}

} // namespace orrery::emulate
