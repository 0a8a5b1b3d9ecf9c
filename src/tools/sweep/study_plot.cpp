#include "tools/sweep/study_plot.h"

#include "tools/sweep/axis_titles.h"
#include "tools/sweep/quantities.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace orrery {

namespace {

// Spaced by factors rather than by steps.
bool spaced_by_factors(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    if (values.empty() || values.front() <= 0) return false;
    if (values.size() < 3) return values.back() >= 50 * values.front();
    return values[2] - values[1] > 1.5 * (values[1] - values[0]) && values.back() >= 4 * values.front();
}

bool plotted(const StudyRow& row) { return row.result && row.result->status == PointStatus::ok; }

bool geometric(const Axis& axis, const NumericAxis& numbers) {
    if (!axis.geometric) return spaced_by_factors(numbers.values);
    return std::all_of(numbers.values.begin(), numbers.values.end(), [](double value) { return value > 0; });
}

// Along the plot's axis, or together with it (zip): it tells no lines apart.
bool runs_along(const Study& study, std::size_t axis, std::optional<std::size_t> x) {
    if (!x) return false;
    for (const std::vector<std::size_t>& group : study.groups) {
        const auto in = [&](std::size_t each) {
            return std::find(group.begin(), group.end(), each) != group.end();
        };
        if (in(axis) && in(*x)) return true;
    }
    return axis == *x;
}

// The mean and range of what falls on one place of a line: the repetitions of a point.
struct Gathered {
    double sum = 0;
    double low = INFINITY;
    double high = -INFINITY;
    std::size_t count = 0;

    void add(double value) {
        sum += value;
        low = std::min(low, value);
        high = std::max(high, value);
        ++count;
    }
};

// "5 \u00B5s" for "5us"; a word as it is.
std::string legend_value(const std::optional<NumericAxis>& numbers, const std::string& label) {
    return numbers ? quantity_words(read_quantity(label)->base, numbers->measure) : label;
}

struct Lines {
    std::vector<std::string> labels;                   // in the order of the grid
    std::vector<std::map<std::uint32_t, Gathered>> at; // by index on the plot's axis
};

Lines gather(const Study& study, const std::vector<StudyRow>& rows, std::optional<std::size_t> x,
             const StudyQuantity& quantity) {
    Lines lines;
    std::map<std::string, std::size_t> numbers;
    std::vector<std::optional<NumericAxis>> numbers_of;
    for (const Axis& axis : study.axes) numbers_of.push_back(numeric_axis(axis));
    const std::vector<const PointResult*> references = reference_results(study, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const StudyRow& row = rows[i];
        if (!plotted(row)) continue;
        const std::optional<double> value = quantity.value(*row.result, references[i]);
        if (!value) continue;
        std::string label;
        std::uint32_t place = 0;
        for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
            const auto& values = study.axes[axis].values;
            if (runs_along(study, axis, x)) {
                if (axis != *x) continue;
                const auto found = std::find_if(values.begin(), values.end(), [&](const AxisValue& each) {
                    return each.label == row.labels[axis];
                });
                place = static_cast<std::uint32_t>(found - values.begin());
            } else if (!study.axes[axis].repeats && values.size() > 1) {
                label += fmt::format("{}{}", label.empty() ? "" : ", ",
                                     legend_value(numbers_of[axis], row.labels[axis]));
            }
        }
        const auto [number, fresh] = numbers.try_emplace(label, lines.labels.size());
        if (fresh) {
            lines.labels.push_back(label);
            lines.at.emplace_back();
        }
        lines.at[number->second][place].add(*value);
    }
    return lines;
}

std::string legend_words(const Study& study, std::optional<std::size_t> x) {
    std::string words;
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        if (!runs_along(study, axis, x) && !study.axes[axis].repeats && study.axes[axis].values.size() > 1)
            words += fmt::format("{}{}", words.empty() ? "" : ", ", axis_title(study.axes[axis].name));
    }
    return words;
}

