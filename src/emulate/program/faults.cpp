#include "emulate/program/faults.h"

#include "emulate/context/context.h"
#include "emulate/context/sanitizer.h"
#include "emulate/program/backtrace.h"
#include "emulate/program/descriptors.h"
#include "emulate/program/signals.h"
#include "emulate/program/threads.h"
#include "emulate/program/world.h"
#include "emulate/rank.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/ucontext.h>
#include <ucontext.h>
#include <unistd.h>

namespace orrery::emulate {

namespace {

constexpr std::array fault_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t stack_bytes = std::size_t{64} << 10;

struct Watch {
    const Stacks* stacks = nullptr;
    std::unique_ptr<std::byte[]> handler_stack, last_stack; // NOLINT: made once
    std::array<struct sigaction, fault_signals.size()> before{};
    stack_t stack_before{};
};
Watch watch;
ExplainFault explain = nullptr;
char overflow[128]; // NOLINT: the words, for last_words

// Runs on a stack of its own, in place of the code that has none left.
void last_words() {
    sanitizer::arrived(nullptr);
    world::abort(1, static_cast<const char*>(overflow));
}

void say(std::string_view words) { (void)!::write(descriptors::errors(), words.data(), words.size()); }

const char* name_of(int number) {
    switch (number) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic error (division by zero?)";
    case SIGILL: return "illegal instruction";
    default: return "aborted";
    }
}

// A library has called exit() on behalf of a rank (an error in Fortran's input, say): all ranks end with it.
void process_ends(int code, void* /*argument*/) {
    if (current == nullptr || watch.stacks == nullptr) return;
    say(fmt::format("rank {}: a library ended the process; all ranks end with it\n", current->index));
    (void)std::fflush(stdout);
    if (code == 0) _exit(1); // there is no prediction
}

// A stack runs over where the stack pointer is. Elsewhere something is written behind a variable.
bool runs_over(std::uint32_t rank, const void* address, std::uint64_t stack_pointer) {
    constexpr std::uint64_t near = std::uint64_t{64} << 10;
    const auto at = reinterpret_cast<std::uint64_t>(address);
    return current != nullptr && rank == current->index && at + near > stack_pointer &&
           stack_pointer + near > at;
}

// What was wrong, but for the place: "rank 1: segmentation fault at address 0x8".
std::string fault_words(int number, const siginfo_t& info, bool writes, bool behind_stack) {
    const bool sent = info.si_code <= 0; // by kill() or raise()
    const bool at_address = !sent && (number == SIGSEGV || number == SIGBUS);
    const auto transfer = explain == nullptr || sent ? std::nullopt : explain(info.si_addr, writes);
    if (!transfer && current == nullptr) return {};
    std::string words = fmt::format("rank {}: {}", transfer ? transfer->rank : current->index, name_of(number));
    if (at_address) words += fmt::format(" at address {}", fmt::ptr(info.si_addr));
    if (transfer) words += fmt::format(", {}", transfer->words);
    if (behind_stack) words += ", next to a stack: a variable on the stack is overrun";
    return words;
}

void say_stack(const void* at) {
    if (const std::string stack = stack_words(frames_from(at)); !stack.empty()) say(stack.substr(1) + "\n");
}

void handle(int number, siginfo_t* info, void* context) {
    const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    const bool memory = number == SIGSEGV && info->si_code > 0;
    const auto hit = memory ? watch.stacks->overflowed(info->si_addr) : std::nullopt;
    const Threads* const threads =
        current == nullptr || current->libc == nullptr ? nullptr : current->libc->threads.get();
    const bool of_thread = memory && threads != nullptr && threads->overflowed(info->si_addr);
    if (hit && runs_over(*hit, info->si_addr, static_cast<std::uint64_t>(registers[REG_RSP])))
        overflow_words(static_cast<char*>(overflow), sizeof overflow, *hit, watch.stacks->bytes());
    else if (of_thread)
        std::snprintf(static_cast<char*>(overflow), sizeof overflow,
                      "rank %u: stack overflow of a thread; see pthread_attr_setstacksize", current->index);
    if (overflow[0] != '\0') return leave_for(context, last_words);
    if (number != SIGABRT && info->si_code > 0 && signals::handle_fault(number, info, context)) return;
    // The process ends here: allocating memory and formatting are worth the small risk.
    constexpr greg_t write_access = 2; // in the error code of a page fault
    const bool writes = (registers[REG_ERR] & write_access) != 0;
    if (const std::string words = fault_words(number, *info, writes, hit.has_value()); !words.empty()) {
        const auto* const at = reinterpret_cast<const void*>(registers[REG_RIP]);
        const bool own_code = current != nullptr && number != SIGABRT && info->si_code > 0;
        say(own_code ? fmt::format("{}, in {}\n", words, place_words(at)) : words + "\n");
        if (current != nullptr && !hit) say_stack(at); // which may be damaged: said last
    }
    std::signal(number, SIG_DFL); // and once more, this time as usual
    if (number == SIGABRT || info->si_code <= 0) raise(number);
}

} // namespace

void leave_for(void* context, void (*last)()) {
    // As if called there: the stack is 8 bytes below a multiple of 16.
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    registers[REG_RIP] = reinterpret_cast<greg_t>(last);
    registers[REG_RSP] = reinterpret_cast<greg_t>(watch.last_stack.get() + stack_bytes) / 16 * 16 - 8;
    sanitizer::leaving(nullptr, watch.last_stack.get(), stack_bytes);
}

void explain_faults(ExplainFault by) { explain = by; }

void watch_faults(const Stacks* stacks) {
    if (stacks == nullptr) {
        if (watch.stacks == nullptr) return;
        watch.stacks = nullptr;
        for (std::size_t i = 0; i < fault_signals.size(); ++i)
            sigaction(fault_signals[i], &watch.before[i], nullptr);
        sigaltstack(&watch.stack_before, nullptr);
        Context::on_overflow = nullptr;
        return;
    }
    const bool first = watch.stacks == nullptr;
    watch.stacks = stacks;
    Context::on_overflow = [](const char* words) { world::abort(1, words); };
    if (!first) return;
    if (watch.handler_stack == nullptr) {
        watch.handler_stack = std::make_unique<std::byte[]>(stack_bytes); // NOLINT
        on_exit(process_ends, nullptr);
        watch.last_stack = std::make_unique<std::byte[]>(stack_bytes); // NOLINT
    }
    stack_t mine{};
    mine.ss_sp = watch.handler_stack.get();
    mine.ss_size = stack_bytes;
    sigaltstack(&mine, &watch.stack_before);
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (std::size_t i = 0; i < fault_signals.size(); ++i)
        sigaction(fault_signals[i], &action, &watch.before[i]);
}

} // namespace orrery::emulate
