// The critical path over a timeline.
#include "observe/timeline_shapes.h"

#include <fmt/format.h>

#include <cmath>

namespace orrery {

namespace {

// A line that stays within the resolution of the picture: however many steps the path has, a column of half
// a pixel gets a handful of points.
class PathLine {
  public:
    void lift() {
        settle();
        down_ = false;
    }
    void to(double x, double y) {
        if (down_ && std::abs(x - x_) < 0.3 && std::abs(y - y_) < 0.3) return;
        const double column = std::floor(2 * x);
        if (!down_ || column != column_) {
            settle();
            column_ = column;
            in_column_ = 0;
        }
        x_ = x;
        y_ = y;
        if (down_ && ++in_column_ > 8) {
            waiting_ = true; // the last of them is drawn
            return;
        }
        emit();
    }
    [[nodiscard]] const std::string& data() {
        settle();
        return data_;
    }

  private:
    void settle() {
        if (waiting_) emit();
    }
    void emit() {
        data_ += fmt::format("{}{} {}", down_ ? 'L' : 'M', svg_number(x_), svg_number(y_));
        down_ = true;
        waiting_ = false;
    }

    std::string data_;
    double x_ = 0;
    double y_ = 0;
    double column_ = 0;
    int in_column_ = 0;
    bool down_ = false;
    bool waiting_ = false;
};

// More often than once in a few pixels: a line would hide everything else.
bool crosses_too_often(const Recording& recording, const CriticalPath& path, const TimelineLayout& layout) {
    std::size_t crossings = 0;
    std::uint32_t rank = path.rank;
    for (const PathSegment& segment : path.segments) {
        if (!layout.inside(segment.from, segment.to)) continue;
        const std::uint32_t here = recording.activities[segment.activity].rank;
        if (here != rank) ++crossings;
        rank = here;
    }
    return static_cast<double>(crossings) > (layout.right() - layout.left()) / 6;
}

} // namespace

std::string draw_path(SvgPage& page, const Recording& recording, const LogGOPS& parameters,
                      const CriticalPath& path, const TimelineLayout& layout, std::size_t most_bars,
                      MarksUsed& used) {
    if (crosses_too_often(recording, path, layout)) {
        use(used, Mark::path);
        draw_path_shares(page, recording, parameters, path, layout, most_bars);
        return "The critical path changes ranks too often to be drawn as a line: the strip below a rank shows "
               "the "
               "share of time that it was there.";
    }
    PathLine line;
    for (const PathSegment& segment : path.segments) {
        const Activity& activity = recording.activities[segment.activity];
        const Band* band = layout.band(activity.rank);
        if (band == nullptr || !layout.inside(segment.from, segment.to)) {
            line.lift();
            continue;
        }
        const bool nic = segment.how == Cause::port && !layout.shares();
        const double y = (nic ? layout.nic_lane(*band, activity) : layout.cpu_lane(*band, activity)).middle();
        line.to(layout.x(segment.from), y);
        if (segment.how != Cause::arrival) {
            line.to(layout.x(segment.to), y);
            continue;
        }
        const double leaves = layout.x(segment.from + parameters.o);
        line.to(leaves, y);
        const Band* target = layout.band(activity.peer);
        if (target == nullptr) {
            line.lift();
            continue;
        }
        const Flight way = flight(*band, *target);
        line.to(leaves, way.leave_y);
        line.to(layout.x(segment.to), way.enter_y);
    }
    const std::string data = line.data();
    if (data.empty()) return {};
    use(used, Mark::path);
    const bool thin = layout.lane_scale() < 0.6 || layout.shares();
    page.open("g", {{"fill", "none"}, {"stroke-linejoin", "round"}, {"stroke-linecap", "round"}});
    page.shape("path", {{"d", data}, {"stroke", "#ffffff"}, {"stroke-width", thin ? "2.4" : "3.8"}});
    page.shape("path", {{"d", data}, {"stroke", paint(Mark::path)}, {"stroke-width", thin ? "1.3" : "2"}},
               fmt::format("critical path, {}, ends on rank {}", time_words(path.time), path.rank));
    page.close("g");
    return {};
}

} // namespace orrery
