// Dimemas traces as workloads, and workloads as Dimemas traces.
#include "engine/error.h"
#include "formats/dimemas/dim_writer.h"
#include "formats/dimemas/listed.h"
#include "formats/dimemas_trace.h"
#include "formats/trace.h"

#include "drivers/dimemas/run_text.h"

#include <gtest/gtest.h>

namespace orrery::dim_actions_test {
using namespace orrery::test;

using Lines = std::vector<std::string>;

TEST(DimActions, RecordsBecomeActions) {
    const DimemasFolder folder;
    const TiTrace trace = TiTrace::open(folder.write(
        "t.dim", trace_text({{"1:0.001", "20:5:5", "2:1:-1:100:7:1:0", "2:1:-1:100:7:1:2", "2:1:-1:5:7:1:1",
                              "10:1:2:1:0:64:0:1", "10:10:1:1:0:8:8:3", "10:0:0:0:0:0:0:1", "1:0"},
                             {"1:0.002", "3:0:-1:100:7:1:1", "3:0:-1:100:7:1:1", "3:0:-1:100:7:1:2",
                              "3:0:-1:100:7:1:2", "3:0:-1:5:7:1:2", "10:1:2:0:0:0:64:1", "10:10:1:1:0:8:8:3"},
                             {"1:0", "10:10:1:1:0:8:8:3", "10:8:3:0:0:32:96:0", "10:8:3:0:0:32:96:2"}},
                            {"d:1:2:2:0:1", "d:1:3:1:2"})));
    EXPECT_EQ(trace.ranks(), 3U);
    EXPECT_EQ(trace.format(), "Dimemas trace");
    EXPECT_EQ(trace.cpu_time_rate(), 1e9);
    const auto source = trace.source();
    EXPECT_EQ(listed(*source, 0),
              (Lines{"comm_create 2: 0 1", "compute 1000000.000", "send peer 1 bytes 100",
                     "isend peer 1 bytes 100 request 0", "forget request 0", "ssend peer 1 bytes 5",
                     "bcast bytes 64 root 0 comm 2", "reduce bytes 8 root 1 comm 0"}));
    EXPECT_EQ(listed(*source, 1),
              (Lines{"comm_create 2: 0 1", "compute 2000000.000", "irecv peer 0 bytes 100 request 0",
                     "irecv peer 0 bytes 100 request 1", "wait request 0", "wait request 1",
                     "recv peer 0 bytes 5", // a wait without its receive
                     "bcast bytes 64 root 0 comm 2", "reduce bytes 8 root 1 comm 0"}));
    EXPECT_EQ(listed(*source, 2), (Lines{"comm_create 3: 2", "reduce bytes 8 root 1 comm 0",
                                         "ialltoall bytes 32 root 0 comm 3 request 0", "wait request 0"}));
}

TEST(DimActions, CommunicatorsOfMessagesKeepThemApart) {
    const DimemasFolder folder;
    const TiTrace trace = TiTrace::open(
        folder.write("t.dim", trace_text({{"1:0", "2:1:-1:1:7:1:0", "2:1:-1:1:7:2:0", "2:1:-1:1:7:901:0",
                                           "2:1:-1:1:7:902:0", "2:1:-1:1:8:1:0"},
                                          {"1:0", "3:0:-1:1:7:1:0", "3:0:-1:1:7:2:0", "3:0:-1:1:7:901:0",
                                           "3:0:-1:1:7:902:0", "3:0:-1:1:8:1:0"}},
                                         {"d:1:2:2:0:1"})));
    const auto source = trace.source();
    std::vector<std::uint32_t> tags;
    for (const Action& action : source->next(RankId{0})) {
        if (action.kind == ActionKind::send) tags.push_back(action.tag);
    }
    ASSERT_EQ(tags.size(), 5U);
    std::size_t i = 0;
    for (const Action& action : source->next(RankId{1})) {
        if (action.kind == ActionKind::recv) {
            EXPECT_EQ(action.tag, tags[i++]);
        }
    }
    std::sort(tags.begin(), tags.end());
    EXPECT_EQ(std::unique(tags.begin(), tags.end()), tags.end());
    EXPECT_NE(tags.back(), any_tag);
}

TEST(DimActions, OtherThreadsMayComputeOnly) {
    const DimemasFolder folder;
    const std::string head = "#DIMEMAS:\"t\":0:1(2),1\nd:1:1:1:0\n1:0:0:0.001\n1:0:1:0.5\n";
    const TiTrace trace = TiTrace::open(folder.write("a.dim", head));
    EXPECT_EQ(listed(*trace.source(), 0), Lines{"compute 1000000.000"});
    ASSERT_EQ(trace.notes().size(), 1U);
    EXPECT_NE(trace.notes()[0].find("left out"), std::string::npos);
    const TiTrace talking = TiTrace::open(folder.write("b.dim", head + "10:0:1:0:1:0:0:0:0:1\n"));
    try {
        (void)talking.source();
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.error().line, 5U);
    }
}

