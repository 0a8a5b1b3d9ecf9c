// A study: one question asked at every point of a grid, as its TOML file says it (docs/sweep.md).
#pragma once

#include "tools/sweep/study_keys.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// One value of an axis: how tables and plots call it, and what it sets.
struct AxisValue {
    std::string label;
    Assignments sets;
};

struct Axis {
    std::string name;
    std::vector<AxisValue> values;
    std::uint64_t line = 0;
    bool geometric = false; // made by a factor
    bool repeats = false;   // seeds: the plot shows their mean and range
};

// Points to leave out: those that have one of the values on each of the axes.
struct Skip {
    std::map<std::string, std::vector<std::string>> values; // by axis
    std::uint64_t line = 0;
};

// For plot.x: the numbers of ranks of the workloads, where no axis is called so.
inline constexpr std::string_view ranks_of_workloads = "ranks";

struct PlotRequest {
    std::string x;       // an axis, or ranks_of_workloads; empty: the first with numbers
    std::string y;       // a quantity (tools/sweep/quantities.h)
    std::string x_scale; // "log" or "linear"; empty: as the values are spaced
    std::string y_scale; // also "cut": linear, from near the least value
    std::string title;
    std::map<std::string, std::string> baseline; // axis and value that speedup and slowdown refer to
};

struct Study {
    std::string file;
    std::string name;
    std::string text; // of the file
    Assignments base;
    std::vector<Axis> axes; // in the order of the file
    // Every axis is in one group; the axes of a group have equally many values and advance together (`zip`).
    std::vector<std::vector<std::size_t>> groups;
    std::vector<Skip> skips;
    PlotRequest plot;
};

// Throws InputError with line and column for everything that is wrong and can be seen without running a point.
Study read_study(const std::string& file);
Study read_study_text(std::string_view text, const std::string& file);

// The number of an axis, in any spelling of its name. Throws UsageError, with "did you mean".
std::size_t axis_named(const Study& study, const std::string& name);
// What the plot shows, as `x` and `y` of [plot] say it. Throw UsageError.
void set_plot_x(Study& study, const std::string& name);
void set_plot_y(Study& study, const std::string& quantity);
// The axis whose values are workloads, if the plot runs along their ranks.
std::optional<std::size_t> workload_axis(const Study& study);

// One point of the grid: which value it has on each axis, and what holds there.
struct GridPoint {
    std::vector<std::uint32_t> at;
    Assignments assignments;
};

// All of them, the last axis varying fastest. Throws InputError if there are too many, or none.
std::vector<GridPoint> expand(const Study& study);

} // namespace orrery
