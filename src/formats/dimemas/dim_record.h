// One record of a Dimemas trace (.dim): what a thread of a task does next.
#pragma once

#include "engine/ids.h"

#include <cstdint>
#include <string_view>

namespace orrery::dimemas {

enum class RecordKind : std::uint8_t {
    nothing,         // 0: separates simultaneous events
    burst,           // 1: `seconds` of a processor
    send,            // 2: `bytes` to `peer`
    receive,         // 3, type 0
    receive_no_wait, // 3, type 1: goes on at once
    wait,            // 3, type 2: for such a receive
    collective,      // 10
    gpu_burst,       // 11
    event,           // 20: `type`, `value`
};

enum class Synchrony : std::uint8_t {
    nonblocking = 0,
    blocking = 1,
    waiting = 2,  // for a nonblocking one
    root_only = 3 // MPI_Reduce: only the root waits for others
};

inline constexpr std::int32_t any_task = -1;
inline constexpr std::int32_t any_thread = -1; // a message between tasks, whichever thread

struct DimRecord {
    RecordKind kind = RecordKind::nothing;
    bool rendezvous = false; // of a send
    bool immediate = false;
    Synchrony synchrony = Synchrony::blocking;
    std::uint8_t operation = 0; // of a collective: 0 is MPI_Barrier
    std::int32_t peer = 0;      // task; of a collective: the field is_root, which of MPI_Reduce names the root
    std::int32_t peer_thread = any_thread;
    std::int64_t tag = 0;
    std::int64_t communicator = 0;
    Bytes bytes = 0; // of a collective: sent
    Bytes bytes_received = 0;
    double seconds = 0;
    std::uint64_t type = 0;
    std::uint64_t value = 0;
};
inline constexpr std::uint8_t dim_barrier = 0;
inline constexpr std::uint8_t dim_reduce = 10;
inline constexpr std::uint8_t dim_collectives = 16;

// Who a line belongs to.
struct DimLine {
    std::uint32_t op = 0;
    std::uint32_t task = 0;
    std::uint32_t thread = 0;
    std::string_view fields; // behind the thread and its colon
};

// Both give what is wrong and what was expected, or null. `line` is without its end.
const char* split_line(std::string_view line, DimLine& split);
const char* read_record(const DimLine& line, DimRecord& record);

} // namespace orrery::dimemas
