// How a rank ends: exit, abort and what is registered to run before.
#include "emulate/program/child.h"
#include "emulate/program/libc_state.h"
#include "emulate/program/libc_tables.h"
#include "emulate/program/output.h"
#include "emulate/program/program.h"
#include "emulate/program/signals.h"
#include "emulate/program/world.h"
#include "emulate/rank.h"

#include <csignal>
#include <fmt/format.h>
#include <string>

namespace orrery::emulate {

namespace {

using Kind = ExitHandler::Kind;

int own_atexit(void (*f)()) {
    self().libc->at_exit.push_back({reinterpret_cast<void*>(f), nullptr, Kind::plain});
    return 0;
}
// With shared variables an object must outlive the rank that happened to make it: it is never destroyed. (What
// atexit registers comes here too, without an argument.)
int own_cxa_atexit(void (*f)(void*), void* argument, void*) {
    if (argument != nullptr && Program::active->mechanism() == Privatise::none) return 0;
    self().libc->at_exit.push_back({reinterpret_cast<void*>(f), argument, Kind::with_argument});
    return 0;
}
int own_on_exit(void (*f)(int, void*), void* argument) {
    self().libc->at_exit.push_back({reinterpret_cast<void*>(f), argument, Kind::with_code});
    return 0;
}
int own_thread_atexit(void (*f)(void*), void* argument, void*) {
    self().libc->at_thread_exit.push_back({reinterpret_cast<void*>(f), argument, Kind::with_argument});
    return 0;
}
int own_at_quick_exit(void (*f)()) {
    self().libc->at_quick_exit.push_back({reinterpret_cast<void*>(f), nullptr, Kind::plain});
    return 0;
}
// Called by the program's own finaliser: everything has run by then, but for what a destructor has added.
void own_cxa_finalize(void*) { run_exit_handlers(self(), 0); }

void own_exit(int code) { exit_rank(code); }
void own_exit_now(int code) { world::end_rank(code & 0xff); }
void own_quick_exit(int code) {
    auto& all = self().libc->at_quick_exit;
    while (!all.empty()) {
        const ExitHandler h = all.back();
        all.pop_back();
        reinterpret_cast<void (*)()>(h.function)();
    }
    world::end_rank(code & 0xff);
}

[[noreturn]] void end_run(int code, const std::string& words) {
    close_output(self());
    world::abort(code, words);
}
void own_abort() {
    if (!child::here && self().libc->signals != nullptr) {
        auto& action = self().libc->signals->actions[SIGABRT];
        const bool handled = action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
        if (handled) (void)signals::send(SIGABRT); // if it returns, the end comes all the same
    }
    end_run(134, fmt::format("rank {}: abort() was called", self().index));
}
void own_assert(const char* expression, const char* file, unsigned int line, const char* function) {
    end_run(134, fmt::format("rank {}: {}:{}: {}: assertion `{}' failed", self().index, file, line,
                             function == nullptr ? "?" : function, expression));
}

} // namespace

std::span<const Symbol> exit_symbols() {
    static const Symbol all[] = {
        bound("exit", own_exit),
        bound("_exit", own_exit_now),
        bound("_Exit", own_exit_now),
        bound("quick_exit", own_quick_exit),
        bound("abort", own_abort),
        bound("__assert_fail", own_assert),
        bound("atexit", own_atexit),
        bound("on_exit", own_on_exit),
        bound("at_quick_exit", own_at_quick_exit),
        bound("__cxa_atexit", own_cxa_atexit),
        bound("__cxa_thread_atexit", own_thread_atexit),
        bound("__cxa_thread_atexit_impl", own_thread_atexit),
        bound("__cxa_finalize", own_cxa_finalize),
    };
    return all;
}

} // namespace orrery::emulate
