// Barriers with one rank in the middle: linear, and trees up and down.
#include "collectives/barrier/barrier.h"
#include "collectives/common.h"

namespace orrery::coll {

// Open MPI, coll_base_barrier.c, basic_linear: everybody reports to rank 0, which then tells everybody.
Steps barrier_linear(CollectiveCall call, CollectiveTuning /*tuning*/) {
    if (call.rank != 0) {
        co_yield send(0, {});
        co_yield recv(0, {});
        co_return;
    }
    for (std::uint32_t i = 1; i < call.size; ++i) co_yield irecv(i, {}, i);
    co_yield wait_all();
    for (std::uint32_t i = 1; i < call.size; ++i) co_yield isend(i, {}, i);
    co_yield wait_all();
}

// SimGrid, smpi_nbc_impl.cpp, ibarrier: the same messages, but rank 0 does not wait for the reports before it
// answers. It is no barrier for the others; kept because SimGrid's nonblocking barrier is timed so.
Steps barrier_linear_nonblocking(CollectiveCall call, CollectiveTuning /*tuning*/) {
    if (call.rank != 0) {
        co_yield isend(0, {}, 0);
        co_yield irecv(0, {}, 1);
    } else {
        for (std::uint32_t i = 1; i < call.size; ++i) {
            co_yield irecv(i, {}, 2 * i);
            co_yield isend(i, {}, 2 * i + 1);
        }
    }
    co_yield wait_all();
}

// Open MPI, coll_base_barrier.c, tree: up and down a binomial tree.
Steps barrier_tree(CollectiveCall call, CollectiveTuning /*tuning*/) {
    std::uint32_t jump = 1;
    for (; jump < call.size; jump *= 2) {
        if ((call.rank & (jump - 1)) != 0) continue; // has reported before
        const std::uint32_t partner = call.rank ^ jump;
        if (partner >= call.size) continue;
        if (partner > call.rank) {
            co_yield recv(partner, {});
        } else {
            co_yield send(partner, {});
        }
    }
    for (jump /= 2; jump > 0; jump /= 2) {
        if ((call.rank & (jump - 1)) != 0) continue;
        const std::uint32_t partner = call.rank ^ jump;
        if (partner >= call.size) continue;
        if (partner > call.rank) {
            co_yield send(partner, {});
        } else {
            co_yield recv(partner, {});
        }
    }
}

// Hensgen, Finkel, Manber 1988: in each round the lower of two ranks wins and goes on; the champion, rank 0,
// wakes its losers in the opposite order. Unlike the tree, the winner meets all it beats before the losers are
// told, and the news goes out to all losers at once.
Steps barrier_tournament(CollectiveCall call, CollectiveTuning /*tuning*/) {
    std::uint32_t round = 1;
    for (; round < call.size && (call.rank & round) == 0; round *= 2) {
        if (call.rank + round < call.size) co_yield recv(call.rank + round, {});
    }
    if (call.rank != 0) {
        co_yield send(call.rank ^ round, {}); // lost to this one
        co_yield recv(call.rank ^ round, {});
    }
    for (round /= 2; round > 0; round /= 2) {
        if (call.rank + round < call.size) co_yield isend(call.rank + round, {}, round);
    }
    co_yield wait_all();
}

} // namespace orrery::coll
