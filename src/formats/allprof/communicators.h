// Who is in which communicator: pieced together from what all ranks' traces say.
//
// A trace shows a communicator as (handle, rank, size), and a call that makes one does not show the new handle.
// But the colours and keys of MPI_Comm_split are there on all ranks, so the members of each part are known; and
// a handle that a rank uses later must be one of the communicators made before, with the right rank and size.
// Where more than one fits, what the other members do decides (decide_by_behaviour).
//
// Communicators with the same members in the same order are one and the same here.
#pragma once

#include "formats/allprof/record.h"

#include <cstdint>
#include <vector>

namespace orrery::allprof {

inline constexpr std::uint32_t world = 0;                  // index of MPI_COMM_WORLD
inline constexpr std::uint32_t unknown_comm = 0xFFFF'FFFF; // members unknown

struct Communicators {
    std::vector<std::vector<std::uint32_t>> members; // ranks of the program
    std::vector<std::uint32_t> made;                 // the index of each one that was made: its members
};

// Fills in the `id` of each rank's CommUse: an index into the result, or unknown_comm. Throws InputError if the
// traces contradict each other (ranks missing, files mixed up).
Communicators resolve_communicators(std::vector<RankRecords>& ranks);

// A handle of one rank that may stand for more than one of the communicators that were made.
struct AmbiguousHandle {
    std::uint32_t rank = 0;
    std::uint64_t handle = 0;
    std::vector<std::uint32_t> uses;       // indices into RankRecords::comms
    std::vector<std::uint32_t> candidates; // indices into Communicators::made, in the order of creation
};
// Decides them by what the members do: communicator_profiles.cpp.
void decide_by_behaviour(std::vector<RankRecords>& ranks, const Communicators& communicators,
                         std::vector<AmbiguousHandle> ambiguous);

} // namespace orrery::allprof
