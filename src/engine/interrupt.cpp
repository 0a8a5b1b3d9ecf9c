#include "engine/interrupt.h"

#include <cstdlib>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace orrery {

std::atomic<int> detail::interrupting_signal{0};

namespace {

constexpr unsigned patience_seconds = 3;
int watches = 0; // that live

void say_in_handler(std::string_view words) { (void)!::write(STDERR_FILENO, words.data(), words.size()); }

// Comes once: the signal then does what it usually does.
extern "C" void note_interrupt(int number) {
    detail::interrupting_signal.store(number, std::memory_order_relaxed);
    (void)::alarm(patience_seconds);
}

extern "C" void end_impatiently(int /*number*/) {
    say_in_handler("orrery: stopped; the work had no point at which it could say how far it came\n");
    std::_Exit(128 + interrupt_requested());
}

} // namespace

void throw_interrupted(const std::string& how_far) {
    const int number = interrupt_requested();
    (void)::alarm(0);
    throw Interrupted(number, (number == SIGTERM ? "stopped by SIGTERM " : "stopped by Ctrl-C ") + how_far);
}

InterruptWatch::InterruptWatch() {
    if (watches++ == 0) detail::interrupting_signal = 0;
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    action.sa_flags = static_cast<int>(static_cast<unsigned>(SA_RESETHAND) | static_cast<unsigned>(SA_RESTART));
    // A shell lets its background processes ignore the signal: that stays.
    for (const auto& [number, kept] : {std::pair{SIGINT, &interrupt_}, std::pair{SIGTERM, &terminate_}}) {
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
    (void)::sigaction(SIGALRM, &alarm_, nullptr);
}

} // namespace orrery
