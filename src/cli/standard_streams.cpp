#include "cli/standard_streams.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace orrery::cli {

void hold_closed_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) >= 0) continue;
        // The lowest free number is this one. Input that can only be written, output that can only be read:
        // each use fails as it would have failed on a closed descriptor. Messages that nobody wants are no
        // error.
        (void)::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
    }
}

void report_size_limits() {
    struct sigaction action {};
    // Not ignored: programs that we start would inherit that.
    if (::sigaction(SIGXFSZ, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
    action.sa_handler = [](int /*number*/) {};
    (void)::sigaction(SIGXFSZ, &action, nullptr);
}

std::string lost_output_words(const std::string& reason) {
    return "the standard output cannot be written" + (reason.empty() ? reason : ": " + reason) +
           "; what was printed is lost or cut off";
}

std::optional<std::string> flush_standard_output() {
    const bool failed_before = std::ferror(stdout) != 0;
    errno = 0;
    bool failed = std::fflush(stdout) != 0;
    // Some file systems (NFS) report only when a file is closed that they have no room left. Closing a copy
    // asks them, and leaves the descriptor to those who write when the process ends.
    if (const int copy = ::dup(STDOUT_FILENO); copy >= 0 && ::close(copy) != 0) failed = true;
    if (!failed && !failed_before) return std::nullopt;
    return lost_output_words(failed && errno != 0 ? std::strerror(errno) : "");
}

} // namespace orrery::cli
