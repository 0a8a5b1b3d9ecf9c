// What is drawn inside the plot of a timeline: bars, messages, shares of time, the critical path.
//
// The colours stay apart for colour-blind readers (after Okabe and Ito) and in greyscale, where the lightness
// tells sending (dark), receiving (middle) and computing (pale), and hatching tells NICs and noise.
#pragma once

#include "observe/svg_page.h"
#include "observe/timeline_layout.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

enum class Mark : std::uint8_t { calc, send, recv, noise, nic_out, nic_in, message, bytes, waiting, path };
inline constexpr std::size_t mark_count = 10;

// How a mark is painted (a colour, or a pattern of `pattern_definitions`) and what the legend calls it.
struct MarkStyle {
    std::string_view paint;
    std::string_view words;
};
const MarkStyle& mark_style(Mark mark);
inline std::string paint(Mark mark) { return std::string(mark_style(mark).paint); }
std::string_view pattern_definitions();

// Which marks were used: the legend explains no others.
using MarksUsed = std::array<bool, mark_count>;
inline void use(MarksUsed& used, Mark mark) { used[static_cast<std::size_t>(mark)] = true; }

// Where a message leaves the sender's band and enters the receiver's.
struct Flight {
    double leave_y = 0;
    double enter_y = 0;
};
Flight flight(const Band& from, const Band& to);

void draw_operations(SvgPage& page, const Recording& recording, const LogGOPS& parameters,
                     const TimelineLayout& layout, MarksUsed& used);

// At most `most_bars` bars, however many operations there are.
void draw_shares(SvgPage& page, const Recording& recording, const TimelineLayout& layout, std::size_t most_bars,
                 MarksUsed& used);

// As a line or, where it changes ranks too often for that, as strips below the ranks; then the words that
// explain them are returned.
std::string draw_path(SvgPage& page, const Recording& recording, const LogGOPS& parameters,
                      const CriticalPath& path, const TimelineLayout& layout, std::size_t most_bars,
                      MarksUsed& used);
void draw_path_shares(SvgPage& page, const Recording& recording, const LogGOPS& parameters,
                      const CriticalPath& path, const TimelineLayout& layout, std::size_t most_bars);

} // namespace orrery
