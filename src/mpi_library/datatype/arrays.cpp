// Subarrays and distributed arrays: one dimension after the other, the one that is contiguous in memory first.
// After each, a copy takes as much room as the whole array has in the dimensions so far.
#include "mpi_library/datatype/make.h"

#include <algorithm>
#include <array>
#include <utility>

namespace orrery::emulate::mpi {

namespace {

std::size_t dimension(std::size_t step, std::size_t count, int order) {
    return order == MPI_ORDER_C ? count - 1 - step : step;
}

// What a process has of one dimension: blocks of `block` indices every `stride`, the last maybe shorter.
struct Share {
    std::int64_t first, block, stride, whole_blocks, rest;
};

Share share_of(const Distributed& d) {
    const std::int64_t size = d.size;
    if (d.kind == MPI_DISTRIBUTE_NONE) return {0, size, 0, 1, 0};
    const bool by_default = d.argument == MPI_DISTRIBUTE_DFLT_DARG;
    if (d.kind == MPI_DISTRIBUTE_BLOCK) {
        const std::int64_t block = by_default ? (size + d.processes - 1) / d.processes : d.argument;
        const std::int64_t first = block * d.coordinate;
        return {first, std::clamp<std::int64_t>(size - first, 0, block), 0, 1, 0};
    }
    const std::int64_t block = by_default ? 1 : d.argument;
    const std::int64_t first = block * d.coordinate;
    const std::int64_t stride = block * d.processes;
    if (first >= size) return {0, 0, 0, 0, 0};
    const std::int64_t begun = (size - first + stride - 1) / stride; // blocks, whole or not
    const std::int64_t last = std::min(block, size - first - (begun - 1) * stride);
    return {first, block, stride, last == block ? begun : begun - 1, last == block ? 0 : last};
}

} // namespace

Datatype::Shape subarray(std::span<const ArrayPart> dimensions, int order, const Datatype& element) {
    TypeRef inner(element);
    std::int64_t row = element.extent(); // bytes from one index of this dimension to the next
    for (std::size_t step = 0; step < dimensions.size(); ++step) {
        const ArrayPart& d = dimensions[dimension(step, dimensions.size(), order)];
        const Placed placed{inner.get(), {d.first * row, d.subsize, 1, 0}};
        row *= d.size;
        Datatype::Shape shape = with_bounds(assemble(std::span(&placed, 1)), 0, row);
        if (step + 1 == dimensions.size()) return shape;
        inner = TypeRef(new Datatype(std::move(shape), {}));
    }
    return {};
}

Datatype::Shape distributed_array(std::span<const Distributed> dimensions, int order, const Datatype& element) {
    TypeRef inner(element);
    std::int64_t row = element.extent();
    for (std::size_t step = 0; step < dimensions.size(); ++step) {
        const Distributed& d = dimensions[dimension(step, dimensions.size(), order)];
        const Share share = share_of(d);
        const std::int64_t rest = share.first + share.whole_blocks * share.stride;
        const std::array<Placed, 2> placed{
            Placed{inner.get(), {share.first * row, share.block, share.whole_blocks, share.stride * row}},
            Placed{inner.get(), {rest * row, share.rest, 1, 0}},
        };
        row *= d.size;
        Datatype::Shape shape = with_bounds(assemble(placed), 0, row);
        if (step + 1 == dimensions.size()) return shape;
        inner = TypeRef(new Datatype(std::move(shape), {}));
    }
    return {};
}

} // namespace orrery::emulate::mpi
