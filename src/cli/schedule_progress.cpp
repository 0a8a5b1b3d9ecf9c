#include "cli/schedule_progress.h"

#include "cli/verbosity.h"
#include "engine/units.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace orrery::cli {

namespace {

constexpr std::uint64_t operations_per_look = 100'000;

} // namespace

ScheduleProgress::ScheduleProgress(ScheduleSink& next)
    : next_(next), terminal_(!quiet() && ::isatty(STDERR_FILENO) == 1) {}

ScheduleProgress::~ScheduleProgress() { wipe(); }

void ScheduleProgress::begin(std::uint32_t ranks) {
    ranks_ = ranks;
    next_.begin(ranks);
}

void ScheduleProgress::rank(RankId rank, const RankGraph& graph) {
    next_.rank(rank, graph);
    operations_ += graph.ops.size();
    if (!terminal_ || operations_ < look_at_clock_) return;
    look_at_clock_ = operations_ + operations_per_look;
    if (Clock::now() >= next_update_) show(rank.value + 1);
}

void ScheduleProgress::show(std::uint32_t ranks_done) {
    const auto now = Clock::now();
    next_update_ = now + std::chrono::milliseconds(200);
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double share = static_cast<double>(ranks_done) / static_cast<double>(ranks_);
    fmt::print(stderr, "\r\x1b[K{:3.0f} %  {} operations, {:.1f} M/s, {:.0f} s left", 100 * share,
               format_count(operations_), static_cast<double>(operations_) * 1e-6 / seconds,
               seconds / share - seconds);
    std::fflush(stderr);
    shown_ = true;
}

void ScheduleProgress::wipe() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
}

void ScheduleProgress::finish() {
    next_.finish();
    wipe();
}

} // namespace orrery::cli
