// The results of a study as rows: CSV for other tools, JSON for scripts, a table for the terminal.
#pragma once

#include "tools/sweep/sweep.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace orrery {

// One row per point, axes first. The same for any number of jobs: what differs from run to run is left out.
std::string study_csv(const Study& study, const std::vector<StudyRow>& rows);

nlohmann::json study_json(const Study& study, const std::vector<StudyRow>& rows);

// Axes, the predicted time, and the quantity of the plot; failures with their message.
std::string study_words(const Study& study, const std::vector<StudyRow>& rows);

} // namespace orrery
