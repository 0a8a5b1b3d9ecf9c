// What is not known of the machine of a prediction: values that nobody measured, the speed of its cores, and
// how far its predictions are from measurements.
#pragma once

#include "simulation/run_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

// A loud sentence with the fix for each.
std::vector<std::string> machine_doubts(const Simulation& simulation, const RunFacts& facts);

// Of the machine's validation, if it holds for this network.
std::optional<PredictionError> known_error(const SimulationText& text, const Simulation& simulation);

// Of a machine that was calibrated but not validated: how good its message times are, and how to know more.
std::string calibration_note(const Simulation& simulation);

// "8 ranks on the 4 cores of n0: ...": empty unless there are more ranks than cores.
std::string crowded_cores(const Simulation& simulation, const RunFacts& facts);

// What was said in vain, and what is not known of the machine, of work without a prediction.
std::vector<std::string> doubts_of(const SimulationText& text, const Simulation& simulation,
                                   const RunFacts& facts);

// All that makes a prediction doubtful, into it.
void add_doubts(const SimulationText& text, const Simulation& simulation, const RunFacts& facts,
                Prediction& prediction);

} // namespace orrery
