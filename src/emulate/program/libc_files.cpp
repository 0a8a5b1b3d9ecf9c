// Closing and redirecting: descriptors are shared by all ranks, but for the simulator's own; 0, 1 and 2, and
// the streams stdin, stdout and stderr, are each rank's.
#include "emulate/program/child.h"
#include "emulate/program/descriptors.h"
#include "emulate/program/libc_tables.h"
#include "emulate/program/output.h"
#include "emulate/program/program.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <unistd.h>

namespace orrery::emulate {

namespace {

int not_open() {
    errno = EBADF;
    return -1;
}

constexpr int standard_end = STDERR_FILENO + 1;

// Calls `change`, which does something to a descriptor from `first` on.
template <typename Change> auto changing(int first, const Change& change) {
    const bool standard = first >= 0 && first < standard_end;
    if (standard) descriptors::before_change();
    const auto result = change();
    const int failure = errno;
    if (standard) descriptors::after_change();
    errno = failure;
    return result;
}

int own_close(int file) {
    if (descriptors::is_own(file)) return not_open();
    return changing(file, [&] { return ::close(file); });
}
int own_dup2(int from, int to) {
    if (descriptors::is_own(to)) return not_open();
    return changing(to, [&] { return ::dup2(from, to); });
}
int own_dup3(int from, int to, int flags) {
    if (descriptors::is_own(to)) return not_open();
    return changing(to, [&] { return ::dup3(from, to, flags); });
}
// Up to the next of the simulator's own, and on behind it.
int close_others(unsigned int first, unsigned int last, int flags) {
    constexpr unsigned int beyond = 1U << 20U; // no descriptor of the simulator is that high
    for (unsigned int at = first; at <= last && at < beyond; ++at) {
        if (!descriptors::is_own(static_cast<int>(at))) continue;
        if (at > first && ::close_range(first, at - 1, flags) != 0) return -1;
        first = at + 1;
    }
    return first <= last ? ::close_range(first, last, flags) : 0;
}
int own_close_range(unsigned int first, unsigned int last, int flags) {
    return changing(static_cast<int>(std::min<unsigned int>(first, standard_end)),
                    [&] { return close_others(first, last, flags); });
}
void own_closefrom(int first) { (void)own_close_range(static_cast<unsigned int>(std::max(first, 0)), ~0U, 0); }

std::FILE* own_freopen(const char* path, const char* mode, std::FILE* stream) {
    std::FILE** const standard = child::here ? nullptr : shared_stream(stream);
    if (standard == nullptr) return std::freopen(path, mode, stream);
    if (path == nullptr) return stream;
    (void)std::fflush(stream);
    std::FILE* const opened = std::fopen(path, mode);
    *standard = opened != nullptr ? opened : nowhere();
    Program::active->follow_streams();
    return opened;
}
int own_fclose(std::FILE* stream) {
    std::FILE** const standard = child::here ? nullptr : shared_stream(stream);
    if (standard == nullptr) return std::fclose(stream);
    const int result = std::fflush(stream);
    *standard = nowhere();
    Program::active->follow_streams();
    return result;
}
int own_fcloseall() { return std::fflush(nullptr); }

// A buffer of the rank would be gone before the stream is: only the mode counts.
int own_setvbuf(std::FILE* stream, char* buffer, int mode, std::size_t bytes) {
    if (child::here || shared_stream(stream) == nullptr) return std::setvbuf(stream, buffer, mode, bytes);
    return std::setvbuf(stream, nullptr, mode, 0);
}
void own_setbuffer(std::FILE* stream, char* buffer, std::size_t bytes) {
    (void)own_setvbuf(stream, buffer, buffer == nullptr ? _IONBF : _IOFBF, bytes);
}
void own_setbuf(std::FILE* stream, char* buffer) { own_setbuffer(stream, buffer, BUFSIZ); }

} // namespace

std::span<const Symbol> file_symbols() {
    static const Symbol all[] = {
        bound("close", own_close),         bound("dup2", own_dup2),
        bound("dup3", own_dup3),           bound("close_range", own_close_range),
        bound("closefrom", own_closefrom), bound("freopen", own_freopen),
        bound("freopen64", own_freopen),   bound("fclose", own_fclose),
        bound("fcloseall", own_fcloseall), bound("setvbuf", own_setvbuf),
        bound("setbuffer", own_setbuffer), bound("setbuf", own_setbuf),
    };
    return all;
}

} // namespace orrery::emulate
