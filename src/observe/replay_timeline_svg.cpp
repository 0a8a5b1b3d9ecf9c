// A replay as a picture: a bar per call, a line per message; above a number of shapes, the shares of time that
// each rank spent in each kind of call. A rank of several CPUs has a lane for each that was used.
//
// Both are collected as the run goes: calls and messages one by one until there are too many, and the shares in
// a fixed number of columns, which become twice as wide whenever the run outgrows them. Memory: O(shapes
// drawn).
#include "engine/error.h"
#include "engine/output_file.h"
#include "engine/units.h"
#include "observe/replay_timeline_formats.h"
#include "observe/svg_plot.h"
#include "observe/timeline_layout.h"
#include "results/calls.h"

#include <array>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::uint32_t not_drawn = 0xFFFF'FFFF;
constexpr std::size_t columns = 512; // of shares; at least half of them are used
constexpr std::string_view message_colour = "#5a5a5a";

struct Bar {
    std::uint32_t band = 0;
    std::uint32_t cpu = 0;
    std::uint16_t call = 0;
    Bytes bytes = 0;
    Time begin;
    Time end;
};

struct Line {
    std::uint32_t from = 0; // bands
    std::uint32_t to = 0;
    std::uint32_t tag = 0;
    Bytes bytes = 0;
    Time sent;
    Time arrived;
};

// Time by kind of call in columns of equal width from `from` on.
class Shares {
  public:
    Shares(std::size_t bands, Time from, std::optional<Time> to) : from_(from), table_(bands * columns) {
        if (to) step_ = (*to - from).ticks() / static_cast<std::int64_t>(columns) + 1;
    }

    void add(std::size_t band, CallKind kind, Time begin, Time end) {
        while ((end - from_).ticks() > step_ * static_cast<std::int64_t>(columns)) fold();
        std::int64_t at = std::max<std::int64_t>(0, (begin - from_).ticks());
        const std::int64_t last = (end - from_).ticks();
        while (at < last) {
            const std::int64_t column = at / step_;
            const std::int64_t until = std::min(last, (column + 1) * step_);
            table_[band * columns + static_cast<std::size_t>(column)][kind] += Time::ticks(until - at);
            at = until;
        }
    }

    [[nodiscard]] const CallTimes& at(std::size_t band, std::size_t column) const {
        return table_[band * columns + column];
    }
    [[nodiscard]] Time begin(std::size_t column) const {
        return from_ + Time::ticks(static_cast<std::int64_t>(column) * step_);
    }
    [[nodiscard]] double step() const { return static_cast<double>(step_); }

  private:
    // Two columns become one.
    void fold() {
        for (std::size_t row = 0; row < table_.size(); row += columns) {
            for (std::size_t i = 0; i < columns; ++i) {
                CallTimes sum;
                for (std::size_t kind = 0; kind < call_kinds && 2 * i < columns; ++kind) {
                    sum.by_kind[kind] =
                        table_[row + 2 * i].by_kind[kind] + table_[row + 2 * i + 1].by_kind[kind];
                }
                table_[row + i] = sum;
            }
        }
        step_ *= 2;
    }

    Time from_;
    std::int64_t step_ = 1; // picoseconds
    std::vector<CallTimes> table_;
};

class SvgTimeline final : public ReplayTimeline {
  public:
    SvgTimeline(const std::string& path, std::uint32_t ranks, const SvgOptions& options)
        : out_(path), options_(options), drawn_(choose(ranks)), band_of_(ranks, not_drawn),
          from_(options.from.value_or(Time::zero())), shares_(drawn_.size(), from_, options.to) {
        if (options.width < 400) throw UsageError("the width of a timeline is at least 400 pixels");
        if (options.to && *options.to <= from_) {
            throw UsageError(fmt::format("the timeline's window from {} to {} is empty", format_time(from_),
                                         format_time(*options.to)));
        }
        for (std::uint32_t band = 0; band < drawn_.size(); ++band) band_of_[drawn_[band]] = band;
    }

    void performed(CpuOfRank who, const Action& action, Time begin, Time end) override {
        const std::uint32_t band = band_of_[who.rank];
        if (band == not_drawn || !in_window(begin, end)) return;
        cpus_ = std::max(cpus_, who.cpu + 1);
        const std::size_t call = call_number(action);
        const Time cut = options_.to && *options_.to < end ? *options_.to : end;
        shares_.add(band, call_kind(call), begin, cut);
        ++calls_;
        if (!count_shape()) return;
        bars_.push_back({band, who.cpu, static_cast<std::uint16_t>(call), action.bytes, begin, end});
    }

    void delivered(std::uint32_t from, std::uint32_t to, std::uint32_t tag, Bytes bytes, Time sent,
                   Time arrived) override {
        if (!in_window(sent, arrived)) return;
        if (band_of_[from] == not_drawn || band_of_[to] == not_drawn) {
            if (band_of_[from] != band_of_[to]) ++elsewhere_;
            return;
        }
        if (count_shape()) lines_.push_back({band_of_[from], band_of_[to], tag, bytes, sent, arrived});
    }

