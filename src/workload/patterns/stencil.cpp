// Nearest neighbours on a grid: everybody exchanges its faces with the neighbours along each axis, then
// computes.
#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"
#include "workload/patterns/grid.h"

namespace orrery::patterns_detail {

namespace {

// Direction 2a is down axis a, 2a+1 up. A message's tag is the direction it travels in.
struct Neighbour {
    std::uint32_t rank;
    std::uint32_t direction;
};

struct Neighbours {
    std::array<Neighbour, 6> at;
    std::uint32_t count = 0;
};

Neighbours neighbours(const Grid& grid, bool periodic, std::uint32_t rank) {
    Neighbours found{};
    const Grid::Place place = grid.place(rank);
    for (std::uint32_t axis = 0; axis < grid.axes; ++axis) {
        const std::uint32_t length = grid.length[axis];
        if (length == 1) continue; // a rank is not its own neighbour
        const std::uint32_t stride = grid.stride(axis);
        const std::uint32_t around = stride * (length - 1);
        if (place[axis] > 0) {
            found.at[found.count++] = {rank - stride, 2 * axis};
        } else if (periodic) {
            found.at[found.count++] = {rank + around, 2 * axis};
        }
        if (place[axis] + 1 < length) {
            found.at[found.count++] = {rank + stride, 2 * axis + 1};
        } else if (periodic) {
            found.at[found.count++] = {rank - around, 2 * axis + 1};
        }
    }
    return found;
}

std::uint64_t faces(const Grid& grid, bool periodic) {
    std::uint64_t count = 0;
    for (std::uint32_t axis = 0; axis < grid.axes; ++axis) {
        const std::uint64_t length = grid.length[axis];
        const std::uint64_t lines = grid.size() / length;
        if (length > 1) count += 2 * lines * (periodic ? length : length - 1);
    }
    return count;
}

// An iteration: post the receives, send, wait for all of them, compute.
Made stencil(const Options& o, std::uint32_t axes) {
    const Grid grid = make_grid(o, axes);
    expect_operations(static_cast<double>(o.iterations) * (4 * axes + 1));
    return pattern_of(o.iterations * faces(grid, o.periodic), [=](std::uint32_t rank, RankGraph& out) {
        const Neighbours around = neighbours(grid, o.periodic, rank);
        std::uint32_t previous = no_op; // the computation of the iteration before
        for (std::uint64_t i = 0; i < o.iterations; ++i) {
            const auto first = static_cast<std::uint32_t>(out.ops.size());
            for (std::uint32_t n = 0; n < around.count; ++n) {
                require_if(out, out.add(recv_op(around.at[n].rank, o.bytes, around.at[n].direction ^ 1u)),
                           previous);
            }
            for (std::uint32_t n = 0; n < around.count; ++n) {
                require_if(out, out.add(send_op(around.at[n].rank, o.bytes, around.at[n].direction)), previous);
            }
            const std::uint32_t calc = out.add(calc_op(picoseconds(o.compute)));
            for (std::uint32_t op = first; op < calc; ++op) out.require(calc, op);
            if (first == calc) require_if(out, calc, previous); // no neighbours at all
            previous = calc;
        }
    });
}

} // namespace

Made stencil_2d(const Options& o) { return stencil(o, 2); }

Made stencil_3d(const Options& o) { return stencil(o, 3); }

} // namespace orrery::patterns_detail
