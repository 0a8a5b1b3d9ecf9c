#include "emulate/program/child.h"

#include "emulate/program/libc_state.h"
#include "emulate/program/output.h"
#include "emulate/program/signals.h"
#include "emulate/program/world.h"
#include "emulate/rank.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace orrery::emulate::child {

bool here = false;

namespace {

using RealClock = std::chrono::steady_clock;
Time begun;
RealClock::time_point began_at;

// The environment of the rank becomes that of the process, for what it executes.
void set_environment() {
    const auto& settings = self().libc->settings;
    if (settings == nullptr) return;
    for (const auto& setting : *settings) {
        const char* const equals = std::strchr(setting.text, '=');
        if (equals == nullptr)
            (void)::unsetenv(setting.text);
        else
            (void)::setenv(std::string(static_cast<const char*>(setting.text), equals).c_str(), equals + 1, 1);
    }
}

} // namespace

void begin() {
    here = true;
    world::forked();
    forget_output(self());
    set_environment();
    signals::become_real(); // our handlers would remove files of the parent
}

pid_t fork_rank() {
    flush_output(self());
    const pid_t made = ::fork();
    if (made == 0) begin();
    return made;
}

void start_clock(Time at) {
    begun = at;
    began_at = RealClock::now();
}

Time now() {
    const std::chrono::nanoseconds passed = RealClock::now() - began_at;
    return begun + Time::ns(passed.count());
}

void sleep(Time duration) { std::this_thread::sleep_for(std::chrono::nanoseconds(duration.whole_ns())); }

void end(int exit_code) { ::_exit(exit_code); }

void fail(int exit_code, const std::string& words) {
    const std::string line = fmt::format("orrery: a child process: {}\n", words);
    (void)!::write(STDERR_FILENO, line.data(), line.size());
    if (exit_code == 128 + SIGABRT) std::abort();
    ::_exit(exit_code);
}

} // namespace orrery::emulate::child
