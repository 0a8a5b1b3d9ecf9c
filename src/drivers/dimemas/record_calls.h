// Which call of MPI a record is.
#pragma once

#include "formats/dimemas/dim_record.h"
#include "results/calls.h"

namespace orrery::dimemas {

ActionKind kind_of_call(const DimRecord& record);
// Not separators, events, bursts, and the synchronisation with an accelerator.
bool is_call(const DimRecord& record);

} // namespace orrery::dimemas
