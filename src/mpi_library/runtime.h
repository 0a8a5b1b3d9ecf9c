// The life of a rank as MPI sees it.
#pragma once

#include "emulate/rank.h"
#include "function_ids.h"

namespace orrery::emulate::mpi {

// Gives the rank what MPI keeps for it.
void make_process(Rank& rank, std::uint32_t ranks);

// A program that was not started by `orrery run`: makes an emulation of one rank, whose computing takes the
// time that it takes.
void start_alone();

// Most functions may not be called before MPI_Init or after MPI_Finalize. Ends the run if this one may not.
void check_allowed(FunctionId function);

} // namespace orrery::emulate::mpi
