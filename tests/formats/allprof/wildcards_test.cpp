// Receives from any source and of any tag.
#include "formats/allprof/trace_text.h"

#include <algorithm>

namespace orrery::allprof_test::wildcards_test {
namespace {

std::vector<Op> receives(const AllprofTrace& trace, std::uint32_t rank, std::uint32_t total = 0) {
    std::vector<Op> found;
    for (const Op& op : program(trace, rank, total).ops) {
        if (op.kind == OpKind::recv) found.push_back(op);
    }
    return found;
}

TEST(AllprofWildcards, any_source_stays) {
    const AllprofTrace trace =
        read({RankText(0, 3).recv(-1, 8, 5).recv(-1, 8, 5).finish(), RankText(1, 3).send(0, 8, 5).finish(),
              RankText(2, 3).send(0, 8, 5).finish()});
    EXPECT_EQ(receives(trace, 0), (std::vector<Op>{recv_op(any_source, 8, 5), recv_op(any_source, 8, 5)}));
    EXPECT_EQ(receives(trace, 3, 6), receives(trace, 0)); // nobody but the copies of ranks 1 and 2 sends to it
}

TEST(AllprofWildcards, any_tag_is_the_only_one_that_is_sent) {
    const AllprofTrace trace =
        read({RankText(0, 3).recv(-1, 8, -1).recv(-1, 8, -1).finish(), RankText(1, 3).send(0, 8, 5).finish(),
              RankText(2, 3).send(0, 8, 5).finish()});
    EXPECT_EQ(receives(trace, 0), (std::vector<Op>{recv_op(any_source, 8, 5), recv_op(any_source, 8, 5)}));
    EXPECT_EQ(trace.summary().tally.pinned_wildcards, 0u);
}

TEST(AllprofWildcards, any_tag_from_one_source_goes_by_order) {
    // Messages with tags 1, 2, 3; the receive of tag 2 is posted first.
    const AllprofTrace trace =
        read({RankText(0, 2).irecv(1, 8, 2, 64).recv(1, 8, -1).recv(1, 8, -1).wait(64).finish(),
              RankText(1, 2).send(0, 8, 1).send(0, 8, 2).send(0, 8, 3).finish()});
    EXPECT_EQ(receives(trace, 0), (std::vector<Op>{recv_op(1, 8, 2), recv_op(1, 8, 1), recv_op(1, 8, 3)}));
}

TEST(AllprofWildcards, a_collective_is_not_received) {
    // As in SPhot: two phases with a barrier between. Rank 2 is first in the barrier; with a plain wildcard its
    // message would be taken for rank 1's.
    RankText slow(1, 3);
    for (int i = 0; i < 5; ++i) slow.call("Wtime", "");
    slow.send(0, 8, 11).barrier().send(0, 8, 21);
    const AllprofTrace trace =
        read({RankText(0, 3).recv(-1, 8, -1).recv(-1, 8, -1).barrier().recv(-1, 8, -1).recv(-1, 8, -1).finish(),
              slow.finish(), RankText(2, 3).send(0, 8, 12).barrier().send(0, 8, 22).finish()});
    std::vector<Op> all = receives(trace, 0);
    std::erase_if(all, [](const Op& op) { return op.tag >= 1'000'000; });
    EXPECT_EQ(all,
              (std::vector<Op>{recv_op(2, 8, 12), recv_op(1, 8, 11), recv_op(1, 8, 21), recv_op(2, 8, 22)}));
    EXPECT_EQ(trace.summary().tally.pinned_wildcards, 4u);
}

TEST(AllprofWildcards, causality_holds) {
    // Rank 2 answers only after rank 1 has written to it, however short its own computing is.
    RankText first(1, 3);
    for (int i = 0; i < 10; ++i) first.call("Wtime", "");
    first.send(0, 8, 1).send(2, 8, 9);
    const AllprofTrace trace =
        read({RankText(0, 3).irecv(-1, 8, -1, 64).irecv(-1, 8, -1, 72).waitall(2, 64).finish(), first.finish(),
              RankText(2, 3).recv(1, 8, 9).send(0, 8, 2).finish()});
    EXPECT_EQ(receives(trace, 0), (std::vector<Op>{recv_op(1, 8, 1), recv_op(2, 8, 2)}));
}

TEST(AllprofWildcards, collectives_order_messages) {
    // Rank 2 sends before the broadcast that lets rank 1 send; and rank 1 hands on to rank 2 by a scan before
    // that.
    const std::string bcast = "9:8:13,1,1:2:7000000,";
    const std::string reduce = "9:9:1:1,4,4:3:";
    const AllprofTrace trace = read({RankText(0, 3)
                                         .irecv(-1, 8, -1, 64)
                                         .irecv(-1, 8, -1, 72)
                                         .call("Bcast", bcast + "0,3")
                                         .waitall(2, 64)
                                         .call("Reduce", reduce + "1:7000000,0,3")
                                         .finish(),
                                     RankText(1, 3)
                                         .call("Bcast", bcast + "1,3")
                                         .send(0, 8, 1)
                                         .call("Reduce", reduce + "1:7000000,1,3")
                                         .finish(),
                                     RankText(2, 3)
                                         .call("Wtime", "")
                                         .call("Wtime", "")
                                         .send(0, 8, 2)
                                         .call("Bcast", bcast + "2,3")
                                         .call("Reduce", reduce + "1:7000000,2,3")
                                         .finish()});
    std::vector<Op> all = receives(trace, 0);
    std::erase_if(all, [](const Op& op) { return op.tag >= 1'000'000; });
    EXPECT_EQ(all, (std::vector<Op>{recv_op(2, 8, 2), recv_op(1, 8, 1)}));
}

TEST(AllprofWildcards, nobody_sends) {
    // The receive is left waiting, and takes nothing that is not for it.
    const AllprofTrace trace =
        read({RankText(0, 2).irecv(-1, 8, -1, 64).barrier().finish(), RankText(1, 2).barrier().finish()});
    EXPECT_EQ(receives(trace, 0).front(), recv_op(any_source, 8, 0xFF'FFFF));
}

} // namespace
} // namespace orrery::allprof_test::wildcards_test
