// What happened in a run, activity by activity: made only when somebody asked for a timeline or the critical
// path. Everything drawn or explained afterwards is computed from this log alone.
#pragma once

#include "engine/time.h"

#include <cstdint>
#include <vector>

namespace orrery {

// What a CPU (and, for messages, a NIC) was busy with.
enum class ActivityKind : std::uint8_t {
    calc, // a computation
    send, // the sender's overhead for a message; its NIC is busy until port_end
    recv, // the receiver's overhead for a message; its NIC is busy until port_end
    post, // a receive was posted: takes no time (start == end), but others may depend on it
};

// Why an activity started when it did and not earlier: what happened at exactly its start.
enum class Cause : std::uint8_t {
    none,    // nothing: it could start at time 0
    end,     // `cause` ended: a dependency (requires), or the CPU it occupied became free
    start,   // `cause` started: a dependency on the start of an operation (irequires)
    port,    // the NIC was occupied by `cause` until its port_end
    arrival, // the message that the send activity `cause` injected arrived: its start + o + L
    partner, // a rendezvous: the receiver started to receive (activity `cause`), which released the sender
};

inline constexpr std::uint32_t no_activity = 0xFFFF'FFFF;

struct Activity {
    Time start;
    Time end;               // the CPU is occupied in [start, end); includes `noise`
    Time port_end;          // send, recv: the NIC is occupied in [start, port_end)
    Time noise;             // part of [start, end) that went to OS noise
    std::uint64_t size = 0; // send, recv: bytes; calc: picoseconds
    std::uint32_t rank = 0;
    std::uint32_t op = 0; // index of the operation in its rank's program; of the matched receive for recv
    std::uint32_t cpu = 0;
    std::uint32_t nic = 0;
    std::uint32_t peer = 0; // send: destination; recv, post: source
    std::uint32_t tag = 0;
    std::uint32_t partner = no_activity; // recv: the send activity of the same message, and the other way round
    std::uint32_t cause = no_activity;   // an earlier entry of the log
    Cause how = Cause::none;
    ActivityKind kind = ActivityKind::calc;
    bool control = false; // a rendezvous control message (RTS, CTS): pays o, L and g, no per-byte cost
    bool waited = false;  // recv: it was taken before its receive was posted
};

struct Recording {
    std::uint32_t ranks = 0;
    std::vector<Activity> activities; // in the order of the simulation: `start` never decreases
    std::vector<Time> finish;         // finish time of each rank
    // For each rank, the activity and the way in which it made that rank's finish time (Cause::end: its end;
    // Cause::partner: its start), so that the critical path can be walked back from any rank.
    std::vector<std::uint32_t> last;
    std::vector<Cause> last_how;
};

} // namespace orrery
