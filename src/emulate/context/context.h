// A fiber: a stack and where the code on it left off, which is what a rank is while it waits.
//
// A switch saves the registers that a called function must preserve (Boost.Context), errno, and the exceptions
// being handled. Costs about 10 ns a switch while the stacks' top lines are in the cache.
#pragma once

#include "emulate/context/stacks.h"

namespace orrery::emulate {

class Context {
  public:
    // Whatever runs now: the thread's own stack.
    Context() = default;
    // `entry(argument)` is called at the first switch to it, and must never return.
    Context(Stack stack, void (*entry)(void*), void* argument);

    // Leaves off in `from`, which must be the one that runs, and goes on in `to`. Returns when something
    // switches back to `from`.
    static void swap(Context& from, Context& to);

    // It will be switched to soon: what it will return to, and the place for what that calls next, into the
    // cache.
    void prefetch() const {
        const auto* const place = static_cast<const std::byte*>(place_);
        for (std::ptrdiff_t line = -6; line < 12; ++line) __builtin_prefetch(place + line * 64, 1);
    }

    // A number for what is on its stack, from the caller's frame on, and in the registers that a called
    // function must preserve: if it is the same at the same place of the code, the functions that are under way
    // have changed none of their variables. Of the context that runs; 0 if there are more than 16 KiB to look
    // at. Costs some 0.1 us.
    [[nodiscard]] std::uint64_t fingerprint() const;

    // Who is told when a switch finds that a stack without guard page has run over; null: abort().
    static StackOverflow on_overflow;

  private:
    struct Entry;
    void* place_ = nullptr;     // the stack pointer where it left off; stale while it runs
    void* caught_ = nullptr;    // exceptions being handled
    unsigned int uncaught_ = 0; // and on their way
    int errno_ = 0;
    bool checked_ = false; // no guard page: looked at when left
    std::uint32_t index_ = 0;
    std::byte* top_ = nullptr; // of the stack
    std::byte* low_ = nullptr; // null: the thread's own
    void (*entry_)(void*) = nullptr;
    void* argument_ = nullptr;
    [[maybe_unused]] void* shadow_ = nullptr; // the sanitizer's view of the stack

    void check(const std::byte* now) const;
};

} // namespace orrery::emulate
