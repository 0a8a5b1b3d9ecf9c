#include "observe/timeline_layout.h"

#include "engine/error.h"
#include "engine/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace orrery {

namespace {

constexpr std::uint32_t no_band = 0xFFFF'FFFF;
constexpr std::uint32_t most_bands = 1024; // a picture of more is of no use to anybody

// Sizes in pixels where there is room; with many lanes all shrink together.
constexpr double cpu_height = 16;
constexpr double nic_height = 9;
constexpr double lane_gap = 1;
constexpr double comfortable_height = 1000; // of the plot, above which lanes shrink
constexpr double least_scale = 0.35;
constexpr double most_height = 8000; // of all lanes at their least: more is drawn as shares

double height_of(LaneKind kind) { return kind == LaneKind::cpu ? cpu_height : nic_height; }

// Between bands: room for the slope of messages where there are few ranks. Shares of time need less.
double gap_between(std::size_t bands, bool shares) {
    const auto count = static_cast<double>(bands);
    return shares ? std::clamp(100 / count, 6.0, 14.0) : std::clamp(240 / count, 14.0, 60.0);
}

// Of the one lane of a rank where shares of time are drawn.
double share_height(std::size_t bands) { return std::clamp(480 / static_cast<double>(bands), 24.0, 60.0); }

std::size_t shapes_of(const Activity& activity) {
    switch (activity.kind) {
    case ActivityKind::calc: return 1;
    case ActivityKind::send: return 3; // CPU, NIC, the message
    case ActivityKind::recv: return 2;
    case ActivityKind::post: break;
    }
    return 0;
}

void use_lane(Band& band, LaneKind kind, std::uint32_t number) {
    const auto same = [&](const Lane& lane) { return lane.kind == kind && lane.number == number; };
    if (std::none_of(band.lanes.begin(), band.lanes.end(), same)) band.lanes.push_back({kind, number, 0, 0});
}

// The `most` ranks that the path spends most time on; if it visits fewer, others evenly spread.
std::vector<std::uint32_t> near_path(const Recording& recording, const CriticalPath* path, std::size_t most,
                                     std::size_t& on_path) {
    std::vector<Time> time(recording.ranks);
    std::vector<std::uint32_t> chosen;
    if (path != nullptr) {
        for (const PathSegment& segment : path->segments) {
            const std::uint32_t rank = recording.activities[segment.activity].rank;
            if (time[rank] == Time::zero()) chosen.push_back(rank);
            time[rank] += segment.to - segment.from + Time::tick(); // a visit of no length counts too
        }
    }
    std::stable_sort(chosen.begin(), chosen.end(), [&](std::uint32_t a, std::uint32_t b) {
        return time[a] != time[b] ? time[a] > time[b] : a < b;
    });
    chosen.resize(std::min(most, chosen.size()));
    on_path = chosen.size();
    std::vector<bool> taken(recording.ranks);
    for (const std::uint32_t rank : chosen) taken[rank] = true;
    const std::size_t missing = most - chosen.size();
    for (std::size_t i = 0; i < missing; ++i) {
        auto rank = static_cast<std::uint32_t>(i * recording.ranks / missing);
        while (taken[rank]) rank = (rank + 1) % recording.ranks;
        taken[rank] = true;
        chosen.push_back(rank);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

} // namespace

TimelineLayout::TimelineLayout(const Recording& recording, const CriticalPath* path,
                               const SvgOptions& options) {
    if (options.width < 400) throw UsageError("the width of a timeline is at least 400 pixels");
    plot_.right = options.width - 22; // half a label of the axis stands out
    choose_window(recording, options);
    choose_ranks(recording, path, options);
    find_lanes(recording, options);
    place();
}

void TimelineLayout::choose_window(const Recording& recording, const SvgOptions& options) {
    plot_.from = options.from.value_or(Time::zero());
    if (options.to) {
        plot_.to = *options.to;
    } else {
        for (const Time finish : recording.finish) plot_.to = later(plot_.to, finish);
        for (const Activity& activity : recording.activities) plot_.to = later(plot_.to, activity.port_end);
        if (!options.from) plot_.to = later(plot_.to, Time::tick()); // a run of no length still has an axis
    }
    if (plot_.from < Time::zero() || plot_.to <= plot_.from) {
        throw UsageError(fmt::format("the timeline's window from {} to {} is empty", format_time(plot_.from),
                                     format_time(plot_.to)));
    }
    if (options.from || options.to) {
        notes_.push_back(
            fmt::format("Only the time from {} to {} is drawn.", time_words(plot_.from), time_words(plot_.to)));
    }
}

std::vector<std::uint32_t> asked_ranks(const SvgOptions& options, std::uint32_t ranks,
                                       std::vector<std::string>& notes) {
    std::vector<std::uint32_t> chosen;
    if (options.first_rank || options.last_rank) {
        const std::uint32_t first = options.first_rank.value_or(0);
        const std::uint32_t last = options.last_rank.value_or(ranks - 1);
        if (first > last || last >= ranks) {
            throw UsageError(fmt::format("the timeline's ranks {} to {} are not among the {} ranks of the run",
                                         first, last, ranks));
        }
        if (last - first >= most_bands) {
            throw UsageError(fmt::format("a timeline picture holds at most {} ranks; {} were asked for",
                                         most_bands, last - first + 1));
        }
        chosen.resize(last - first + 1);
        std::iota(chosen.begin(), chosen.end(), first);
        if (chosen.size() < ranks)
            notes.push_back(fmt::format("Only ranks {} to {} of {} are drawn.", first, last, ranks));
    } else if (ranks <= options.most_ranks) {
        chosen.resize(ranks);
        std::iota(chosen.begin(), chosen.end(), 0U);
    }
    return chosen;
}

void TimelineLayout::choose_ranks(const Recording& recording, const CriticalPath* path,
                                  const SvgOptions& options) {
    std::vector<std::uint32_t> chosen = asked_ranks(options, recording.ranks, notes_);
    if (chosen.empty() && recording.ranks > 0) {
        std::size_t on_path = 0;
        chosen = near_path(recording, path, options.most_ranks, on_path);
        notes_.push_back(fmt::format("{} of {} ranks are drawn: {} on which the critical path stays longest, "
                                     "{} others spread evenly.",
                                     chosen.size(), format_count(recording.ranks), on_path,
                                     chosen.size() - on_path));
    }
    band_of_.assign(recording.ranks, no_band);
    for (const std::uint32_t rank : chosen) {
        band_of_[rank] = static_cast<std::uint32_t>(bands_.size());
        bands_.push_back({});
        bands_.back().rank = rank;
    }
}

void TimelineLayout::find_lanes(const Recording& recording, const SvgOptions& options) {
    std::size_t shapes = 0;
    std::size_t operations = 0;
    std::size_t elsewhere = 0; // messages between a rank that is drawn and one that is not
    for (const Activity& activity : recording.activities) {
        const std::uint32_t index = band_of_[activity.rank];
        if (index == no_band || !inside(activity.start, later(activity.end, activity.port_end))) continue;
        if (activity.kind == ActivityKind::post) continue;
        ++operations;
        shapes += shapes_of(activity);
        Band& band = bands_[index];
        use_lane(band, LaneKind::cpu, activity.cpu);
        if (activity.kind == ActivityKind::calc) continue;
        if (activity.port_end > activity.start) {
            use_lane(band, activity.kind == ActivityKind::send ? LaneKind::nic_out : LaneKind::nic_in,
                     activity.nic);
        }
        if (activity.peer < band_of_.size() && band_of_[activity.peer] == no_band) {
            ++elsewhere;
        } else if (activity.kind == ActivityKind::send) {
            ++messages_;
        }
    }
    double height = 0;
    for (Band& band : bands_) {
        if (band.lanes.empty()) use_lane(band, LaneKind::cpu, 0);
        std::sort(band.lanes.begin(), band.lanes.end(), [](const Lane& a, const Lane& b) {
            const bool a_cpu = a.kind == LaneKind::cpu;
            const bool b_cpu = b.kind == LaneKind::cpu;
            if (a_cpu != b_cpu) return a_cpu;
            return a.number != b.number ? a.number < b.number : a.kind < b.kind;
        });
        for (const Lane& lane : band.lanes) {
            if (lane.kind == LaneKind::cpu) ++band.cpus;
            if (lane.number > 0) numbered_ = true;
            height += least_scale * (height_of(lane.kind) + lane_gap);
        }
    }
    shares_ = shapes > options.most_shapes || height > most_height;
    if (shares_) {
        for (Band& band : bands_) band.lanes.assign(1, Lane{});
        notes_.push_back(
            fmt::format("{} operations are too many to draw one by one: drawn is the share of time that "
                        "each rank's CPUs spent on each kind of work. Messages and NICs are left out; "
                        "fewer ranks or less time show them.",
                        format_count(operations)));
    } else if (elsewhere > 0) {
        notes_.push_back(fmt::format("{} messages to or from ranks that are not drawn are left out.",
                                     format_count(elsewhere)));
    }
}

void TimelineLayout::place() {
    const double gap = gap_between(bands_.size(), shares_);
    const auto lane_height = [&](const Lane& lane) {
        return shares_ ? share_height(bands_.size()) : height_of(lane.kind);
    };
    double ideal = gap;
    for (const Band& band : bands_) {
        for (const Lane& lane : band.lanes) ideal += lane_height(lane) + lane_gap;
        ideal += gap;
    }
    scale_ = std::clamp(comfortable_height / ideal, least_scale, 1.0);
    const std::size_t digits = bands_.empty() ? 1 : std::to_string(bands_.back().rank).size();
    const double lane_labels = shares_ || scale_ < 0.8 ? 0.0 : numbered_ ? 34.0 : 24.0;
    strip_ = std::min(gap - 1, 10.0) * scale_;
    plot_.left = 42 + 6.4 * static_cast<double>(digits) + lane_labels;
    plot_.top = 66;
    double y = plot_.top + scale_ * gap;
    for (Band& band : bands_) {
        band.top = y;
        for (Lane& lane : band.lanes) {
            lane.top = y;
            lane.height = scale_ * lane_height(lane);
            y += lane.height + scale_ * lane_gap;
        }
        y -= scale_ * lane_gap;
        band.bottom = y;
        y += scale_ * gap;
    }
    plot_.bottom = y;
}

const Band* TimelineLayout::band(std::uint32_t rank) const {
    return rank >= band_of_.size() || band_of_[rank] == no_band ? nullptr : &bands_[band_of_[rank]];
}

const Lane& TimelineLayout::cpu_lane(const Band& band, const Activity& activity) const {
    if (shares_) return band.lanes.front();
    for (const Lane& lane : band.lanes) {
        if (lane.kind == LaneKind::cpu && lane.number == activity.cpu) return lane;
    }
    return band.lanes.front(); // of an activity outside the window
}

const Lane& TimelineLayout::nic_lane(const Band& band, const Activity& activity) const {
    const LaneKind kind = activity.kind == ActivityKind::send ? LaneKind::nic_out : LaneKind::nic_in;
    for (const Lane& lane : band.lanes) {
        if (lane.kind == kind && lane.number == activity.nic) return lane;
    }
    return band.lanes.front();
}

} // namespace orrery
