#include "emulate/context/context.h"

#include "emulate/context/sanitizer.h"

#include <boost/context/detail/fcontext.hpp>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <xxhash.h>

namespace orrery::emulate {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

StackOverflow Context::on_overflow = nullptr;

namespace {

// What the C++ run-time keeps per thread about exceptions (Itanium C++ ABI, 2.2.2).
struct Exceptions {
    void* caught;
    unsigned int uncaught;
};

Exceptions& exceptions() {
    static thread_local Exceptions* const mine =
        reinterpret_cast<Exceptions*>(abi::__cxa_get_globals()); // one call per thread
    return *mine;
}

} // namespace

struct Context::Entry {
    static void run(transfer_t from) {
        // The one who switched here left the addresses of both contexts.
        auto* const pair = static_cast<Context**>(from.data);
        Context* const mine = pair[1];
        arrived(*pair[0], from.fctx, *mine);
        mine->entry_(mine->argument_);
        assert(false && "the entry of a context has returned");
        std::abort();
    }

    static void arrived(Context& left, void* place, Context& here) {
        left.place_ = place;
        const sanitizer::Bounds behind = sanitizer::arrived(here.shadow_);
        if (sanitizer::on && left.low_ == nullptr && left.top_ == nullptr) {
            left.low_ = behind.low;
            left.top_ = behind.low + behind.bytes;
        }
    }
};

Context::Context(Stack stack, void (*entry)(void*), void* argument)
    : checked_(!stack.guarded), index_(stack.index), top_(stack.top), low_(stack.low), entry_(entry),
      argument_(argument) {
    sanitizer::clean(stack.low, static_cast<std::size_t>(stack.top - stack.low));
    place_ = make_fcontext(stack.top, static_cast<std::size_t>(stack.top - stack.low), Entry::run);
}

void Context::swap(Context& from, Context& to) {
    if (from.checked_) from.check(static_cast<std::byte*>(__builtin_frame_address(0)));
    Exceptions& now = exceptions();
    from.caught_ = now.caught;
    from.uncaught_ = now.uncaught;
    from.errno_ = errno;
    now.caught = to.caught_;
    now.uncaught = to.uncaught_;
    errno = to.errno_;
    Context* pair[2] = {&from, &to};
    sanitizer::leaving(&from.shadow_, to.low_, static_cast<std::size_t>(to.top_ - to.low_));
    const transfer_t back = jump_fcontext(to.place_, static_cast<void*>(pair));
    // Here again: whoever came back has set the exceptions and errno of this context.
    Entry::arrived(**static_cast<Context**>(back.data), back.fctx, from);
}

// The callers' registers are in `registers`, or where this function and its callers have saved them, above it.
// Callers of the address sanitizer keep variables elsewhere.
__attribute__((noinline)) std::uint64_t Context::fingerprint() const {
    if (sanitizer::on) return 0;
    std::uint64_t registers[6];
    asm volatile("movq %%rbx, 0(%0)\n\tmovq %%rbp, 8(%0)\n\tmovq %%r12, 16(%0)\n\t"
                 "movq %%r13, 24(%0)\n\tmovq %%r14, 32(%0)\n\tmovq %%r15, 40(%0)"
                 :
                 : "r"(registers)
                 : "memory");
    const auto from = reinterpret_cast<std::uintptr_t>(registers);
    const auto top = reinterpret_cast<std::uintptr_t>(top_);
    constexpr std::uintptr_t most = 16384;
    if (top <= from || top - from > most) return 0;
    return XXH3_64bits(reinterpret_cast<const void*>(from), top - from) | 1;
}

// The line above the zone's lowest page has never been written if the stack never came there.
void Context::check(const std::byte* now) const {
    const auto* line = reinterpret_cast<const std::uint64_t*>(low_ + Stacks::page - 64);
    std::uint64_t all = 0;
    for (int i = 0; i < 8; ++i) all |= line[i];
    if (all == 0 && now > low_ + Stacks::page) return;
    char words[128];
    const auto used = static_cast<std::size_t>(top_ - low_);
    overflow_words(words, sizeof words, index_, (used + Stacks::page - 1) / Stacks::page * Stacks::page);
    if (on_overflow != nullptr) on_overflow(words);
    std::fprintf(stderr, "%s\n", words);
    std::abort();
}

} // namespace orrery::emulate
