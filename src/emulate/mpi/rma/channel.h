// What one member of a window asks of another: performed at the target in the order of the calls.
//
// An operation travels as one message and is performed when it has arrived and all before it are performed, so
// that accumulates keep their order and an unlock comes last. The target takes no part. A lock that is not free
// holds up what follows it, so MPI_Win_lock itself need not wait. Operations that read have an answer, which
// travels back. Puts and accumulates have none: the answer to what follows them, a flush if there is nothing
// else, says that they are performed.
//
// Data of up to the eager limit are packed when the call is made, so that the origin may change its buffer at
// once; longer ones are read from there when they are performed.
#pragma once

#include "emulate/mpi/datatype/datatype.h"
#include "engine/ids.h"
#include "orrery/mpi/mpi.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace orrery::emulate::mpi {

class Win;
struct Channel;

struct Operation {
    enum class Kind : std::uint8_t { put, get, accumulate, compare_and_swap, lock, unlock, flush, complete };
    struct Place {
        void* address = nullptr;
        std::int64_t count = 0;
        TypeRef type;
    };

    Kind kind = Kind::flush;
    bool answered = false; // something travels back
    bool shared = false;   // of a lock
    Channel* channel = nullptr;
    std::uint64_t number = 0;               // in its channel
    Bytes bytes = 0;                        // of the data, each way
    Place origin, target, result;           // in the memory of the origin, of the target, of the origin
    MPI_Op op = MPI_OP_NULL;                // of an accumulate
    MPI_Datatype basic = MPI_DATATYPE_NULL; // what it combines
    std::unique_ptr<std::byte[]> data;      // packed, unless they are read from the buffer later
    std::unique_ptr<std::byte[]> answer;    // packed
    MPI_Request request = MPI_REQUEST_NULL; // of MPI_Rput and its like
};

struct Channel {
    Channel(Win& from, Win& to) : origin(&from), target(&to) {}
    Win* origin;
    Win* target;
    std::uint64_t sent = 0;
    std::uint64_t performed = 0;
    std::map<std::uint64_t, std::unique_ptr<Operation>> arrived; // not yet performed
    bool held_up = false;                                        // by a lock that is not free
    std::uint64_t using_buffers = 0;
    bool unconfirmed = false; // puts or accumulates that nothing with an answer has followed
    int lock = 0;             // the type, if MPI_Win_lock was called
    bool asked = false;       // the lock was sent
};

// On the origin's context. Takes the operation's time there and sends it.
void send(Channel& channel, std::unique_ptr<Operation> operation);
// The same for one without data.
void send(Channel& channel, Operation::Kind kind, bool answered, bool shared = false);

// An operation has arrived and those before it are performed: acts on the target's memory.
void move_data(Operation& operation);
// Its answer is there: into the origin's memory.
void take_answer(const Operation& operation);

} // namespace orrery::emulate::mpi
