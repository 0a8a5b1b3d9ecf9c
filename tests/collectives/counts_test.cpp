// How many messages an algorithm sends and how many bytes, against what its description says.
#include "collectives/symbolic.h"

#include <bit>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace orrery::test::counts_test {
namespace {

using Count = std::function<std::uint64_t(std::uint64_t p, std::uint64_t n)>;

struct Expected {
    Collective operation;
    const char* name;
    Count messages;
    Count volume;
    bool powers_of_two = false; // the closed form holds for these only
};

std::uint64_t lg(std::uint64_t p) { return static_cast<std::uint64_t>(std::bit_width(p - 1)); } // rounded up

// What is sent beyond the power of two, by ranks that fold in and are told: 2 messages each.
std::uint64_t extra(std::uint64_t p) { return p - std::bit_floor(p); }
std::uint64_t doubling(std::uint64_t p) { return std::bit_floor(p) * lg(std::bit_floor(p)); }

const Count tree = [](auto p, auto) { return p - 1; };
const Count tree_volume = [](auto p, auto n) { return (p - 1) * n; };
const Count everybody = [](auto p, auto) { return p * (p - 1); };
const Count everybody_volume = [](auto p, auto n) { return p * (p - 1) * n; };
// Blocks climb a binomial tree: block i makes as many hops as it has ones in its number.
const Count climbing = [](auto p, auto n) {
    std::uint64_t hops = 0;
    for (std::uint64_t i = 0; i < p; ++i) hops += static_cast<std::uint64_t>(std::popcount(i));
    return hops * n;
};
const Count rounds = [](auto p, auto) { return p * lg(p); };
const Count nothing = [](auto, auto) { return std::uint64_t{0}; };

const std::vector<Expected>& table() {
    static const std::vector<Expected> rows{
        {Collective::barrier, "linear", [](auto p, auto) { return 2 * (p - 1); }, nothing},
        {Collective::barrier, "double_ring", [](auto p, auto) { return p == 1 ? 0 : 2 * p; }, nothing},
        {Collective::barrier, "recursive_doubling", [](auto p, auto) { return doubling(p) + 2 * extra(p); },
         nothing},
        {Collective::barrier, "dissemination", rounds, nothing},
        {Collective::barrier, "dissemination_posted", rounds, [](auto p, auto) { return p * lg(p); }},
        {Collective::barrier, "tree", [](auto p, auto) { return 2 * (p - 1); }, nothing},
        {Collective::barrier, "tournament", [](auto p, auto) { return 2 * (p - 1); }, nothing},
        {Collective::barrier, "linear_nonblocking", [](auto p, auto) { return 2 * (p - 1); }, nothing},

        {Collective::bcast, "linear", tree, tree_volume},
        {Collective::bcast, "chain", tree, tree_volume},
        {Collective::bcast, "pipeline", tree, tree_volume},
        {Collective::bcast, "binary", tree, tree_volume},
        {Collective::bcast, "k_ary", tree, tree_volume},
        {Collective::bcast, "binomial", tree, tree_volume},
        {Collective::bcast, "binomial_blocking", tree, tree_volume},
        {Collective::bcast, "knomial", tree, tree_volume},
        {Collective::bcast, "binomial_swapped", tree, tree_volume},
        {Collective::bcast, "heap", tree, tree_volume},
        {Collective::bcast, "simgrid_knomial", tree, tree_volume},
        {Collective::bcast, "scatter_allgather", [](auto p, auto) { return p - 1 + p * lg(p); },
         [](auto p, auto n) { return n * lg(p) / 2 + (p - 1) * n; }, true},
        {Collective::bcast, "scatter_allgather_ring", [](auto p, auto) { return p - 1 + p * (p - 1); },
         [](auto p, auto n) { return n * lg(p) / 2 + (p - 1) * n; }, true},

        {Collective::gather, "linear", tree, tree_volume},
        {Collective::gather, "linear_posted", tree, tree_volume},
        {Collective::scatter, "linear_posted", tree, tree_volume},
        {Collective::gather, "linear_blocking", tree, tree_volume},
        {Collective::gather, "linear_sync", [](auto p, auto) { return 3 * (p - 1); }, tree_volume},
        {Collective::gather, "binomial", tree, climbing},
        {Collective::scatter, "linear", tree, tree_volume},
        {Collective::scatter, "linear_blocking", tree, tree_volume},
        {Collective::scatter, "linear_batched", tree, tree_volume},
        {Collective::scatter, "binomial", tree, climbing},
        {Collective::scatter, "binomial_small_first", tree, climbing},

        {Collective::allgather, "linear", everybody, everybody_volume},
        {Collective::allgather, "ring", everybody, everybody_volume},
        {Collective::allgather, "ring_posted", everybody, everybody_volume},
        {Collective::allgather, "spread", everybody, everybody_volume},
        {Collective::allgather, "spread_nonblocking", everybody, everybody_volume},
        {Collective::allgather, "pairwise", everybody, everybody_volume},
        {Collective::allgather, "bruck", rounds, everybody_volume},
        {Collective::allgather, "recursive_doubling", rounds, everybody_volume, true},
        {Collective::allgather, "neighbor_exchange", [](auto p, auto) { return p * p / 2; }, everybody_volume,
         true},
        {Collective::allgather, "gather_bcast", [](auto p, auto) { return 2 * (p - 1); },
         [](auto p, auto n) { return (p - 1) * (p + 1) * n; }},

        {Collective::alltoall, "linear", everybody, everybody_volume},
        {Collective::alltoall, "linear_upwards", everybody, everybody_volume},
        {Collective::alltoall, "linear_in_order", everybody, everybody_volume},
        {Collective::alltoall, "linear_sync", everybody, everybody_volume},
        {Collective::alltoall, "pairwise", everybody, everybody_volume},
        {Collective::alltoall, "pairwise_exchange", everybody, everybody_volume},
        {Collective::alltoall, "scattered", everybody, everybody_volume},
        {Collective::alltoall, "scattered_others", everybody, everybody_volume},
        {Collective::alltoall, "bruck", rounds, [](auto p, auto n) { return p * lg(p) * (p / 2) * n; }, true},
        {Collective::alltoall, "recursive_doubling", rounds, [](auto p, auto n) { return p * (p - 1) * p * n; },
         true},
        {Collective::alltoall, "pairwise_light_barrier",
         [](auto p, auto) { return p < 2 ? 0 : p * (p - 1) + p * (p - 2); },
         [](auto p, auto n) { return p < 2 ? 0 : p * (p - 1) * n + p * (p - 2); }},
        {Collective::alltoall, "pairwise_one_barrier", [](auto p, auto) { return p * (p - 1) + 2 * (p - 1); },
         everybody_volume},
        {Collective::alltoall, "pairwise_barriers", [](auto p, auto) { return p * (p - 1) + p * 2 * (p - 1); },
         everybody_volume},

        {Collective::reduce, "linear", tree, tree_volume},
        {Collective::reduce, "linear_nonblocking", tree, tree_volume},
        {Collective::reduce, "chain", tree, tree_volume},
        {Collective::reduce, "pipeline", tree, tree_volume},
        {Collective::reduce, "binary", tree, tree_volume},
        {Collective::reduce, "k_ary", tree, tree_volume},
        {Collective::reduce, "binomial", tree, tree_volume},
        {Collective::reduce, "binomial_blocking", tree, tree_volume},
        {Collective::reduce, "knomial", tree, tree_volume},
        {Collective::reduce, "binomial_swapped", tree, tree_volume},
        {Collective::reduce, "heap", tree, tree_volume},
        {Collective::reduce, "pipeline_posted", tree, tree_volume},
        // To the last rank, and once more to the root (rank 0).
        {Collective::reduce, "in_order_binary", [](auto p, auto) { return p == 1 ? 0 : p; },
         [](auto p, auto n) { return p == 1 ? 0 : p * n; }},
        {Collective::reduce, "rabenseifner", [](auto p, auto) { return p * lg(p) + p - 1; },
         [](auto p, auto n) { return (p - 1) * n + n * lg(p) / 2; }, true},
        {Collective::reduce, "reduce_scatter_gather", [](auto p, auto) { return p * lg(p) + p - 1; },
         [](auto p, auto n) { return (p - 1) * n + n * lg(p) / 2; }, true},

        {Collective::allreduce, "linear", [](auto p, auto) { return 2 * (p - 1); },
         [](auto p, auto n) { return 2 * (p - 1) * n; }},
        {Collective::allreduce, "reduce_bcast", [](auto p, auto) { return 2 * (p - 1); },
         [](auto p, auto n) { return 2 * (p - 1) * n; }},
        {Collective::allreduce, "exchange_all", everybody, everybody_volume},
        {Collective::allreduce, "recursive_doubling", [](auto p, auto) { return doubling(p) + 2 * extra(p); },
         [](auto p, auto n) { return (doubling(p) + 2 * extra(p)) * n; }},
        {Collective::allreduce, "ring", [](auto p, auto) { return 2 * p * (p - 1); },
         [](auto p, auto n) { return 2 * (p - 1) * n; }},
        {Collective::allreduce, "logical_ring", [](auto p, auto) { return 2 * p * (p - 1); },
         [](auto p, auto n) { return 2 * (p - 1) * n; }},
        {Collective::allreduce, "alltoall_allgather", [](auto p, auto) { return 2 * p * (p - 1); },
         [](auto p, auto n) { return 2 * (p - 1) * n; }},
        {Collective::allreduce, "rabenseifner", [](auto p, auto) { return 2 * p * lg(p); },
         [](auto p, auto n) { return 2 * (p - 1) * n; }, true},
        {Collective::allreduce, "reduce_scatter_allgather",
         [](auto p, auto) { return 2 * doubling(p) + 2 * extra(p); },
         [](auto p, auto n) { return 2 * (std::bit_floor(p) - 1) * n + 2 * extra(p) * n; }},

        {Collective::allreduce, "dissemination", rounds, [](auto p, auto n) { return p * lg(p) * n; }, true},

        {Collective::reduce_scatter_block, "pairwise", everybody, everybody_volume},
        {Collective::reduce_scatter_block, "ring", everybody, everybody_volume},
        {Collective::reduce_scatter_block, "exchange_all", everybody, everybody_volume},
        {Collective::reduce_scatter_block, "recursive_halving", rounds, everybody_volume, true},
        {Collective::reduce_scatter_block, "noncommutative", rounds, everybody_volume, true},
        {Collective::reduce_scatter_block, "recursive_doubling", rounds,
         [](auto p, auto n) { return p * n * (p * lg(p) - (p - 1)); }, true},

        {Collective::scan, "linear", tree, tree_volume},
        {Collective::scan, "to_all_higher", [](auto p, auto) { return p * (p - 1) / 2; },
         [](auto p, auto n) { return p * (p - 1) / 2 * n; }},
        {Collective::scan, "recursive_doubling", rounds, [](auto p, auto n) { return p * lg(p) * n; }, true},
        {Collective::scan, "hillis_steele",
         [](auto p, auto) { return p * lg(p) - (p == 1 ? 0 : std::bit_ceil(p) - 1); },
         [](auto p, auto n) { return (p * lg(p) - (p == 1 ? 0 : std::bit_ceil(p) - 1)) * n; }},
        {Collective::exscan, "linear", tree, tree_volume},
        {Collective::exscan, "recursive_doubling", rounds, [](auto p, auto n) { return p * lg(p) * n; }, true},
    };
    return rows;
}

TEST(CollectiveCounts, MessagesAndVolumeAreWhatTheAlgorithmsSay) {
    EXPECT_GE(table().size(), 70U);
    for (const Expected& row : table()) {
        const Algorithm* const algorithm = find_algorithm(row.operation, row.name);
        ASSERT_NE(algorithm, nullptr) << row.name;
        for (const std::uint32_t p : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 13U, 16U, 17U, 32U}) {
            if (row.powers_of_two && !std::has_single_bit(p)) continue;
            Shape shape;
            shape.operation = row.operation;
            shape.size = p;
            shape.element = 1;
            shape.bytes = Bytes{64} * p * std::bit_ceil(p); // divides by p, and in halves
            const Outcome outcome = run_symbolically(*algorithm, {~Bytes{0}, 0}, shape, Sending::buffered);
            EXPECT_EQ(outcome.problem, "");
            EXPECT_EQ(outcome.messages, row.messages(p, shape.bytes)) << row.name << ": " << shape.words();
            EXPECT_EQ(outcome.volume, row.volume(p, shape.bytes)) << row.name << ": " << shape.words();
        }
    }
}

