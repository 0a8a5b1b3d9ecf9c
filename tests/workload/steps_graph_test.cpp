// Steps of algorithms as pieces of a rank's graph: LogGOPSim's schedules and those of programs.
#include "workload/steps_graph.h"

#include "collectives/algorithms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

namespace orrery::steps_graph_test {
namespace {

CollectiveCall call_of(Collective operation, std::uint32_t rank, std::uint32_t size, Bytes bytes,
                       std::uint32_t root = 0) {
    CollectiveCall call;
    call.operation = operation;
    call.rank = rank;
    call.size = size;
    call.bytes = bytes;
    call.root = root;
    return call;
}

RankGraph graph_of(const char* name, const CollectiveCall& call, RankGraph graph = {}) {
    RankChain chain(graph);
    if (!graph.ops.empty()) chain.after(static_cast<std::uint32_t>(graph.ops.size() - 1));
    append_steps(find_algorithm(call.operation, name)->run(call, {}), chain, 9, call.rank,
                 [](std::uint32_t member) { return member; });
    return graph;
}

// "send 8 to 3 | 0 1s": waits for the end of operation 0 and for the start of 1.
std::string words(const RankGraph& graph) {
    std::string out;
    for (std::uint32_t i = 0; i < graph.ops.size(); ++i) {
        const Op& op = graph.ops[i];
        const char* const kind = op.kind == OpKind::send ? "send" : op.kind == OpKind::recv ? "recv" : "calc";
        out += fmt::format("{} {} {}", kind, op.size, op.peer);
        std::string waits;
        for (const Dependency& each : graph.dependencies) {
            if (each.after == i) waits += fmt::format(" {}{}", each.before, each.on_start ? "s" : "");
        }
        out += fmt::format("{}{}\n", waits.empty() ? "" : " |", waits);
    }
    return out;
}

TEST(StepsGraph, LogGOPSimsSendsWaitForWhatTheyPassOnOnly) {
    EXPECT_EQ(words(graph_of("loggopsim:dissemination", call_of(Collective::allreduce, 2, 5, 64))),
              "send 64 3\nrecv 64 1\nsend 64 4 | 1\nrecv 64 0\nsend 64 1 | 3\nrecv 64 3\n");
    EXPECT_EQ(words(graph_of("loggopsim:dissemination", call_of(Collective::barrier, 0, 3, 0))),
              "send 1 1\nrecv 1 2\nsend 1 2 | 1\nrecv 1 1\n");
    EXPECT_EQ(words(graph_of("loggopsim:binomial", call_of(Collective::bcast, 1, 8, 10))),
              "recv 10 0\nsend 10 3 | 0\nsend 10 5 | 0\n");
    EXPECT_EQ(words(graph_of("loggopsim:binomial", call_of(Collective::bcast, 0, 8, 10))),
              "send 10 1\nsend 10 2\nsend 10 4\n");
    EXPECT_EQ(words(graph_of("loggopsim:binomial", call_of(Collective::reduce, 1, 8, 10))),
              "recv 10 3\nrecv 10 5\nsend 10 0 | 0 1\n");
    EXPECT_EQ(words(graph_of("loggopsim:linear", call_of(Collective::alltoall, 1, 4, 7))),
              "send 7 2\nrecv 7 0\nsend 7 3\nrecv 7 3\nsend 7 0\nrecv 7 2\n");
    EXPECT_EQ(words(graph_of("loggopsim:linear", call_of(Collective::scatter, 2, 4, 7, 2))),
              "send 7 1\nsend 7 0\nsend 7 3\n");
}

TEST(StepsGraph, AnotherRootChangesPlacesWithRankZero) {
    for (std::uint32_t root = 0; root < 9; ++root) {
        const auto swapped = [&](std::uint32_t rank) { return rank == 0 ? root : rank == root ? 0 : rank; };
        for (std::uint32_t rank = 0; rank < 9; ++rank) {
            for (const Collective operation : {Collective::bcast, Collective::reduce}) {
                for (const char* const name : {"binomial_swapped", "heap"}) {
                    RankGraph plain = graph_of(name, call_of(operation, swapped(rank), 9, 100));
                    for (Op& op : plain.ops) op.peer = swapped(op.peer);
                    EXPECT_EQ(words(graph_of(name, call_of(operation, rank, 9, 100, root))), words(plain));
                }
            }
        }
    }
}

TEST(StepsGraph, AProgramDoesOneThingAfterTheOther) {
    EXPECT_EQ(words(graph_of("dissemination", call_of(Collective::barrier, 0, 3, 0))),
              "recv 0 2\nsend 0 1\nrecv 0 1 | 1 0\nsend 0 2 | 1 0\n");
    EXPECT_EQ(words(graph_of("linear", call_of(Collective::gather, 1, 3, 5, 1))), "recv 5 0\nrecv 5 2 | 0s\n");
}

// What begins at once still waits for what stands before the call.
TEST(StepsGraph, NothingBeginsBeforeTheCall) {
    RankGraph before;
    before.add(calc_op(1000));
    EXPECT_EQ(words(graph_of("loggopsim:dissemination", call_of(Collective::barrier, 0, 3, 0), before)),
              "calc 1000 0\nsend 1 1 | 0\nrecv 1 2 | 0\nsend 1 2 | 2\nrecv 1 1 | 0\n");
}

// Why it is not what `loggopsim` takes for an allgather: of p - 1 blocks lg p arrive.
TEST(StepsGraph, LogGOPSimsAllgatherMovesTooLittle) {
    Bytes received = 0;
    for (const Op& op : graph_of("loggopsim:dissemination", call_of(Collective::allgather, 3, 16, 10)).ops)
        received += op.kind == OpKind::recv ? op.size : 0;
    EXPECT_EQ(received, 40u);
}

} // namespace
} // namespace orrery::steps_graph_test
