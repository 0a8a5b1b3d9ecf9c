// The selectors, one function per library; selection.cpp picks among them.
#pragma once

#include "collectives/selection.h"

namespace orrery::coll {

// The row of that name; asserts that there is one.
const Algorithm* named(Collective operation, std::string_view name);

Choice select_openmpi(const CollectiveCall& call);
Choice select_openmpi_nonblocking(const CollectiveCall& call);
Choice select_mpich(const CollectiveCall& call);
Choice select_mpich_nonblocking(const CollectiveCall& call);
Choice select_simgrid_default(const CollectiveCall& call);
Choice select_simgrid_ompi(const CollectiveCall& call);
Choice select_simgrid_mpich(const CollectiveCall& call);
Choice select_simgrid_mvapich2(const CollectiveCall& call);
Choice select_simgrid_impi(const CollectiveCall& call);
Choice select_simgrid_nonblocking(const CollectiveCall& call);
Choice select_loggopsim(const CollectiveCall& call);

// For reason_of.
std::string openmpi_reason(const CollectiveCall& call);
std::string mpich_reason(const CollectiveCall& call);
std::string loggopsim_reason(const CollectiveCall& call);

// All that a rank of this call gives or gets, over all ranks: the sum of the counts, or size times the block.
Bytes total_bytes(const CollectiveCall& call);

// What Open MPI's decision looks at (see openmpi_rules.cpp).
Bytes bytes_decided_by(const CollectiveCall& call);

} // namespace orrery::coll
