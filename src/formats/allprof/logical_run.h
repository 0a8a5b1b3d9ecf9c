// One execution of the program: computing takes the time it took, messages none. Tells which message each
// receive gets.
#pragma once

#include "formats/allprof/communicators.h"
#include "formats/allprof/record.h"

#include <cstdint>
#include <vector>

namespace orrery::allprof {

struct Envelope {
    bool matched = false;
    std::uint32_t source = 0;
    std::uint32_t tag = 0;
};

// Per rank and record (receives only; the others' are meaningless). Where the program gets stuck, the receives
// that were not reached stay unmatched.
std::vector<std::vector<Envelope>> run_logically(const std::vector<RankRecords>& ranks,
                                                 const Communicators& communicators);

} // namespace orrery::allprof
