#include "cli/progress_bar.h"

#include "engine/units.h"

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace orrery::cli {

ProgressBar::ProgressBar(std::uint64_t operations, std::uint64_t events, bool wanted)
    : operations_(operations), events_(events), active_(wanted && ::isatty(STDERR_FILENO) == 1) {}

void ProgressBar::show(std::uint64_t done, Time simulated) {
    if (interrupt_requested() != 0) {
        const std::string share = operations_ == 0
                                      ? std::string()
                                      : fmt::format(", {:.0f} % of them", 100 * static_cast<double>(done) /
                                                                              static_cast<double>(operations_));
        throw_interrupted(fmt::format("after {} of simulated time and {} operations{}; no result is kept",
                                      format_time(simulated), format_count(done), share));
    }
    if (!active_) return;
    const Clock::time_point now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(250);
    shown_ = true;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    if (operations_ == 0) { // a stream: nobody knows how long it is
        fmt::print(stderr, "\r{} actions  {:.2f} M actions/s  simulated {}\x1b[K", format_count(done),
                   static_cast<double>(done) / seconds / 1e6, format_time(simulated));
        std::fflush(stderr);
        return;
    }
    const double share = static_cast<double>(done) / static_cast<double>(operations_);
    constexpr std::size_t width = 30;
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
    const double left = share > 0 ? seconds * (1 - share) / share : 0;
    fmt::print(stderr, "\r[{}{}] {:5.1f} %  {:.1f} M events/s  {:.0f} s left  simulated {}\x1b[K",
               std::string(filled, '='), std::string(width - filled, ' '), 100 * share,
               share * static_cast<double>(events_) / seconds / 1e6, left, format_time(simulated));
    std::fflush(stderr);
}

namespace {

ssize_t wipe_and_write(void* bar, const char* text, std::size_t bytes) {
    static_cast<ProgressBar*>(bar)->wipe();
    return ::write(STDOUT_FILENO, text, bytes);
}

} // namespace

SharedTerminal::SharedTerminal(ProgressBar& bar) {
    if (!bar.active() || ::isatty(STDOUT_FILENO) != 1) return;
    cookie_io_functions_t functions{};
    functions.write = wipe_and_write;
    std::FILE* const through = ::fopencookie(&bar, "w", functions);
    if (through == nullptr) return;
    (void)std::setvbuf(through, nullptr, _IOLBF, BUFSIZ);
    (void)std::fflush(stdout);
    before_ = stdout;
    stdout = through;
}

SharedTerminal::~SharedTerminal() {
    if (before_ == nullptr) return;
    (void)std::fclose(stdout);
    stdout = before_;
}

void ProgressBar::wipe() {
    if (!shown_) return;
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
    shown_ = false;
}

} // namespace orrery::cli
