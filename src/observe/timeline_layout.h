// Where things go in the picture of a timeline: which ranks are drawn, the lanes of each, and the place of each
// instant; and what had to be left out.
#pragma once

#include "observe/svg_plot.h"
#include "observe/timeline_svg.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

enum class LaneKind : std::uint8_t { cpu, nic_out, nic_in };

struct Lane {
    LaneKind kind = LaneKind::cpu;
    std::uint32_t number = 0;
    double top = 0;
    double height = 0;

    [[nodiscard]] double middle() const { return top + height / 2; }
};

struct Band {
    std::uint32_t rank = 0;
    std::uint32_t cpus = 0;  // in use
    std::vector<Lane> lanes; // CPUs first; a single one if shares are drawn
    double top = 0;
    double bottom = 0;
};

// The ranks of the range that the options ask for, or all if the picture holds so many; otherwise none.
// Throws UsageError if the range is not one of the run's ranks, or too large.
std::vector<std::uint32_t> asked_ranks(const SvgOptions& options, std::uint32_t ranks,
                                       std::vector<std::string>& notes);

class TimelineLayout {
  public:
    TimelineLayout(const Recording& recording, const CriticalPath* path, const SvgOptions& options);

    [[nodiscard]] const std::vector<Band>& bands() const { return bands_; }
    [[nodiscard]] const Band* band(std::uint32_t rank) const; // null: not drawn
    // The lane of an activity's CPU or of its NIC.
    [[nodiscard]] const Lane& cpu_lane(const Band& band, const Activity& activity) const;
    [[nodiscard]] const Lane& nic_lane(const Band& band, const Activity& activity) const;

    [[nodiscard]] const SvgPlot& plot() const { return plot_; }
    [[nodiscard]] Time from() const { return plot_.from; }
    [[nodiscard]] Time to() const { return plot_.to; }
    [[nodiscard]] double x(Time time) const { return plot_.x(time); }
    [[nodiscard]] double x_inside(Time time) const { return plot_.x_inside(time); } // clamped to the plot
    [[nodiscard]] bool inside(Time begin, Time end) const { return plot_.inside(begin, end); }

    // The plot, in pixels.
    [[nodiscard]] double left() const { return plot_.left; }
    [[nodiscard]] double right() const { return plot_.right; }
    [[nodiscard]] double top() const { return plot_.top; }
    [[nodiscard]] double bottom() const { return plot_.bottom; }
    [[nodiscard]] double lane_scale() const { return scale_; }
    [[nodiscard]] double strip_height() const { return strip_; } // free below each band

    // Shares of time are drawn instead of single operations.
    [[nodiscard]] bool shares() const { return shares_; }
    // So many messages that they are drawn as finer lines, without tips.
    [[nodiscard]] bool crowded() const { return messages_ > 200; }
    // Some rank has more than one CPU or NIC: lanes are told apart by number.
    [[nodiscard]] bool numbered() const { return numbered_; }
    // What was left out, in words; one sentence each.
    [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  private:
    void choose_window(const Recording& recording, const SvgOptions& options);
    void choose_ranks(const Recording& recording, const CriticalPath* path, const SvgOptions& options);
    void find_lanes(const Recording& recording, const SvgOptions& options);
    void place();

    SvgPlot plot_;
    std::vector<Band> bands_;            // by rank
    std::vector<std::uint32_t> band_of_; // per rank: its band, or no_band
    std::vector<std::string> notes_;
    std::size_t messages_ = 0; // in the window and between drawn ranks
    bool shares_ = false;
    bool numbered_ = false;
    double scale_ = 1;
    double strip_ = 0;
};

} // namespace orrery
