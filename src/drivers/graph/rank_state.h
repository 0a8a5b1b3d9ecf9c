// What the driver keeps per rank: one cache line in the usual case of one CPU and one NIC.
#pragma once

#include "drivers/graph/graph_event.h"
#include "engine/time.h"
#include "protocol/matching.h"
#include "protocol/wait_set.h"

#include <cstdint>
#include <vector>

namespace orrery {

struct RankState {
    Time cpu_free; // these three only with one CPU and one NIC; see GraphDriver::cpu_free
    Time tx_free;
    Time rx_free;
    Time compute;
    Time overhead;
    std::uint32_t block; // the rank's program
    MatchLists::List posted;
    MatchLists::List unexpected;
    std::uint32_t waits : 24;  // 1 + index of its WaitingRoom, 0 if nothing waits there
    std::uint32_t retries : 8; // waiting operations that are in the event queue themselves
    std::uint64_t root_receives;
};
static_assert(sizeof(RankState) == 64);

// The root operations of one kind that have not gone yet: they wait in program order, older than anything else.
struct RootRange {
    std::uint64_t first_number = 0; // that the first of them has drawn
    std::uint32_t first = 0;        // position in the program's list of roots
    std::uint32_t next = 0;         // how many have gone
    std::uint32_t count = 0;

    [[nodiscard]] bool empty() const { return next == count; }
};

// All operations of a rank that wait for the same CPU (and NIC).
struct WaitClass {
    std::uint64_t key = 0; // GraphDriver::class_key
    WaitSet<GraphWaiter> set;
    RootRange roots;
    static constexpr Turn no_wake{~std::uint64_t{0}, 0, 0};
    Turn wake = no_wake; // of the operation whose wake-up is in the event queue

    [[nodiscard]] bool empty() const { return roots.empty() && set.empty(); }
};

struct WaitingRoom {
    std::vector<WaitClass> classes; // few: one per combination of kind, CPU and NIC that ever had to wait

    [[nodiscard]] bool empty() const {
        for (const WaitClass& waiting : classes) {
            if (!waiting.empty()) return false;
        }
        return true;
    }
};

} // namespace orrery
