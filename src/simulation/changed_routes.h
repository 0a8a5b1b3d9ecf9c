// Whether a change of the machine lies on the way of any message of a run.
#pragma once

#include "simulation/simulation_network.h"

#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

enum class RouteChange : std::uint8_t {
    none,      // all hosts of the run reach each other over the same links as before
    uncrossed, // some routes differ, but no message took them
    crossed,   // a message took a route that differs, or may have taken one
    unknown,   // too many routes to look at
};

// Compares every route between two of `hosts` with what it was `before`: the same kinds of links, shared with
// the same other routes. `crossed` are the links that bytes passed (ReplayPrediction::crossed); empty: not
// known. For routings that choose among several routes all of them count.
RouteChange changed_routes(const SimulationNetwork& now, const SimulationNetwork& before,
                           std::span<const HostId> hosts, std::span<const std::vector<bool>> crossed);

} // namespace orrery
