// The requests of this rank by their handles.
//
// A handle may stand for several requests at once: both MPIs give all sends that were done at once the same
// handle. Then the request is told by where the application keeps its handle, and if it has moved it the oldest
// is taken: they are all done, and are waited for in the order in which they were made as a rule.
#pragma once

#include "engine/pool.h"
#include "trace/communicator_table.h"
#include "trace/handles.h"
#include "trace/smallest_free.h"
#include "workload/action.h"

#include <cstdint>
#include <memory>
#include <tsl/robin_map.h>
#include <vector>

namespace orrery::trace {

// What few requests have.
struct RequestDetail {
    // Of a persistent request: what starting it stands for.
    bool persistent = false;
    bool recorded = false; // not to or from nobody
    bool buffered = false;
    Action action;
    // Of MPI_Comm_idup: the communicator that is there once the request is done.
    Communicator communicator;
    Communicators place;
};

struct Request {
    std::uint32_t number = no_number; // none: nothing of it is recorded, or it is not active
    bool cancelled = false;           // MPI_Cancel was called
    std::uint32_t next = no_number;   // slot of the next younger request with this handle
    std::uint32_t youngest = 0;       // of them; kept in the oldest only
    std::uint64_t key = 0;
    std::uint64_t seen = 0; // the last call that looked at it
    const void* place = nullptr;
    std::unique_ptr<RequestDetail> detail;
};

class RequestTable {
  public:
    // Adds the request that the application keeps there; returns its slot.
    std::uint32_t add(Requests request);
    // The slot of a request, or no_number if there is none. `call`: a request is found once in each call.
    std::uint32_t find(MPI_Request handle, const void* place, std::uint64_t call);
    void remove(std::uint32_t slot);
    Request& operator[](std::uint32_t slot) { return slots_[slot]; }

    std::uint64_t new_call() { return ++calls_; }
    std::uint32_t new_number() { return numbers_.take(); }
    void free_number(std::uint32_t number) { numbers_.give_back(number); }

  private:
    std::uint32_t find_among(std::uint32_t oldest, const void* place, std::uint64_t call);

    tsl::robin_map<std::uint64_t, std::uint32_t, KeyHash> oldest_; // slot by handle
    Pool<Request> slots_;
    SmallestFree numbers_;
    std::uint64_t calls_ = 0;
};

} // namespace orrery::trace
