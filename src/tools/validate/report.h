// What a validation found: in words, as JSON, and as files of a run directory.
#pragma once

#include "tools/validate/validation.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

// The machine and network as a user knows them.
struct ValidationContext {
    std::string machine;
    std::string network;
    std::string mapping;
};
ValidationContext context_of(const ValidationPlan& plan);

// Empty, or why the measurement says nothing about the prediction: "runs differ by 136 %, more than the error
// of 89 %; ...".
std::string measurement_problem(const ValidationResult& result);

// What the numbers of an application say, a sentence each; none if there is nothing to say. Of an unusable
// measurement only that it is so.
std::vector<std::string> diagnose(const ValidationResult& result);

// Unusable measurements come first. Then a table with a line per application, bias, mean absolute error and
// worst, outliers and diagnoses. `details`: also where each application spent its time, measured against
// predicted.
std::string validation_words(const ValidationPlan& plan, const ValidationContext& context,
                             const std::vector<ValidationResult>& results, bool details);

// Over the applications whose measurement is usable; nothing if there is none.
struct UsableErrors {
    std::size_t applications = 0;
    ErrorSummary summary;
    double worst_error = 0;
    std::string worst; // its title
};
std::optional<UsableErrors> usable_errors(const std::vector<ValidationResult>& results);

nlohmann::ordered_json validation_json(const ValidationPlan& plan, const ValidationContext& context,
                                       const std::vector<ValidationResult>& results);

// measured.json (the runs), predictions.json (the rest) and manifest.json (what was asked, by which program,
// when, where; written last).
void write_validation(const ValidationPlan& plan, const ValidationContext& context,
                      const std::vector<ValidationResult>& results, const std::string& folder,
                      const std::vector<std::string>& command_line);

} // namespace orrery
