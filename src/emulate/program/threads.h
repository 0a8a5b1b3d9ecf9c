// The threads of one rank, on the one thread of the system that all ranks share.
//
// They take turns: one runs until it waits for another (a mutex, a condition, the end of a thread) or yields,
// or is in MPI, where the whole rank waits. So a program is as deterministic with threads as without. Each has
// its own stack, errno, exceptions, thread-local variables and values of keys. The first thread is main's;
// nothing of this exists in a rank that starts no other.
//
// A thread that waits says for what: the one to go on is the next, in the order in which they were started,
// whose condition holds. Looking costs a step per thread.
#pragma once

#include "emulate/program/libc_state.h"
#include "emulate/rank.h"
#include "engine/time.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace orrery::emulate {

struct Thread {
    using Body = void* (*)(void*);
    using Ready = bool (*)(Thread& thread);

    std::uint32_t number = 1; // within the rank, from 1
    Context context;          // while another one runs
    std::byte* area = nullptr;
    std::size_t area_bytes = 0; // the stack and its guard page
    Body body = nullptr;
    void* argument = nullptr;
    void* result = nullptr;
    bool ended = false, detached = false;

    // What it waits for: `ready` looks at `on`, and may take it.
    Ready ready = nullptr;
    void* on = nullptr;
    Time deadline;
    bool late = false; // the deadline has passed
    // On a condition variable, and its place in the queue; 0: it was woken.
    std::uint64_t ticket = 0;

    std::vector<std::byte> locals; // thread-local variables, while another one runs
    std::vector<ExitHandler> at_exit;
    std::vector<void*> values; // of keys
};

class Threads {
  public:
    explicit Threads(Rank& rank);
    ~Threads();
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    // Of the rank that runs; made if there are none.
    static Threads& own();

    [[nodiscard]] Thread& running() { return *running_; }
    [[nodiscard]] bool in_main() const { return running_->number == 1; }
    [[nodiscard]] bool alone() const { return all_.size() == 1; }
    // Null if there is no memory for a stack.
    Thread* start(Thread::Body body, void* argument, std::size_t stack_bytes, bool detached);
    [[noreturn]] void end(void* result);
    // Of a thread that has ended, or is detached and will: it is gone afterwards.
    void forget(Thread& thread);

    // Returns when ready(running()) has said so, or false at the deadline. `call` names the function, for the
    // words of a deadlock.
    bool wait(const char* call, Thread::Ready ready, void* on, Time deadline = Time::max());
    void yield();

    // Condition variables: a thread that waits has a ticket.
    void wake(const void* condition, bool everybody);
    std::uint64_t next_ticket() { return ++tickets_; }

    // The stack of a thread that has just ended goes, once another one runs.
    void reap();

    std::vector<void (*)(void*)> keys; // their destructors

    // The address lies in the guard page of one of the stacks.
    [[nodiscard]] bool overflowed(const void* address) const;

  private:
    Thread* next_ready();
    void switch_to(Thread& thread);
    void run_destructors(Thread& thread);
    void hand_over(const char* call); // to the next that is ready, at some time

    Rank& rank_;
    std::vector<std::unique_ptr<Thread>> all_;
    Thread* running_;
    std::unique_ptr<Thread> buried_; // on whose stack the switch away from it is made
    std::uint32_t last_number_ = 1;
    std::uint64_t tickets_ = 0;
};

} // namespace orrery::emulate
