#include "collectives/comm_split.h"

#include "collectives/common.h"

namespace orrery {

namespace {

// SimGrid 3.32, smpi_comm.cpp, Comm::split: a linear gather, then a pointer to its group for each rank.
// (SimGrid tells nothing to those without a colour, and waits for the ranks of one colour before it turns to
// the next.)
Steps over_root(CollectiveCall call) {
    constexpr Bytes pointer = 8;
    if (call.rank != 0) {
        co_yield isend(0, coll::whole(send_buffer, call), 0);
        co_yield wait(0);
        co_yield recv(0, coll::part(receive_buffer, 0, pointer));
        co_return;
    }
    for (std::uint32_t peer = 1; peer < call.size; ++peer)
        co_yield irecv(peer, coll::part(receive_buffer, peer * call.bytes, call.bytes), peer);
    co_yield wait_all();
    for (std::uint32_t peer = 1; peer < call.size; ++peer)
        co_yield isend(peer, coll::part(receive_buffer, 0, pointer), peer);
    co_yield wait_all();
}

} // namespace

Steps split_steps(Selector selector, const CollectiveCall& call) {
    const bool allgather =
        selector == Selector::openmpi || selector == Selector::mpich || selector == Selector::loggopsim;
    if (allgather) return {};
    return over_root(call);
}

} // namespace orrery
