// A Paraver trace with MPI events, as Extrae writes it, turned into a Dimemas trace.
//
// What lies outside MPI calls becomes bursts. Messages come from the communication records: a call takes those
// whose send or receive was called while it lasted. A wait takes nonblocking receives that were done by its
// end. Each message has a number of its own as its communicator, for the trace says none. Memory grows with the
// number of messages, not with the rest.
#pragma once

#include "formats/dimemas/dim_file.h"

#include <string>
#include <vector>

namespace orrery::dimemas {

struct PrvTranslation {
    DimFile trace;
    std::vector<std::string> notes; // what could not be taken over
};

// Throws InputError: also if there is no MPI call in it.
PrvTranslation translate_prv(const std::string& path);

} // namespace orrery::dimemas
