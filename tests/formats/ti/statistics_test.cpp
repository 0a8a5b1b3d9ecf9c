#include "ti_text.h"

namespace orrery::statistics_test {
namespace {

using namespace ti_test;

TEST(TiStatistics, counts_what_passes_by) {
    const Folder folder;
    const TiTrace trace =
        TiTrace::open(folder.write("t", "0 compute 10\n0 isend 1 0 100 6\n0 send 1 0 0 6\n0 irecv -555 -444 1 "
                                        "6\n0 waitall\n0 sendRecv 4096 1 7 1\n0 allreduce 8 "
                                        "5 6\n0 sleep 2\n1 compute 40\n1 recv 0 0 100 6\n1 allreduce 8 5 6\n"));
    TiStatistics counts;
    counts.read(*trace.source());
    EXPECT_EQ(counts.ranks(), 2U);
    EXPECT_EQ(counts.actions(), 11U);
    EXPECT_EQ(counts.largest_rank(), 8U);
    EXPECT_EQ(counts.of(ActionKind::compute), 2U);
    EXPECT_EQ(counts.of(ActionKind::collective), 2U);
    EXPECT_EQ(counts.of(Collective::allreduce), 2U);
    EXPECT_EQ(counts.messages(), 3U);
    EXPECT_EQ(counts.bytes_sent(), 4196);
    EXPECT_EQ(counts.smallest_message(), 0U);
    EXPECT_EQ(counts.largest_message(), 4096U);
    EXPECT_EQ(counts.message_sizes()[0], 1U);
    EXPECT_EQ(counts.message_sizes()[7], 1U);
    EXPECT_EQ(counts.message_sizes()[13], 1U);
    EXPECT_EQ(counts.any_source(), 1U);
    EXPECT_EQ(counts.any_tag(), 1U);
    EXPECT_EQ(counts.volume(), 60);
    EXPECT_EQ(counts.smallest_rank_volume(), 15);
    EXPECT_EQ(counts.largest_rank_volume(), 45);
    EXPECT_EQ(counts.sleep_seconds(), 2);
    EXPECT_EQ(counts.collective_bytes(), 16);
    EXPECT_EQ(counts.requests(), 2U);
    EXPECT_FALSE(counts.communicators());
}

TEST(TiStatistics, counts_one_sided_operations_apart) {
    const Folder folder;
    const TiTrace trace = TiTrace::open(
        folder.write("t", "0 rma 1 100 0\n0 irma 1 5 7\n0 aside\n0 waitall\n0 win_lock 1 0\n1 win_fence\n"));
    TiStatistics counts;
    counts.read(*trace.source());
    EXPECT_EQ(counts.of(ActionKind::one_sided), 2U);
    EXPECT_EQ(counts.of(ActionKind::window), 2U);
    EXPECT_EQ(counts.one_sided_messages(), 3U);
    EXPECT_EQ(counts.one_sided_bytes(), 112);
    EXPECT_EQ(counts.messages(), 0U);
    EXPECT_EQ(counts.requests(), 2U);
    EXPECT_EQ(name_of(ActionKind::one_sided), "rma");
    EXPECT_EQ(name_of(ActionKind::aside), "aside");
}

} // namespace
} // namespace orrery::statistics_test
