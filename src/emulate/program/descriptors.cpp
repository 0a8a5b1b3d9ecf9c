#include "emulate/program/descriptors.h"

#include "emulate/program/child.h"
#include "emulate/program/output.h"
#include "emulate/program/program.h"
#include "emulate/program/world.h"
#include "engine/own_descriptors.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orrery::emulate::descriptors {

namespace {

constexpr int standard = 3;               // 0, 1 and 2
using Copies = std::array<int, standard>; // of 0, 1 and 2; -1: closed
struct Kept {
    bool kept = false;
    Copies copies{-1, -1, -1};
    std::vector<bool> own;                           // by number
    std::unordered_map<const Rank*, Copies> of_rank; // that have changed theirs
    const Rank* installed = nullptr;                 // whose descriptors are in place; null: the usual ones
};
Kept kept;

// High, where programs that open a few files do not come.
int first_private() {
    rlimit limit{};
    constexpr rlim_t high = 4096;
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return standard;
    constexpr rlim_t room = 64;
    return static_cast<int>(std::max<rlim_t>(std::min(limit.rlim_cur, high), 2 * room) - room);
}

int copy_high(int file) {
    const int high = ::fcntl(file, F_DUPFD_CLOEXEC, first_private());
    return high >= 0 ? high : ::fcntl(file, F_DUPFD_CLOEXEC, standard);
}

bool same_file(int one, int other) {
    struct stat first {};
    struct stat second {};
    const bool there = ::fstat(one, &first) == 0;
    if (there != (::fstat(other, &second) == 0)) return false;
    return !there || (first.st_dev == second.st_dev && first.st_ino == second.st_ino);
}

bool all_same(const Copies& copies) {
    for (int file = 0; file < standard; ++file)
        if (!same_file(copies[static_cast<std::size_t>(file)], file)) return false;
    return true;
}

void drop(int copy) {
    if (copy < standard) return;
    kept.own[static_cast<std::size_t>(copy)] = false;
    ::close(copy);
}

// What the rank has in place now, which it may have changed without a word since (open takes the lowest
// number). False: the system has no descriptor left.
bool save_changes(Copies& copies) {
    for (int file = 0; file < standard; ++file) {
        int& copy = copies[static_cast<std::size_t>(file)];
        if (same_file(copy, file)) continue;
        const int now = copy_high(file);
        if (now < 0 && errno != EBADF) return false;
        protect(now);
        drop(std::exchange(copy, now));
    }
    return true;
}

void put(const Copies& copies) {
    for (int file = 0; file < standard; ++file) {
        const int copy = copies[static_cast<std::size_t>(file)];
        if (copy < 0)
            ::close(file);
        else
            ::dup2(copy, file);
    }
}

void forget(const Rank* rank) {
    const auto own = kept.of_rank.find(rank);
    for (const int copy : own->second) drop(copy);
    kept.of_rank.erase(own);
}

// What was written so far goes where it was meant to; what could not be written is dropped.
void leave_installed() {
    end_streams(kept.installed != nullptr);
    if (kept.installed == nullptr) return;
    if (kept.installed->ended)
        forget(kept.installed);
    else
        (void)save_changes(kept.of_rank.at(kept.installed));
}

} // namespace

void before_change() {
    if (kept.kept && !child::here && kept.installed != current) leave_installed();
}

void after_change() {
    if (!kept.kept || child::here) return;
    const auto own = kept.of_rank.try_emplace(current, Copies{-1, -1, -1}).first;
    kept.installed = current;
    Program::active->follow_descriptors();
    if (all_same(kept.copies)) { // it has put them back
        kept.installed = nullptr;
        forget(current);
        return;
    }
    if (!save_changes(own->second))
        world::abort(1,
                     fmt::format("rank {} redirects one of its descriptors 0 to 2, and the system permits no "
                                 "further descriptor (ulimit -n): {}",
                                 self().index, std::strerror(errno)));
}

void install(const Rank& rank) {
    if (!kept.kept) return;
    const auto own = kept.of_rank.find(&rank);
    const Rank* const next = own == kept.of_rank.end() ? nullptr : &rank;
    if (next == kept.installed) return;
    leave_installed();
    put(next == nullptr ? kept.copies : kept.of_rank.at(next));
    kept.installed = next;
}

void protect(int file) {
    if (file < standard) return;
    if (static_cast<std::size_t>(file) >= kept.own.size()) kept.own.resize(static_cast<std::size_t>(file) + 1);
    kept.own[static_cast<std::size_t>(file)] = true;
}

void keep() {
    kept.kept = true;
    kept.own.clear();
    for (int file = 0; file < standard; ++file) kept.copies[static_cast<std::size_t>(file)] = copy_high(file);
    // What was inherited is the user's; what we have opened ourselves is closed in what we execute.
    DIR* const all = ::opendir("/proc/self/fd");
    if (all == nullptr) return;
    while (const dirent* const each = ::readdir(all)) {
        const char* const name = static_cast<const char*>(each->d_name);
        int file = -1;
        std::from_chars(name, name + std::strlen(name), file);
        if (file < standard || file == ::dirfd(all)) continue;
        if ((::fcntl(file, F_GETFD) & FD_CLOEXEC) != 0) protect(file);
    }
    ::closedir(all);
}

void restore() {
    if (!kept.kept) return;
    kept.kept = false;
    end_streams(kept.installed != nullptr || !all_same(kept.copies));
    kept.installed = nullptr;
    for (const auto& [rank, copies] : kept.of_rank)
        for (const int copy : copies) drop(copy);
    kept.of_rank.clear();
    for (int file = 0; file < standard; ++file) {
        int& copy = kept.copies[static_cast<std::size_t>(file)];
        if (copy < 0) {
            ::close(file);
            continue;
        }
        ::dup2(copy, file);
        ::close(copy);
        copy = -1;
    }
    kept.own.clear();
}

bool is_own(int file) {
    if (child::here || file < standard) return false;
    return (static_cast<std::size_t>(file) < kept.own.size() && kept.own[static_cast<std::size_t>(file)]) ||
           own_descriptors::has(file);
}

int errors() {
    return kept.kept && kept.copies[STDERR_FILENO] >= 0 ? kept.copies[STDERR_FILENO] : STDERR_FILENO;
}

} // namespace orrery::emulate::descriptors
