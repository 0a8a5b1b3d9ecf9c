// A picture of many small squares whose colour says how much: on a logarithmic scale, in few enough shades that
// neighbours of the same shade become one line of the file.
#pragma once

#include "observe/svg_page.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace orrery {

struct HeatCell {
    std::uint32_t column = 0;
    std::uint32_t row = 0; // from the top
    double value = 0;      // above 0
};

// From the smallest value to the largest.
class HeatScale {
  public:
    static constexpr std::uint32_t shades = 32;
    explicit HeatScale(std::span<const HeatCell> cells);

    [[nodiscard]] double least() const { return least_; }
    [[nodiscard]] double most() const { return most_; }
    [[nodiscard]] std::uint32_t shade(double value) const;
    // Where a value lies between them, 0 to 1.
    [[nodiscard]] double share(double value) const;
    static std::string colour(std::uint32_t shade); // "#rrggbb", pale to dark

  private:
    double least_ = 1;
    double most_ = 1;
};

struct HeatFrame {
    double left = 0; // in pixels
    double top = 0;
    double width = 0;
    double height = 0;
    std::uint32_t columns = 1;
    std::uint32_t rows = 1;
};

// The squares, within a thin frame. Cells are sorted by row, then by column.
void draw_heat(SvgPage& page, const HeatFrame& frame, std::span<const HeatCell> cells, const HeatScale& scale);

// A bar of the shades at (left, top), with the values at its ends and at the powers of ten between.
void draw_heat_legend(SvgPage& page, double left, double top, double width, const HeatScale& scale,
                      const std::function<std::string(double)>& words);

} // namespace orrery
