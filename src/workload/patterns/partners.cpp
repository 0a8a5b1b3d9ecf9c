// Each rank sends once to fixed partners, as studies of networks and of
// mappings ask for it. Nothing waits for anything.
#include "engine/random.h"
#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"

#include <bit>
#include <numeric>
#include <utility>
#include <vector>

namespace orrery {

std::array<std::uint32_t, 3> balanced_grid(std::uint32_t ranks) {
    std::array<std::uint32_t, 3> best{ranks, 1, 1};
    for (std::uint32_t c = 1; std::uint64_t{c} * c * c <= ranks; ++c) {
        if (ranks % c != 0) continue;
        for (std::uint32_t b = c; std::uint64_t{b} * b <= ranks / c; ++b) {
            if (ranks / c % b != 0) continue;
            const std::uint32_t a = ranks / c / b;
            if (a + b + c < best[0] + best[1] + best[2]) best = {a, b, c};
        }
    }
    return best;
}

namespace patterns_detail {

namespace {

// Each rank sends to target[rank], if that is another one.
Made one_to_one(const Options& o, std::vector<std::uint32_t> target) {
    std::vector<std::uint32_t> source(target.size());
    std::uint64_t messages = 0;
    for (std::uint32_t rank = 0; rank < target.size(); ++rank) {
        source[target[rank]] = rank;
        messages += target[rank] != rank ? 1 : 0;
    }
    return pattern_of(messages, [bytes = o.bytes, target = std::move(target),
                                 source = std::move(source)](std::uint32_t rank, RankGraph& out) {
        if (target[rank] != rank) out.add(send_op(target[rank], bytes));
        if (source[rank] != rank) out.add(recv_op(source[rank], bytes));
    });
}

template <typename Target> Made of_each_rank(const Options& o, Target target) {
    std::vector<std::uint32_t> targets(o.ranks);
    for (std::uint32_t rank = 0; rank < o.ranks; ++rank) targets[rank] = target(rank);
    return one_to_one(o, std::move(targets));
}

std::uint32_t reversed_digits(std::uint32_t value, int digits) {
    std::uint32_t out = 0;
    for (int i = 0; i < digits; ++i) out |= (value >> i & 1U) << (digits - 1 - i);
    return out;
}

// Numbers 0..n-1 in random order (Fisher and Yates), so that none stays where
// it is: fixed points are rotated.
std::vector<std::uint32_t> random_order(std::uint32_t n, std::uint64_t seed) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    const RandomStream random(seed, n);
    for (std::uint32_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i, i)]);
    std::vector<std::uint32_t> fixed;
    for (std::uint32_t i = 0; i < n; ++i) {
        if (order[i] == i) fixed.push_back(i);
    }
    if (fixed.size() == 1 && n > 1) std::swap(order[fixed[0]], order[(fixed[0] + 1) % n]);
    for (std::size_t i = 0; i + 1 < fixed.size(); ++i) std::swap(order[fixed[i]], order[fixed[i + 1]]);
    return order;
}

std::uint32_t moved_round(std::uint32_t at, int by, std::uint32_t size) {
    return by < 0 ? (at + size - 1) % size : by > 0 ? (at + 1) % size : at;
}

} // namespace

Made shift_round(const Options& o) {
    return of_each_rank(o, [&](std::uint32_t rank) {
        return static_cast<std::uint32_t>((std::uint64_t{rank} + o.distance) % o.ranks);
    });
}

Made tornado(const Options& o) {
    return of_each_rank(o, [&](std::uint32_t rank) { return plus(rank, (o.ranks - 1) / 2, o.ranks); });
}

Made permutation(const Options& o) { return one_to_one(o, random_order(o.ranks, o.seed)); }

Made bit_complement(const Options& o) {
    return of_each_rank(o, [&](std::uint32_t rank) { return ~rank & (o.ranks - 1); });
}

Made bit_reverse(const Options& o) {
    return of_each_rank(o,
                        [&](std::uint32_t rank) { return reversed_digits(rank, std::countr_zero(o.ranks)); });
}

Made shuffle(const Options& o) {
    return of_each_rank(
        o, [&](std::uint32_t rank) { return (rank << 1U | (rank >= o.ranks / 2 ? 1U : 0U)) & (o.ranks - 1); });
}

Made transpose(const Options& o) {
    const int half = std::countr_zero(o.ranks) / 2;
    return of_each_rank(o, [&](std::uint32_t rank) { return (rank << half | rank >> half) & (o.ranks - 1); });
}

