// What both kinds of predictions say in JSON.
#pragma once

#include "results/prediction.h"

#include <nlohmann/json_fwd.hpp>

namespace orrery {

// {"relative", "low_ps", "high_ps", "source"}, or null if no error is known.
nlohmann::json error_json(const Prediction& prediction);

} // namespace orrery