// The number of the workload with the fewest ranks.
std::size_t fewest_ranks(const RanksAxis& axis) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < axis.ranks.size(); ++i) {
        if (axis.ranks[i] > 0 && (axis.ranks[best] == 0 || axis.ranks[i] < axis.ranks[best])) best = i;
    }
    return best;
}

std::vector<double> known_ranks(const RanksAxis& axis) {
    std::vector<double> known;
    for (const std::uint64_t each : axis.ranks) {
        if (each > 0) known.push_back(static_cast<double>(each));
    }
    return known;
}

// "slowdown against change = as measured".
std::string quantity_label(const Study& study, std::optional<std::size_t> x,
                           const std::optional<RanksAxis>& ranks, const StudyQuantity& quantity) {
    if (!quantity.relative) return std::string(quantity.words);
    std::string against;
    for (const auto& [axis, label] : study.plot.baseline)
        against += fmt::format("{}{} = {}", against.empty() ? "" : ", ", axis_title(axis), label);
    if (against.empty() && ranks && !ranks->ranks.empty()) {
        against = fmt::format("{} ranks", ranks->ranks[fewest_ranks(*ranks)]);
    } else if (against.empty() && x) {
        against = fmt::format("{} = {}", axis_title(study.axes[*x].name), study.axes[*x].values[0].label);
    }
    return fmt::format("{} against {}", quantity.words, against);
}

void fill(Chart& chart, const Lines& lines, const NumericAxis* numbers) {
    for (std::size_t i = 0; i < lines.labels.size(); ++i) {
        ChartSeries& series = chart.series.emplace_back();
        series.label = lines.labels[i];
        for (const auto& [place, gathered] : lines.at[i]) {
            const double x = numbers != nullptr ? numbers->values[place] : static_cast<double>(place);
            series.points.push_back(
                {x, gathered.sum / static_cast<double>(gathered.count), gathered.low, gathered.high});
        }
        std::sort(series.points.begin(), series.points.end(),
                  [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
    }
}

bool spans_decades(const Chart& chart) {
    double least = INFINITY;
    double most = 0;
    for (const ChartSeries& series : chart.series) {
        for (const ChartPoint& point : series.points) {
            least = std::min(least, point.low);
            most = std::max(most, point.high);
        }
    }
    return least > 0 && most >= 30 * least;
}

} // namespace

std::optional<NumericAxis> numeric_axis(const Axis& axis) {
    NumericAxis numbers;
    std::optional<Quantity> first;
    std::optional<Measure> written; // of all values but zeros
    bool alike = true;
    for (const AxisValue& value : axis.values) {
        const std::optional<Quantity> quantity = read_quantity(value.label);
        if (!quantity) return std::nullopt;
        if (!first || first->measure == Measure::plain) {
            if (first && !common_measure(*first, *quantity)) return std::nullopt;
            first = quantity;
        }
        const std::optional<Measure> common = common_measure(*first, *quantity);
        if (!common) return std::nullopt;
        numbers.measure = *common;
        numbers.values.push_back(quantity->base);
        if (quantity->base == 0 && quantity->unit.empty()) continue;
        alike = alike && (!written || *written == written_measure(*quantity));
        written = written_measure(*quantity);
    }
    if (alike && written && numbers.measure != Measure::plain && numbers.measure != Measure::count &&
        numbers.measure != Measure::size)
        numbers.measure = *written;
    // A plain number of bytes is one of bytes.
    const bool sizes = axis.name == "bytes" || axis.name == "segment";
    if (sizes && numbers.measure == Measure::plain) numbers.measure = Measure::size;
    return numbers;
}

std::optional<RanksAxis> ranks_axis(const Study& study, const std::vector<StudyRow>& rows) {
    const std::optional<std::size_t> along = workload_axis(study);
    if (!along) return std::nullopt;
    RanksAxis out;
    out.axis = *along;
    const std::vector<AxisValue>& values = study.axes[*along].values;
    std::map<std::uint64_t, std::string> by_ranks;
    for (const AxisValue& value : values) {
        std::uint64_t ranks = 0;
        for (const StudyRow& row : rows) {
            if (!plotted(row) || row.labels[*along] != value.label || row.result->ranks == ranks) continue;
            if (ranks != 0) out.problem = fmt::format("{} has several numbers of ranks", value.label);
            ranks = row.result->ranks;
        }
        out.ranks.push_back(ranks);
        const auto [other, fresh] = by_ranks.try_emplace(ranks, value.label);
        if (!fresh && ranks != 0)
            out.problem = fmt::format("{} and {} both have {} ranks", other->second, value.label, ranks);
    }
    if (!out.problem.empty()) out.ranks.clear();
    return out;
}

std::optional<std::size_t> plot_axis(const Study& study) {
    if (const std::optional<std::size_t> along = workload_axis(study)) return along;
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        if (study.axes[axis].name == study.plot.x) return axis;
    }
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        if (!study.axes[axis].repeats && numeric_axis(study.axes[axis])) return axis;
    }
    return study.axes.empty() ? std::nullopt : std::optional<std::size_t>(0);
}

