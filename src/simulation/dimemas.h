// A Dimemas trace on a Dimemas machine: the question of `--model dimemas`, as text, and its answer.
#pragma once

#include "engine/settings.h"
#include "formats/dimemas/dim_file.h"
#include "observe/replay_report.h"
#include "results/replay_prediction.h"
#include "simulation/simulation.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace orrery {

// Whether a simulation asks for Dimemas' own model: `--model dimemas`, or a .cfg as the machine and no network.
// Throws UsageError if it asks for that and for something else.
bool asks_for_dimemas(const SimulationText& text);

// What `dimemas.*` settings know, for help and checking.
std::span<const Parameter> dimemas_parameters();

struct DimemasAnswer {
    ReplayPrediction prediction;
    ReplayContext context; // without what only the caller knows
};

// Reads the machine that the simulation names and simulates the trace on it. Throws InputError, UsageError or
// SimulationError.
DimemasAnswer run_dimemas(const dimemas::DimFile& trace, const SimulationText& text,
                          const std::function<void(std::uint64_t, Time)>& progress = {});

} // namespace orrery
