#include "engine/own_descriptors.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>
#include <vector>

namespace orrery::own_descriptors {

namespace {

struct Kept {
    std::mutex lock; // the server has threads
    std::vector<int> files;
};
Kept& kept() {
    static Kept all;
    return all;
}

} // namespace

int keep(int file) {
    if (file >= 0 && file <= STDERR_FILENO) {
        const int above = ::fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        const int failure = errno;
        ::close(file);
        errno = failure;
        file = above;
    }
    if (file < 0) return file;
    const std::lock_guard locked(kept().lock);
    kept().files.push_back(file);
    return file;
}

int close(int file) {
    {
        const std::lock_guard locked(kept().lock);
        std::erase(kept().files, file);
    }
    return ::close(file);
}

bool has(int file) {
    const std::lock_guard locked(kept().lock);
    return std::find(kept().files.begin(), kept().files.end(), file) != kept().files.end();
}

} // namespace orrery::own_descriptors
