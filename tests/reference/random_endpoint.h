// Random endpoints, as settings: tables of overheads, the eager limit, kinds of rendezvous.
#pragma once

#include "reference/draw.h"

#include <string>
#include <vector>

namespace orrery::reference {

// "0:3ns:1ns/B;9:10ns:0", often of nothing.
std::string random_table(Draw& draw);
// key=value. All sends cost the same, whether they block or not.
std::vector<std::string> random_endpoint(Draw& draw);

} // namespace orrery::reference