std::vector<const PointResult*> reference_results(const Study& study, const std::vector<StudyRow>& rows) {
    std::map<std::vector<std::string>, const PointResult*> by_labels;
    for (const StudyRow& row : rows) {
        if (plotted(row)) by_labels.emplace(row.labels, &*row.result);
    }
    const std::optional<std::size_t> x = plot_axis(study);
    const std::optional<RanksAxis> ranks = ranks_axis(study, rows);
    const std::size_t first = ranks && !ranks->ranks.empty() ? fewest_ranks(*ranks) : 0;
    std::vector<const PointResult*> references;
    for (const StudyRow& row : rows) {
        std::vector<std::string> labels = row.labels;
        for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
            const auto said = study.plot.baseline.find(study.axes[axis].name);
            if (said != study.plot.baseline.end()) {
                labels[axis] = said->second;
            } else if (study.plot.baseline.empty() && runs_along(study, axis, x)) {
                labels[axis] = study.axes[axis].values[first].label;
            }
        }
        const auto found = by_labels.find(labels);
        references.push_back(found == by_labels.end() ? nullptr : found->second);
    }
    return references;
}

Chart study_chart(const Study& study, const std::vector<StudyRow>& rows) {
    Chart chart;
    const StudyQuantity& quantity = study_quantity(study.plot.y);
    const std::optional<std::size_t> x = plot_axis(study);
    chart.title = study.plot.title.empty() ? study.name : study.plot.title;
    const auto done = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), plotted));
    if (done < rows.size()) chart.note = fmt::format("{} of {} points", done, rows.size());
    const std::optional<RanksAxis> ranks = ranks_axis(study, rows);
    if (ranks && !ranks->problem.empty()) chart.warning = fmt::format("not along ranks: {}", ranks->problem);
    chart.y.words = quantity_label(study, x, ranks, quantity);
    chart.y.measure = quantity.measure;
    chart.legend = legend_words(study, x);
    const Lines lines = gather(study, rows, x, quantity);
    std::optional<NumericAxis> numbers;
    if (ranks && !ranks->ranks.empty()) {
        chart.x.words = ranks_of_workloads;
        numbers.emplace();
        for (const std::uint64_t each : ranks->ranks) numbers->values.push_back(static_cast<double>(each));
    } else if (x) {
        chart.x.words = axis_title(study.axes[*x].name);
        numbers = numeric_axis(study.axes[*x]);
    }
    if (numbers) {
        chart.x.measure = numbers->measure;
        chart.x.log = study.plot.x_scale.empty() ? (ranks ? spaced_by_factors(known_ranks(*ranks))
                                                          : geometric(study.axes[*x], *numbers))
                                                 : study.plot.x_scale == "log";
    } else if (x) {
        for (const AxisValue& value : study.axes[*x].values) chart.categories.push_back(value.label);
    } else {
        chart.categories.emplace_back(); // a single bar
    }
    fill(chart, lines, numbers ? &*numbers : nullptr);
    const bool bars = !chart.categories.empty();
    chart.y.cut = study.plot.y_scale == "cut";
    chart.y.log = study.plot.y_scale.empty() ? !bars && spans_decades(chart) : study.plot.y_scale == "log";
    return chart;
}

} // namespace orrery
