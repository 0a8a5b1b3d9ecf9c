#include "observe/prediction_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace orrery {

nlohmann::json error_json(const Prediction& prediction) {
    if (!prediction.error) return nullptr;
    const double relative = prediction.error->relative;
    const auto time = static_cast<double>(prediction.time.ps());
    return {{"relative", relative},
            {"low_ps", Time::from_ps(std::max(0.0, time * (1 - relative))).ps()},
            {"high_ps", Time::from_ps(time * (1 + relative)).ps()},
            {"source", prediction.error->source}};
}

} // namespace orrery
