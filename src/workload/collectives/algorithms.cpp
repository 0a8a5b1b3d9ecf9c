#include "workload/collectives/algorithms.h"

#include "engine/error.h"
#include "engine/units.h"
#include "workload/collectives/building.h"

#include <fmt/format.h>
#include <vector>

namespace orrery {

namespace {

using namespace collectives;

// The default of each collective comes first. They are LogGOPSim's where that has one, but for the allgather,
// whose dissemination there carries the same size in each round and so moves too little data.
constexpr CollectiveRow algorithm_rows[] = {
    {Collective::barrier, "dissemination", "1 byte to distance 2^r in round r", dissemination_barrier},
    {Collective::barrier, "binomial", "binomial tree to rank 0 and back", binomial_barrier},
    {Collective::barrier, "linear", "all to rank 0, then rank 0 to all", linear_barrier},

    {Collective::bcast, "binomial", "binomial tree", binomial_bcast},
    {Collective::bcast, "binary", "binary tree", binary_bcast},
    {Collective::bcast, "linear", "root to each", linear_bcast},
    {Collective::bcast, "scatter-allgather", "binomial scatter of P parts, ring allgather",
     scatter_allgather_bcast},

    {Collective::reduce, "binomial", "binomial tree", binomial_reduce},
    {Collective::reduce, "binary", "binary tree", binary_reduce},
    {Collective::reduce, "linear", "each to root", linear_reduce},

    {Collective::allreduce, "dissemination", "whole vector to distance 2^r in round r", dissemination},
    {Collective::allreduce, "recursive-doubling", "whole vector between rank and rank xor 2^r",
     recursive_doubling_allreduce},
    {Collective::allreduce, "rabenseifner", "reduce-scatter by halving, allgather by doubling",
     rabenseifner_allreduce},
    {Collective::allreduce, "ring", "reduce-scatter and allgather round a ring", ring_allreduce},
    {Collective::allreduce, "reduce-bcast", "binomial tree to rank 0 and back", reduce_bcast_allreduce},

    {Collective::gather, "linear", "each to root", linear_gather},
    {Collective::gather, "binomial", "binomial tree, blocks collected on the way", binomial_gather},
    {Collective::gatherv, "linear", "each to root", linear_gather},

    {Collective::scatter, "linear", "root to each", linear_scatter},
    {Collective::scatter, "binomial", "binomial tree, blocks handed down", binomial_scatter},
    {Collective::scatterv, "linear", "root to each", linear_scatter},

    {Collective::allgather, "bruck", "what is gathered so far to distance 2^r in round r", bruck_allgather},
    {Collective::allgather, "ring", "blocks round a ring", ring_allgather},
    {Collective::allgather, "linear", "each to each", linear_allgather},
    {Collective::allgather, "dissemination", "LogGOPSim's: one block to distance 2^r in round r",
     dissemination},

    {Collective::allgatherv, "ring", "blocks round a ring", ring_allgather},
    {Collective::allgatherv, "linear", "each to each", linear_allgather},

    {Collective::alltoall, "linear", "all sends and receives at once", linear_alltoall},
    {Collective::alltoall, "pairwise", "one exchange after the other", pairwise_alltoall},
    {Collective::alltoall, "bruck", "log2 P rounds of about P/2 blocks", bruck_alltoall},

    {Collective::alltoallv, "linear", "all sends and receives at once", linear_alltoall},
    {Collective::alltoallv, "pairwise", "one exchange after the other", pairwise_alltoall},

    {Collective::reduce_scatter, "pairwise", "one exchange of blocks after the other", pairwise_reduce_scatter},
    {Collective::reduce_scatter, "reduce-scatter", "binomial reduce to rank 0, linear scatter",
     reduce_then_scatter},

    {Collective::scan, "linear", "from each rank to the next", linear_scan},
    {Collective::scan, "binomial", "partial results to distance 2^r in round r", binomial_scan},
    {Collective::exscan, "linear", "from each rank to the next", linear_scan},
    {Collective::exscan, "binomial", "partial results to distance 2^r in round r", binomial_scan},
};

std::vector<std::string_view> names_for(Collective collective) {
    std::vector<std::string_view> found;
    for (const CollectiveRow& row : algorithm_rows) {
        if (row.collective == collective) found.push_back(row.name);
    }
    return found;
}

[[noreturn]] void unknown(std::string_view what, std::string_view word,
                          std::span<const std::string_view> candidates) {
    const std::string nearest = nearest_word(word, candidates);
    throw UsageError(fmt::format("unknown {} '{}'{}; there are: {}", what, word,
                                 nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest),
                                 fmt::join(candidates, ", ")));
}

} // namespace

std::span<const CollectiveRow> collective_algorithms() { return algorithm_rows; }

CollectiveChoice::CollectiveChoice() {
    for (const CollectiveRow& row : algorithm_rows) {
        const CollectiveRow*& chosen = rows_[static_cast<std::size_t>(row.collective)];
        if (chosen == nullptr) chosen = &row;
    }
}

void CollectiveChoice::set(std::string_view assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos) {
        throw UsageError(fmt::format("'{}': expected COLLECTIVE=ALGORITHM, such as bcast=binary", assignment));
    }
    const std::string_view collective = assignment.substr(0, equals);
    const std::string_view algorithm = assignment.substr(equals + 1);
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < collective_count; ++i) {
        if (rows_[i] == nullptr) continue;
        names.push_back(name_of(static_cast<Collective>(i)));
        if (names.back() != collective) continue;
        for (const CollectiveRow& row : algorithm_rows) {
            if (row.collective != static_cast<Collective>(i) || row.name != algorithm) continue;
            rows_[i] = &row;
            return;
        }
        unknown(fmt::format("algorithm for {}", collective), algorithm, names_for(static_cast<Collective>(i)));
    }
    unknown("collective", collective, names);
}

} // namespace orrery
