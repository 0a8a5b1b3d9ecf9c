// Allgathers along the rows and columns of a mesh of ranks (STAR-MPI, SimGrid: allgather-2dmesh.cpp,
// -3dmesh.cpp), and by a gather and a broadcast.
#include "collectives/allgather/allgather.h"
#include "collectives/bcast/bcast.h"
#include "collectives/common.h"
#include "collectives/gather/gather.h"
#include "collectives/mesh.h"

namespace orrery::coll {

bool is_mesh_2d(const CollectiveCall& call) { return mesh_2d(call.size).has_value(); }
bool is_mesh_3d(const CollectiveCall& call) { return mesh_3d(call.size).has_value(); }

// Each row gathers, then each column gathers rows.
Steps allgather_mesh_2d(CollectiveCall call, CollectiveTuning tuning) {
    const std::optional<Mesh> mesh = mesh_2d(call.size);
    if (!mesh) {
        for (Steps all = allgather_by_ring(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    const Blocks blocks = gathered_blocks(call);
    const Piece own = own_block(call, blocks);
    if (!call.in_place) co_yield copy(own, blocks.piece(receive_buffer, call.rank));
    const std::uint32_t row = call.rank / mesh->x * mesh->x; // the first rank of this one's row
    const std::uint32_t column = call.rank % mesh->x;
    for (std::uint32_t peer = row; peer < row + mesh->x; ++peer) {
        if (peer != call.rank) co_yield irecv(peer, blocks.piece(receive_buffer, peer), peer);
    }
    for (std::uint32_t peer = row; peer < row + mesh->x; ++peer) {
        if (peer != call.rank) co_yield send(peer, own);
    }
    co_yield wait_all();
    for (std::uint32_t peer = column; peer < call.size; peer += mesh->x) {
        if (peer != call.rank) co_yield irecv(peer, blocks.piece(receive_buffer, peer - column, mesh->x), peer);
    }
    for (std::uint32_t peer = column; peer < call.size; peer += mesh->x) {
        if (peer != call.rank) co_yield send(peer, blocks.piece(receive_buffer, row, mesh->x));
    }
    co_yield wait_all();
}

// Rows, then columns of a plane, then the planes; a plane is square.
Steps allgather_mesh_3d(CollectiveCall call, CollectiveTuning tuning) {
    const std::optional<Mesh> mesh = mesh_3d(call.size);
    if (!mesh) {
        for (Steps all = allgather_by_ring(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    const Blocks blocks = gathered_blocks(call);
    const Piece own = own_block(call, blocks);
    if (!call.in_place) co_yield copy(own, blocks.piece(receive_buffer, call.rank));
    const std::uint32_t side = mesh->x;
    const std::uint32_t plane_size = side * side;
    const std::uint32_t row = call.rank / side * side;
    const std::uint32_t plane = call.rank / plane_size * plane_size;
    const std::uint32_t column = call.rank % side + plane;
    for (std::uint32_t peer = row; peer < row + side; ++peer) {
        if (peer != call.rank) co_yield irecv(peer, blocks.piece(receive_buffer, peer), peer);
    }
    for (std::uint32_t peer = row; peer < row + side; ++peer) {
        if (peer != call.rank) co_yield send(peer, own);
    }
    co_yield wait_all();
    for (std::uint32_t peer = column; peer < plane + plane_size; peer += side) {
        if (peer != call.rank)
            co_yield irecv(peer, blocks.piece(receive_buffer, peer / side * side, side), peer);
    }
    for (std::uint32_t peer = column; peer < plane + plane_size; peer += side) {
        if (peer != call.rank) co_yield send(peer, blocks.piece(receive_buffer, row, side));
    }
    co_yield wait_all();
    for (std::uint32_t i = 1; i < mesh->z; ++i) {
        const std::uint32_t peer = after(call.rank, i * plane_size, call.size);
        co_yield irecv(peer, blocks.piece(receive_buffer, peer / plane_size * plane_size, plane_size), peer);
    }
    for (std::uint32_t i = 1; i < mesh->z; ++i) {
        co_yield send(after(call.rank, i * plane_size, call.size),
                      blocks.piece(receive_buffer, plane, plane_size));
    }
    co_yield wait_all();
}

namespace {

Steps gather_then_bcast(CollectiveCall call, CollectiveTuning tuning,
                        Steps (*gather)(CollectiveCall, CollectiveTuning),
                        Steps (*bcast)(CollectiveCall, CollectiveTuning)) {
    CollectiveCall to_zero = call;
    to_zero.operation = call.operation == Collective::allgatherv ? Collective::gatherv : Collective::gather;
    to_zero.root = 0;
    to_zero.bytes = gathered_blocks(call).bytes(call.rank);
    for (Steps all = gather(to_zero, tuning); const Step* step = all.next();) co_yield *step;
    CollectiveCall from_zero = call;
    from_zero.operation = Collective::bcast;
    from_zero.root = 0;
    from_zero.bytes = gathered_blocks(call).offset(call.size);
    for (Steps all = bcast(from_zero, tuning); const Step* step = all.next();) co_yield *step;
}

} // namespace

// Open MPI, coll_base_allgather.c, basic_linear.
Steps allgather_gather_bcast(CollectiveCall call, CollectiveTuning tuning) {
    return gather_then_bcast(call, tuning, gather_linear, bcast_linear);
}

// SimGrid, allgatherv-GB.cpp, as it is replayed: a time-independent trace has no displacements, so that the
// broadcast carries as much as the largest block only. Timed so there; no allgatherv.
Steps allgather_gather_bcast_largest(CollectiveCall call, CollectiveTuning tuning) {
    const Blocks blocks = gathered_blocks(call);
    CollectiveCall to_zero = call;
    to_zero.operation = Collective::gatherv;
    to_zero.root = 0;
    to_zero.bytes = blocks.bytes(call.rank);
    for (Steps all = gather_linear(to_zero, tuning); const Step* step = all.next();) co_yield *step;
    CollectiveCall from_zero = call;
    from_zero.operation = Collective::bcast;
    from_zero.root = 0;
    from_zero.bytes = 0;
    for (std::uint32_t i = 0; i < call.size; ++i) from_zero.bytes = std::max(from_zero.bytes, blocks.bytes(i));
    for (Steps all = bcast_binomial_blocking(from_zero, tuning); const Step* step = all.next();) co_yield *step;
}

// SimGrid, allgather-GB.cpp, with its default gather and broadcast.
Steps allgather_gather_bcast_binomial(CollectiveCall call, CollectiveTuning tuning) {
    return gather_then_bcast(call, tuning, gather_linear, bcast_binomial_blocking);
}

} // namespace orrery::coll
