// Writes the actions of any source as a time-independent trace.
#pragma once

#include "formats/ti/tally.h"
#include "workload/action.h"

#include <cstdint>
#include <string>

namespace orrery {

struct TiWritten {
    std::uint64_t actions = 0;
    std::uint64_t bytes = 0;
};

// The binary form (.oti), rank after rank. The tally is taken when all has been read.
TiWritten write_oti(ActionSource& source, const std::string& path, const ti::Tally& tally = {});

enum class TiGrammar : std::uint8_t {
    current,      // SimGrid's of today, with comm= and req= where it has no words
    older,        // the paper's: no tags, no datatypes, wait for the latest request
    simgrid,      // SimGrid's of today and nothing else: for what export/world_actions.h gives
    older_simgrid // the paper's as SimGrid had it up to 3.19: with init and finalize; likewise
};

// Text. `path` ends in '/': a directory with a file per rank and a list of them, named LIST. Otherwise one file
// with the lines of all ranks, rank after rank; "-" is the standard output. Throws InputError naming the first
// action that the grammar has no words for.
TiWritten write_ti_text(ActionSource& source, const std::string& path, TiGrammar grammar = TiGrammar::current);

} // namespace orrery
