// The MPI calls that a trace may name, and what each of them is to the program of a rank.
#pragma once

#include "collectives/call.h"

#include <cstdint>
#include <string_view>

namespace orrery::allprof {

enum class CallKind : std::uint8_t {
    local, // does not communicate: the time it takes is computing time
    init,
    finalize,
    send,
    recv,
    sendrecv,
    sendrecv_replace,
    send_init,
    recv_init,
    start,
    startall,
    wait,
    waitall,
    waitany,   // completes one of its requests; the trace does not say which
    waitsome,  // completes at least one
    test,      // may complete its request; the trace does not say whether
    test_many, // the same with an array of requests
    request_free,
    cancel,
    probe, // waits for a message and leaves it there: the receive that follows waits in its stead
    message_probe,
    message_recv,
    collective,
    comm_split,
    comm_copy, // the members are those of the parent: dup, Cartesian grid
    comm_free,
    unsupported, // communicates in a way that cannot be represented
    unknown,     // no MPI call that we know
};

struct CallInfo {
    CallKind kind = CallKind::unknown;
    bool nonblocking = false; // returns a request that something later completes
    bool buffered = false;    // MPI_Bsend: complete once it has started, whatever the size
    Collective collective = Collective::barrier;
    std::string_view why = {}; // unsupported: the reason
};

CallInfo find_call(std::string_view name);

} // namespace orrery::allprof