// The nearest of a ring.
Made neighbour(const Options& o) {
    const std::uint32_t partners = o.ranks < 3 ? o.ranks - 1 : 2;
    return pattern_of(std::uint64_t{o.ranks} * partners, [o, partners](std::uint32_t rank, RankGraph& out) {
        const std::uint32_t next = partners == 0 ? 0 : plus(rank, 1, o.ranks);
        const std::uint32_t previous = partners == 0 ? 0 : minus(rank, 1, o.ranks);
        if (partners > 0) out.add(send_op(next, o.bytes));
        if (partners > 1) out.add(send_op(previous, o.bytes));
        if (partners > 0) out.add(recv_op(previous, o.bytes));
        if (partners > 1) out.add(recv_op(next, o.bytes));
    });
}

// Each rank to all of the next group.
Made group(const Options& o) {
    expect(o.group >= 1 && o.ranks % o.group == 0,
           fmt::format("{} ranks cannot be split into groups of {}", o.ranks, o.group));
    const std::uint64_t messages = o.group == o.ranks ? 0 : std::uint64_t{o.ranks} * o.group;
    expect_operations(2 * static_cast<double>(o.group));
    return pattern_of(messages, [o](std::uint32_t rank, RankGraph& out) {
        if (o.group == o.ranks) return;
        const std::uint32_t own = rank / o.group * o.group;
        const std::uint32_t next = plus(own, o.group, o.ranks);
        const std::uint32_t previous = minus(own, o.group, o.ranks);
        for (std::uint32_t i = 0; i < o.group; ++i) out.add(send_op(next + i, o.bytes));
        for (std::uint32_t i = 0; i < o.group; ++i) out.add(recv_op(previous + i, o.bytes));
    });
}

// Each rank to all others of its group, first to the next one, then to the one
// after that, round the group.
Made grouped_alltoall(const Options& all) {
    Options o = all;
    if (o.group == 0) o.group = o.ranks;
    expect(o.group >= 1 && o.ranks % o.group == 0,
           fmt::format("alltoall:{}: {} ranks are not a multiple of {}", o.group, o.ranks, o.group));
    expect_operations(2 * static_cast<double>(o.group));
    return pattern_of(std::uint64_t{o.ranks} * (o.group - 1), [o](std::uint32_t rank, RankGraph& out) {
        const std::uint32_t first = rank / o.group * o.group;
        for (std::uint32_t step = 1; step < o.group; ++step) {
            out.add(send_op(first + plus(rank - first, step, o.group), o.bytes));
            out.add(recv_op(first + minus(rank - first, step, o.group), o.bytes));
        }
    });
}

// On a periodic 3D grid to the 6 neighbours across faces, then to the 8 across
// corners. Tags are directions: on a small grid two of them may lead to the
// same rank.
Made near_neighbour(const Options& o) {
    struct Offset {
        int x, y, z;
    };
    static constexpr std::array<Offset, 14> offsets{{
        {-1, 0, 0},
        {1, 0, 0},
        {0, -1, 0},
        {0, 1, 0},
        {0, 0, -1},
        {0, 0, 1}, // faces
        {-1, -1, -1},
        {1, -1, -1},
        {-1, 1, -1},
        {1, 1, -1},
        {-1, -1, 1},
        {1, -1, 1},
        {-1, 1, 1},
        {1, 1, 1}, // corners
    }};
    const std::array<std::uint32_t, 3> grid = balanced_grid(o.ranks);
    const auto at = [grid](std::uint32_t rank, const Offset& by, int sign) {
        const std::uint32_t x = moved_round(rank % grid[0], sign * by.x, grid[0]);
        const std::uint32_t y = moved_round(rank / grid[0] % grid[1], sign * by.y, grid[1]);
        const std::uint32_t z = moved_round(rank / grid[0] / grid[1], sign * by.z, grid[2]);
        return x + grid[0] * (y + grid[1] * z);
    };
    std::uint64_t partners = 0; // of each rank: those that are not itself
    for (const Offset& by : offsets) partners += at(0, by, 1) != 0 ? 1 : 0;
    return pattern_of(partners * o.ranks, [bytes = o.bytes, at](std::uint32_t rank, RankGraph& out) {
        for (std::uint32_t i = 0; i < offsets.size(); ++i) {
            const std::uint32_t to = at(rank, offsets[i], 1);
            if (to != rank) out.add(send_op(to, bytes, i));
        }
        for (std::uint32_t i = 0; i < offsets.size(); ++i) {
            const std::uint32_t from = at(rank, offsets[i], -1);
            if (from != rank) out.add(recv_op(from, bytes, i));
        }
    });
}

} // namespace patterns_detail

} // namespace orrery
