// A look at the routes of a machine: are all hosts reachable, and how long are the paths?
#pragma once

#include "machine/platform.h"

#include <cstdint>

namespace orrery {

struct RouteSurvey {
    std::uint64_t pairs = 0; // looked at, of different hosts
    bool all = false;        // these are all there are
    std::uint32_t fewest_links = 0;
    std::uint32_t most_links = 0;
    double mean_links = 0;
    Time least_latency;
    Time most_latency;
};

// Looks at all pairs, or at `most_pairs` of them: each host to the next and to others chosen by a fixed rule.
// Throws InputError for a pair without a route.
RouteSurvey survey_routes(const Platform& platform, std::uint64_t most_pairs);

} // namespace orrery