TEST(CollectiveCounts, SegmentsMultiplyMessagesButNotVolume) {
    for (const char* name : {"chain", "pipeline", "binary", "binomial", "knomial", "k_ary"}) {
        for (const Collective operation : {Collective::bcast, Collective::reduce}) {
            if (operation == Collective::reduce && std::string(name) == "knomial") continue; // not in segments
            Shape shape;
            shape.operation = operation;
            shape.size = 11;
            shape.bytes = 10'000;
            const Outcome outcome =
                run_symbolically(*find_algorithm(operation, name), {1000, 0}, shape, Sending::buffered);
            EXPECT_EQ(outcome.messages, 10U * 10U) << name;
            EXPECT_EQ(outcome.volume, 10U * 10'000U) << name;
        }
    }
}

TEST(CollectiveCounts, NoRankOfALogarithmicAlgorithmSendsMoreThanLogarithmicallyMany) {
    for (const auto& [operation, name] :
         {std::pair{Collective::allgather, "recursive_doubling"}, std::pair{Collective::allgather, "bruck"},
          std::pair{Collective::alltoall, "bruck"}, std::pair{Collective::allreduce, "recursive_doubling"},
          std::pair{Collective::barrier, "dissemination"}, std::pair{Collective::bcast, "binomial"}}) {
        for (const std::uint32_t p : {9U, 17U, 33U, 63U, 100U}) {
            Shape shape;
            shape.operation = operation;
            shape.size = p;
            shape.bytes = 16;
            const Outcome outcome =
                run_symbolically(*find_algorithm(operation, name), {}, shape, Sending::buffered);
            EXPECT_LE(outcome.most_sent, 2 * lg(p)) << name << " of " << p;
        }
    }
}

} // namespace
} // namespace orrery::test::counts_test
