// The arguments of a collective call.
#pragma once

#include "formats/allprof/calls.h"
#include "formats/allprof/line.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace orrery::allprof {

struct CollectiveFields {
    std::uint32_t root = 0;  // rank in the communicator
    std::uint64_t bytes = 0; // of the buffer, or of this member's block
    bool differ = false;     // the blocks of the members have different sizes
    // Sizes of the blocks, if the call tells them: alltoallv and reduce_scatter.
    std::vector<std::uint64_t> out;
    std::vector<std::uint64_t> in;
    std::string_view missing = {}; // why the sizes cannot be had from the trace, or empty
};

// Where the communicator stands: the last argument, or the one before the request.
std::size_t communicator_argument(const Line& line, const CallInfo& call);

// Throws InputError if the line is damaged.
CollectiveFields read_collective(const Line& line, const CallInfo& call, const CommunicatorField& comm);

} // namespace orrery::allprof
