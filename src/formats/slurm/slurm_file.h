// Slurm's topology.conf (topology/tree): switches with the nodes or switches below them.
#pragma once

#include "machine/net.h"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

bool is_slurm_line(std::string_view line);
// Throws InputError.
Net read_slurm_tree(std::string_view text, const std::string& file);

// "rack[0-1]n[01-03],login" as names; digits keep their leading zeros. Throws UsageError.
std::vector<std::string> expand_host_list(std::string_view list);

} // namespace orrery
