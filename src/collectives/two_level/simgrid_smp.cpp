// SimGrid's algorithms for nodes from STAR-MPI. They take the ranks of a node to follow one another, and each
// rank to be alone if the nodes have different numbers of ranks.
#include "collectives/allgather/allgather.h"
#include "collectives/allreduce/allreduce.h"
#include "collectives/bcast/bcast.h"
#include "collectives/common.h"
#include "collectives/reduce/reduce.h"
#include "collectives/two_level.h"
#include "collectives/two_level/as_in_simgrid.h"
#include "collectives/two_level/group.h"

#include <utility>

namespace orrery::coll {

namespace {

// This rank's place, its node's place and the numbers of both.
struct Place {
    explicit Place(const CollectiveCall& call)
        : cores(ranks_per_node(call)), nodes(call.size / cores), core(call.rank % cores),
          node(call.rank / cores), base(node * cores) {}

    std::uint32_t cores; // divides the number of ranks: the nodes are uniform
    std::uint32_t nodes;
    std::uint32_t core;
    std::uint32_t node;
    std::uint32_t base; // the first rank of this node
};

Step on_node(Step step, const Place& place) {
    step.peer += place.base;
    step.source += place.base;
    return step;
}

Step among_nodes(Step step, const Place& place) {
    step.peer *= place.cores;
    step.source *= place.cores;
    return step;
}

using Run = Steps (*)(CollectiveCall, CollectiveTuning);

// Binomial reduction on the node, an allreduce among the leaders, binomial broadcast on the node.
Steps smp_allreduce(CollectiveCall call, CollectiveTuning tuning, Run among) {
    if (!call.commutative) {
        for (Steps all = allreduce_recursive_doubling(call, tuning); const Step* step = all.next();)
            co_yield *step;
        co_return;
    }
    const Place place(call);
    if (!call.in_place) co_yield copy(whole(send_buffer, call), whole(receive_buffer, call));
    call.in_place = true;
    for (Steps level =
             reduce_binomial_blocking(within(call, Collective::reduce, place.core, place.cores, 0), tuning);
         const Step* step = level.next();) {
        co_yield on_node(*step, place);
    }
    if (place.core == 0) {
        for (Steps level = among(within(call, Collective::allreduce, place.node, place.nodes, 0), tuning);
             const Step* step = level.next();) {
            co_yield among_nodes(*step, place);
        }
    }
    for (Steps level =
             bcast_binomial_blocking(within(call, Collective::bcast, place.core, place.cores, 0), tuning);
         const Step* step = level.next();) {
        co_yield on_node(*step, place);
    }
}

Steps binomial_allreduce(CollectiveCall call, CollectiveTuning tuning) {
    for (Steps up = reduce_binomial_blocking(call, tuning); const Step* step = up.next();) co_yield *step;
    for (Steps down = bcast_binomial_blocking(call, tuning); const Step* step = down.next();) co_yield *step;
}

// Everybody on the node gets the node's blocks, in steps i = 1, 2, ... to the rank i further on.
Steps spread_on_node(CollectiveCall call, Place place) {
    const Piece own = own_block(call, gathered_blocks(call));
    const Blocks blocks = Blocks::equal(call.bytes);
    if (!call.in_place) co_yield copy(own, blocks.piece(receive_buffer, call.rank));
    for (std::uint32_t i = 1; i < place.cores; ++i) {
        const std::uint32_t source = place.base + before(place.core, i, place.cores);
        co_yield sendrecv(place.base + after(place.core, i, place.cores), own, source,
                          blocks.piece(receive_buffer, source));
    }
}

} // namespace

// SimGrid, allreduce-smp-binomial.cpp
Steps simgrid_smp_binomial_allreduce(CollectiveCall call, CollectiveTuning tuning) {
    return smp_allreduce(call, tuning, binomial_allreduce);
}
// SimGrid, allreduce-smp-rdb.cpp
Steps simgrid_smp_doubling_allreduce(CollectiveCall call, CollectiveTuning tuning) {
    return smp_allreduce(call, tuning, allreduce_recursive_doubling);
}
// SimGrid, allreduce-smp-rsag-lr.cpp; allreduce-smp-rsag.cpp is the same but forgets what does not divide.
Steps simgrid_smp_ring_allreduce(CollectiveCall call, CollectiveTuning tuning) {
    return smp_allreduce(call, tuning, allreduce_exchange_ring);
}
// SimGrid, allreduce-smp-rsag-rab.cpp, which forgets what does not divide, too.
Steps simgrid_smp_halving_allreduce(CollectiveCall call, CollectiveTuning tuning) {
    return smp_allreduce(call, tuning, allreduce_scatter_allgather_last_longer);
}

// SimGrid, allgather-smp-simple.cpp: the node, then the leaders all at once, then everything to each on the
// node.
Steps simgrid_smp_simple_allgather(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Place place(call);
    const Blocks blocks = Blocks::equal(call.bytes);
    for (Steps level = spread_on_node(call, place); const Step* step = level.next();) co_yield *step;
    const Piece everything = blocks.piece(receive_buffer, 0, call.size);
    if (place.core != 0) {
        co_yield recv(place.base, everything);
        co_return;
    }
    for (std::uint32_t i = 1; i < place.nodes; ++i) {
        const std::uint32_t source = before(place.node, i, place.nodes) * place.cores;
        co_yield irecv(source, blocks.piece(receive_buffer, source, place.cores), 2 * i);
    }
    for (std::uint32_t i = 1; i < place.nodes; ++i) {
        const std::uint32_t target = after(place.node, i, place.nodes) * place.cores;
        co_yield isend(target, blocks.piece(receive_buffer, place.base, place.cores), 2 * i + 1);
    }
    co_yield wait_all();
    for (std::uint32_t i = 1; i < place.cores; ++i) co_yield send(place.base + i, everything);
}

// SimGrid, allgather-SMP-NTS.cpp: the node, then a ring of leaders; what comes in goes down the chain of the
// node's ranks.
Steps simgrid_smp_chain_allgather(CollectiveCall call, CollectiveTuning tuning) {
    const Place place(call);
    if (place.nodes <= 1) {
        for (Steps all = allgather_linear(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    const Blocks nodes = Blocks::equal(place.cores * call.bytes); // in the receive buffer
    for (Steps level = spread_on_node(call, place); const Step* step = level.next();) co_yield *step;
    const auto from_node = [&](std::uint32_t i) {
        return nodes.piece(receive_buffer, before(place.node, i, place.nodes));
    };
    if (place.core != 0) {
        for (std::uint32_t i = 1; i < place.nodes; ++i) {
            co_yield recv(call.rank - 1, from_node(i));
            if (place.core + 1 < place.cores) co_yield send(call.rank + 1, from_node(i));
        }
        co_return;
    }
    const std::uint32_t left = before(place.node, 1, place.nodes) * place.cores;
    const std::uint32_t right = after(place.node, 1, place.nodes) * place.cores;
    for (std::uint32_t i = 1; i < place.nodes; ++i) co_yield irecv(left, from_node(i), i);
    co_yield isend(right, from_node(0), place.nodes);
    for (std::uint32_t i = 1; i < place.nodes; ++i) {
        co_yield wait(i);
        if (i + 1 < place.nodes) co_yield isend(right, from_node(i), place.nodes + i);
        if (place.cores > 1) co_yield send(call.rank + 1, from_node(i));
    }
    co_yield wait_all();
}

// SimGrid, allgather-loosely-lr.cpp: each core has a ring of its own through the nodes; what has come in is
// told on the node while the next is under way.
Steps simgrid_loose_ring_allgather(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Place place(call);
    const Blocks blocks = Blocks::equal(call.bytes);
    const auto block = [&](std::uint32_t node, std::uint32_t core) {
        return blocks.piece(receive_buffer, node * place.cores + core);
    };
    if (!call.in_place) co_yield copy(own_block(call, blocks), blocks.piece(receive_buffer, call.rank));
    const std::uint32_t next = after(call.rank, place.cores, call.size);
    const std::uint32_t last = before(call.rank, place.cores, call.size);
    std::uint32_t request = 1; // 0 is the receive along the ring
    for (std::uint32_t i = 0; i < place.nodes; ++i) {
        const std::uint32_t held = before(place.node, i, place.nodes);
        const bool goes_on = i + 1 < place.nodes;
        for (std::uint32_t core = 0; core < place.cores; ++core) {
            if (core == place.core) {
                if (!goes_on) continue;
                co_yield irecv(last, block(before(held, 1, place.nodes), place.core), 0);
                co_yield isend(next, block(held, place.core), request++);
            } else {
                co_yield irecv(place.base + core, block(held, core), request++);
                co_yield isend(place.base + core, block(held, place.core), request++);
            }
        }
        if (goes_on) co_yield wait(0);
    }
    co_yield wait_all();
}

// SimGrid, smpi_comm.cpp, Comm::init_smp: who leads, how large the nodes are, whether their ranks follow one
// another.
Steps simgrid_node_setup(CollectiveCall call) {
    constexpr std::uint8_t scratch = 96;
    const Nodes nodes(call);
    CollectiveCall word = call;
    word.bytes = word.element = sizeof(std::int32_t);
    word.in_place = true;
    word.commutative = true;
    const auto locals = static_cast<std::uint32_t>(nodes.members.size());
    const auto leaders = static_cast<std::uint32_t>(nodes.leaders.size());
    for (Steps all = allgather_spread(within(word, Collective::allgather, call.rank, call.size, 0), {});
         const Step* step = all.next();) {
        co_yield outside(*step, {}, scratch);
    }
    if (nodes.is_leader()) {
        for (Steps all = allgather_spread(within(word, Collective::allgather, nodes.node, leaders, 0), {});
             const Step* step = all.next();) {
            co_yield outside(*step, nodes.leaders, scratch);
        }
    }
    for (Steps all = bcast_scatter_ring_bytes(within(word, Collective::bcast, nodes.local, locals, 0), {});
         const Step* step = all.next();) {
        co_yield outside(*step, nodes.members, scratch);
    }
    for (Steps all = allreduce_reduce_bcast(within(word, Collective::allreduce, call.rank, call.size, 0), {});
         const Step* step = all.next();) {
        co_yield outside(*step, {}, scratch);
    }
}

} // namespace orrery::coll
