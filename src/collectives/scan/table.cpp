// Scan and exscan.
#include "collectives/common.h"
#include "collectives/registry.h"
#include "collectives/scan/scan.h"
#include "collectives/two_level.h"
#include "collectives/two_level/two_level_algorithms.h"

#include <array>

namespace orrery::coll {

std::span<const Algorithm> scan_table() {
    static constexpr std::array rows{
        Algorithm{"linear", Collective::scan, "openmpi:linear", "down the chain of ranks", "(p-1)(α + nβ + nγ)",
                  scan_linear, always},
        Algorithm{"recursive_doubling", Collective::scan, "openmpi:recursive_doubling mpich:recursive_doubling",
                  "exchanges in doubling distances", "lg(p)(α + nβ + 2nγ)", scan_recursive_doubling, always},
        Algorithm{"hillis_steele", Collective::scan, "literature:binomial",
                  "partial results to the rank 2^i further on", "lg(p)(α + nβ + nγ)", scan_hillis_steele,
                  always},
        Algorithm{"to_all_higher", Collective::scan, "simgrid:default",
                  "everybody sends to all ranks behind it, at once", "(p-1)(α + nβ + nγ)", scan_to_all_higher,
                  always},
        Algorithm{"two_level", Collective::scan, "mpich:smp",
                  "within the nodes, among the leaders, within the nodes",
                  "scans of p/m and m ranks, and lg(p/m)(α + nβ)", two_level_scan, has_hierarchy},
    };
    return rows;
}

std::span<const Algorithm> exscan_table() {
    static constexpr std::array rows{
        Algorithm{"linear", Collective::exscan, "openmpi:linear", "down the chain of ranks",
                  "(p-1)(α + nβ + nγ)", scan_linear, always},
        Algorithm{"recursive_doubling", Collective::exscan,
                  "openmpi:recursive_doubling mpich:recursive_doubling", "exchanges in doubling distances",
                  "lg(p)(α + nβ + 2nγ)", scan_recursive_doubling, always},
        Algorithm{"hillis_steele", Collective::exscan, "literature:binomial",
                  "partial results to the rank 2^i further on", "lg(p)(α + nβ + nγ)", scan_hillis_steele,
                  always},
        Algorithm{"to_all_higher", Collective::exscan, "simgrid:default",
                  "everybody sends to all ranks behind it, at once", "(p-1)(α + nβ + nγ)", scan_to_all_higher,
                  always},
    };
    return rows;
}

} // namespace orrery::coll
