#include "engine/unfinished_files.h"

#include "engine/error.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace orrery {

namespace {

// A handler may not take locks: an array, whose slots are taken and given back with one instruction.
constexpr std::size_t unfinished_slots = 256;
std::array<std::atomic<char*>, unfinished_slots> unfinished_paths{};
std::atomic<pid_t> unfinished_owner{0};

extern "C" void remove_and_end(int number) {
    remove_unfinished_files();
    (void)std::signal(number, SIG_DFL);
    (void)::raise(number); // delivered when this returns
}

// Signals that somebody handles or ignores are left to him; one who ends the process calls
// remove_unfinished_files.
void watch_signals() {
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
        struct sigaction action {};
        if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
        action = {};
        action.sa_handler = remove_and_end;
        (void)::sigaction(number, &action, nullptr);
    }
}

std::size_t take_slot(const std::string& path) {
    char* const text = ::strdup(path.c_str());
    for (std::size_t slot = 0; text != nullptr && slot < unfinished_slots; ++slot) {
        char* empty = nullptr;
        if (unfinished_paths[slot].compare_exchange_strong(empty, text)) return slot;
    }
    std::free(text);
    (void)::unlink(path.c_str());
    throw InputError(Error{path, 0, 0, "cannot be created: too many files are being written at the same time"});
}

} // namespace

UnfinishedFile::UnfinishedFile(std::string path) : path_(std::move(path)) {
    if (const pid_t self = ::getpid(); unfinished_owner.exchange(self) != self)
        for (std::atomic<char*>& each : unfinished_paths)
            each = nullptr; // a forked child: they are its parent's
    slot_ = take_slot(path_);
    watch_signals();
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : path_(std::move(other.path_)), slot_(std::exchange(other.slot_, none)) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(slot_, other.slot_);
    return *this;
}

bool UnfinishedFile::rename(const std::string& name) {
    const bool renamed = ::rename(path_.c_str(), name.c_str()) == 0;
    const int reason = errno;
    renamed ? forget() : remove();
    errno = reason;
    return renamed;
}

void UnfinishedFile::remove() noexcept {
    if (slot_ == none) return;
    (void)::unlink(path_.c_str());
    forget();
}

void UnfinishedFile::forget() noexcept {
    std::free(unfinished_paths[std::exchange(slot_, none)].exchange(nullptr));
}

void remove_unfinished_files() noexcept {
    if (unfinished_owner != ::getpid()) return; // a child: they are its parent's
    for (const std::atomic<char*>& each : unfinished_paths) {
        if (const char* const path = each.load(); path != nullptr) (void)::unlink(path);
    }
}

} // namespace orrery
