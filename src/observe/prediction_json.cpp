#include "observe/prediction_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace orrery {

namespace {

// An end of the interval may lie outside of what can be simulated.
std::int64_t whole_ps(double picoseconds) {
    const auto longest = Time::longest().picoseconds();
    return std::llround(std::clamp(picoseconds, 0.0, longest));
}

} // namespace

nlohmann::json error_json(const Prediction& prediction) {
    if (!prediction.error) return nullptr;
    const double relative = prediction.error->relative;
    const auto time = prediction.time.picoseconds();
    return {{"relative", relative},
            {"low_ps", whole_ps(time * (1 - relative))},
            {"high_ps", whole_ps(time * (1 + relative))},
            {"source", prediction.error->source}};
}

} // namespace orrery
