#include "emulate/program/threads.h"

#include "emulate/context/sanitizer.h"
#include "emulate/program/program.h"
#include "emulate/program/world.h"

#include <algorithm>
#include <sys/mman.h>
#include <utility>

namespace orrery::emulate {

namespace {

bool never(Thread& /*thread*/) { return false; }
bool always(Thread& /*thread*/) { return true; }

[[noreturn]] void run_thread(void* thread) {
    auto& mine = *static_cast<Thread*>(thread);
    Threads::own().reap();
    void* const result = mine.body(mine.argument);
    Threads::own().end(result);
}

void unmap(const Thread& thread) {
    if (thread.area == nullptr) return;
    sanitizer::clean(thread.area, thread.area_bytes);
    munmap(thread.area, thread.area_bytes);
}

} // namespace

Threads::Threads(Rank& rank) : rank_(rank) { running_ = all_.emplace_back(std::make_unique<Thread>()).get(); }

Threads::~Threads() {
    for (const auto& each : all_) unmap(*each);
    if (buried_ != nullptr) unmap(*buried_);
}

Threads& Threads::own() {
    std::unique_ptr<Threads>& threads = self().libc->threads;
    if (threads == nullptr) threads = std::make_unique<Threads>(self());
    return *threads;
}

Thread* Threads::start(Thread::Body body, void* argument, std::size_t stack_bytes, bool detached) {
    constexpr std::size_t page = Stacks::page;
    const std::size_t bytes = std::max(Stacks::smallest, (stack_bytes + page - 1) / page * page) + page;
    void* const area =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED) return nullptr;
    (void)mprotect(area, page, PROT_NONE);
    Thread& made = *all_.emplace_back(std::make_unique<Thread>());
    made.number = ++last_number_;
    made.area = static_cast<std::byte*>(area);
    made.area_bytes = bytes;
    made.body = body;
    made.argument = argument;
    made.detached = detached;
    made.ready = always;
    made.deadline = Time::max();
    made.locals = Program::active->fresh_locals(rank_);
    made.context = Context(Stack{made.area + page, made.area + bytes, rank_.index, true}, run_thread, &made);
    return &made;
}

// The first, behind the one that runs, that can go on.
Thread* Threads::next_ready() {
    const auto running = std::find_if(all_.begin(), all_.end(), // not there if it has ended
                                      [this](const auto& each) { return each.get() == running_; });
    const auto place = static_cast<std::size_t>(running - all_.begin());
    for (std::size_t i = 1; i <= all_.size(); ++i) {
        Thread& each = *all_[(place + i) % all_.size()];
        if (each.ended) continue;
        each.late = false;
        if (each.ready(each)) return &each;
        if (each.deadline != Time::max() && each.deadline <= world::now()) {
            each.late = true;
            return &each;
        }
    }
    return nullptr;
}

void Threads::hand_over(const char* call) {
    Thread* next = next_ready();
    while (next == nullptr) {
        Time first = Time::max();
        for (const auto& each : all_) {
            if (!each->ended) first = std::min(first, each->deadline);
        }
        if (first == Time::max()) world::wait_forever(call);
        if (const Time now = world::now(); first > now) world::sleep(first - now);
        next = next_ready();
    }
    if (next != running_) switch_to(*next);
}

void Threads::switch_to(Thread& thread) {
    Thread& left = *running_;
    left.locals = Program::active->swap_locals(rank_, std::move(thread.locals));
    left.at_exit = std::exchange(rank_.libc->at_thread_exit, std::move(thread.at_exit));
    running_ = &thread;
    // The rank's context is that of the thread that runs: MPI leaves it there.
    left.context = rank_.context;
    rank_.context = thread.context;
    Context::swap(left.context, rank_.context);
    reap();
}

void Threads::reap() {
    if (buried_ == nullptr) return;
    unmap(*buried_);
    buried_ = nullptr;
}

bool Threads::wait(const char* call, Thread::Ready ready, void* on, Time deadline) {
    Thread& mine = *running_;
    mine.ready = ready;
    mine.on = on;
    mine.deadline = deadline;
    if (ready(mine)) return true; // without giving up its turn
    hand_over(call);
    return !mine.late;
}

void Threads::yield() {
    running_->ready = always;
    running_->deadline = Time::max();
    hand_over("sched_yield");
}

// Destructors may set values again; a few rounds are made, as POSIX has it.
void Threads::run_destructors(Thread& thread) {
    for (int round = 0; round < 4; ++round) {
        bool any = false;
        for (std::size_t key = 0; key < thread.values.size(); ++key) {
            void* const value = std::exchange(thread.values[key], nullptr);
            if (value == nullptr || keys[key] == nullptr) continue;
            any = true;
            keys[key](value);
        }
        if (!any) return;
    }
}

void Threads::end(void* result) {
    Thread& mine = *running_;
    for (auto& handlers = rank_.libc->at_thread_exit; !handlers.empty();) {
        const ExitHandler handler = handlers.back();
        handlers.pop_back();
        reinterpret_cast<void (*)(void*)>(handler.function)(handler.argument);
    }
    run_destructors(mine);
    mine.result = result;
    if (mine.number == 1) { // the process goes on until the others have ended
        const auto others_ended = [](Thread& /*thread*/) {
            const auto& all = own().all_;
            return std::all_of(all.begin() + 1, all.end(), [](const auto& each) { return each->ended; });
        };
        (void)wait("pthread_exit", others_ended, nullptr);
        exit_rank(0);
    }
    mine.ended = true;
    mine.ready = never;
    if (mine.detached) forget(mine);
    hand_over("pthread_exit");
    std::terminate(); // nobody switches to a thread that has ended
}

void Threads::forget(Thread& thread) {
    thread.detached = true;
    if (!thread.ended) return;
    const auto place =
        std::find_if(all_.begin(), all_.end(), [&](const auto& each) { return each.get() == &thread; });
    if (&thread == running_) {
        buried_ = std::move(*place);
    } else {
        unmap(thread);
    }
    all_.erase(place);
}

void Threads::wake(const void* condition, bool everybody) {
    for (;;) {
        Thread* first = nullptr;
        for (const auto& each : all_) {
            if (each->ticket == 0 || each->on != condition) continue;
            if (first == nullptr || each->ticket < first->ticket) first = each.get();
        }
        if (first == nullptr) return;
        first->ticket = 0;
        if (!everybody) return;
    }
}

bool Threads::overflowed(const void* address) const {
    const auto* const at = static_cast<const std::byte*>(address);
    return std::any_of(all_.begin(), all_.end(), [&](const auto& each) {
        return each->area != nullptr && at >= each->area && at < each->area + Stacks::page;
    });
}

} // namespace orrery::emulate
