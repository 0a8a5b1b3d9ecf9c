// All-to-alls that send fewer, longer messages through ranks on the way.
#include "collectives/alltoall/alltoall.h"
#include "collectives/common.h"
#include "collectives/mesh.h"
#include "collectives/phases.h"

namespace orrery::coll {

namespace {

constexpr std::uint8_t turned = first_temporary + 1; // the temporary before it holds what set_aside set aside
constexpr std::uint8_t combined = first_temporary + 2;

} // namespace

// Bruck et al. 1997; MPICH, alltoall_intra_brucks.c; Open MPI, coll_base_alltoall.c, bruck. In the round of
// digit place w (a power of the radix) the blocks whose number counted from this rank has digit d there go d *
// w ranks on.
Steps alltoall_bruck(CollectiveCall call, CollectiveTuning tuning) {
    const std::uint64_t radix = tuning.fanout < 2 ? 2 : tuning.fanout;
    const Exchange exchange = exchange_of(call);
    const Blocks& blocks = exchange.in;
    if (call.in_place) co_yield set_aside(exchange, call);
    const std::uint32_t behind = call.size - call.rank;
    co_yield copy(blocks.piece(exchange.buffer, call.rank, behind), blocks.piece(turned, 0, behind));
    if (call.rank > 0) {
        co_yield copy(blocks.piece(exchange.buffer, 0, call.rank), blocks.piece(turned, behind, call.rank));
    }
    for (std::uint64_t place = 1; place < call.size; place *= radix) {
        Bytes room = 0; // in `combined`: messages of the same round lie one behind the other, in and out
        std::uint32_t under_way = 0;
        for (std::uint64_t digit = 1; digit < radix && digit * place < call.size; ++digit) {
            Bytes bytes = 0;
            for (std::uint64_t first = digit * place; first < call.size; first += radix * place) {
                const auto count = static_cast<std::uint32_t>(std::min(place, call.size - first));
                const Piece run = blocks.piece(turned, static_cast<std::uint32_t>(first), count);
                co_yield copy(run, part(combined, room + bytes, run.bytes));
                bytes += run.bytes;
            }
            const auto distance = static_cast<std::uint32_t>(digit * place);
            const std::uint32_t to = after(call.rank, distance, call.size);
            const std::uint32_t from = before(call.rank, distance, call.size);
            const Piece out = part(combined, room, bytes);
            const Piece in = part(combined, room + bytes, bytes);
            room += 2 * bytes;
            if (radix == 2) {
                co_yield sendrecv(to, out, from, in);
            } else {
                co_yield irecv(from, in, under_way++);
                co_yield isend(to, out, under_way++);
            }
        }
        if (radix != 2) co_yield wait_all();
        room = 0;
        for (std::uint64_t digit = 1; digit < radix && digit * place < call.size; ++digit) {
            Bytes bytes = 0;
            for (std::uint64_t first = digit * place; first < call.size; first += radix * place) {
                bytes += blocks.bytes(static_cast<std::uint32_t>(first),
                                      static_cast<std::uint32_t>(std::min(place, call.size - first)));
            }
            room += bytes;
            for (std::uint64_t first = digit * place; first < call.size; first += radix * place) {
                const auto count = static_cast<std::uint32_t>(std::min(place, call.size - first));
                const Piece run = blocks.piece(turned, static_cast<std::uint32_t>(first), count);
                co_yield copy(part(combined, room, run.bytes), run);
                room += run.bytes;
            }
        }
    }
    for (std::uint32_t i = 0; i < call.size; ++i) {
        co_yield copy(blocks.piece(turned, i), blocks.piece(receive_buffer, before(call.rank, i, call.size)));
    }
}

// SimGrid, alltoall-rdb.cpp: everybody gathers everything by recursive doubling and picks its blocks.
Steps alltoall_recursive_doubling(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Exchange exchange = exchange_of(call);
    if (call.in_place) co_yield set_aside(exchange, call);
    const Blocks vectors = Blocks::equal(call.bytes * call.size);
    co_yield copy(exchange.out.piece(exchange.buffer, 0, call.size), vectors.piece(turned, call.rank));
    for (Steps all = allgather_doubling(everybody(call), vectors, turned); const Step* step = all.next();) {
        co_yield *step;
    }
    for (std::uint32_t i = 0; i < call.size; ++i) {
        co_yield copy(part(turned, vectors.offset(i) + exchange.out.offset(call.rank), call.bytes),
                      exchange.incoming(i));
    }
}

// SimGrid, alltoall-2dmesh.cpp: rows gather all that their ranks send, then each column passes on what the
// others of the column need.
Steps alltoall_mesh_2d(CollectiveCall call, CollectiveTuning tuning) {
    const std::optional<Mesh> mesh = mesh_2d(call.size);
    if (!mesh) {
        for (Steps all = alltoall_pairwise_exchange(call, tuning); const Step* step = all.next();)
            co_yield *step;
        co_return;
    }
    const Exchange exchange = exchange_of(call);
    if (call.in_place) co_yield set_aside(exchange, call);
    const Blocks vectors = Blocks::equal(call.bytes * call.size); // all that one rank sends
    const Piece mine = exchange.out.piece(exchange.buffer, 0, call.size);
    const std::uint32_t row = call.rank / mesh->x * mesh->x;
    const std::uint32_t column = call.rank % mesh->x;
    for (std::uint32_t i = 0; i < mesh->x; ++i) {
        if (i != column) co_yield irecv(row + i, vectors.piece(turned, i), i);
    }
    for (std::uint32_t i = 0; i < mesh->x; ++i) {
        if (i != column) co_yield send(row + i, mine);
    }
    co_yield wait_all();
    co_yield copy(mine, vectors.piece(turned, column));
    for (std::uint32_t i = 0; i < mesh->x; ++i) {
        co_yield copy(part(turned, vectors.offset(i) + exchange.out.offset(call.rank), call.bytes),
                      exchange.incoming(row + i));
    }
    for (std::uint32_t peer = column; peer < call.size; peer += mesh->x) {
        if (peer != call.rank)
            co_yield irecv(peer, exchange.in.piece(receive_buffer, peer - column, mesh->x), peer);
    }
    for (std::uint32_t peer = column; peer < call.size; peer += mesh->x) {
        if (peer == call.rank) continue;
        for (std::uint32_t i = 0; i < mesh->x; ++i) {
            co_yield copy(part(turned, vectors.offset(i) + exchange.out.offset(peer), call.bytes),
                          part(combined, i * call.bytes, call.bytes));
        }
        co_yield send(peer, part(combined, 0, mesh->x * call.bytes));
    }
    co_yield wait_all();
}

// SimGrid, alltoall-3dmesh.cpp: a plane gathers, by rows and then by columns, all that its ranks send; then
// each rank passes on to the same place in the other planes.
Steps alltoall_mesh_3d(CollectiveCall call, CollectiveTuning tuning) {
    const std::optional<Mesh> mesh = mesh_3d(call.size);
    if (!mesh) {
        for (Steps all = alltoall_pairwise_exchange(call, tuning); const Step* step = all.next();)
            co_yield *step;
        co_return;
    }
    const Exchange exchange = exchange_of(call);
    if (call.in_place) co_yield set_aside(exchange, call);
    const Blocks vectors = Blocks::equal(call.bytes * call.size);
    const Piece mine = exchange.out.piece(exchange.buffer, 0, call.size);
    const std::uint32_t side = mesh->x;
    const std::uint32_t plane_size = side * side;
    const std::uint32_t plane = call.rank / plane_size * plane_size;
    const std::uint32_t row = call.rank / side * side;
    const std::uint32_t column = call.rank % side + plane;
    co_yield copy(mine, vectors.piece(turned, call.rank - plane));
    for (std::uint32_t peer = row; peer < row + side; ++peer) {
        if (peer != call.rank) co_yield irecv(peer, vectors.piece(turned, peer - plane), peer);
    }
    for (std::uint32_t peer = row; peer < row + side; ++peer) {
        if (peer != call.rank) co_yield send(peer, mine);
    }
    co_yield wait_all();
    for (std::uint32_t peer = column; peer < plane + plane_size; peer += side) {
        if (peer != call.rank)
            co_yield irecv(peer, vectors.piece(turned, peer / side * side - plane, side), peer);
    }
    for (std::uint32_t peer = column; peer < plane + plane_size; peer += side) {
        if (peer != call.rank) co_yield send(peer, vectors.piece(turned, row - plane, side));
    }
    co_yield wait_all();
    for (std::uint32_t i = 0; i < plane_size; ++i) {
        co_yield copy(part(turned, vectors.offset(i) + exchange.out.offset(call.rank), call.bytes),
                      exchange.incoming(plane + i));
    }
    for (std::uint32_t i = 1; i < mesh->z; ++i) {
        const std::uint32_t peer = after(call.rank, i * plane_size, call.size);
        co_yield irecv(peer, exchange.in.piece(receive_buffer, peer / plane_size * plane_size, plane_size),
                       peer);
    }
    for (std::uint32_t i = 1; i < mesh->z; ++i) {
        const std::uint32_t peer = after(call.rank, i * plane_size, call.size);
        for (std::uint32_t j = 0; j < plane_size; ++j) {
            co_yield copy(part(turned, vectors.offset(j) + exchange.out.offset(peer), call.bytes),
                          part(combined, j * call.bytes, call.bytes));
        }
        co_yield send(peer, part(combined, 0, plane_size * call.bytes));
    }
    co_yield wait_all();
}

} // namespace orrery::coll
