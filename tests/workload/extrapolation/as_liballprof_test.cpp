// The same program as a trace of liballprof and as a trace of actions, both extrapolated: the same messages.
#include "formats/allprof/trace.h"
#include "formats/allprof/trace_text.h"
#include "formats/export/trace_graph.h"
#include "formats/ti/ti_text.h"
#include "workload/extrapolation/extrapolated_actions.h"

#include <map>
#include <tuple>

namespace orrery::as_liballprof_test {
namespace {

using allprof_test::RankText;

// How many messages of how many bytes each rank sends to each other.
class SentMessages : public ScheduleSink {
  public:
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>; // from, to, bytes
    void begin(std::uint32_t) override {}
    void rank(RankId rank, const RankGraph& graph) override {
        for (const Op& op : graph.ops) {
            if (op.kind == OpKind::send) ++all[{rank.value, op.peer, op.size}];
        }
    }
    void finish() override {}
    std::map<Key, std::uint32_t> all;
};

constexpr std::uint32_t traced_ranks = 4;

// A ring that sends to the right, then a broadcast, a gather and a barrier of all.
std::vector<std::string> ring_of_liballprof() {
    std::vector<std::string> files;
    for (std::uint32_t rank = 0; rank < traced_ranks; ++rank) {
        RankText text(rank, traced_ranks);
        const std::uint32_t right = (rank + 1) % traced_ranks;
        const std::uint32_t left = (rank + traced_ranks - 1) % traced_ranks;
        if (rank % 2 == 0) {
            text.send(right, 100 + rank, 7).recv(static_cast<int>(left), 100 + left, 7);
        } else {
            text.recv(static_cast<int>(left), 100 + left, 7).send(right, 100 + rank, 7);
        }
        files.push_back(text.call("Bcast", "9:48:13,1,1:0:" + text.world())
                            .call("Gather", "9:32:13,1,1:9:32:13,1,1:0:" + text.world())
                            .call("Barrier", text.world())
                            .finish());
    }
    return files;
}

std::string ring_of_actions() {
    std::string text;
    for (std::uint32_t rank = 0; rank < traced_ranks; ++rank) {
        const std::uint32_t right = (rank + 1) % traced_ranks;
        const std::uint32_t left = (rank + traced_ranks - 1) % traced_ranks;
        const std::string send = fmt::format("{} send {} 7 {} 6\n", rank, right, 100 + rank);
        const std::string recv = fmt::format("{} recv {} 7 {} 6\n", rank, left, 100 + left);
        text += rank % 2 == 0 ? send + recv : recv + send;
        text += fmt::format("{0} bcast 48 0 6\n{0} gather 32 32 0 6 6\n{0} barrier\n", rank);
    }
    return text;
}

TEST(ExtrapolatedLikeLiballprof, the_same_messages) {
    const ti_test::Folder folder;
    const TiTrace trace = TiTrace::open(folder.write("t.txt", ring_of_actions()));
    const TraceCommunicators communicators(*trace.source());
    for (const char* const choice :
         {"loggopsim", "openmpi", "mpich", "smpi-default", "loggopsim,bcast=linear,gather=binomial"}) {
        AllprofOptions options_there;
        options_there.collective_algorithms = CollectivePolicy::parse(choice);
        const AllprofTrace recorded = allprof_test::read(ring_of_liballprof(), options_there);
        TraceScheduleOptions options;
        options.speed = 1e9;
        options.collectives = CollectivePolicy::parse(choice);
        for (const std::uint32_t total : {4u, 8u, 20u, 64u}) {
            SCOPED_TRACE(testing::Message() << total << " ranks, " << choice);
            SentMessages expected;
            generate(recorded, total, expected);
            const auto open = [&] {
                return std::make_unique<ExtrapolatedActions>(trace.repeated_source(total / traced_ranks),
                                                             communicators);
            };
            const TraceCommunicators extrapolated(*open());
            SentMessages found;
            (void)write_schedule(*open(), extrapolated, options, found);
            ASSERT_FALSE(expected.all.empty());
            EXPECT_EQ(found.all, expected.all);
        }
    }
}

} // namespace
} // namespace orrery::as_liballprof_test
