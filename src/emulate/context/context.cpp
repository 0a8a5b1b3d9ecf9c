#include "emulate/context/context.h"

#include <boost/context/detail/fcontext.hpp>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>

#if defined(__SANITIZE_ADDRESS__)
#define ORRERY_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ORRERY_ASAN 1
#endif
#endif
#ifdef ORRERY_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

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

    static void arrived(Context& left, void* place, [[maybe_unused]] Context& here) {
        left.place_ = place;
#ifdef ORRERY_ASAN
        const void* bottom = nullptr;
        std::size_t size = 0;
        __sanitizer_finish_switch_fiber(here.shadow_, &bottom, &size);
        if (left.low_ == nullptr && left.top_ == nullptr) {
            left.low_ = static_cast<std::byte*>(const_cast<void*>(bottom));
            left.top_ = left.low_ + size;
        }
#endif
    }
};

Context::Context(Stack stack, void (*entry)(void*), void* argument)
    : low_(stack.low), entry_(entry), argument_(argument), index_(stack.index), checked_(!stack.guarded),
      top_(stack.top) {
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
#ifdef ORRERY_ASAN
    __sanitizer_start_switch_fiber(&from.shadow_, to.low_, static_cast<std::size_t>(to.top_ - to.low_));
#endif
    const transfer_t back = jump_fcontext(to.place_, static_cast<void*>(pair));
    // Here again: whoever came back has set the exceptions and errno of this context.
    Entry::arrived(**static_cast<Context**>(back.data), back.fctx, from);
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
