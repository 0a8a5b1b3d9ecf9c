// A replay as a timeline, written while it runs: which call each rank was in, and the messages. Ranks of
// schedules may have several CPUs: then what each of them does.
//
// Nothing is collected, except for pictures, which hold only what can be seen: memory is a few bytes per CPU
// and bounded buffers, whatever the length of the run. Times of a CPU do not overlap (it does one thing at a
// time); they may be told in any order of CPUs.
#pragma once

#include "observe/timeline_svg.h"
#include "results/replay_log.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

class ReplayTimeline : public ReplayObserver {
  public:
    // The run is over; the file appears. Without it there is no file.
    virtual void finish(Time end) = 0;
};

// By the end of the name: .pftrace (Perfetto), .paje or .trace (Pajé), .svg (a picture, as `svg` asks). Throws
// UsageError for any other, InputError if the file cannot be written. `cpus`: of each rank.
std::unique_ptr<ReplayTimeline> make_replay_timeline(const std::string& path, std::uint32_t ranks,
                                                     const SvgOptions& svg = {}, std::uint32_t cpus = 1);

// Several at once.
class ReplayTimelines final : public ReplayTimeline {
  public:
    void add(std::unique_ptr<ReplayTimeline> timeline) { timelines_.push_back(std::move(timeline)); }
    [[nodiscard]] bool empty() const { return timelines_.empty(); }
    void performed(CpuOfRank who, const Action& action, Time begin, Time end) override {
        for (const auto& timeline : timelines_) timeline->performed(who, action, begin, end);
    }
    void delivered(std::uint32_t from, std::uint32_t to, std::uint32_t tag, Bytes bytes, Time sent,
                   Time arrived) override {
        for (const auto& timeline : timelines_) timeline->delivered(from, to, tag, bytes, sent, arrived);
    }
    void passed(CpuOfRank who, const Action& action, Time at) override {
        for (const auto& timeline : timelines_) timeline->passed(who, action, at);
    }
    void received(const Received& message) override {
        for (const auto& timeline : timelines_) timeline->received(message);
    }
    void finish(Time end) override {
        for (const auto& timeline : timelines_) timeline->finish(end);
    }

  private:
    std::vector<std::unique_ptr<ReplayTimeline>> timelines_;
};

} // namespace orrery
