// Explains a run that ended before everything was done.
#pragma once

#include "engine/time.h"
#include "workload/schedule.h"

#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

// Number of operations before each rank's first, all ranks counted through.
std::vector<std::uint64_t> first_operations(const Schedule& schedule);

// A message that arrived and that nobody received.
struct UnreceivedMessage {
    std::uint32_t source = 0;
    std::uint32_t op = 0; // the send, in the source's program
};

// Finds out why operations never ran: a cycle of ranks that wait for each other, receives without a send,
// messages without a receive. Throws SimulationError that names them (InputError if a rank's own dependencies
// form a cycle, which only a damaged file can contain). `state` holds ProgressObserver's bits for every
// operation.
[[noreturn]] void throw_deadlock(const Schedule& schedule, std::span<const std::uint64_t> first_op,
                                 std::span<const std::uint8_t> state,
                                 std::span<const UnreceivedMessage> unreceived, Time now);

} // namespace orrery
