// What the hooks share: tables of communicators, requests and matched messages.
//
// They belong to whoever holds the Recording, so they have no lock of their own.
#pragma once

#include "trace/communicator_table.h"
#include "trace/recorder.h"
#include "trace/request_table.h"

#include <cstdint>
#include <tsl/robin_map.h>
#include <vector>

namespace orrery::trace {

// What MPI_Mprobe found, until it is received.
struct MatchedMessage {
    bool recorded = false;
    std::uint32_t comm = 0;
    std::uint32_t peer = 0;
    std::uint32_t tag = 0;
};

struct HooksState {
    CommunicatorTable communicators;
    RequestTable requests;
    tsl::robin_map<std::uint64_t, MatchedMessage, KeyHash> messages;
    MPI_Group world_group{};
    std::vector<Bytes> counts; // of the action being put together
};

// Made in MPI_Init and never destroyed: other threads may be in a call while the process ends.
extern HooksState* hooks_state;

// The requests that this thread's call is about to complete.
struct Look {
    std::vector<std::uint32_t> slots;
    bool cancelled = false; // MPI_Cancel was called for one of them
};
Look& look_of_this_thread();

inline Bytes bytes_of(int count, MPI_Datatype type) {
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    return static_cast<Bytes>(count) * static_cast<Bytes>(size);
}

// The communicator; one that was not seen before is recorded first (MPI_COMM_SELF and the like).
const Communicator& communicator_of(MPI_Comm comm);

// Puts an action that goes on by itself, with a number for its request.
void put_request(Action& action, Requests request, const Bytes* counts = nullptr, std::size_t count = 0);
// Nobody will wait for it: its number is free again.
void put_forget(std::uint32_t number);

} // namespace orrery::trace
