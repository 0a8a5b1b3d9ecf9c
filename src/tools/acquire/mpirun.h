// The command line of mpirun, in the dialect of its MPI.
#pragma once

#include "tools/acquire/launch.h"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

struct Mpirun {
    std::string path;
    std::optional<MpiKind> dialect; // none: neither (srun, ...); such a one is only given -n
};

// `asked` if not empty, otherwise the one of `kind`. Throws UsageError if there is none, or if `asked` belongs
// to the other MPI.
Mpirun find_mpirun(const std::string& asked, MpiKind kind);
// More ranks than the `cores` that this process may use, and no other computer.
bool is_folded(const Launch& what, std::uint32_t cores);
// Ranks are folded onto the `cores` if there are more of them.
std::vector<std::string> mpirun_command(const Launch& what, const Mpirun& mpirun, std::uint32_t cores,
                                        bool root);
// As a user would type it.
std::string shell_words(const std::vector<std::string>& command);

} // namespace orrery
