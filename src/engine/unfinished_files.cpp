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

// A handler may not take locks: an array, whose slots are taken and given back with one instruction. After a
// fork the child has its parent's slots too; they are free for it, and what they name is not its own.
struct UnfinishedSlot {
    std::atomic<pid_t> owner{0}; // 0: nobody
    std::atomic<char*> path{nullptr};
};
constexpr pid_t being_taken = -1;
constexpr std::size_t unfinished_slots = 256;
std::array<UnfinishedSlot, unfinished_slots> unfinished{};
// A handler reads the paths, and the process ends after it: none is freed any more.
std::atomic<bool> removing_unfinished{false};

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
    const pid_t self = ::getpid();
    for (std::size_t i = 0; text != nullptr && i < unfinished_slots; ++i) {
        UnfinishedSlot& slot = unfinished[i];
        pid_t owner = slot.owner;
        if (owner == self || owner == being_taken || !slot.owner.compare_exchange_strong(owner, being_taken))
            continue;
        slot.path = text;
        slot.owner = self;
        return i;
    }
    std::free(text);
    (void)::unlink(path.c_str());
    throw InputError(Error{path, 0, 0, "cannot be created: too many files are being written at the same time"});
}

} // namespace

UnfinishedFile::UnfinishedFile(std::string path) : path_(std::move(path)) {
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
    UnfinishedSlot& slot = unfinished[std::exchange(slot_, none)];
    if (slot.owner != ::getpid()) return; // a forked child: it is its parent's
    char* const path = slot.path.exchange(nullptr);
    if (!removing_unfinished) std::free(path); // otherwise a handler may have found it before
    slot.owner = 0;
}

void remove_unfinished_files() noexcept {
    removing_unfinished = true; // before it reads any of them
    const pid_t self = ::getpid();
    for (const UnfinishedSlot& slot : unfinished) {
        if (slot.owner != self) continue;
        // Its beginning is read here as well as in the kernel: a sanitizer sees whether it is still there.
        if (const char* const path = slot.path; path != nullptr && *path != '\0') (void)::unlink(path);
    }
    // Folders are empty only now.
    for (const UnfinishedSlot& slot : unfinished) {
        if (slot.owner != self) continue;
        if (const char* const path = slot.path; path != nullptr && *path != '\0') (void)::rmdir(path);
    }
}

} // namespace orrery
