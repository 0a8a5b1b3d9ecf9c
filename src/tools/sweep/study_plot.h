// What the points of a study show, as a chart: which axis runs along, what is drawn over it, one line per
// combination of the other axes.
#pragma once

#include "observe/chart.h"
#include "tools/sweep/sweep.h"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

// An axis whose values all are numbers that can be compared.
struct NumericAxis {
    std::vector<double> values; // in the base unit
    Measure measure = Measure::plain;
};
std::optional<NumericAxis> numeric_axis(const Axis& axis);

// The numbers of ranks as an axis (ranks_of_workloads): one for each value of the axis of workloads, 0 where no
// point has a result.
struct RanksAxis {
    std::size_t axis = 0;
    std::vector<std::uint64_t> ranks; // empty: they are no axis, and `problem` says why
    std::string problem;
};
// Nothing if the plot does not run along the ranks of workloads.
std::optional<RanksAxis> ranks_axis(const Study& study, const std::vector<StudyRow>& rows);

// The axis along which the plot runs: what the study says, or the first with numbers, or the first of all.
// Nothing if the study has no axes.
std::optional<std::size_t> plot_axis(const Study& study);

// For each row, the row that speedup and slowdown refer to: the one with the values of plot.baseline, or else
// with the first value on the plot's axis (of the ranks of workloads: the fewest). Null if it has no result.
std::vector<const PointResult*> reference_results(const Study& study, const std::vector<StudyRow>& rows);

Chart study_chart(const Study& study, const std::vector<StudyRow>& rows);

} // namespace orrery
