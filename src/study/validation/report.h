// What a validation found: in words, as JSON, and as files of a run directory.
#pragma once

#include "study/validation/validation.h"

#include <nlohmann/json_fwd.hpp>
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

// What the numbers of an application say, a sentence each; none if there is nothing to say.
std::vector<std::string> diagnose(const ValidationResult& result);

// A table with a line per application, then bias, mean absolute error and worst, outliers and diagnoses.
// `details`: also where each application spent its time, measured against predicted.
std::string validation_words(const ValidationPlan& plan, const ValidationContext& context,
                             const std::vector<ValidationResult>& results, bool details);

nlohmann::ordered_json validation_json(const ValidationPlan& plan, const ValidationContext& context,
                                       const std::vector<ValidationResult>& results);

// measured.json (the runs), predictions.json (the rest) and manifest.json (what was asked, by which program,
// when, where; written last).
void write_validation(const ValidationPlan& plan, const ValidationContext& context,
                      const std::vector<ValidationResult>& results, const std::string& folder,
                      const std::vector<std::string>& command_line);

} // namespace orrery
