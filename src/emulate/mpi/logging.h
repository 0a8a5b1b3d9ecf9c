// What a call leaves in the trace of the run, if one is kept.
#pragma once

#include "emulate/action_log.h"
#include "emulate/engine.h"
#include "emulate/mpi/collective_call.h"
#include "emulate/mpi/message.h"

#include <span>

namespace orrery::emulate::mpi {

inline ActionLog* log() { return engine().log(); }

// A message; `request` is its number for those that do not block.
void log_message(ActionKind kind, const MessageArguments& arguments, std::uint32_t request = 0);
// An action about requests, by their numbers.
void log_requests(ActionKind kind, std::span<const Bytes> numbers);
void log_collective(const PreparedCollective& prepared, bool nonblocking, std::uint32_t request);
// A collective between two groups: as the messages that it is made of, or, if it does not block, as a barrier
// of all members, which takes about as long as a small one. Traces have no words for them.
void log_messages(const Comm& comm, Steps steps);
void log_barrier(const Comm& comm, std::uint32_t request);
// A new communicator gets a number; members are world ranks.
void log_created(Comm& made);
// Of this rank, in a communicator with a topology.
void log_neighbours(const Comm& comm);
void log_split(const Comm& parent, int colour, int key, Comm* made);

} // namespace orrery::emulate::mpi
