// When the flits of a lane pass a point: those that have, and those that will if nothing changes, as runs of
// equal steps. Flits are numbered from the beginning of time.
#pragma once

#include "engine/time.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace orrery::packet {

class FlitLog {
  public:
    struct Run {
        std::uint64_t first = 0;
        std::uint64_t count = 0;
        Time start; // of the first
        Time pace;
        [[nodiscard]] std::uint64_t end() const { return first + count; }
        [[nodiscard]] Time time(std::uint64_t flit) const {
            return start + static_cast<std::int64_t>(flit - first) * pace;
        }
    };

    // The flits that follow, one every `pace`.
    void append(Time start, Time pace, std::uint64_t count) {
        const Run run{end(), count, start, pace};
        if (!runs_.empty() && runs_.back().count == 0)
            runs_.back() = run; // a run of nothing has a start that says nothing
        else
            runs_.push_back(run);
    }
    // Shortens or extends the last run, so that the flits before this one are known.
    void set_end(std::uint64_t end_of_last) { runs_.back().count = end_of_last - runs_.back().first; }
    [[nodiscard]] std::uint64_t end() const { return runs_.empty() ? forgotten_ : runs_.back().end(); }

    // The run that holds a flit; null if it is not known. The flit must not be forgotten.
    [[nodiscard]] const Run* find(std::uint64_t flit) const {
        // Mostly one of the first; a channel of long latency may have thousands.
        constexpr std::size_t few = 4;
        const std::size_t near = runs_.size() - head_ < few ? runs_.size() : head_ + few;
        for (std::size_t i = head_; i < near; ++i) {
            if (flit < runs_[i].end()) return &runs_[i];
        }
        const auto begin = runs_.begin() + static_cast<std::ptrdiff_t>(near);
        const auto found =
            std::partition_point(begin, runs_.end(), [flit](const Run& run) { return run.end() <= flit; });
        return found == runs_.end() ? nullptr : &*found;
    }
    [[nodiscard]] Time time(std::uint64_t flit) const {
        const Run* const run = find(flit);
        return run == nullptr ? Time::max() : run->time(flit);
    }
    // How many have passed at this time; all that are forgotten have.
    [[nodiscard]] std::uint64_t until(Time now) const {
        // Flits pass in order, so that all of the runs before the last that has begun have passed.
        const auto begin = runs_.begin() + static_cast<std::ptrdiff_t>(head_);
        const auto next =
            std::partition_point(begin, runs_.end(), [now](const Run& run) { return run.start <= now; });
        if (next == begin) return next == runs_.end() ? end() : next->first;
        const Run& run = *std::prev(next);
        const auto steps = static_cast<std::uint64_t>((now - run.start).ticks());
        const auto pace = static_cast<std::uint64_t>(run.pace.ticks());
        const std::uint64_t passed = pace == 0 ? run.count : steps / pace + 1;
        return run.first + std::min(passed, run.count);
    }
    // Nobody will ask for flits before this one. The last run stays.
    void forget(std::uint64_t flit) {
        while (head_ + 1 < runs_.size() && runs_[head_].end() <= flit) ++head_;
        if (head_ < 16 || 2 * head_ < runs_.size()) return;
        forgotten_ = runs_[head_].first;
        runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(head_));
        head_ = 0;
    }

  private:
    std::vector<Run> runs_;
    std::size_t head_ = 0;
    std::uint64_t forgotten_ = 0;
};

} // namespace orrery::packet
