// What the simulation of a Dimemas trace consists of: threads, processors, transfers, links, collectives.
#pragma once

#include "formats/dimemas/dim_file.h"
#include "results/replay_prediction.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace orrery::dimemas {

inline constexpr std::uint32_t nobody = 0xFFFF'FFFF;

// A thread of a task. What it does next is `work` on a processor (a burst, a latency, or none at all), then
// `record`.
struct Thread {
    DimCursor cursor;
    DimRecord record;
    std::uint64_t record_at = 0; // in the file
    std::uint32_t task = 0;
    std::uint32_t node = 0;
    std::uint32_t next_ready = nobody;
    bool has_work = false;
    bool has_record = false;
    bool in_burst = false;
    bool paying_latency = false;
    bool latency_paid = false;
    bool started = false;
    bool finished = false;
    Time work;
    Time burst;  // of the burst it is in
    Time since;  // its present action began
    Time finish; // of all
    CallTimes times;
    std::uint32_t collectives_waited_for = 0; // nonblocking ones
    std::uint32_t collectives_done = 0;
    std::vector<std::uint32_t> modules;                              // it is in, the innermost last
    std::vector<std::pair<std::uint32_t, std::uint32_t>> unblocking; // nonblocking collectives so far, by comm.
};

// A node's processors: who is ready and waits for one.
struct Processors {
    std::uint32_t free = 0;
    std::uint32_t first_ready = nobody;
    std::uint32_t last_ready = nobody;
    bool touched = false;
};

// Transfers that wait for the same thing, in order.
struct WaitingLine {
    std::uint32_t first = nobody;
    std::uint32_t last = nobody;
    std::uint32_t count = 0;
};

// What links or buses have carried.
struct Carried {
    double bytes = 0;
    double ticks = 0; // so long, all of them together
    void add(Bytes more, Time time) {
        bytes += static_cast<double>(more);
        ticks += static_cast<double>(time.ticks());
    }
};

// Links into and out of a node, a task, a cluster or a dedicated connection. Half duplex ones are counted once,
// in free_out.
struct LinkSet {
    bool endless = false;
    bool half_duplex = false;
    std::uint32_t free_out = 0;
    std::uint32_t free_in = 0;
    WaitingLine for_out;
    WaitingLine for_in;
    std::vector<std::uint32_t> holders; // of output links, in the order in which they got them
    Carried out;
    Carried in;
};

// Buses of a cluster or of a node's memory.
struct BusSet {
    std::uint32_t buses = 0; // 0: endless
    std::uint32_t taken = 0;
    WaitingLine waiting;
    Carried carried;
};

enum class Route : std::uint8_t { memory, network, wide_area, dedicated };
enum class Purpose : std::uint8_t { message, reduction, collective };

// Something that takes links and buses: a message, a leaf of MPI_Reduce, or a collective that claims the buses
// of one cluster.
struct Transfer {
    Purpose purpose = Purpose::message;
    Route route = Route::memory;
    bool has_out = false;
    bool has_in = false;
    bool waits_for_in = false;
    bool sender_waits = false; // until its receive is reached
    std::uint32_t thread = 0;  // who sends; of a collective: who claims for its cluster
    std::uint32_t to_task = 0;
    std::uint32_t connection = 0;
    std::uint32_t collective = 0; // of a claim
    std::uint32_t buses = 0;      // of a claim: how many it holds while it waits for more
    std::uint32_t before = nobody;
    std::uint32_t behind = nobody;
    Bytes bytes = 0;
    std::int64_t tag = 0;
    std::int64_t communicator = 0;
    std::uint32_t mailbox_to = 0;
    std::uint32_t mailbox_from = 0;
};

// One collective operation: those of its threads that have come, in order.
struct CollectiveOp {
    std::uint32_t communicator = 0;
    bool blocking = true;
    bool begun = false;          // all have come
    std::uint32_t root = nobody; // thread
    DimRecord root_record;
    std::vector<std::uint32_t> threads;
    std::vector<std::uint32_t> claims; // of clusters, in their order
    std::uint32_t claims_with_out = 0;
    double came = 0; // when its threads came, in ticks, all together
};

struct CommunicatorState {
    std::int64_t id = 0;
    std::uint32_t size = 0;
    std::vector<std::uint32_t> tasks; // sorted
    bool one_cluster = true;
    bool one_node = true;
    bool shares_nodes = false;
    std::uint32_t blocking = nobody; // collective
    // Thread: who came last to a blocking collective or an MPI_Reduce as its root, until a blocking one ends. A
    // collective that names no root so takes that of the MPI_Reduce before it, as in Dimemas.
    std::uint32_t root = nobody;
    // Arrivals by node, of all its collectives together, until one ends: as Dimemas counts them.
    std::map<std::uint32_t, std::uint32_t> tasks_of_node;
    std::map<std::uint32_t, std::uint32_t> nonblocking; // collective by number
    struct Reduction {
        explicit Reduction(std::uint32_t task) : root_task(task) {}
        std::uint32_t root_task;     // as the first to come says
        std::uint32_t root = nobody; // its thread, once it has come
        std::uint32_t arrived = 0;
    };
    std::map<std::uint32_t, Reduction> reductions; // by number
};

} // namespace orrery::dimemas
