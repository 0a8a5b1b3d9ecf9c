// What there is in the replay of reference/replay.h, besides fibers.
#pragma once

#include "reference/replay_fiber.h"

#include "collectives/step.h"
#include "engine/ids.h"
#include "engine/time.h"
#include "results/replay_prediction.h"
#include "workload/collective_call.h"
#include "workload/communicators.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace orrery::reference {

// A send, a receive, or something else that can be waited for.
struct PostedRequest {
    enum class Kind : std::uint8_t { send, receive, activity };
    Kind kind = Kind::activity;
    std::uint32_t rank = 0; // whose it is
    std::uint32_t cpu = 0;
    // Its place in the program of its CPU: which collective (0: the rank itself), then the order of posting.
    std::pair<std::uint64_t, std::uint64_t> order;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t context = 0; // communicator, and whether the application or a collective
    std::uint32_t tag = 0;
    Bytes bytes = 0;
    Time posted;
    PostedRequest* partner = nullptr;
    // Of a send.
    bool eager = false;
    bool flows = false;         // its bytes leave with its envelope
    bool fetched = false;       // by the CPU of the receiver
    bool request_there = false; // the first message of a handshake
    bool request_away = false;
    bool envelope_there = false; // perhaps behind another one of the same two ranks
    bool announced = false;      // it could be matched, or was
    bool bytes_there = false;
    bool withdrawn = false;

    bool complete = false;
    Time completed;
    bool forgotten = false; // nobody will wait for it

    [[nodiscard]] bool matches(const PostedRequest& receive) const {
        return context == receive.context && to == receive.rank &&
               (receive.from == any_source || receive.from == from) &&
               (receive.tag == any_tag || receive.tag == tag);
    }
};

// What needs a CPU.
struct CpuOperation {
    Time since;
    bool takes_time = false;
    Fiber* fiber = nullptr;
};
struct CpuMessage {
    Time since; // it and its receive are there
    PostedRequest* request = nullptr;
};
struct RankCpuState {
    std::vector<CpuOperation> operations;
    std::vector<CpuMessage> messages;
    bool occupied = false; // by an operation of a nonblocking collective
    bool taking = false;   // a message
    Time taking_until;
};

// A host on which more ranks run than it has cores. Its clock runs as fast as a computation on it does; each
// ends when that clock shows so.
struct SharedHost {
    struct Computation {
        double ends = 0;
        Fiber* fiber = nullptr;
    };
    std::uint32_t cores = 1;
    double clock = 0; // ticks
    Time read;        // when
    Time next_end = Time::max();
    std::vector<Computation> computations; // in the order in which they began
};

// What leaves a rank at one instant leaves in this order.
enum class LeavingKind : std::uint8_t { clear_to_send, data, eager_data, envelope, one_sided };
struct LeavingMessage {
    std::uint32_t rank = 0;
    std::uint32_t cpu = 0;
    LeavingKind kind = LeavingKind::envelope;
    std::pair<std::uint64_t, std::uint64_t> order;
    PostedRequest* send = nullptr;
    std::function<void()> leaves; // one_sided
};

enum class FlightKind : std::uint8_t { data, request, clear_to_send, one_sided };
struct MessageFlight {
    Time arrives;
    FlightKind kind = FlightKind::data;
    PostedRequest* send = nullptr;
    std::function<void()> lands; // one_sided
};

struct TimedEvent {
    Time time;
    std::function<void()> happens;
};

struct ReplayedCommunicator {
    std::vector<std::uint32_t> members; // ranks of the world
    std::vector<std::uint32_t> nodes;   // where each of them runs
};

// The colour, key and place of each member in a call of comm_split.
struct SplitOffer {
    std::uint32_t colour = 0;
    std::int32_t key = 0;
    std::uint32_t place = 0;
    std::uint32_t rank = 0;
};

struct ReplayedRank {
    std::map<std::uint32_t, PostedRequest*> requests; // by number in the trace; those not waited for
    std::map<std::uint32_t, PostedRequest*> taken;    // messages that a probe has taken
    std::map<std::uint32_t, Membership> communicators;
    Time accounted;
    Time finish;
    CallTimes calls;
};

} // namespace orrery::reference
