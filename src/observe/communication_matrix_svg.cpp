// The picture of a communication matrix: bytes and messages side by side.
#include "engine/units.h"
#include "observe/communication_matrix.h"
#include "observe/heat_map.h"
#include "observe/svg_plot.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::uint32_t most_ranks = 512;  // a square each
constexpr std::uint32_t most_blocks = 256; // in a row, if there are more
constexpr double panel_side = 512;
constexpr double matrix_left = 64;
constexpr double matrix_top = 80;
constexpr double apart = 84;

struct Panels {
    std::vector<HeatCell> bytes;
    std::vector<HeatCell> messages;
    std::uint32_t squares = 0; // in a row
    std::uint32_t block = 1;   // ranks per square
};

Panels panels_of(const CommunicationMatrix& matrix) {
    Panels panels;
    if (matrix.ranks() > most_ranks) panels.block = (matrix.ranks() + most_blocks - 1) / most_blocks;
    panels.squares = (matrix.ranks() + panels.block - 1) / panels.block;
    std::vector<PairTraffic> row(panels.squares);
    const auto finish_row = [&](std::uint32_t number) {
        for (std::uint32_t column = 0; column < panels.squares; ++column) {
            const PairTraffic& each = row[column];
            if (each.messages > 0)
                panels.messages.push_back({column, number, static_cast<double>(each.messages)});
            if (each.bytes > 0) panels.bytes.push_back({column, number, static_cast<double>(each.bytes)});
        }
        std::fill(row.begin(), row.end(), PairTraffic{});
    };
    std::uint32_t number = 0;
    for (const PairTraffic& pair : matrix.pairs()) {
        for (; pair.from / panels.block > number; ++number) finish_row(number);
        row[pair.to / panels.block].messages += pair.messages;
        row[pair.to / panels.block].bytes += pair.bytes;
    }
    finish_row(number);
    return panels;
}

void draw_matrix_axes(SvgPage& page, double x, const CommunicationMatrix& matrix, const Panels& panels) {
    const double ranks = static_cast<double>(panels.squares) * panels.block;
    const double step = std::max(1.0, tick_step(ranks, panel_side, 48));
    for (double rank = 0; rank < matrix.ranks(); rank += step) {
        const double at = (rank + panels.block * 0.5) / ranks * panel_side; // the middle of its square
        page.text(x + at, matrix_top + panel_side + 14, fmt::format("{:.0f}", rank),
                  {{"text-anchor", "middle"}});
        page.text(x - 6, matrix_top + at + 4, fmt::format("{:.0f}", rank), {{"text-anchor", "end"}});
    }
    page.text(x + panel_side / 2, matrix_top + panel_side + 30, "receiving rank", {{"text-anchor", "middle"}});
    page.text(0, 0, "sending rank",
              {{"text-anchor", "middle"},
               {"transform", fmt::format("translate({} {}) rotate(-90)", svg_number(x - 46),
                                         svg_number(matrix_top + panel_side / 2))}});
}

void draw_panel(SvgPage& page, double x, const CommunicationMatrix& matrix, const Panels& panels,
                std::span<const HeatCell> cells, const std::string& title,
                const std::function<std::string(double)>& words) {
    page.text(x, matrix_top - 10, title, {{"font-size", "13"}, {"font-weight", "bold"}});
    const HeatScale scale(cells);
    draw_heat(page, {x, matrix_top, panel_side, panel_side, panels.squares, panels.squares}, cells, scale);
    draw_matrix_axes(page, x, matrix, panels);
    if (!cells.empty()) draw_heat_legend(page, x, matrix_top + panel_side + 44, panel_side, scale, words);
}

} // namespace

std::string matrix_svg(const CommunicationMatrix& matrix, const std::string& title) {
    const Panels panels = panels_of(matrix);
    SvgPage page;
    const double width = matrix_left + panel_side + apart + panel_side + 30;
    const double height = matrix_top + panel_side + 90;
    page.shape("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "#ffffff"}});
    const std::string what = fmt::format(
        "{} in {} messages between {} ranks; {}{}", format_bytes(matrix.bytes()),
        format_count(matrix.messages()), format_count(matrix.ranks()),
        matrix.with_collectives() ? "with the messages of collectives" : "point-to-point only",
        panels.block == 1 ? "" : fmt::format("; each square stands for {0} x {0} ranks", panels.block));
    draw_head(page, width, title, what, "");
    const std::string each = panels.block == 1 ? "pair of ranks" : "pair of blocks";
    draw_panel(page, matrix_left, matrix, panels, panels.bytes, "Bytes per " + each,
               [](double value) { return format_bytes(static_cast<Bytes>(value)); });
    draw_panel(page, matrix_left + panel_side + apart, matrix, panels, panels.messages, "Messages per " + each,
               [](double value) { return format_count(static_cast<std::uint64_t>(value)); });
    return page.take(width, height, title, "communication matrix: " + what);
}

} // namespace orrery
