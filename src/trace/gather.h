// The files of all ranks over MPI into one, at the end of the run, for hosts that share no file system.
//
// They travel up a K-nomial tree (gather_tree.h). Blocks are compressed already and carry their rank, so files
// are simply put one after the other; they pass through each process in pieces of at most 4 MiB, two at a time.
#pragma once

#include <cstdint>
#include <string>

namespace orrery::trace {

struct GatherTask {
    std::uint32_t rank = 0;
    std::uint32_t ranks = 1;
    std::uint32_t k = 1;
    std::string own;    // file of this rank; empty: it has none
    std::string target; // on rank 0: appears whole or not at all
};
// All ranks together, before MPI_Finalize. The ranks' own files are removed once the target is there; otherwise
// they stay where they are and rank 0 says what went wrong.
void gather(const GatherTask& task);

} // namespace orrery::trace
