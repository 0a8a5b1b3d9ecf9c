#include "engine/mapped_inputs.h"

#include "engine/error.h"
#include "engine/unfinished_files.h"

#include <array>
#include <atomic>
#include <csignal>
#include <memory>
#include <mutex>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace orrery {

struct InputMapping {
    std::string path;
    int descriptor = -1;
    const char* data = nullptr;
    std::size_t bytes = 0;
    struct stat before {};

    [[nodiscard]] bool holds(const void* address) const {
        const auto* const at = static_cast<const char*>(address);
        return at >= data && at < data + bytes;
    }
};

struct MappedSlot {
    std::atomic<InputMapping*> mapping;
    MappedSlot* next;
};

namespace {

// A handler may not take locks: a list that only grows, whose places are taken and given back with one
// instruction. Everybody else holds the lock, so that no mapping goes while another thread looks at it.
std::atomic<MappedSlot*> mapped_slots{nullptr};
std::mutex mapped_lock;
// A handler looks at the mappings, and the process ends after it: none is freed any more.
std::atomic<bool> explaining_fault{false};
// What garbage in a file that has changed may lead to; an abort is that of an assertion.
constexpr std::array watched_faults{SIGBUS, SIGSEGV, SIGABRT, SIGFPE};
std::array<struct sigaction, watched_faults.size()> faults_before{};

std::string changed_before; // under the lock: words on the first that had changed when it was unmapped

constexpr std::string_view shorter = "became shorter while it was read";
constexpr std::string_view rewritten = "was changed while it was read";
constexpr std::string_view unreadable = "cannot be read any more: the disk or network it lies on fails";

// What has happened to the file; empty: nothing. Safe in a handler.
std::string_view change_of(const InputMapping& mapping) {
    struct stat now {};
    if (::fstat(mapping.descriptor, &now) != 0) return unreadable;
    const auto size = static_cast<std::size_t>(now.st_size);
    if (size < mapping.bytes) return shorter;
    const bool same = size == mapping.bytes && now.st_mtim.tv_sec == mapping.before.st_mtim.tv_sec &&
                      now.st_mtim.tv_nsec == mapping.before.st_mtim.tv_nsec;
    return same ? std::string_view() : rewritten;
}

void say_of_input(std::string_view words) { (void)!::write(STDERR_FILENO, words.data(), words.size()); }

[[noreturn]] void end_of_input(const InputMapping& mapping, std::string_view what) {
    remove_unfinished_files();
    for (const std::string_view words : {std::string_view("orrery: "), std::string_view(mapping.path),
                                         std::string_view(": the file "), what, std::string_view("\n")})
        say_of_input(words);
    ::_exit(3);
}

extern "C" void explain_fault(int number, siginfo_t* info, void* /*context*/) {
    explaining_fault = true; // before it reads any of them
    for (const MappedSlot* slot = mapped_slots; slot != nullptr; slot = slot->next) {
        const InputMapping* const mapping = slot->mapping;
        if (mapping == nullptr) continue;
        const std::string_view change = change_of(*mapping);
        if (!change.empty()) end_of_input(*mapping, change);
        if (number == SIGBUS && mapping->holds(info->si_addr)) end_of_input(*mapping, unreadable);
    }
    // Not ours: it happens again when this returns.
    for (std::size_t i = 0; i < watched_faults.size(); ++i) {
        if (watched_faults[i] == number) (void)::sigaction(number, &faults_before[i], nullptr);
    }
}

void watch_faults() {
    for (std::size_t i = 0; i < watched_faults.size(); ++i) {
        const int number = watched_faults[i];
        struct sigaction now {};
        if (::sigaction(number, nullptr, &now) != 0 || now.sa_sigaction == explain_fault) continue;
        faults_before[i] = now;
        struct sigaction action {};
        action.sa_sigaction = explain_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        (void)::sigaction(number, &action, nullptr);
    }
}

std::string words_of_change(const InputMapping& mapping, std::string_view change) {
    return mapping.path + ": the file " + std::string(change) + "; there is no result";
}

} // namespace

MappedInput::MappedInput(const std::string& path, int descriptor, const void* data, std::size_t bytes) {
    auto* const mapping = new InputMapping{path, descriptor, static_cast<const char*>(data), bytes, {}};
    (void)::fstat(descriptor, &mapping->before);
    const std::lock_guard hold(mapped_lock);
    InputMapping* none = nullptr;
    for (slot_ = mapped_slots; slot_ != nullptr; slot_ = slot_->next, none = nullptr) {
        if (slot_->mapping.compare_exchange_strong(none, mapping)) break;
    }
    if (slot_ == nullptr) {
        slot_ = new MappedSlot{mapping, mapped_slots};
        while (!mapped_slots.compare_exchange_weak(slot_->next, slot_)) {
        }
    }
    watch_faults();
}

MappedInput::~MappedInput() {
    const std::lock_guard hold(mapped_lock);
    std::unique_ptr<InputMapping> mapping(slot_->mapping.exchange(nullptr));
    const std::string_view change = change_of(*mapping);
    if (!change.empty() && changed_before.empty()) changed_before = words_of_change(*mapping, change);
    if (explaining_fault) { // by a handler that has seen it before it left the list
        (void)mapping.release();
        return;
    }
    ::close(mapping->descriptor);
}

namespace {

// With the lock held.
std::string change_of_mapped_inputs() {
    for (const MappedSlot* slot = mapped_slots; slot != nullptr; slot = slot->next) {
        const InputMapping* const mapping = slot->mapping;
        if (mapping == nullptr) continue;
        if (const std::string_view change = change_of(*mapping); !change.empty())
            return words_of_change(*mapping, change);
    }
    return {};
}

} // namespace

void refuse_changed_inputs() {
    const std::lock_guard hold(mapped_lock);
    if (std::string words = change_of_mapped_inputs(); !words.empty()) throw InputError(std::move(words));
}

std::string changed_input() {
    const std::lock_guard hold(mapped_lock);
    return changed_before.empty() ? change_of_mapped_inputs() : changed_before;
}

} // namespace orrery
