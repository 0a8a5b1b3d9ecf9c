// One collective call as one rank sees it: all that an algorithm and a selector may depend on.
#pragma once

#include "engine/ids.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace orrery {

enum class Collective : std::uint8_t {
    barrier,
    bcast,
    gather,
    gatherv,
    scatter,
    scatterv,
    allgather,
    allgatherv,
    alltoall,
    alltoallv,
    alltoallw,
    reduce,
    allreduce,
    reduce_scatter,
    reduce_scatter_block,
    scan,
    exscan,
    neighbor_allgather,
    neighbor_allgatherv,
    neighbor_alltoall,
    neighbor_alltoallv,
    neighbor_alltoallw,
};
inline constexpr std::size_t collective_count = 22;

std::string_view name_of(Collective operation); // "allreduce"
bool has_root(Collective operation);            // bcast, reduce, gather(v), scatter(v)

struct CollectiveCall {
    Collective operation = Collective::barrier;
    std::uint32_t rank = 0; // in the communicator
    std::uint32_t size = 1;
    std::uint32_t root = 0;
    // bcast, reduce, allreduce, scan, exscan: all the data. gather, allgather: what this rank gives. scatter:
    // what each rank gets. alltoall, neighbour collectives, reduce_scatter_block: one block.
    Bytes bytes = 0;
    Bytes element = 1;       // bytes of one element: reductions are cut between elements only
    bool commutative = true; // the reduction
    bool in_place = false;
    // Of an emulated program, where it counts alike on all ranks: what is combined, and how. 0: not known, or
    // not to be compared.
    std::uint16_t reduction = 0; // the operation
    std::uint8_t basic = 0;      // the basic type
    bool same_bytes = false;     // `bytes` are the same on all ranks
    // v- and w-variants, in bytes, one per rank (or neighbour): gatherv, allgatherv, reduce_scatter:
    // `receive_counts`; scatterv: `send_counts`; alltoallv, alltoallw: both. On ranks where MPI ignores an
    // argument it may be empty (then `bytes` holds what this rank gives or gets).
    std::span<const Bytes> send_counts;
    std::span<const Bytes> receive_counts;
    // Neighbourhood collectives: ranks in the communicator.
    std::span<const std::uint32_t> sources;
    std::span<const std::uint32_t> destinations;
    // Which node each rank of the communicator runs on, for algorithms that care; empty: each on its own.
    std::span<const std::uint32_t> node_of;
};

// Elements of `bytes`.
inline Bytes count_of(const CollectiveCall& call) {
    return call.element > 1 ? call.bytes / call.element : call.bytes;
}

// Filled by whoever selects the algorithm; 0: the algorithm's own default, or not segmented.
struct CollectiveTuning {
    Bytes segment = 0;
    std::uint32_t fanout = 0; // of trees and rings: children, chains or radix

    bool operator==(const CollectiveTuning&) const = default;
};

} // namespace orrery