TEST(DimActions, RootsThatAreNotMembersAreRefused) {
    const DimemasFolder folder;
    const TiTrace trace = TiTrace::open(
        folder.write("t.dim", trace_text({{"1:0", "10:10:2:1:0:8:8:3"}, {"1:0"}}, {"d:1:2:1:0"})));
    EXPECT_THROW((void)trace.source(), InputError);
}

TEST(DimActions, OneSidedCommunicationIsLeftOut) {
    const DimemasFolder folder;
    const TiTrace trace = TiTrace::open(folder.write(
        "t.txt", "0 win_fence\n0 rma 1 8 0\n0 irma 1 0 8\n0 waitall\n0 win_fence\n"
                 "0 isend 1 0 500 6\n0 cancel req=0\n1 win_fence\n1 win_fence\n1 aside\n1 waitall\n"));
    DimNotes notes;
    const std::string out = folder.file("out.dim");
    (void)write_dim(*trace.source(), *trace.source(), out, "t", 1e9, notes);
    EXPECT_EQ(notes.words(),
              (Lines{"2 calls of one-sided communication are left out", "1 cancelled sends are left out",
                     "1 nonblocking collectives between two groups are left out"}));
    const DimemasTrace again = DimemasTrace::open(out);
    const auto source = again.source();
    for (const std::uint32_t rank : {0U, 1U}) {
        Lines lines = listed(*source, rank);
        std::erase_if(lines, [](const std::string& line) { return !line.starts_with("barrier"); });
        EXPECT_EQ(lines.size(), 2U);
    }
}

TEST(DimActions, ThereAndBack) {
    const DimemasFolder folder;
    const std::string text = "0 init\n1 init\n2 init\n"
                             "0 compute 1e6\n0 isend 1 3 1000 0\n0 irecv 2 4 500 0\n0 waitall 2\n"
                             "1 recv 0 3 1000 0\n1 send 2 0 8 0\n1 compute 5e5\n"
                             "2 compute 1e6\n2 send 0 4 500 0\n2 recv 1 0 8 0\n"
                             "0 allreduce 100 0 0\n1 allreduce 100 0 0\n2 allreduce 100 0 0\n"
                             "0 bcast 64 2 0\n1 bcast 64 2 0\n2 bcast 64 2 0\n"
                             "0 finalize\n1 finalize\n2 finalize\n";
    const TiTrace trace = TiTrace::open(folder.write("t.txt", text));
    DimNotes notes;
    const std::string out = folder.file("out.dim");
    (void)write_dim(*trace.source(), *trace.source(), out, "t", 1e9, notes);
    EXPECT_TRUE(notes.words().empty());
    const DimemasTrace again = DimemasTrace::open(out);
    const auto source = again.source();
    const Lines first = listed(*source, 0);
    EXPECT_EQ(first.at(0), "compute 1000000.000");
    EXPECT_EQ(first.at(1).substr(0, 5), "isend");
    EXPECT_EQ(first.back(), listed(*source, 1).back());
    EXPECT_NE(first.back().find("bcast"), std::string::npos);
    EXPECT_NE(first.back().find("root 2"), std::string::npos);
    // It ends at the same time on a machine where only bursts take time: 1 ms, and what waits for it.
    MachineText machine;
    machine.nodes = 3;
    machine.latency = 0;
    machine.bandwidth = 0;
    EXPECT_EQ(
        dimemas::simulate(again.file(), dimemas::read_configuration(folder.write("m.cfg", machine.text())))
            .base.time,
        Time::us(1500));
}

} // namespace orrery::dim_actions_test
