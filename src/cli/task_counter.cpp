#include "cli/task_counter.h"

#include "cli/verbosity.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace orrery::cli {

TaskCounter task_counter(std::string done_word, std::string unit) {
    if (quiet() || ::isatty(STDERR_FILENO) != 1) return {};
    return [done_word = std::move(done_word), unit = std::move(unit)](std::size_t done, std::size_t total) {
        fmt::print(stderr, "\r{} {} of {} {}\x1b[K", done_word, done, total, unit);
        if (done == total) fmt::print(stderr, "\r\x1b[K");
        std::fflush(stderr);
    };
}

} // namespace orrery::cli
