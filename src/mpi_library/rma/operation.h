// A put, get, accumulate or compare-and-swap of the application: whose memory it is about.
//
// When it is performed is for protocol/windows.h to say; what happens to the bytes then is here. Short data are
// packed when the call is made, so that the origin may change its buffer at once.
#pragma once

#include "mpi_library/datatype/datatype.h"
#include "orrery/mpi/mpi.h"
#include "protocol/windows.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace orrery::emulate::mpi {

class Win;

struct Operation {
    enum class Kind : std::uint8_t { put, get, accumulate, compare_and_swap };
    struct Place {
        void* address = nullptr;
        std::int64_t count = 0;
        TypeRef type;
    };

    Kind kind = Kind::put;
    const Win* from = nullptr;
    const Win* to = nullptr;
    Bytes bytes = 0;                        // of the target's data
    Place origin, target, result;           // in the memory of the origin, of the target, of the origin
    MPI_Op op = MPI_OP_NULL;                // of an accumulate
    MPI_Datatype basic = MPI_DATATYPE_NULL; // what it combines
    std::unique_ptr<std::byte[]> data;      // packed, unless they are read from the buffer later
    std::unique_ptr<std::byte[]> answer;    // packed

    [[nodiscard]] bool reads() const { return static_cast<bool>(result.type); }
    [[nodiscard]] bool writes() const { return kind != Kind::get && op != MPI_NO_OP; }
};

// Moves the bytes of operations; they are its own once they are sent.
WindowMemory& rma_memory();

} // namespace orrery::emulate::mpi
