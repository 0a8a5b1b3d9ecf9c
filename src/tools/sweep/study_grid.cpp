// The grid of a study: the product of its groups of axes, less what is skipped.
#include "engine/units.h"
#include "tools/sweep/study.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::uint64_t most_points = 100'000;

bool skipped(const Study& study, const std::vector<std::uint32_t>& at) {
    const auto fits = [&](const Skip& skip) {
        for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
            const auto values = skip.values.find(study.axes[axis].name);
            if (values == skip.values.end()) continue;
            const std::string& label = study.axes[axis].values[at[axis]].label;
            if (std::find(values->second.begin(), values->second.end(), label) == values->second.end())
                return false;
        }
        return true;
    };
    return std::any_of(study.skips.begin(), study.skips.end(), fits);
}

// What an axis sets replaces what the base says; two axes that set the same key contradict each other.
Assignments assignments_at(const Study& study, const std::vector<std::uint32_t>& at) {
    Assignments all = study.base;
    std::map<std::string_view, std::string_view> by;
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        for (const auto& [key, said] : study.axes[axis].values[at[axis]].sets) {
            const auto [other, first] = by.try_emplace(key, study.axes[axis].name);
            if (!first) {
                throw InputError(Error{study.file, said.line, said.column,
                                       fmt::format("'{}' is set by the axis '{}' too", key, other->second)});
            }
            all.insert_or_assign(key, said);
        }
    }
    return all;
}

} // namespace

std::vector<GridPoint> expand(const Study& study) {
    std::uint64_t total = 1;
    for (const auto& group : study.groups) {
        total *= study.axes[group[0]].values.size();
        if (total > most_points) {
            throw InputError(Error{study.file, study.axes[group[0]].line, 0,
                                   fmt::format("the grid has more than {} points", format_count(most_points))});
        }
    }
    std::vector<GridPoint> points;
    std::vector<std::uint32_t> at(study.axes.size(), 0);
    for (std::uint64_t index = 0; index < total; ++index) {
        std::uint64_t rest = index;
        for (auto group = study.groups.rbegin(); group != study.groups.rend(); ++group) {
            const std::uint64_t length = study.axes[group->front()].values.size();
            for (const std::size_t axis : *group) at[axis] = static_cast<std::uint32_t>(rest % length);
            rest /= length;
        }
        if (!skipped(study, at)) points.push_back({at, assignments_at(study, at)});
    }
    if (points.empty())
        throw InputError(
            Error{study.file, study.skips.empty() ? 0 : study.skips[0].line, 0, "no point is left"});
    return points;
}

} // namespace orrery
