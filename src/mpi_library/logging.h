// What a call leaves in the trace of the run, if one is kept.
#pragma once

#include "mpi_library/action_log.h"
#include "mpi_library/collective_call.h"
#include "mpi_library/engine.h"
#include "mpi_library/message.h"

#include <span>

namespace orrery::emulate::mpi {

inline ActionLog* log() { return engine().log(); }

// A message; `request` is its number for those that do not block; `taken` that of one which a probe takes out,
// or took.
void log_message(ActionKind kind, const MessageArguments& arguments, std::uint32_t request = 0,
                 std::uint32_t taken = not_logged);
// An action about requests, by their numbers.
void log_requests(ActionKind kind, std::span<const Bytes> numbers);
void log_collective(const PreparedCollective& prepared, bool nonblocking, std::uint32_t request);
// A collective between two groups, which traces have no words for: as the messages that it is made of.
void log_messages(const Comm& comm, Steps steps);
// The same for one that does not block.
void log_aside(const PreparedCollective& prepared, Steps steps, std::uint32_t request);
// One-sided communication in the window that has this communicator. `request`: not_logged if it has none.
void log_one_sided(const Comm& comm, std::uint32_t target, Bytes bytes, Bytes back, std::uint32_t request);
void log_window(const Comm& comm, WindowCall call, std::uint32_t target, std::uint32_t flags,
                std::span<const Bytes> ranks);
// What has passed since then is in no other action: a wait within the call, or the cost of a test or probe.
void log_wait(Time since);
void log_test(Time since);
// A new communicator gets a number; members are world ranks.
void log_created(Comm& made);
// Of this rank, in a communicator with a topology.
void log_neighbours(const Comm& comm);
void log_freed(const Comm& comm);
void log_split(Comm& parent, int colour, int key, Comm* made);

} // namespace orrery::emulate::mpi
