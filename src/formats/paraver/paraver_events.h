// The MPI calls of Paraver traces: their event types, their numbers, and what they are here.
//
// Extrae and Dimemas write an event when a rank enters a call (its type the group below, its value the number
// of the call) and another with value 0 when it leaves. Readers turn numbers into actions, writers the other
// way.
#pragma once

#include "workload/action.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace orrery {

// The types of the events that mark a call; the value of the enumerator is the type.
enum class ParaverGroup : std::uint32_t {
    point_to_point = 50000001,
    collective = 50000002,
    other = 50000003,
    one_sided = 50000004,
    io = 50000005,
};
constexpr std::uint32_t event_type(ParaverGroup group) { return static_cast<std::uint32_t>(group); }
std::string_view name_of(ParaverGroup group); // "MPI Point-to-point", as the .pcf has it
inline constexpr std::uint32_t first_mpi_event = 50000001;
inline constexpr std::uint32_t last_mpi_event = 50000005;

// Beside the entry of a collective call.
inline constexpr std::uint32_t paraver_sent_bytes = 50100001;
inline constexpr std::uint32_t paraver_received_bytes = 50100002;
inline constexpr std::uint32_t paraver_root = 50100003; // 1 on the root (older traces: its task id)
inline constexpr std::uint32_t paraver_communicator = 50100004;
// 1 from the beginning of the application to its end.
inline constexpr std::uint32_t paraver_application = 40000001;

// The states of a thread that this project writes or reads.
enum class ParaverState : std::uint32_t {
    idle = 0,
    running = 1,
    not_created = 2,
    waiting_message = 3,
    blocking_send = 4,
    synchronization = 5,
    test_probe = 6,
    scheduling = 7,
    wait_all = 8,
    blocked = 9,
    immediate_send = 10,
    immediate_receive = 11,
    io = 12,
    group_communication = 13,
    tracing_disabled = 14,
    others = 15,
    send_receive = 16,
};

struct ParaverCall {
    std::uint32_t number = 0;
    ParaverGroup group = ParaverGroup::other;
    std::string_view name;          // "MPI_Send"
    std::optional<ActionKind> kind; // what it does here, if anything
    Collective collective = Collective::barrier;
    bool nonblocking = false; // of a collective
};

// All calls, by number: calls()[number - 1].
std::span<const ParaverCall> paraver_calls();
const ParaverCall* paraver_call(std::uint64_t number);            // null if there is none
const ParaverCall* paraver_call_named(std::string_view mpi_name); // "MPI_Send"; null if there is none
// The call that an action stands for; null for those that are none (compute, sleep, ...).
const ParaverCall* paraver_call_of(const Action& action);

} // namespace orrery
