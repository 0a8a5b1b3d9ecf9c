// What is kept of a trace: for each rank a list of records, 40 bytes for each call that communicates.
#pragma once

#include "collectives/call.h"
#include "engine/ids.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::allprof {

enum class RecordKind : std::uint8_t {
    send,
    recv,
    wait, // for the requests in RankRecords::waits
    collective,
    finish, // the computing time up to MPI_Finalize
};

namespace record_flag {
inline constexpr std::uint8_t joined = 1;       // the next record is of the same call, and holds its `gap`
inline constexpr std::uint8_t nonblocking = 2;  // the rank goes on once the operation has started
inline constexpr std::uint8_t blocks = 4;       // collective: sizes differ from member to member
inline constexpr std::uint8_t may_be_empty = 8; // wait: without requests it is left out
inline constexpr std::uint8_t dropped = 16;     // left out
} // namespace record_flag

inline constexpr std::uint32_t no_slot = 0xFFFF'FFFF;

struct Record {
    std::uint64_t gap = 0;   // picoseconds of computing since the call before
    std::uint64_t bytes = 0; // with record_flag::blocks: where its blocks are
    std::uint32_t peer = 0;  // rank, or any_source; collective: the root's rank in the communicator
    std::uint32_t tag = 0;   // any_tag until wildcards are resolved; collective: its number on the communicator
    std::uint32_t comm = 0;  // index into RankRecords::comms
    std::uint32_t slot = no_slot; // where the operation is noted for a wait; wait: first one in `waits`
    std::uint32_t line = 0;
    RecordKind kind = RecordKind::send;
    Collective collective = Collective::barrier;
    std::uint8_t flags = 0;
    [[nodiscard]] bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
};
static_assert(sizeof(Record) == 40);

// A communicator as one rank's trace shows it. A handle that is met again after some communicator was freed may
// be another one, and gets a new entry.
struct CommUse {
    std::uint64_t handle = 0;
    std::uint32_t rank = 0;
    std::uint32_t size = 0;
    std::uint32_t line = 0;           // first met
    std::uint32_t id = 0;             // index into Communicators::members, once that is known
    std::uint32_t made = 0xFFFF'FFFF; // index into Communicators::made, if a call that is known made it
};

// What a rank did that bears on who is in which communicator, in order.
struct CommEvent {
    enum class Kind : std::uint8_t { use, split, copy, free };
    Kind kind = Kind::use;
    std::uint32_t comm = 0; // index into RankRecords::comms: the one used, or the parent
    std::int64_t color = 0;
    std::int64_t key = 0;
    std::uint64_t variable = 0; // address of the variable that takes or gives up the handle
    std::uint32_t line = 0;
};

// Where the trace leaves something open and it was filled in, or something was left out: for the summary.
struct Tally {
    std::uint64_t calls = 0;
    std::uint64_t sends = 0;
    std::uint64_t recvs = 0;
    std::uint64_t collectives = 0;
    std::uint64_t inferred_completions = 0; // requests that no call in the trace completes for certain
    std::uint64_t unknown_requests = 0;     // waits for requests that no call in the trace has made
    std::uint64_t overlaps = 0;             // calls that start before the one before has ended
    std::uint64_t pinned_wildcards = 0;     // receives whose source or tag was fixed
    std::uint64_t cancelled = 0;
    std::uint64_t renumbered = 0;            // ranks whose communicators say another rank than the file's name
    std::uint64_t guessed_communicators = 0; // handles that fit more than one communicator equally well
};

struct Skipped {
    std::string call;
    std::string why;
    std::uint64_t count = 0;
    std::uint32_t line = 0; // the first one
};

struct RankRecords {
    std::string file;
    std::vector<Record> records;
    std::vector<std::uint32_t> waits;  // slots that wait records name; a wait's are [slot, slot + peer)
    std::vector<std::uint64_t> blocks; // sizes of the v-variants' blocks
    std::vector<CommUse> comms;
    std::vector<CommEvent> events;
    std::uint32_t slots = 0;
    Tally tally;
    std::vector<Skipped> skipped;
};

} // namespace orrery::allprof
