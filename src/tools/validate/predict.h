// The prediction of a recorded trace, and the same with exact computation.
#pragma once

#include "tools/validate/validation.h"

#include <span>
#include <string>

namespace orrery {

// Of several traces of the same application: the one whose volume of computation is the median (of an even
// number the lower one of the middle two).
std::size_t median_volume(std::span<const double> volumes);
std::size_t chosen_trace(const std::vector<std::string>& traces);

// Fills in all that follows from the trace; `result.clean` must be known. Throws InputError if the trace does
// not belong to this number of ranks.
void predict(const SimulationText& text, const std::string& trace, ValidationResult& result);

// A run is as good as the moment in which it was made: what is predicted is the mean over all traces, against
// the mean of the clean runs. All else that `result` tells stays that of the chosen trace.
void average_predictions(std::span<const ValidationResult> each, ValidationResult& result);

// The same machine with one rate for bursts of all sizes, so that a volume stands for a duration.
SimulationText with_one_rate(SimulationText text, const Platform& platform);

} // namespace orrery
