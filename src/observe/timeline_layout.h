// Where things go in the picture of a timeline: which ranks are drawn, the lanes of each, and the place of each
// instant; and what had to be left out.
#pragma once

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

// "74.512 µs".
std::string time_words(Time time);

class TimelineLayout {
  public:
    TimelineLayout(const Recording& recording, const CriticalPath* path, const SvgOptions& options);

    [[nodiscard]] const std::vector<Band>& bands() const { return bands_; }
    [[nodiscard]] const Band* band(std::uint32_t rank) const; // null: not drawn
    // The lane of an activity's CPU or of its NIC.
    [[nodiscard]] const Lane& cpu_lane(const Band& band, const Activity& activity) const;
    [[nodiscard]] const Lane& nic_lane(const Band& band, const Activity& activity) const;

    [[nodiscard]] Time from() const { return from_; }
    [[nodiscard]] Time to() const { return to_; }
    [[nodiscard]] double x(Time time) const;
    [[nodiscard]] double x_inside(Time time) const; // clamped to the plot
    [[nodiscard]] bool inside(Time begin, Time end) const { return begin <= to_ && end >= from_; }

    // The plot, in pixels.
    [[nodiscard]] double left() const { return left_; }
    [[nodiscard]] double right() const { return right_; }
    [[nodiscard]] double top() const { return top_; }
    [[nodiscard]] double bottom() const { return bottom_; }
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

    Time from_;
    Time to_;
    std::vector<Band> bands_;            // by rank
    std::vector<std::uint32_t> band_of_; // per rank: its band, or no_band
    std::vector<std::string> notes_;
    std::size_t messages_ = 0; // in the window and between drawn ranks
    bool shares_ = false;
    bool numbered_ = false;
    double left_ = 0;
    double right_ = 0;
    double top_ = 0;
    double bottom_ = 0;
    double scale_ = 1;
    double strip_ = 0;
};

} // namespace orrery
