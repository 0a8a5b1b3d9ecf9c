// What the user said for a run and the run never read.
//
// Found by construction: each --set and each option of the simulation is left out in turn, and what the run
// reads is made once more. If that is the same, while something else of the machine has changed, the setting
// has no effect on this run. No list says which network reads which key; only the hints are one.
#pragma once

#include "simulation/run_facts.h"

#include <string>
#include <vector>

namespace orrery {

// One sentence each, such as "link.bandwidth: not used by --network loggops; use --loggops G=...", or "... no
// message crosses the changed links: 64 ranks sit on 4 hosts under one switch; ...".
std::vector<std::string> unused_settings(const SimulationText& text, const Simulation& simulation,
                                         const RunFacts& facts);

} // namespace orrery
