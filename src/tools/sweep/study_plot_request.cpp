// What the plot of a study shows, as the study file or the command line says it.
#include "engine/error.h"
#include "engine/units.h"
#include "tools/sweep/quantities.h"
#include "tools/sweep/study.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

bool sets_key(const Axis& axis, std::string_view key) {
    return std::any_of(axis.values.begin(), axis.values.end(),
                       [&](const AxisValue& value) { return value.sets.find(key) != value.sets.end(); });
}

} // namespace

std::size_t axis_named(const Study& study, const std::string& name) {
    std::vector<std::string> names;
    for (const Axis& axis : study.axes) names.push_back(axis.name);
    std::string canonical = name;
    std::replace(canonical.begin(), canonical.end(), '_', '-');
    if (canonical == "on") canonical = "machine";
    for (const std::string& word : {name, canonical}) {
        const auto found = std::find(names.begin(), names.end(), word);
        if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    }
    const std::string near = nearest_word(name, names);
    throw UsageError(fmt::format("'{}' is not varied; {}", name,
                                 !near.empty()   ? fmt::format("did you mean '{}'?", near)
                                 : names.empty() ? "nothing is"
                                                 : fmt::format("there are {}", fmt::join(names, ", "))));
}

std::optional<std::size_t> workload_axis(const Study& study) {
    if (study.plot.x != ranks_of_workloads) return std::nullopt;
    for (const Axis& axis : study.axes) {
        if (axis.name == ranks_of_workloads) return std::nullopt; // an axis like any other
    }
    for (const std::string_view key : {"ranks", "workload"}) {
        for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
            if (sets_key(study.axes[axis], key)) return axis;
        }
    }
    return std::nullopt;
}

void set_plot_x(Study& study, const std::string& name) {
    const std::string before = std::exchange(study.plot.x, name);
    if (workload_axis(study)) return;
    study.plot.x = before;
    study.plot.x = study.axes[axis_named(study, name)].name;
}

void set_plot_y(Study& study, const std::string& quantity) {
    const std::vector<std::string_view> known = quantity_names();
    if (std::find(known.begin(), known.end(), quantity) == known.end()) {
        const std::string near = nearest_word(quantity, known);
        throw UsageError(fmt::format("unknown key '{}' for y; {}", quantity,
                                     near.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                                  : fmt::format("did you mean '{}'?", near)));
    }
    study.plot.y = quantity;
}

} // namespace orrery
