// What the points of a study can be compared by: the quantities of its plot and table.
#pragma once

#include "observe/quantity.h"
#include "tools/sweep/point_result.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct StudyQuantity {
    std::string_view name;  // in the study file
    std::string_view words; // on the axis
    Measure measure;
    bool relative; // needs a point to refer to
    // Nothing if the point does not tell. `reference` is an answer too, if there is one.
    std::optional<double> (*value)(const PointResult& result, const PointResult* reference);
};

std::span<const StudyQuantity> study_quantities();
std::vector<std::string_view> quantity_names();
const StudyQuantity& study_quantity(std::string_view name); // "time" for an empty name; the name is known

} // namespace orrery
