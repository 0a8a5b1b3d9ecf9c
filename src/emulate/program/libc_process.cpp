// Processes: fork makes a real child of the rank. What would replace or leave the simulator itself is refused
// by name.
#include "emulate/program/child.h"
#include "emulate/program/libc_tables.h"
#include "emulate/program/world.h"
#include "emulate/rank.h"

#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <fmt/format.h>
#include <pty.h>
#include <unistd.h>
#include <vector>

namespace orrery::emulate {

namespace {

pid_t own_fork() { return child::fork_rank(); }

// The child has its own memory, as POSIX permits. The rank goes on when it has executed something or ended: the
// pipe is closed then.
pid_t own_vfork() {
    int ends[2];
    if (::pipe2(static_cast<int*>(ends), O_CLOEXEC) != 0) return child::fork_rank();
    const pid_t made = child::fork_rank();
    if (made == 0) {
        ::close(ends[0]);
        return 0;
    }
    const int failure = errno;
    ::close(ends[1]);
    char byte = 0;
    if (made > 0)
        while (::read(ends[0], &byte, 1) < 0 && errno == EINTR) {
        }
    ::close(ends[0]);
    errno = failure;
    return made;
}

pid_t own_forkpty(int* controller, char* name, const termios* how, const winsize* size) {
    const pid_t made = ::forkpty(controller, name, how, size);
    if (made == 0) child::begin();
    return made;
}

[[noreturn]] void refuse_in_rank(const char* function, const char* why) {
    world::abort(1, fmt::format("rank {} calls {}: {}", self().index, function, why));
}

// All ranks are in this process.
void check_exec(const char* function) {
    if (!child::here)
        refuse_in_rank(function, "all ranks share one process, which would be gone; call it in a child (fork)");
}

int own_execve(const char* path, char* const* arguments, char* const* environment) {
    check_exec("execve");
    return ::execve(path, arguments, environment);
}
int own_execv(const char* path, char* const* arguments) {
    check_exec("execv");
    return ::execv(path, arguments);
}
int own_execvp(const char* file, char* const* arguments) {
    check_exec("execvp");
    return ::execvp(file, arguments);
}
int own_execvpe(const char* file, char* const* arguments, char* const* environment) {
    check_exec("execvpe");
    return ::execvpe(file, arguments, environment);
}
int own_fexecve(int file, char* const* arguments, char* const* environment) {
    check_exec("fexecve");
    return ::fexecve(file, arguments, environment);
}
int own_execveat(int folder, const char* path, char* const* arguments, char* const* environment, int flags) {
    check_exec("execveat");
    return ::execveat(folder, path, arguments, environment, flags);
}

// The arguments up to the null pointer, with it.
std::vector<char*> listed(const char* first, std::va_list& rest) {
    std::vector<char*> all{const_cast<char*>(first)};
    while (all.back() != nullptr) all.push_back(va_arg(rest, char*));
    return all;
}
int own_execl(const char* path, const char* first, ...) {
    check_exec("execl");
    std::va_list rest;
    va_start(rest, first);
    const std::vector<char*> arguments = listed(first, rest);
    va_end(rest);
    return ::execv(path, arguments.data());
}
int own_execlp(const char* file, const char* first, ...) {
    check_exec("execlp");
    std::va_list rest;
    va_start(rest, first);
    const std::vector<char*> arguments = listed(first, rest);
    va_end(rest);
    return ::execvp(file, arguments.data());
}
int own_execle(const char* path, const char* first, ...) {
    check_exec("execle");
    std::va_list rest;
    va_start(rest, first);
    const std::vector<char*> arguments = listed(first, rest);
    char* const* const environment = va_arg(rest, char* const*);
    va_end(rest);
    return ::execve(path, arguments.data(), environment);
}

int own_daemon(int keep_folder, int keep_streams) {
    if (child::here) return ::daemon(keep_folder, keep_streams);
    refuse_in_rank("daemon", "all ranks share one process, which would end");
}
int own_clone(int (* /*body*/)(void*), void* /*stack*/, int /*flags*/, void* /*argument*/, ...) {
    refuse_in_rank("clone", "call fork or pthread_create");
}

} // namespace

std::span<const Symbol> process_symbols() {
    static const Symbol all[] = {
        bound("fork", own_fork),       bound("_Fork", own_fork),      bound("__fork", own_fork),
        bound("vfork", own_vfork),     bound("__vfork", own_vfork),   bound("forkpty", own_forkpty),
        bound("execve", own_execve),   bound("execv", own_execv),     bound("execvp", own_execvp),
        bound("execvpe", own_execvpe), bound("fexecve", own_fexecve), bound("execveat", own_execveat),
        bound("execl", own_execl),     bound("execlp", own_execlp),   bound("execle", own_execle),
        bound("daemon", own_daemon),   bound("clone", own_clone),
    };
    return all;
}

} // namespace orrery::emulate
