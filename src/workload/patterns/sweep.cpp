// A wavefront over a 2D grid of ranks, as in Sweep3D (Koch, Baker and Alcouffe's algorithm, KBA).
//
// The first two axes of a 3D domain are spread over the ranks; the third is cut into blocks. A sweep starts at
// a corner of the grid: a rank receives the inflow of a block from its neighbours upstream, computes, and sends
// the outflow downstream, block after block. Each corner serves two octants (up and down the third axis).
#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"
#include "workload/patterns/grid.h"

namespace orrery::patterns_detail {

namespace {

// Upstream and downstream rank along one axis, or no_rank at the edge of the grid.
constexpr std::uint32_t no_rank = 0xFFFF'FFFF;
struct Flow {
    std::uint32_t from;
    std::uint32_t to;
};

Flow flow(const Grid& grid, std::uint32_t rank, std::uint32_t axis, bool downwards) {
    const std::uint32_t at = grid.place(rank)[axis];
    const std::uint32_t below = at > 0 ? rank - grid.stride(axis) : no_rank;
    const std::uint32_t above = at + 1 < grid.length[axis] ? rank + grid.stride(axis) : no_rank;
    return downwards ? Flow{above, below} : Flow{below, above};
}

} // namespace

// Blocking calls throughout: each operation waits for the one before it.
Made sweep(const Options& o) {
    const Grid grid = make_grid(o, 2);
    expect(o.octants >= 1 && o.octants <= 8, "--octants is from 1 to 8");
    expect(o.blocks >= 1, "--blocks is at least 1");
    expect_operations(static_cast<double>(o.iterations) * o.octants * o.blocks * 5);
    const std::uint64_t x = grid.length[0];
    const std::uint64_t y = grid.length[1];
    const std::uint64_t per_block = (x - 1) * y + x * (y - 1);

    return pattern_of(o.iterations * o.octants * o.blocks * per_block, [=](std::uint32_t rank, RankGraph& out) {
        std::uint32_t last = no_op;
        const auto then = [&](const Op& op) {
            const std::uint32_t added = out.add(op);
            require_if(out, added, last);
            last = added;
        };
        for (std::uint64_t i = 0; i < o.iterations; ++i) {
            for (std::uint32_t octant = 0; octant < o.octants; ++octant) {
                const std::uint32_t corner = octant / 2;
                const Flow along_x = flow(grid, rank, 0, (corner & 1) != 0);
                const Flow along_y = flow(grid, rank, 1, (corner & 2) != 0);
                for (std::uint32_t block = 0; block < o.blocks; ++block) {
                    if (along_x.from != no_rank) then(recv_op(along_x.from, o.bytes, octant));
                    if (along_y.from != no_rank) then(recv_op(along_y.from, o.bytes, octant));
                    then(calc_op(picoseconds(o.compute)));
                    if (along_x.to != no_rank) then(send_op(along_x.to, o.bytes, octant));
                    if (along_y.to != no_rank) then(send_op(along_y.to, o.bytes, octant));
                }
            }
        }
    });
}

} // namespace orrery::patterns_detail
