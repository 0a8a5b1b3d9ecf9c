// All patterns, one row each: name, LogGOPSim's name, what it is, its options, its messages and its time.
//
// In the formulas P is the number of ranks, s the bytes of one message, N the iterations, and sO = (s-1)O,
// sG = (s-1)G, m = max(sO, sG), d = max(0, sO - L); log is to base 2, rounded up. Times hold for messages of at
// most S bytes in rounds that outlast the gap: g + sG <= 2o + L + m (+ d).
#include "workload/patterns/factories.h"

#include <iterator>

namespace orrery {

namespace {

namespace make = patterns_detail;
using namespace option;

constexpr PatternOptionSet rooted = bytes | root;
constexpr PatternOptionSet reducing = bytes | reduce_cost;
constexpr PatternOptions usual{};
constexpr PatternOptions four_children{.radix = 4};
constexpr PatternOptions one_partner{.fan = 1};
constexpr PatternOptions one_group{.group = 0};
// The original's: a reduction takes 1 ns per byte; five disseminations of 10,000 bytes; a forward pass of 119
// us.
constexpr PatternOptions one_way{.radix = 1, .reduce_cost = 1000};
constexpr PatternOptions five_times{.bytes = 10'000, .iterations = 5};
constexpr PatternOptions forward_pass{.usual_compute_us = 119};

constexpr PatternInfo on_grid(PatternInfo info, std::uint32_t axes) {
    info.axes = axes;
    return info;
}

// One message for each pair of partners. `option`: what may follow the name, as `argument`.
constexpr PatternInfo partners(std::string_view name, std::string_view argument, PatternOptionSet option,
                               std::string_view description, std::string_view messages,
                               std::unique_ptr<Pattern> (*maker)(const PatternOptions&),
                               PatternSizes sizes = PatternSizes::any, std::string_view synonyms = {},
                               PatternOptions defaults = usual) {
    return {name,     "",     description, bytes | option, messages,          "",  defaults, maker,
            argument, option, synonyms,    sizes,          pattern_user::all, true};
}

constexpr PatternInfo pattern_rows[] = {
    {"binomial-bcast", "binomialtreebcast", "broadcast over a binomial tree", rooted, "P-1",
     "(2o+L+m) log P, P a power of two", usual, make::binomial_bcast},
    {"binomial-reduce", "binomialtreereduce", "reduction over a binomial tree", rooted | reduce_cost, "P-1",
     "(2o+L+m) log P, P a power of two", usual, make::binomial_reduce},
    {"binary-bcast", "binarytreebcast", "broadcast over a binary tree", rooted, "P-1", "", usual,
     make::kary_bcast},
    {"binary-reduce", "", "reduction over a binary tree", rooted | reduce_cost, "P-1", "", usual,
     make::kary_reduce},
    {"kary-bcast", "", "broadcast over a tree with K children per node", rooted | radix, "P-1", "",
     four_children, make::kary_bcast},
    {"kary-reduce", "", "reduction over a tree with K children per node", rooted | radix | reduce_cost, "P-1",
     "", four_children, make::kary_reduce},

    {"scatter", "scatter", "the root sends a block to each rank", rooted, "P-1", "2o+L+(P-2)max(o+sO,g+sG)+m",
     usual, make::from_root},
    {"gather", "gather", "each rank sends a block to the root", rooted, "P-1", "2o+L+(P-2)max(o+m,g+sG)+m",
     usual, make::to_root},
    {"outcast", "", "the root sends N messages to each of K ranks", rooted | fan | iterations, "N K",
     "2o+L+(NK-1)max(o+sO,g+sG)+m", usual, make::from_root},
    {"incast", "", "K ranks send N messages each to the root at once", rooted | fan | iterations, "N K",
     "2o+L+(K-1)max(o+m,g+sG)+m for N=1", usual, make::to_root},
    {"linear-barrier", "linbarrier", "rank 0 receives from all ranks, then sends to all", 0, "2(P-1)", "",
     usual, make::linear_barrier},
    {"ping-pong", "", "ranks 2i and 2i+1 send a message to and fro, N times", bytes | iterations,
     "2N floor(P/2)", "2N(2o+L+m)", usual, make::ping_pong},

    {"dissemination", "dissemination",
     "everybody sends to the rank at distance 1, 2, 4, ... (allreduce, barrier)", reducing, "P log P",
     "(d+2o+L+m) log P", usual, make::dissemination},
    {"nway-dissemination", "nwaydissemination", "dissemination to K ranks per round, with a reduction",
     reducing | radix, "P K ceil(log_{K+1} P)", "", one_way, make::nway_dissemination},
    {"chained-dissemination", "chained_dissem", "N disseminations, each after the one before",
     bytes | iterations, "N P log P", "", five_times, make::chained_dissemination},
    {"resnet", "resnet", "a training step of ResNet-50: gradients summed while the backward pass goes on",
     compute, "10 P log P", "", forward_pass, make::resnet},

    {"ring", "", "one message goes round the ranks, N times", bytes | iterations | compute, "N P",
     "N P (2o+L+m+compute)", usual, make::ring},
    {"double-ring", "doublering", "two messages go round the ranks in opposite directions", bytes, "2P", "",
     usual, make::double_ring},
    {"shift-exchange", "", "everybody sends to the rank K above, then to the rank K below, N times",
     bytes | distance | periodic | iterations, "2N(P-K), 2NP if periodic", "", usual, make::shift_exchange, "K",
     distance, "exchange"},
    {"pipelined-ring", "pipelinedring", "broadcast down a chain of ranks, in segments", rooted | segment,
     "(P-1) ceil(SIZE/SEGMENT)", "", usual, make::pipelined_ring},
    {"pipelined-ring-dep", "pipelinedringdep",
     "broadcast down a chain, a segment received when the last was passed on", rooted | segment,
     "(P-1) ceil(SIZE/SEGMENT)", "", usual, make::pipelined_ring_dep},
    {"ring-allgather", "", "everybody gets a block from everybody, round a ring", bytes, "P(P-1)",
     "(d+2o+L+m)(P-1)", usual, make::ring_allgather},
    {"ring-allreduce", "allreduce_ring", "reduce-scatter and allgather round a ring (s = SIZE/P)", reducing,
     "2P(P-1)", "2(d+2o+L+m)(P-1)", usual, make::ring_allreduce},

    {"recursive-doubling-allgather", "", "blocks exchanged at distance 1, 2, 4, ...", bytes,
     "Q log Q + 2(P-Q), Q = 2^floor(log P)", "", usual, make::recursive_doubling_allgather},
    {"recursive-doubling-allreduce", "", "the whole vector exchanged at distance 1, 2, 4, ...", reducing,
     "Q log Q + 2(P-Q), Q = 2^floor(log P)", "(d+2o+L+m) log P, P a power of two", usual,
     make::recursive_doubling_allreduce},
    {"rabenseifner-allreduce", "", "reduce-scatter by recursive halving, allgather by recursive doubling",
     reducing, "2Q log Q + 2(P-Q), Q = 2^floor(log P)", "", usual, make::rabenseifner_allreduce},
    {"halving-doubling-allreduce", "allreduce_recdoub",
     "reduce-scatter and allgather as Rabenseifner's, the near partners first", reducing | pause,
     "2Q log Q + 2(P-Q), Q = 2^floor(log P)", "", usual, make::halving_doubling_allreduce},

    {"linear-alltoall", "linear_alltoall", "a block for everybody from everybody, all at once", bytes, "P(P-1)",
     "", usual, make::linear_alltoall},
    {"linear-alltoallv", "linear_alltoallv",
     "a block of random size for everybody from everybody, full ones for the root",
     rooted | skew | outcast | seed, "P(P-1)", "", usual, make::linear_alltoallv},
    {"pairwise-alltoall", "", "a block for everybody from everybody, one partner after the other", bytes,
     "P(P-1)", "", usual, make::pairwise_alltoall},
    {"rolling-alltoall", "", "the same, but on to the next partner as soon as a block has come in", bytes,
     "P(P-1)", "", usual, make::rolling_alltoall},
    {"bruck-alltoall", "", "Bruck's alltoall: fewer messages, blocks travel several times", bytes, "P log P",
     "", usual, make::bruck_alltoall},

    {"random-bisection", "random_bisect", "a random half of the ranks sends to the other half", bytes | seed,
     "floor(P/2)", "2o+L+m", usual, make::random_bisection},
    {"random-exchange", "random_bisect_fd_sym", "random pairs of ranks send to each other", bytes | seed,
     "2 floor(P/2)", "d+2o+L+m", usual, make::random_exchange},
    {"random-permutation", "", "everybody sends to a random rank and hears from one, N times",
     bytes | seed | iterations, "N P", "", usual, make::random_permutation},
    {"random-bipartite", "", "each rank of the lower half sends to K random ones of the upper half",
     bytes | seed | fan, "K floor(P/2)", "", one_partner, make::random_bipartite},

    on_grid({"stencil-2d", "", "exchange with 4 neighbours on a grid, then compute, N times",
             bytes | iterations | compute | dims | periodic, "2N((X-1)Y+X(Y-1)), periodic 4NXY", "", usual,
             make::stencil_2d},
            2),
    on_grid({"stencil-3d", "", "exchange with 6 neighbours on a grid, then compute, N times",
             bytes | iterations | compute | dims | periodic, "2N((X-1)YZ+X(Y-1)Z+XY(Z-1)), periodic 6NXYZ", "",
             usual, make::stencil_3d},
            3),
    on_grid({"sweep", "", "wavefronts over a 2D grid from each corner, as in Sweep3D",
             bytes | iterations | compute | dims | blocks | octants, "N octants blocks ((X-1)Y+X(Y-1))", "",
             usual, make::sweep},
            2),

    partners("uniform", "", 0, "each to all others; in traffic each message to any other", "P(P-1)",
             make::linear_alltoall),
    partners("shift", "K", distance, "each to the one K further on, the last ones to the first", "P",
             make::shift_round),
    partners("permutation", "SEED", seed, "each to one other, at random by the seed, none twice", "P",
             make::permutation),
    partners("neighbour", "", 0, "to the nearest of a torus, mesh or hypercube of hosts; else i - 1 and i + 1",
             "2P", make::neighbour, PatternSizes::any, "neighbor"),
    partners("tornado", "", 0, "almost halfway round, (P-1)/2 further on; on a torus in each dimension", "P",
             make::tornado),
    partners("bit-complement", "", 0, "from i to i with all binary digits inverted (P = 2^n)", "P",
             make::bit_complement, PatternSizes::powers_of_two),
    partners("bit-reverse", "", 0, "to i with its digits in reverse order (P = 2^n)", "at most P",
             make::bit_reverse, PatternSizes::powers_of_two),
    partners("shuffle", "", 0, "to i with its digits rotated by one (P = 2^n)", "at most P", make::shuffle,
             PatternSizes::powers_of_two),
    partners("transpose", "", 0, "to i with the halves of its digits swapped (P = 4^n)", "at most P",
             make::transpose, PatternSizes::powers_of_four),
    partners("group", "K", option::group, "to all of the next group of K; a dragonfly has its own groups",
             "P K", make::group),
    partners("near-neighbour", "", 0, "on a periodic 3D grid to 6 neighbours across faces and 8 across corners",
             "14P", make::near_neighbour, PatternSizes::any, "near-neighbor"),
    partners("alltoall", "K", option::group, "each to all others of its group of K consecutive ones, or of all",
             "P(K-1)", make::grouped_alltoall, PatternSizes::any, {}, one_group),
    // Not a set of messages, as its shares differ. It stands last: see patterns().
    {"hotspot",
     "",
     "uniform, but this share of the messages (0.1) goes to host 0",
     0,
     "",
     "",
     usual,
     nullptr,
     "SHARE",
     0,
     {},
     PatternSizes::any,
     pattern_user::traffic,
     true},
};

} // namespace

std::span<const PatternInfo> all_patterns() { return pattern_rows; }

std::span<const PatternInfo> patterns() {
    static_assert((std::end(pattern_rows) - 1)->make == nullptr);
    return std::span(pattern_rows).first(std::size(pattern_rows) - 1);
}

} // namespace orrery
