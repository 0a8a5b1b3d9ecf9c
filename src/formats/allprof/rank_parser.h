// The trace of one rank into records, in one streaming pass.
//
// The records name communicators by index into RankRecords::comms and peers by their rank in the communicator;
// who is who is found out when all ranks have been read.
#pragma once

#include "formats/allprof/line_reader.h"
#include "formats/allprof/options.h"
#include "formats/allprof/record.h"

#include <cstdint>

namespace orrery::allprof {

// `ranks`: how many ranks the whole trace has. Throws InputError; calls that cannot be represented are listed
// in `skipped`, whatever the options say.
RankRecords parse_rank(LineReader& input, std::uint32_t ranks, const AllprofOptions& options);

} // namespace orrery::allprof
