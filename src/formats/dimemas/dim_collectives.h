// Collectives of .dim traces and ours: numbers, and what their two byte counts mean.
//
// As Extrae writes them: of an alltoall or allgather, what is sent is one block and what is received is all of
// them; of variants with counts, both are totals.
#pragma once

#include "formats/dimemas/dim_record.h"
#include "workload/action.h"

#include <cstdint>
#include <optional>

namespace orrery::dimemas {

bool is_rooted(std::uint8_t operation); // Bcast, Gather(v), Scatter(v), Reduce
bool is_uneven(std::uint8_t operation); // has counts for each rank, which the trace lacks

// The operation and its bytes, among `size` ranks; variants with counts become even ones.
void fill_collective(const DimRecord& record, std::uint32_t size, Action& action);

// The number of an operation; none for exscan's and the neighbours' kin, which Dimemas does not know.
std::optional<std::uint8_t> dim_number(Collective operation);
// The record of a call: number, bytes sent and received. Its communicator and root are left to the caller.
DimRecord collective_record(const CollectiveCall& call, std::uint8_t number);

} // namespace orrery::dimemas
