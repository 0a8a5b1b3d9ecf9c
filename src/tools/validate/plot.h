// The picture of a validation: measured and predicted times, and what the errors are made of.
#pragma once

#include "observe/chart.h"
#include "tools/validate/validation.h"

#include <string>
#include <vector>

namespace orrery {

// As Figure 9 of the paper on time-independent traces: measured (with the range of clean runs) beside
// predicted.
Chart time_chart(const ValidationPlan& plan, const std::vector<ValidationResult>& results);
// As Figures 12 and 13: relative errors, with the parts of each.
Chart error_chart(const ValidationPlan& plan, const std::vector<ValidationResult>& results);

// Both, one below the other: an SVG document.
std::string draw_validation(const ValidationPlan& plan, const std::vector<ValidationResult>& results);

} // namespace orrery
