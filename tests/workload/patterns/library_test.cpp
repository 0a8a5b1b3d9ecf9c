// Patterns that are collectives against the steps of the library of
// collectives: the same operations and dependencies, for every number of ranks.
#include "collectives/algorithms.h"
#include "workload/patterns/pattern.h"
#include "workload/steps_graph.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <string_view>
#include <utility>

namespace orrery::library_test {
namespace {

struct Pair {
    const char* pattern;
    Collective operation;
    const char* algorithm;
    bool rooted = false;
    std::vector<std::uint32_t> radices = {2}; // of the pattern; the algorithm's fanout
};

const std::vector<Pair>& same() {
    static const std::vector<Pair> rows{
        {"binomial-bcast", Collective::bcast, "binomial_swapped", true},
        {"binary-bcast", Collective::bcast, "heap", true},
        {"kary-bcast", Collective::bcast, "heap", true, {1, 3, 4, 5, 80}},
        {"binomial-reduce", Collective::reduce, "binomial_swapped", true},
        {"binary-reduce", Collective::reduce, "heap", true},
        {"kary-reduce", Collective::reduce, "heap", true, {1, 3, 4, 5, 80}},
        {"scatter", Collective::scatter, "linear_posted", true},
        {"gather", Collective::gather, "linear_posted", true},
        {"dissemination", Collective::allreduce, "dissemination"},
        {"linear-alltoall", Collective::alltoall, "linear_upwards"},
        {"pairwise-alltoall", Collective::alltoall, "pairwise_exchange"},
    };
    return rows;
}

RankGraph by_the_library(const char* algorithm, const CollectiveCall& call, CollectiveTuning tuning = {}) {
    RankGraph graph;
    RankChain chain(graph);
    append_steps(find_algorithm(call.operation, algorithm)->run(call, tuning), chain, 0, call.rank,
                 [](std::uint32_t member) { return member; });
    // In LogGOPSim's reductions the send to the parent stands before the receives
    // that it waits for.
    const bool sends = !graph.ops.empty() && graph.ops.back().kind == OpKind::send;
    if (call.operation == Collective::reduce && sends) {
        const auto last = static_cast<std::uint32_t>(graph.ops.size() - 1);
        std::rotate(graph.ops.begin(), graph.ops.end() - 1, graph.ops.end());
        const auto moved = [&](std::uint32_t op) { return op == last ? 0 : op + 1; };
        for (Dependency& each : graph.dependencies)
            each = {moved(each.before), moved(each.after), each.on_start};
    }
    // A program posts the receive of an exchange before its send; the pattern lists it behind. Same graph,
    // other numbers.
    if (call.operation == Collective::alltoall && std::string_view(algorithm) == "pairwise_exchange") {
        for (std::size_t i = 0; i + 1 < graph.ops.size(); i += 2) std::swap(graph.ops[i], graph.ops[i + 1]);
        for (Dependency& each : graph.dependencies) each = {each.before ^ 1U, each.after ^ 1U, each.on_start};
        std::sort(graph.dependencies.begin(), graph.dependencies.end(),
                  [](const Dependency& a, const Dependency& b) {
                      return std::pair(a.after, a.before) < std::pair(b.after, b.before);
                  });
    }
    return graph;
}

void expect_same(const RankGraph& pattern, const RankGraph& library) {
    ASSERT_EQ(pattern.ops, library.ops);
    ASSERT_EQ(pattern.dependencies, library.dependencies);
}

TEST(PatternsAndLibrary, GiveTheSameSchedules) {
    for (const Pair& row : same()) {
        for (std::uint32_t ranks = 1; ranks <= 70; ++ranks) {
            for (const Bytes bytes : {Bytes{0}, Bytes{1}, Bytes{12'345}}) {
                for (const std::uint32_t root : {0U, ranks / 2, ranks - 1}) {
                    if (root != 0 && !row.rooted) continue;
                    for (const std::uint32_t radix : row.radices) {
                        SCOPED_TRACE(fmt::format("{} of {} ranks, {} B, root {}, radix {}", row.pattern, ranks,
                                                 bytes, root, radix));
                        const auto pattern = make_pattern(
                            row.pattern, {.ranks = ranks, .bytes = bytes, .root = root, .radix = radix});
                        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                            CollectiveCall call;
                            call.operation = row.operation;
                            call.rank = rank;
                            call.size = ranks;
                            call.root = root;
                            call.bytes = bytes;
                            RankGraph graph;
                            pattern->program({rank}, graph);
                            expect_same(graph, by_the_library(row.algorithm, call, {0, radix}));
                            if (HasFatalFailure()) return;
                        }
                    }
                }
            }
        }
    }
}

TEST(PatternsAndLibrary, GiveTheSameAlltoallvWhateverTheSizes) {
    for (std::uint32_t ranks = 1; ranks <= 70; ++ranks) {
        const auto pattern =
            make_pattern("linear-alltoallv", {.ranks = ranks, .bytes = 5000, .seed = ranks, .skew = 3});
        std::vector<RankGraph> graphs(ranks);
        std::vector<std::vector<Bytes>> sent(ranks, std::vector<Bytes>(ranks, 0));
        std::vector<std::vector<Bytes>> received = sent;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            pattern->program({rank}, graphs[rank]);
            for (const Op& op : graphs[rank].ops)
                (op.kind == OpKind::send ? sent : received)[rank][op.peer] = op.size;
        }
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            CollectiveCall call;
            call.operation = Collective::alltoallv;
            call.rank = rank;
            call.size = ranks;
            call.send_counts = sent[rank];
            call.receive_counts = received[rank];
            expect_same(graphs[rank], by_the_library("linear_upwards", call));
            if (HasFatalFailure()) return;
        }
    }
}

} // namespace
} // namespace orrery::library_test
