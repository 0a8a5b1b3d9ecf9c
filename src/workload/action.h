// What one rank of a traced program does next: the vocabulary of time-independent traces.
//
// A trace gives volumes, not times: instructions, bytes. Readers turn whatever they read into Actions; the
// replayer (drivers/trace/) carries them out, in order, on each rank.
#pragma once

#include "collectives/call.h"
#include "engine/ids.h"
#include "workload/op.h"
#include "workload/window_call.h"

#include <cstdint>
#include <span>
#include <string>

namespace orrery {

enum class ActionKind : std::uint8_t {
    compute, // `volume` instructions (or flops)
    sleep,   // `volume` seconds; `other` says how (Pause)
    send,    // `bytes` to `peer` with `tag`, blocking
    ssend,   // the same, done only once the receiver has it
    isend,   // the same as send and ssend, going on at once; `request` is a number to wait for
    issend,
    recv,      // from `peer` (or any_source) with `tag` (or any_tag), blocking
    irecv,     // `other`, if not 0: the message that a probe has taken under that number
    sendrecv,  // `bytes` to `peer`, `more_bytes` from `other`, with `tag`
    probe,     // until a message from `peer` with `tag` is there; `other`, if not 0: it is taken out under that
               // number, for a receive to come
    wait,      // for `request`; nothing happens if it was found done before
    wait_all,  // for the requests in counts(), or for all of this rank if there are none
    wait_any,  // for one of them
    wait_some, // for one, then takes all that are done
    test,      // looks at `request` once; frees it if it is done
    collective,  // `collective`, with `peer` as root
    comm_split,  // of `comm`, by colour `peer` (any_source: not a member) and key `other`; the new one is
                 // `request`
    comm_dup,    // of `comm`; the new one is `request`
    comm_create, // the new one is `request`, its members (ranks of the world) are in counts()
    comm_free,
    forget,     // nobody will wait for `request`: a buffered send, or one whose request was freed
    neighbours, // of this rank in `comm`: counts() has its sources, `peer` in number, then its destinations
    one_sided,  // in the window of `comm`: `bytes` to the memory of `peer`, `more_bytes` back from there; if
                // `nonblocking`, `request` is a number to wait for
    window, // what opens or closes the window of `comm` for access: the WindowCall in `other`, its target in
            // `peer`, its flags in `tag`; start and post: ranks in counts()
    cancel, // `request`, a send that nobody has received is withdrawn; nobody will wait for it
    aside,  // steps of an algorithm in `comm` (counts(), see workload/listed_steps.h) that run beside the
            // rank; `request` is a number to wait for
    await,  // until one of the requests in counts() is done, which is left to be waited for
};
inline constexpr std::size_t action_kinds = static_cast<std::size_t>(ActionKind::await) + 1;

// What a rank does while it sleeps. Emulated programs ask for messages in loops; a replay does the same then.
enum class Pause : std::uint8_t {
    outside,    // nothing that has to do with MPI
    in_call,    // waits in a call, and takes what comes meanwhile as any such call does
    timed_wait, // until a message is sent to it, but no longer than `bytes` picoseconds; it took `volume`
    probe,      // a test or probe that found nothing: it costs what the machine says, here `volume`
    found,      // one that found something
};
inline constexpr std::size_t pauses = static_cast<std::size_t>(Pause::found) + 1;

inline constexpr std::uint32_t world = 0;     // the communicator of all ranks
inline constexpr Bytes any_bytes = ~Bytes{0}; // of a receive: as many as the message has

struct Action {
    ActionKind kind = ActionKind::compute;
    Collective collective = Collective::barrier;
    bool nonblocking = false; // collective, one_sided: goes on at once, `request` is a number to wait for
    bool commutative = true;
    std::uint32_t comm = world;
    std::uint32_t peer = 0; // rank in `comm`
    std::uint32_t other = 0;
    std::uint32_t tag = 0;
    std::uint32_t request = 0;
    std::uint32_t element = 1;     // bytes per element of a reduction
    Bytes bytes = 0;               // sent or received; of a collective: CollectiveCall::bytes
    Bytes more_bytes = 0;          // sendrecv: received; one_sided: back
    double volume = 0;             // compute, sleep; of a collective: computed after it
    std::uint32_t first_count = 0; // of its counts, see ActionSource::counts
    std::uint32_t counts = 0;      // how many there are: send counts first, then receive counts
    std::uint64_t line = 0;        // where it stands in its file, for messages; 0: unknown
};

// Whether `request` is the number of one that it makes.
constexpr bool makes_request(const Action& action) {
    switch (action.kind) {
    case ActionKind::isend:
    case ActionKind::issend:
    case ActionKind::irecv:
    case ActionKind::aside: return true;
    case ActionKind::collective:
    case ActionKind::one_sided: return action.nonblocking;
    default: return false;
    }
}

// The bytes that a rank hands over in it, collectives apart.
constexpr Bytes sent_bytes(const Action& action) {
    switch (action.kind) {
    case ActionKind::send:
    case ActionKind::ssend:
    case ActionKind::isend:
    case ActionKind::issend:
    case ActionKind::sendrecv: return action.bytes;
    case ActionKind::one_sided: return action.bytes + action.more_bytes;
    default: return 0;
    }
}

constexpr bool is_fence(const Action& action) {
    return action.kind == ActionKind::window && action.other == static_cast<std::uint32_t>(WindowCall::fence);
}

// The actions of all ranks. A reader behind it holds a bounded window per rank, whatever the length of the
// trace.
class ActionSource {
  public:
    virtual ~ActionSource() = default;
    [[nodiscard]] virtual std::uint32_t ranks() const = 0;
    // The next few actions of a rank, in order; empty at its end. Valid until the next call for the same rank.
    virtual std::span<const Action> next(RankId rank) = 0;
    // The counts of an action of the rank's current window: bytes, or request numbers, or members.
    [[nodiscard]] virtual std::span<const Bytes> counts(RankId rank, const Action& action) const = 0;
    // The file that the rank's actions come from, for messages.
    [[nodiscard]] virtual std::string file(RankId rank) const = 0;
};

} // namespace orrery