    void finish(Time end) override {
        place(end);
        const std::string predicted = "predicted time " + time_words(end);
        const std::string title = options_.title.empty() ? predicted : options_.title + ": " + predicted;
        const std::string facts =
            fmt::format("{} ranks, {} calls that took time{}", format_count(band_of_.size()),
                        format_count(calls_), drawn_.size() < band_of_.size() ? " on the ranks drawn" : "");
        SvgPage page;
        draw_ground(page, plot_);
        draw_head(page, options_.width, title, facts, "");
        draw_bands(page);
        draw_axis(page, plot_);
        page.open("g", {{"clip-path", "url(#plot)"}});
        if (too_many()) {
            draw_shares(page);
        } else {
            for (const Bar& bar : bars_) draw(page, bar);
            page.open("g", {{"stroke", std::string(message_colour)},
                            {"stroke-width", lines_.size() > 200 ? "0.45" : "0.9"}});
            for (const Line& line : lines_) draw(page, line);
            page.close("g");
        }
        page.close("g");
        draw_end(page, plot_, end);
        double y = draw_legend(page, plot_.bottom + 50);
        y = draw_notes(page, plot_, notes_, y + 2);
        out_.write(page.take(options_.width, y, title, facts));
        out_.commit();
    }

  private:
    std::vector<std::uint32_t> choose(std::uint32_t ranks) {
        std::vector<std::uint32_t> chosen = asked_ranks(options_, ranks, notes_);
        if (!chosen.empty() || ranks == 0) return chosen;
        for (std::size_t i = 0; i < options_.most_ranks; ++i)
            chosen.push_back(static_cast<std::uint32_t>(i * ranks / options_.most_ranks));
        notes_.push_back(
            fmt::format("{} of {} ranks are drawn, spread evenly.", chosen.size(), format_count(ranks)));
        return chosen;
    }

    [[nodiscard]] bool in_window(Time begin, Time end) const {
        return end > from_ && (!options_.to || begin < *options_.to);
    }
    [[nodiscard]] bool too_many() const { return shapes_ > options_.most_shapes; }

    // Is there room for one more? If not, single calls are forgotten for good.
    bool count_shape() {
        ++shapes_;
        if (!too_many()) return true;
        bars_ = {};
        lines_ = {};
        return false;
    }

    void place(Time end) {
        plot_.from = from_;
        plot_.to = options_.to ? *options_.to : later(end, from_ + Time::tick());
        const auto bands = static_cast<double>(std::max<std::size_t>(drawn_.size(), 1));
        const std::uint32_t lanes = too_many() ? 1 : cpus_;
        lane_ = std::clamp(600 / (bands * lanes), lanes == 1 ? 8.0 : 5.0, 30.0);
        height_ = lane_ * lanes;
        gap_ = too_many() ? std::clamp(100 / bands, 2.0, 8.0) : std::clamp(400 / bands, 4.0, 40.0);
        const std::size_t digits = drawn_.empty() ? 1 : std::to_string(drawn_.back()).size();
        plot_.left = 42 + 6.4 * static_cast<double>(digits) + (lanes > 1 ? 34 : 0);
        plot_.right = options_.width - 22; // half a label of the axis stands out
        plot_.top = 66;
        plot_.bottom = top_of(drawn_.size());
        if (options_.from || options_.to) {
            notes_.push_back(fmt::format("Only the time from {} to {} is drawn.", time_words(plot_.from),
                                         time_words(plot_.to)));
        }
        if (too_many()) {
            notes_.push_back(fmt::format(
                "{} calls are too many to draw one by one: drawn is the share of time that each rank "
                "spent in each kind of call. Messages are left out; fewer ranks or less time show them.",
                format_count(calls_)));
        } else if (elsewhere_ > 0) {
            notes_.push_back(fmt::format("{} messages to or from ranks that are not drawn are left out.",
                                         format_count(elsewhere_)));
        }
    }

    [[nodiscard]] double top_of(std::size_t band) const {
        return plot_.top + gap_ + static_cast<double>(band) * (height_ + gap_);
    }

    void draw_bands(SvgPage& page) const {
        double free_from = 0; // below the last label
        for (std::size_t band = 0; band < drawn_.size(); ++band) {
            page.shape("rect", {{"x", svg_number(plot_.left)},
                                {"y", svg_number(top_of(band))},
                                {"width", svg_number(plot_.right - plot_.left)},
                                {"height", svg_number(height_)},
                                {"fill", "#f4f4f4"}});
            const double y = top_of(band) + height_ / 2 + 3.8;
            if (y - 11 < free_from) continue;
            page.text(8, y, fmt::format("rank {}", drawn_[band]));
            free_from = y;
        }
        if (!too_many() && cpus_ > 1 && lane_ >= 10) name_lanes(page);
    }

