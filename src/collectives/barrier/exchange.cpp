// Barriers in which all ranks do the same: exchanges in growing distances, and rings.
#include "collectives/barrier/barrier.h"
#include "collectives/common.h"

namespace orrery::coll {

// Open MPI, coll_base_barrier.c, double_ring: a token goes round twice.
Steps barrier_double_ring(CollectiveCall call, CollectiveTuning /*tuning*/) {
    if (call.size == 1) co_return;
    const std::uint32_t left = before(call.rank, 1, call.size);
    const std::uint32_t right = after(call.rank, 1, call.size);
    for (int round = 0; round < 2; ++round) {
        if (call.rank > 0) co_yield recv(left, {});
        co_yield send(right, {});
        if (call.rank == 0) co_yield recv(left, {});
    }
}

// Open MPI, coll_base_barrier.c, recursive_doubling; MVAPICH2's pairwise exchange is the same. Ranks beyond the
// largest power of two report to a partner below it and are told by it.
Steps barrier_recursive_doubling(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const std::uint32_t inner = std::bit_floor(call.size);
    if (call.rank >= inner) {
        co_yield sendrecv(call.rank - inner, {}, call.rank - inner, {});
        co_return;
    }
    const bool helps = call.rank + inner < call.size;
    if (helps) co_yield recv(call.rank + inner, {});
    for (std::uint32_t mask = 1; mask < inner; mask *= 2) {
        co_yield sendrecv(call.rank ^ mask, {}, call.rank ^ mask, {});
    }
    if (helps) co_yield send(call.rank + inner, {});
}

// Open MPI calls it bruck, MPICH dissemination (barrier_intra_k_dissemination.c, k = 2 by default): in round i
// to the rank k^i, 2 k^i, ... further on.
Steps barrier_dissemination(CollectiveCall call, CollectiveTuning tuning) {
    const std::uint32_t radix = tuning.fanout < 2 ? 2 : tuning.fanout;
    for (std::uint64_t distance = 1; distance < call.size; distance *= radix) {
        if (radix == 2) {
            const auto step = static_cast<std::uint32_t>(distance);
            co_yield sendrecv(after(call.rank, step, call.size), {}, before(call.rank, step, call.size), {});
            continue;
        }
        for (std::uint64_t i = 1; i < radix && i * distance < call.size; ++i) {
            const auto step = static_cast<std::uint32_t>(i * distance);
            co_yield irecv(before(call.rank, step, call.size), {}, static_cast<std::uint32_t>(2 * i));
            co_yield isend(after(call.rank, step, call.size), {}, static_cast<std::uint32_t>(2 * i + 1));
        }
        co_yield wait_all();
    }
}

// LogGOPSim's generator: a byte each, and a send waits for the receive of the round before and for nothing
// else.
Steps barrier_dissemination_posted(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Piece out = part(first_temporary, 0, 1);
    const Piece in = part(first_temporary + 1, 0, 1);
    std::uint32_t round = 0;
    for (std::uint64_t distance = 1; distance < call.size; distance *= 2, ++round) {
        const auto step = static_cast<std::uint32_t>(distance);
        if (round > 0) co_yield wait(2 * round - 1);
        co_yield after_wait(isend(after(call.rank, step, call.size), out, 2 * round));
        co_yield at_once(irecv(before(call.rank, step, call.size), in, 2 * round + 1));
    }
    co_yield wait_all();
}

// Open MPI, coll_base_barrier.c, two_proc: one exchange. More than two ranks disseminate.
Steps barrier_two_proc(CollectiveCall call, CollectiveTuning tuning) {
    if (call.size != 2) {
        for (Steps all = barrier_dissemination(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    co_yield sendrecv(1 - call.rank, {}, 1 - call.rank, {});
}

} // namespace orrery::coll
