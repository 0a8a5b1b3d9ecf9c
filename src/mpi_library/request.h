// Requests of the application: what it can wait for.
#pragma once

#include "mpi_library/datatype/datatype.h"
#include "mpi_library/handles.h"
#include "orrery/mpi/mpi.h"
#include "protocol/messenger.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace orrery::emulate::mpi {

class Comm;

// How a persistent or immediate message is started.
struct MessageArguments {
    enum class Mode : std::uint8_t { standard, synchronous, buffered, ready, receive };
    Mode mode = Mode::standard;
    bool kept = false; // what is sent is copied at once: the buffer will be received into
    int peer = 0;      // as the application named it
    int tag = 0;
    Comm* comm = nullptr;
    void* buffer = nullptr;
    std::int64_t count = 0;
    TypeRef type;
};

inline constexpr std::uint32_t not_logged = 0xFFFF'FFFF;

// Two cache lines, of which the first has what a message is waited for by.
struct alignas(128) RequestObject {
    enum class Kind : std::uint8_t { none, send, receive, collective, generalised, other };
    // Of generalised requests and those of files.
    struct Extra {
        MPI_Status status{};
        MPI_Grequest_query_function* query = nullptr;
        MPI_Grequest_free_function* free = nullptr;
        MPI_Grequest_cancel_function* cancel = nullptr;
        void* argument = nullptr; // of these functions
    };
    Kind kind = Kind::none;
    bool persistent = false;
    bool active = false; // started and not yet found complete
    bool cancelled = false;
    bool freed = false;                  // by the application, while active
    bool complete = false;               // one with `extra`
    RequestId engine = no_request;       // what the engine knows it by; no_request: complete
    RequestId buffered = no_request;     // a buffered send, which is complete at once, for cancelling it
    std::uint32_t payload = 0;           // of a receive
    std::uint32_t rank = 0;              // whose it is
    std::uint32_t number = not_logged;   // in the trace of the run, if one is kept
    MPI_Request sent = MPI_REQUEST_NULL; // of MPI_Isendrecv, a receive: its send
    MessageArguments message;            // persistent ones, and receives for their status
    std::unique_ptr<Extra> extra;
};
static_assert(sizeof(RequestObject) == 128 && offsetof(RequestObject, message.comm) < 64);

// Throws Failure(MPI_ERR_REQUEST).
RequestObject& request_of(MPI_Request handle);
MPI_Request new_request(RequestObject&& request);
void drop_request(MPI_Request handle);

// A request of another part of the library (files) for something that is done already.
MPI_Request finished_request(const MPI_Status& status);

[[nodiscard]] bool is_done(const RequestObject& request);
// One that the trace knows: a message or collective under way.
[[nodiscard]] bool is_logged(const RequestObject& request);
void set_empty(MPI_Status* status);

// Messages.
MPI_Request start_send(MessageArguments::Mode mode, const void* buffer, int count, MPI_Datatype type, int dest,
                       int tag, MPI_Comm comm);
MPI_Request start_receive(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm);

// Waits for all of them and fills in their statuses (null: none wanted). Throws Failure(MPI_ERR_IN_STATUS) or,
// for one request, its own error. Handles become MPI_REQUEST_NULL unless persistent.
void wait_for(int count, MPI_Request* requests, MPI_Status* statuses);

} // namespace orrery::emulate::mpi
