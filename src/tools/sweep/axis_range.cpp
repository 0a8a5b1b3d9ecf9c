#include "tools/sweep/axis_range.h"

#include "engine/error.h"
#include "engine/units.h"
#include "observe/quantity.h"

#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::size_t most_values = 10'000;
constexpr double slack = 1e-9; // so that 0.1 + 0.2 reaches 0.3

Quantity quantity(std::string_view name, const std::string& text) {
    const auto value = read_quantity(text);
    if (!value) throw UsageError(fmt::format("{} = '{}' is not a number, alone or with its unit", name, text));
    return *value;
}

// `value` in the unit of `from`.
double in_unit_of(const Quantity& from, const Quantity& value, std::string_view name) {
    if (!common_measure(from, value)) {
        throw UsageError(fmt::format("{} has the unit '{}', which does not go with '{}' of from", name,
                                     value.unit, from.unit));
    }
    if (value.unit == from.unit) return value.number;
    return value.base / read_quantity("1" + from.unit)->base;
}

std::string text_of(double value, const std::string& unit) { return fmt::format("{:.12g}{}", value, unit); }

// `steps` is no number where the ends are too far apart to be divided.
void check_number_of(double steps) {
    if (std::isnan(steps)) throw UsageError("from and to are too far apart");
    if (steps >= static_cast<double>(most_values))
        throw UsageError(fmt::format("the range has {:.0f} values; the limit is {}", steps + 1, most_values));
}

std::vector<std::string> evenly(double from, double to, double step, const std::string& unit) {
    if (step == 0 || (to - from) * step < 0) {
        throw UsageError(fmt::format("step = {:g} does not lead from {:g} to {:g}", step, from, to));
    }
    const double steps = std::floor((to - from) / step + slack);
    check_number_of(steps);
    std::vector<std::string> values;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(steps); ++i) {
        values.push_back(text_of(from + step * static_cast<double>(i), unit));
    }
    return values;
}

std::vector<std::string> by_factor(double from, double to, double factor, const std::string& unit) {
    if (from <= 0 || to <= 0)
        throw UsageError("a range with a factor is from a positive number to a positive number");
    if (factor <= 0 || factor == 1 || (to > from && factor < 1) || (to < from && factor > 1)) {
        throw UsageError(fmt::format("factor = {:g} does not lead from {:g} to {:g}", factor, from, to));
    }
    const double steps = std::floor(std::log(to / from) / std::log(factor) + slack);
    check_number_of(steps);
    std::vector<std::string> values;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(steps); ++i) {
        values.push_back(text_of(from * std::pow(factor, static_cast<double>(i)), unit));
    }
    return values;
}

} // namespace

std::vector<std::string> range_values(const AxisRange& range) {
    const int ways =
        (range.step.empty() ? 0 : 1) + (range.factor.empty() ? 0 : 1) + (range.count.empty() ? 0 : 1);
    if (range.from.empty() || range.to.empty() || ways != 1) {
        throw UsageError("a range has from, to, and one of step, factor and count");
    }
    Quantity from = quantity("from", range.from);
    const Quantity to = quantity("to", range.to);
    if (from.base == 0 && from.measure == Measure::plain) { // "0" has no unit of its own
        from.unit = to.unit;
        from.measure = to.measure;
    }
    const double last = in_unit_of(from, to, "to");
    if (!range.step.empty()) {
        return evenly(from.number, last, in_unit_of(from, quantity("step", range.step), "step"), from.unit);
    }
    if (!range.factor.empty()) {
        const Quantity factor = quantity("factor", range.factor);
        if (factor.measure != Measure::plain)
            throw UsageError(fmt::format("factor = '{}' has a unit", range.factor));
        return by_factor(from.number, last, factor.number, from.unit);
    }
    const std::uint64_t count = parse_count(range.count);
    if (count < 2 || count > most_values)
        throw UsageError(fmt::format("count = {}; expected 2 to {} values", range.count, most_values));
    const double gaps = static_cast<double>(count - 1);
    if (!range.log) return evenly(from.number, last, (last - from.number) / gaps, from.unit);
    if (from.number <= 0 || last <= 0)
        throw UsageError("a range with log = true is from a positive number to a positive number");
    return by_factor(from.number, last, std::pow(last / from.number, 1 / gaps), from.unit);
}

} // namespace orrery
