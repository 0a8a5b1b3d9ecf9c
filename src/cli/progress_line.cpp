#include "cli/progress_line.h"

#include "cli/verbosity.h"
#include "engine/units.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace orrery::cli {

namespace {

constexpr std::uint64_t done_per_look_at_clock = 100'000;

} // namespace

ProgressLine::ProgressLine(std::string unit)
    : unit_(std::move(unit)), terminal_(!quiet() && ::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::look(std::uint64_t done, std::uint32_t ranks_done, std::uint32_t ranks) {
    look_at_clock_ = done + done_per_look_at_clock;
    const auto now = Clock::now();
    if (now < next_update_) return;
    next_update_ = now + std::chrono::milliseconds(200);
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double share = static_cast<double>(ranks_done) / static_cast<double>(ranks);
    fmt::print(stderr, "\r\x1b[K{:3.0f} %  {} {}, {:.1f} M/s{}", 100 * share, format_count(done), unit_,
               static_cast<double>(done) * 1e-6 / seconds,
               ranks_done == 0 ? std::string() : fmt::format(", {:.0f} s left", seconds / share - seconds));
    std::fflush(stderr);
    shown_ = true;
}

void ProgressLine::wipe() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
}

} // namespace orrery::cli