    void name_lanes(SvgPage& page) const {
        for (std::size_t band = 0; band < drawn_.size(); ++band) {
            for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu)
                page.text(plot_.left - 6, top_of(band) + (cpu + 0.5) * lane_ + 3, fmt::format("CPU {}", cpu),
                          {{"font-size", "9"}, {"text-anchor", "end"}});
        }
    }

    void draw(SvgPage& page, const Bar& bar) {
        const CallKind kind = call_kind(bar.call);
        used_[static_cast<std::size_t>(kind)] = true;
        const double x = plot_.x_inside(bar.begin);
        const std::string bytes = bar.bytes > 0 ? fmt::format(", {} B", bar.bytes) : "";
        page.shape("rect",
                   {{"x", svg_number(x)},
                    {"y", svg_number(top_of(bar.band) + bar.cpu * lane_)},
                    {"width", svg_number(std::max(0.4, plot_.x_inside(bar.end) - x - 0.3))},
                    {"height", svg_number(cpus_ == 1 ? lane_ : lane_ - 0.5)},
                    {"fill", std::string(colour_of(kind))}},
                   fmt::format("rank {}{}: {}{}\n{} to {} ({})", drawn_[bar.band],
                               cpus_ == 1 ? "" : fmt::format(" CPU {}", bar.cpu), call_name(bar.call), bytes,
                               time_words(bar.begin), time_words(bar.end), time_words(bar.end - bar.begin)));
    }

    void draw(SvgPage& page, const Line& line) const {
        const double leave = top_of(line.from) + (line.from < line.to ? height_ : 0);
        const double enter = top_of(line.to) + (line.from < line.to ? 0 : height_);
        page.shape("path",
                   {{"d", fmt::format("M{} {}L{} {}", svg_number(plot_.x(line.sent)), svg_number(leave),
                                      svg_number(plot_.x(line.arrived)), svg_number(enter))}},
                   fmt::format("{} B from rank {} to rank {}, tag {}\n{} to {} ({})", line.bytes,
                               drawn_[line.from], drawn_[line.to], line.tag, time_words(line.sent),
                               time_words(line.arrived), time_words(line.arrived - line.sent)));
    }

    void draw_shares(SvgPage& page) {
        for (std::size_t kind = 0; kind < call_kinds; ++kind) {
            std::string data;
            for (std::size_t band = 0; band < drawn_.size(); ++band) {
                for (std::size_t column = 0; column < columns; ++column) bar_of_share(data, band, column, kind);
            }
            if (data.empty()) continue;
            used_[kind] = true;
            page.shape("path", {{"d", data}, {"fill", std::string(colour_of(static_cast<CallKind>(kind)))}});
        }
    }

    // Kinds stand one above the other, each as high as its share of the column.
    void bar_of_share(std::string& data, std::size_t band, std::size_t column, std::size_t kind) const {
        const CallTimes& times = shares_.at(band, column);
        const double high = times.by_kind[kind].picoseconds() / (shares_.step() * cpus_) * height_;
        if (high < 0.05) return;
        double below = 0;
        for (std::size_t lower = 0; lower < kind; ++lower)
            below += times.by_kind[lower].picoseconds() / (shares_.step() * cpus_) * height_;
        const double x = plot_.x(shares_.begin(column));
        const double width = plot_.x(shares_.begin(column + 1)) - x;
        data += fmt::format("M{} {}h{}v{}h-{}z", svg_number(x), svg_number(top_of(band) + height_ - below),
                            svg_number(width), svg_number(-high), svg_number(width));
    }

    double draw_legend(SvgPage& page, double y) const {
        double x = plot_.left;
        const auto entry = [&](std::string_view name, std::string_view colour, bool line) {
            page.shape("rect", {{"x", svg_number(x)},
                                {"y", svg_number(line ? y - 5 : y - 8.5)},
                                {"width", "18"},
                                {"height", line ? "1" : "9"},
                                {"fill", std::string(colour)}});
            page.text(x + 24, y, name, {{"font-size", "10.5"}});
            x += 24 + text_width(name, 10.5) + 16;
        };
        for (std::size_t kind = 0; kind < call_kinds; ++kind) {
            if (used_[kind]) entry(call_kind_names[kind], colour_of(static_cast<CallKind>(kind)), false);
        }
        if (!lines_.empty()) entry("message (sent to arrived)", message_colour, true);
        return y + 16;
    }

    OutputFile out_; // opened before the run, which may be long
    SvgOptions options_;
    std::vector<std::string> notes_;
    std::vector<std::uint32_t> drawn_;   // rank of each band
    std::vector<std::uint32_t> band_of_; // per rank
    Time from_;
    Shares shares_;
    std::vector<Bar> bars_;
    std::vector<Line> lines_;
    std::size_t shapes_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t elsewhere_ = 0; // messages between a rank that is drawn and one that is not
    std::array<bool, call_kinds> used_{};
    SvgPlot plot_;
    std::uint32_t cpus_ = 1; // those in use, of a rank
    double lane_ = 0;        // height of each
    double height_ = 0;      // of a band
    double gap_ = 0;         // between bands
};

} // namespace

std::unique_ptr<ReplayTimeline> make_svg_timeline(const std::string& path, std::uint32_t ranks,
                                                  const SvgOptions& options) {
    return std::make_unique<SvgTimeline>(path, ranks, options);
}

} // namespace orrery
