// The prediction in words and as JSON.
#pragma once

#include "network/loggops/parameters.h"
#include "observe/summary_lines.h"
#include "results/prediction.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace orrery {

struct ReportContext {
    std::string what; // what was simulated: a file or a pattern
    LogGOPS loggops;
    std::string noise;    // empty: none
    std::string schedule; // how the schedule is held: "12 kB in memory, 1 distinct program"
    bool per_rank = false;
    SummaryStyle style{};
};

// At most twelve lines, and one for each warning; a wrapped line counts as one.
std::string summary(const Prediction& prediction, const ReportContext& context);
nlohmann::json to_json(const Prediction& prediction, const ReportContext& context);

} // namespace orrery
