// A trace of p ranks on k p ranks: section 4.2.3 of the paper.
#include "formats/allprof/trace_text.h"
#include "places.h"
#include "reference/schedules.h"

#include <map>
#include <tuple>

namespace orrery::allprof_test::extrapolation_test {
namespace {

// Figure 13: two ranks, allreduce, rank 0 sends to rank 1, allreduce; extrapolated to eight ranks.
std::vector<std::string> figure_13() {
    const std::string sum = "9:9:1:10,8,8:3:";
    return {RankText(0, 2)
                .call("Allreduce", sum + "7000000,0,2")
                .send(1, 100, 7)
                .call("Allreduce", sum + "7000000,0,2")
                .finish(),
            RankText(1, 2)
                .call("Allreduce", sum + "7000000,1,2")
                .recv(0, 100, 7)
                .call("Allreduce", sum + "7000000,1,2")
                .finish()};
}

TEST(AllprofExtrapolation, figure_13) {
    const AllprofTrace trace = read(figure_13());
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
        const RankGraph graph = program(trace, rank, 8);
        std::vector<Op> copied;
        std::map<std::uint32_t, std::uint32_t> rounds; // tag -> messages sent
        for (const Op& op : graph.ops) {
            if (op.kind == OpKind::calc) continue;
            if (op.tag == 7) copied.push_back(op);
            if (op.tag != 7 && op.kind == OpKind::send) {
                EXPECT_EQ(op.peer, (rank + (1u << rounds[op.tag])) % 8);
                ++rounds[op.tag];
            }
        }
        // Point-to-point is copied and renamed: 0 to 1, 2 to 3, 4 to 5, 6 to 7.
        EXPECT_EQ(copied,
                  std::vector<Op>{rank % 2 == 0 ? send_op(rank + 1, 100, 7) : recv_op(rank - 1, 100, 7)});
        // Both allreduces are made anew: log2(8) rounds.
        EXPECT_EQ(rounds, (std::map<std::uint32_t, std::uint32_t>{{1'000'000, 3}, {1'000'001, 3}}));
    }
}

TEST(AllprofExtrapolation, roots_stay_where_they_are) {
    std::vector<std::string> files;
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        RankText text(rank, 3);
        files.push_back(text.call("Bcast", "9:8:13,1,1:2:" + text.world()).finish());
    }
    const AllprofTrace trace = read(files);
    for (std::uint32_t rank = 0; rank < 9; ++rank) {
        const RankGraph graph = program(trace, rank, 9);
        const bool receives = graph.ops[0].kind == OpKind::recv;
        EXPECT_EQ(receives, rank != 2) << rank;
    }
}

TEST(AllprofExtrapolation, only_to_multiples) {
    const AllprofTrace trace = read(figure_13());
    EXPECT_EQ(
        error_of([&] { trace.check_total(7); }),
        "a trace of 2 ranks can be extrapolated to a multiple of 2 ranks, not to 7; next to it are 6 and 8");
    EXPECT_EQ(error_of([&] { trace.check_total(0); }),
              "a trace of 2 ranks can be extrapolated to a multiple of 2 ranks, not to 0; next to it is 2");
    EXPECT_NO_THROW(trace.check_total(8));
    struct Nothing : ScheduleSink {
        void begin(std::uint32_t) override { FAIL(); }
        void rank(RankId, const RankGraph&) override {}
        void finish() override {}
    } sink;
    EXPECT_THROW(generate(trace, 5, sink), UsageError);
}

TEST(AllprofExtrapolation, samples_are_well_formed_at_any_size) {
    for (const char* name : {"sweep3d-2x2", "sphot-4", "bcast"}) {
        const AllprofTrace trace = AllprofTrace::open(test_data() + "/traces/" + name);
        EXPECT_EQ(trace.ranks(), 4u);
        for (const std::uint32_t total : {4u, 12u, 28u}) {
            std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, long> open;
            for (std::uint32_t rank = 0; rank < total; ++rank) {
                for (const Op& op : program(trace, rank, total).ops) { // checks the graph
                    if (op.kind == OpKind::send) ++open[{rank, op.peer, op.tag}];
                    if (op.kind == OpKind::recv) --open[{op.peer, rank, op.tag}];
                }
            }
            for (const auto& [key, balance] : open) EXPECT_EQ(balance, 0) << name << ", " << total << " ranks";
        }
    }
}

TEST(AllprofExtrapolation, each_rank_on_its_own) {
    const AllprofTrace trace = AllprofTrace::open(test_data() + "/traces/sphot-4");
    reference::GraphCollector keep;
    generate(trace, 64, keep);
    for (std::uint32_t rank = 64; rank-- > 0;) {
        const RankGraph graph = program(trace, rank, 64);
        EXPECT_EQ(graph.ops, keep.ranks[rank].ops);
        EXPECT_EQ(graph.dependencies, keep.ranks[rank].dependencies);
    }
}

} // namespace
} // namespace orrery::allprof_test::extrapolation_test
