#include "emulate/program/faults.h"

#include "emulate/context/context.h"
#include "emulate/context/sanitizer.h"
#include "emulate/program/program.h"
#include "emulate/program/threads.h"
#include "emulate/program/world.h"
#include "emulate/rank.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <string>
#include <sys/ucontext.h>
#include <ucontext.h>
#include <unistd.h>

namespace orrery::emulate {

namespace {

constexpr std::array signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t stack_bytes = std::size_t{64} << 10;

struct Watch {
    const Stacks* stacks = nullptr;
    std::unique_ptr<std::byte[]> handler_stack, last_stack; // NOLINT: made once
    std::array<struct sigaction, signals.size()> before{};
    stack_t stack_before{};
};
Watch watch;
char overflow[128]; // NOLINT: the words, for last_words

// Runs on a stack of its own, in place of the code that has none left.
void last_words() {
    sanitizer::arrived(nullptr);
    world::abort(1, static_cast<const char*>(overflow));
}

const char* name_of(int number) {
    switch (number) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic error (division by zero?)";
    case SIGILL: return "illegal instruction";
    default: return "aborted";
    }
}

std::string place(const void* address) {
    if (Program::active != nullptr)
        if (std::string words = Program::active->describe(address); !words.empty()) return words;
    char words[512];
    Dl_info info{};
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr)
        std::snprintf(words, sizeof words, "%p", address);
    else
        std::snprintf(words, sizeof words, "%s in %s", info.dli_sname == nullptr ? "?" : info.dli_sname,
                      info.dli_fname);
    return words;
}

// A library has called exit() on behalf of a rank (an error in Fortran's input, say): all ranks end with it.
void process_ends() {
    if (current == nullptr || watch.stacks == nullptr) return;
    std::fprintf(stderr, "rank %u: a library ended the process; all ranks end with it\n", current->index);
}

void handle(int number, siginfo_t* info, void* context) {
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    if (current != nullptr) {
        const auto hit = number == SIGSEGV ? watch.stacks->overflowed(info->si_addr) : std::nullopt;
        const Threads* const threads = current->libc == nullptr ? nullptr : current->libc->threads.get();
        const bool of_thread = number == SIGSEGV && threads != nullptr && threads->overflowed(info->si_addr);
        if (hit || of_thread) {
            if (hit)
                overflow_words(static_cast<char*>(overflow), sizeof overflow, *hit, watch.stacks->bytes());
            else
                std::snprintf(static_cast<char*>(overflow), sizeof overflow,
                              "rank %u: stack overflow of a thread; see pthread_attr_setstacksize",
                              current->index);
            // Goes on in last_words, as if called there: the stack is 8 bytes below a multiple of 16.
            registers[REG_RIP] = reinterpret_cast<greg_t>(&last_words);
            registers[REG_RSP] = reinterpret_cast<greg_t>(watch.last_stack.get() + stack_bytes) / 16 * 16 - 8;
            sanitizer::leaving(nullptr, watch.last_stack.get(), stack_bytes);
            return;
        }
        // The process ends here: allocating memory and formatting are worth the small risk.
        const auto* at = reinterpret_cast<const void*>(registers[REG_RIP]);
        char words[768];
        if (number == SIGSEGV || number == SIGBUS)
            std::snprintf(words, sizeof words, "rank %u: %s at address %p, in %s\n", current->index,
                          name_of(number), info->si_addr, place(at).c_str());
        else if (number == SIGABRT)
            std::snprintf(words, sizeof words, "rank %u: %s\n", current->index, name_of(number));
        else
            std::snprintf(words, sizeof words, "rank %u: %s in %s\n", current->index, name_of(number),
                          place(at).c_str());
        if (write(STDERR_FILENO, static_cast<const char*>(words),
                  std::strlen(static_cast<const char*>(words))) < 0)
            _exit(1);
    }
    std::signal(number, SIG_DFL); // and once more, this time as usual
    if (number == SIGABRT) raise(number);
}

} // namespace

void watch_faults(const Stacks* stacks) {
    if (stacks == nullptr) {
        if (watch.stacks == nullptr) return;
        watch.stacks = nullptr;
        for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &watch.before[i], nullptr);
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
        std::atexit(process_ends);
        watch.last_stack = std::make_unique<std::byte[]>(stack_bytes); // NOLINT
    }
    stack_t mine{};
    mine.ss_sp = watch.handler_stack.get();
    mine.ss_size = stack_bytes;
    sigaltstack(&mine, &watch.stack_before);
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &watch.before[i]);
}

} // namespace orrery::emulate
