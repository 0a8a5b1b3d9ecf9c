#include "mpi_library/inter_algorithms.h"

#include "collectives/barrier/barrier.h"
#include "collectives/bcast/bcast.h"
#include "collectives/common.h"
#include "collectives/gather/gather.h"
#include "collectives/reduce/reduce.h"

#include <algorithm>

namespace orrery::emulate::mpi {

namespace {

using coll::whole;

constexpr std::uint8_t own_sum = first_temporary;       // of the local group
constexpr std::uint8_t other_sum = first_temporary + 1; // of the remote group
constexpr std::uint8_t below = 8;                       // temporaries of algorithms within a group are above

// An algorithm within the local group, on buffers other than those that it has in mind.
Steps within(Steps steps, Side local, std::uint8_t sent, std::uint8_t received) {
    const auto rename = [&](orrery::Piece& piece) {
        piece.buffer = piece.buffer == send_buffer      ? sent
                       : piece.buffer == receive_buffer ? received
                                                        : static_cast<std::uint8_t>(below + piece.buffer);
    };
    while (const Step* const step = steps.next()) {
        Step renamed = *step;
        renamed.peer += local.first;
        renamed.source += local.first;
        rename(renamed.from);
        rename(renamed.to);
        co_yield renamed;
    }
}

// The same collective or another one, from or to the first rank of the local group.
CollectiveCall local_call(const CollectiveCall& call, Collective operation, Side local) {
    CollectiveCall made = call;
    made.operation = operation;
    made.rank = call.rank - local.first;
    made.size = local.size;
    made.root = 0;
    made.send_counts = {};
    made.receive_counts = {};
    return made;
}

Steps bcast_within(CollectiveCall call, Bytes bytes, Side local) {
    CollectiveCall made = local_call(call, Collective::bcast, local);
    made.bytes = bytes;
    return within(coll::bcast_binomial(made, {}), local, send_buffer, receive_buffer);
}

Steps reduce_within(CollectiveCall call, Side local, std::uint8_t result) {
    return within(coll::reduce_binomial_blocking(local_call(call, Collective::reduce, local), {}), local,
                  send_buffer, result);
}

bool leads(const CollectiveCall& call, Side local) { return call.rank == local.first; }

coll::Blocks blocks(const CollectiveCall& call, std::span<const Bytes> counts) {
    return counts.empty() ? coll::Blocks::equal(call.bytes) : coll::Blocks::listed(counts);
}

} // namespace

Steps inter_nothing(CollectiveCall /*call*/, Side /*local*/, Side /*remote*/) { co_return; }

Steps inter_barrier(CollectiveCall call, Side local, Side remote) {
    const CollectiveCall own = local_call(call, Collective::barrier, local);
    for (Steps all = within(coll::barrier_dissemination(own, {}), local, send_buffer, receive_buffer);
         const Step* step = all.next();)
        co_yield *step;
    if (leads(call, local)) co_yield sendrecv(remote.first, {}, remote.first, {});
    for (Steps all = bcast_within(call, 0, local); const Step* step = all.next();) co_yield *step;
}

Steps inter_bcast(CollectiveCall call, Side local, Side remote) {
    if (call.rank == call.root) {
        co_yield send(remote.first, whole(receive_buffer, call));
        co_return;
    }
    if (leads(call, local)) co_yield recv(call.root, whole(receive_buffer, call));
    for (Steps all = bcast_within(call, call.bytes, local); const Step* step = all.next();) co_yield *step;
}

Steps inter_gather(CollectiveCall call, Side /*local*/, Side remote) {
    if (call.rank != call.root) {
        co_yield send(call.root, whole(send_buffer, call));
        co_return;
    }
    const coll::Blocks in = blocks(call, call.receive_counts);
    for (std::uint32_t i = 0; i < remote.size; ++i)
        co_yield irecv(remote.first + i, in.piece(receive_buffer, i), i);
    co_yield wait_all();
}

Steps inter_scatter(CollectiveCall call, Side /*local*/, Side remote) {
    if (call.rank != call.root) {
        co_yield recv(call.root, whole(receive_buffer, call));
        co_return;
    }
    const coll::Blocks out = blocks(call, call.send_counts);
    for (std::uint32_t i = 0; i < remote.size; ++i)
        co_yield isend(remote.first + i, out.piece(send_buffer, i), i);
    co_yield wait_all();
}

// MPICH, allgatherv_inter_remote_gather_local_bcast.c: the first rank of a group gets everything from the other
// one, and passes it on in its own.
Steps inter_allgather(CollectiveCall call, Side local, Side remote) {
    const coll::Blocks in = coll::Blocks::listed(call.receive_counts);
    if (leads(call, local)) {
        for (std::uint32_t i = 0; i < remote.size; ++i)
            co_yield irecv(remote.first + i, in.piece(receive_buffer, i), i);
    }
    co_yield isend(remote.first, whole(send_buffer, call), remote.size);
    co_yield wait_all();
    for (Steps all = bcast_within(call, in.offset(remote.size), local); const Step* step = all.next();)
        co_yield *step;
}

// All at once. Groups may be of different sizes.
Steps inter_alltoall(CollectiveCall call, Side local, Side remote) {
    const coll::Blocks in = blocks(call, call.receive_counts);
    const coll::Blocks out = blocks(call, call.send_counts);
    const std::uint32_t own = call.rank - local.first;
    const auto peer = [&](std::uint32_t i) { return (own + i) % remote.size; }; // not all to the same one
    for (std::uint32_t i = 0; i < remote.size; ++i)
        co_yield irecv(remote.first + peer(i), in.piece(receive_buffer, peer(i)), i);
    for (std::uint32_t i = 0; i < remote.size; ++i)
        co_yield isend(remote.first + peer(i), out.piece(send_buffer, peer(i)), remote.size + i);
    co_yield wait_all();
}

Steps inter_reduce(CollectiveCall call, Side local, Side remote) {
    if (call.rank == call.root) {
        co_yield recv(remote.first, whole(receive_buffer, call));
        co_return;
    }
    for (Steps all = reduce_within(call, local, own_sum); const Step* step = all.next();) co_yield *step;
    if (leads(call, local)) co_yield send(call.root, whole(own_sum, call));
}

// Each group gets the other's.
Steps inter_allreduce(CollectiveCall call, Side local, Side remote) {
    for (Steps all = reduce_within(call, local, own_sum); const Step* step = all.next();) co_yield *step;
    if (leads(call, local)) {
        co_yield sendrecv(remote.first, whole(own_sum, call), remote.first, whole(receive_buffer, call));
    }
    for (Steps all = bcast_within(call, call.bytes, local); const Step* step = all.next();) co_yield *step;
}

Steps inter_reduce_scatter(CollectiveCall call, Side local, Side remote) {
    for (Steps all = reduce_within(call, local, own_sum); const Step* step = all.next();) co_yield *step;
    if (leads(call, local)) {
        co_yield sendrecv(remote.first, whole(own_sum, call), remote.first, whole(other_sum, call));
    }
    CollectiveCall scatter = local_call(call, Collective::scatterv, local);
    scatter.send_counts = call.receive_counts;
    scatter.bytes = call.receive_counts[scatter.rank];
    for (Steps all = within(coll::scatter_linear(scatter, {}), local, other_sum, receive_buffer);
         const Step* step = all.next();)
        co_yield *step;
}

} // namespace orrery::emulate::mpi
