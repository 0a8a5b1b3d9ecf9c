// Broadcasts with the segment sizes that SimGrid gives them (it has no other way to say them).
#include "collectives/bcast/as_in_simgrid.h"

#include "collectives/bcast/bcast.h"
#include "collectives/common.h"
#include "collectives/two_level.h"

namespace orrery::coll {

// SimGrid, bcast-ompi-pipeline.cpp: from the lines of Open MPI's decision; 128 KiB if none of them holds.
Steps simgrid_bcast_pipeline(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const auto bytes = static_cast<double>(call.bytes);
    Bytes segment = Bytes{128} * 1024;
    if (call.size < 1.6134e-6 * bytes + 2.1102) {
        segment = Bytes{128} * 1024;
    } else if (call.size < 2.3679e-6 * bytes + 1.1787) {
        segment = Bytes{64} * 1024;
    } else if (call.size < 3.2118e-6 * bytes + 8.7936) {
        segment = Bytes{16} * 1024;
    }
    return bcast_pipeline(call, {segment, 0});
}

// SimGrid, bcast-ompi-split-bintree.cpp: 1 KiB, 8 KiB for long messages. For short ones SimGrid goes over to
// SMP_linear.
Steps simgrid_bcast_split_binary(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return bcast_split_binary(call, {Bytes{call.bytes < 370728 ? 1024U : 8192U}, 0});
}

// SimGrid, bcast-mvapich-smp.cpp, mvapich2_knomial_intra_node: a 4-nomial tree; the children of one level at
// once, then those of the next.
Steps simgrid_bcast_knomial(CollectiveCall call, CollectiveTuning tuning) {
    const std::uint64_t radix = tuning.fanout < 2 ? 4 : tuning.fanout;
    const Piece all = whole(receive_buffer, call);
    const std::uint64_t relative = from_root(call);
    std::uint64_t mask = 1;
    for (; mask < call.size; mask *= radix) {
        if (relative % (radix * mask) == 0) continue;
        co_yield recv(actual(call, static_cast<std::uint32_t>(relative / (radix * mask) * (radix * mask))),
                      all);
        break;
    }
    for (mask /= radix; mask > 0; mask /= radix) {
        for (std::uint64_t i = 1; i < radix && relative + i * mask < call.size; ++i) {
            co_yield isend(actual(call, static_cast<std::uint32_t>(relative + i * mask)), all,
                           static_cast<std::uint32_t>(i));
        }
        co_yield wait_all();
    }
}

// SimGrid, bcast-SMP-binomial.cpp: to rank 0, from there down a binomial tree of nodes and one within each
// node. It takes the ranks of a node to be consecutive, whatever they are; nodes of different sizes: plain
// binomial.
Steps simgrid_bcast_smp_binomial(CollectiveCall call, CollectiveTuning tuning) {
    if (!nodes_uniform(call)) {
        for (Steps all = bcast_binomial_blocking(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    const std::uint32_t cores = ranks_per_node(call);
    const Piece all = whole(receive_buffer, call);
    if (call.root != 0) {
        if (call.rank == call.root) co_yield send(0, all);
        if (call.rank == 0) co_yield recv(call.root, all);
    }
    const std::uint32_t base = call.rank / cores * cores;
    if (call.rank == base) {
        const Tree tree = k_nomial_tree(call.rank / cores, call.size / cores, 0, 2);
        if (tree.has_parent) co_yield recv(tree.parent * cores, all);
        for (const std::uint32_t child : tree.children()) co_yield send(child * cores, all);
    }
    const Tree tree = k_nomial_tree(call.rank - base, cores, 0, 2);
    if (tree.has_parent) co_yield recv(base + tree.parent, all);
    for (const std::uint32_t child : tree.children()) co_yield send(base + child, all);
}

} // namespace orrery::coll
