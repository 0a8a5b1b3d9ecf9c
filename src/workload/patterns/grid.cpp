#include "workload/patterns/grid.h"

#include "workload/patterns/building.h"

#include <algorithm>
#include <functional>

namespace orrery {

namespace patterns_detail {

namespace {

// Prime factors, largest first, each to the axis that is shortest so far.
std::array<std::uint32_t, 3> near_cubic(std::uint32_t ranks, std::uint32_t axes) {
    std::vector<std::uint32_t> factors;
    std::uint32_t rest = ranks;
    for (std::uint32_t prime = 2; std::uint64_t{prime} * prime <= rest; ++prime) {
        for (; rest % prime == 0; rest /= prime) factors.push_back(prime);
    }
    if (rest > 1) factors.push_back(rest);
    std::array<std::uint32_t, 3> length{1, 1, 1};
    std::sort(factors.begin(), factors.end(), std::greater<>());
    for (const std::uint32_t factor : factors) {
        *std::min_element(length.begin(), length.begin() + axes) *= factor;
    }
    std::sort(length.begin(), length.end(), std::greater<>()); // an unused axis, of length 1, stays last
    return length;
}

} // namespace

Grid::Place Grid::place(std::uint32_t rank) const {
    return {rank / (length[1] * length[2]), rank / length[2] % length[1], rank % length[2]};
}

std::uint32_t Grid::stride(std::uint32_t axis) const {
    std::uint32_t ranks = 1;
    for (std::uint32_t later = axis + 1; later < 3; ++later) ranks *= length[later];
    return ranks;
}

Grid make_grid(const PatternOptions& options, std::uint32_t axes) {
    const std::uint32_t given = static_cast<std::uint32_t>(
        std::count_if(options.dims.begin(), options.dims.end(), [](std::uint32_t n) { return n != 0; }));
    if (given == 0) return {axes, near_cubic(options.ranks, axes)};
    expect(given == axes, fmt::format("--dims has {} axes where {} are expected", given, axes));
    constexpr std::uint64_t too_many = std::uint64_t{1} << 32;
    std::uint64_t product = 1;
    std::string words;
    Grid grid{axes, {1, 1, 1}};
    for (std::uint32_t axis = 0; axis < axes; ++axis) {
        grid.length[axis] = options.dims[axis];
        product = std::min(product * options.dims[axis], too_many);
        if (axis > 0) words += 'x';
        words += std::to_string(options.dims[axis]);
    }
    expect(product == options.ranks,
           fmt::format("--dims {} makes {} ranks, not {}", words,
                       product == too_many ? "too many" : std::to_string(product), options.ranks));
    return grid;
}

} // namespace patterns_detail

std::array<std::uint32_t, 3> grid_of(const PatternInfo& info, const PatternOptions& options) {
    if (info.axes == 0) return balanced_grid(options.ranks);
    // There the last axis runs fastest.
    const auto length = patterns_detail::make_grid(options, info.axes).length;
    return {length[info.axes - 1], length[info.axes - 2], info.axes == 3 ? length[0] : 1};
}

} // namespace orrery
