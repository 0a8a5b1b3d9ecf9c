#include "engine/interrupt.h"

#include "engine/unfinished_files.h"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace orrery {

std::atomic<int> detail::interrupting_signal{0};

namespace {

constexpr unsigned patience_seconds = 3;
constexpr std::int64_t same_signal_ms = 200;
std::atomic<int> watches{0}; // that live

void say_in_handler(std::string_view words) { (void)!::write(STDERR_FILENO, words.data(), words.size()); }

std::int64_t milliseconds_now() {
    timespec now{};
    (void)::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// The second one does what the signal usually does. Some programs (timeout) send one signal twice: what comes
// at the same time is not a second one.
extern "C" void note_interrupt(int number) {
    static std::atomic<std::int64_t> first{0}; // a signal may come to any thread
    if (interrupt_requested() == 0) {
        first = milliseconds_now();
        detail::interrupting_signal.store(number, std::memory_order_relaxed);
        (void)::alarm(patience_seconds);
    } else if (milliseconds_now() - first > same_signal_ms) {
        remove_unfinished_files();
        (void)std::signal(number, SIG_DFL);
        (void)::raise(number);
    }
}

const char* stopped_by(int number) {
    if (number == SIGTERM) return "stopped by SIGTERM ";
    return number == SIGHUP ? "stopped by SIGHUP " : "stopped by Ctrl-C ";
}

extern "C" void end_impatiently(int /*number*/) {
    remove_unfinished_files();
    say_in_handler("orrery: stopped; the work had no point at which it could say how far it came\n");
    std::_Exit(128 + interrupt_requested());
}

} // namespace

void throw_interrupted(const std::string& how_far) {
    const int number = interrupt_requested();
    (void)::alarm(0);
    throw Interrupted(number, stopped_by(number) + how_far);
}

InterruptWatch::InterruptWatch() {
    if (watches++ == 0) detail::interrupting_signal = 0;
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    action.sa_flags = SA_RESTART;
    // A shell lets its background processes ignore the signal: that stays.
    for (const auto& [number, kept] :
         {std::pair{SIGINT, &interrupt_}, std::pair{SIGTERM, &terminate_}, std::pair{SIGHUP, &hang_up_}}) {
        (void)::sigaction(number, nullptr, kept);
        if (kept->sa_handler != SIG_IGN) (void)::sigaction(number, &action, nullptr);
    }
    action.sa_handler = end_impatiently;
    (void)::sigaction(SIGALRM, &action, &alarm_);
}

InterruptWatch::~InterruptWatch() {
    --watches;
    (void)::alarm(0);
    (void)::sigaction(SIGINT, &interrupt_, nullptr);
    (void)::sigaction(SIGTERM, &terminate_, nullptr);
    (void)::sigaction(SIGHUP, &hang_up_, nullptr);
    (void)::sigaction(SIGALRM, &alarm_, nullptr);
}

} // namespace orrery
