// The barriers.
#include "collectives/barrier/barrier.h"
#include "collectives/common.h"
#include "collectives/registry.h"
#include "collectives/two_level.h"
#include "collectives/two_level/two_level_algorithms.h"

#include <array>

namespace orrery::coll {

std::span<const Algorithm> barrier_table() {
    static constexpr std::array rows{
        Algorithm{"linear", Collective::barrier, "openmpi:linear simgrid:ompi_basic_linear simgrid:default",
                  "all report to rank 0, which notifies all", "2(p-1)α at rank 0", barrier_linear, always},
        Algorithm{"double_ring", Collective::barrier, "openmpi:double_ring simgrid:ompi_doublering",
                  "a token goes round the ring twice", "2pα", barrier_double_ring, always},
        Algorithm{"recursive_doubling", Collective::barrier,
                  "openmpi:recursive_doubling simgrid:ompi_recursivedoubling simgrid:mvapich2_pair",
                  "exchanges in doubling distances", "lg(p)α, +2α if p is no power of two",
                  barrier_recursive_doubling, always},
        Algorithm{"dissemination", Collective::barrier,
                  "openmpi:bruck mpich:dissemination mpich:k_dissemination simgrid:ompi_bruck simgrid:mpich",
                  "in round i to the rank k^i further on; fanout: k, 2 by default", "lg(p)α for k = 2",
                  barrier_dissemination, always},
        Algorithm{"dissemination_posted", Collective::barrier, "loggopsim:dissemination",
                  "a byte to the rank 2^i further on in round i; a send waits for the receive before it only",
                  "lg(p)(α + β)", barrier_dissemination_posted, always},
        Algorithm{"two_proc", Collective::barrier, "openmpi:two_proc simgrid:ompi_two_procs",
                  "one exchange, for two ranks; others disseminate", "α", barrier_two_proc,
                  [](const CollectiveCall& call) { return call.size == 2; }},
        Algorithm{"tree", Collective::barrier, "openmpi:tree simgrid:ompi_tree literature:binomial",
                  "up and down a binomial tree", "2 lg(p)α", barrier_tree, always},
        Algorithm{"tournament", Collective::barrier, "literature:tournament",
                  "as tree, the losers being told without waiting for one another", "2 lg(p)α",
                  barrier_tournament, always},
        Algorithm{"linear_nonblocking", Collective::barrier, "simgrid:ibarrier",
                  "linear, but rank 0 answers without waiting: no barrier", "(p-1)α at rank 0",
                  barrier_linear_nonblocking, always},
        Algorithm{"two_level", Collective::barrier, "mpich:smp simgrid:mpich_smp",
                  "within the nodes, among their leaders, within the nodes",
                  "barriers of p/m and m ranks, and lg(p/m)α", two_level_barrier, has_hierarchy},
    };
    return rows;
}

} // namespace orrery::coll
