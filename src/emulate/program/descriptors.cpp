#include "emulate/program/descriptors.h"

#include "emulate/program/child.h"
#include "emulate/program/output.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace orrery::emulate::descriptors {

namespace {

constexpr int standard = 3; // 0, 1 and 2
struct Kept {
    bool kept = false;
    std::array<int, standard> copies{-1, -1, -1}; // -1: it was closed
    std::vector<bool> own;                        // by number
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

} // namespace

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
    bool redirected = false;
    for (int file = 0; file < standard; ++file)
        if (!same_file(kept.copies[static_cast<std::size_t>(file)], file)) redirected = true;
    end_streams(redirected);
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
    return !child::here && file >= standard && static_cast<std::size_t>(file) < kept.own.size() &&
           kept.own[static_cast<std::size_t>(file)];
}

int errors() {
    return kept.kept && kept.copies[STDERR_FILENO] >= 0 ? kept.copies[STDERR_FILENO] : STDERR_FILENO;
}

} // namespace orrery::emulate::descriptors
