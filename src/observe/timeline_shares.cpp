// Shares of time, for runs of more operations than can be drawn: the plot is cut into columns, and a column
// shows how much of its time each rank spent on what.
#include "observe/timeline_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace orrery {

namespace {

// For each rank drawn and each column, the time spent on each of `Kinds` things, in columns.
template <std::size_t Kinds> class ShareTable {
  public:
    ShareTable(const TimelineLayout& layout, std::size_t most_bars)
        : layout_(layout), width_(layout.right() - layout.left()) {
        const std::size_t bands = std::max<std::size_t>(layout.bands().size(), 1);
        // At most one column per pixel, and no more bars than allowed even if a column holds two kinds.
        const double allowed = static_cast<double>(most_bars) / static_cast<double>(2 * bands);
        columns_ = static_cast<std::size_t>(std::clamp(allowed, 50.0, width_));
        step_ = (layout.to() - layout.from()).picoseconds() / static_cast<double>(columns_);
        busy_.resize(bands * columns_);
    }

    void add(const Band& band, std::size_t kind, Time begin, Time end) {
        const double from = std::max(0.0, (begin - layout_.from()).picoseconds() / step_);
        const double to = std::min(static_cast<double>(columns_), (end - layout_.from()).picoseconds() / step_);
        for (double at = from; at < to; at = std::floor(at) + 1) {
            row(band)[static_cast<std::size_t>(at)][kind] += std::min(to, std::floor(at) + 1) - at;
        }
    }

    // One kind of one rank as SVG path data: bars that stand on `base`, above those of the kinds before it; a
    // full column is `height` high.
    [[nodiscard]] std::string bars(const Band& band, std::size_t kind, double base, double height) {
        std::string data;
        const double width = width_ / static_cast<double>(columns_);
        for (std::size_t column = 0; column < columns_; ++column) {
            const std::array<double, Kinds>& shares = row(band)[column];
            if (shares[kind] * height < 0.05) continue;
            double below = 0;
            for (std::size_t lower = 0; lower < kind; ++lower) below += shares[lower];
            data += fmt::format("M{} {}h{}v{}h-{}z",
                                svg_number(layout_.left() + width * static_cast<double>(column)),
                                svg_number(base - below * height), svg_number(width),
                                svg_number(-shares[kind] * height), svg_number(width));
        }
        return data;
    }

  private:
    std::array<double, Kinds>* row(const Band& band) {
        return busy_.data() + static_cast<std::size_t>(&band - layout_.bands().data()) * columns_;
    }

    const TimelineLayout& layout_;
    double width_;
    std::size_t columns_ = 0;
    double step_ = 0; // picoseconds per column
    std::vector<std::array<double, Kinds>> busy_;
};

} // namespace

void draw_shares(SvgPage& page, const Recording& recording, const TimelineLayout& layout, std::size_t most_bars,
                 MarksUsed& used) {
    constexpr std::array<Mark, 4> kinds = {Mark::calc, Mark::recv, Mark::send, Mark::noise};
    ShareTable<kinds.size()> table(layout, most_bars);
    for (const Activity& activity : recording.activities) {
        const Band* band = layout.band(activity.rank);
        if (band == nullptr || !layout.inside(activity.start, activity.end)) continue;
        const bool calc = activity.kind == ActivityKind::calc;
        const std::size_t kind = calc ? 0 : activity.kind == ActivityKind::recv ? 1 : 2;
        table.add(*band, kind, activity.start, activity.end - activity.noise);
        table.add(*band, 3, activity.end - activity.noise, activity.end);
    }
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        std::string data;
        for (const Band& band : layout.bands()) {
            data += table.bars(band, kind, band.bottom, (band.bottom - band.top) / std::max(1U, band.cpus));
        }
        if (data.empty()) continue;
        use(used, kinds[kind]);
        page.shape("path", {{"d", data}, {"fill", paint(kinds[kind])}});
    }
}

void draw_path_shares(SvgPage& page, const Recording& recording, const LogGOPS& parameters,
                      const CriticalPath& path, const TimelineLayout& layout, std::size_t most_bars) {
    ShareTable<1> table(layout, most_bars);
    for (const PathSegment& segment : path.segments) {
        const Band* band = layout.band(recording.activities[segment.activity].rank);
        if (band == nullptr || !layout.inside(segment.from, segment.to)) continue;
        const Time flight = segment.how == Cause::arrival ? parameters.L : Time::zero(); // on no rank
        table.add(*band, 0, segment.from, segment.to - flight);
    }
    std::string data;
    for (const Band& band : layout.bands()) {
        const double height = layout.strip_height();
        data += table.bars(band, 0, band.bottom + height, height);
    }
    if (!data.empty()) page.shape("path", {{"d", data}, {"fill", paint(Mark::path)}});
}

} // namespace orrery
