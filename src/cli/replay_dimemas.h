// `orrery replay x.dim --on x.cfg`: in the model of Dimemas itself.
#pragma once

#include "cli/simulate_options.h"

#include <string>

namespace orrery::cli {

// What Dimemas' own command line has for its sends.
struct DimemasSends {
    std::string rendezvous_from; // -S; empty: as the trace says
    bool asynchronous = false;   // -F
};
void add_dimemas_options(const Verb& verb, DimemasSends& sends);

// If the simulation asks for that model: simulates, prints, and says true.
// Throws UsageError if `sends` says something and the model is another.
bool replay_dimemas(const std::string& input, const DimemasSends& sends, const SimulateArguments& arguments);

} // namespace orrery::cli
