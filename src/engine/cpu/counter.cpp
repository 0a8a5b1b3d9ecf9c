#include "engine/cpu/counter.h"

namespace orrery::trace {

CounterFacts facts_of(CounterKind kind) {
    switch (kind) {
    case CounterKind::instructions: return {"instructions", "performance counter", 0, 0};
    case CounterKind::cpu_time_by_ticks: return {"cpu-time", "time stamp counter", 1e9, 100};
    case CounterKind::cpu_time_by_system: break;
    }
    return {"cpu-time", "system call", 1e9, 100};
}

ChosenCounter choose_counter(CounterChoice choice) {
    if (choice != CounterChoice::cpu_time) {
        if (why_no_instructions().empty()) {
            return {CounterKind::instructions, true};
        }
        if (choice == CounterChoice::instructions) {
            return {CounterKind::instructions, false};
        }
    }
    return {switches_are_told() ? CounterKind::cpu_time_by_ticks : CounterKind::cpu_time_by_system, true};
}

void Counter::start(CounterKind kind) noexcept {
    kind_ = kind;
    if (kind_ == CounterKind::cpu_time_by_ticks) {
        cpu_.start();
    } else if (kind_ == CounterKind::instructions) {
        // It was there when the counter was chosen; should it fail for a further thread, that thread counts 0.
        static_cast<void>(instructions_.open_instructions());
    }
}

void Counter::stop() noexcept {
    cpu_.stop();
    instructions_.close();
}

Reading Counter::read_other() const noexcept {
    if (kind_ == CounterKind::instructions) {
        return {ticks(), static_cast<std::int64_t>(instructions_.read())};
    }
    return {ticks(), nanoseconds_of(CLOCK_THREAD_CPUTIME_ID)};
}

} // namespace orrery::trace
