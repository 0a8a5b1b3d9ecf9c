// Collectives in a trace.
#include "formats/allprof/trace_text.h"

#include <algorithm>
#include <functional>
#include <map>

namespace orrery::allprof_test::collectives_test {
namespace {

// A trace of `ranks` ranks in which each does what `fill` says.
std::vector<std::string> make(std::uint32_t ranks, const std::function<void(RankText&, std::uint32_t)>& fill) {
    std::vector<std::string> files;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        RankText text(rank, ranks);
        fill(text, rank);
        files.push_back(text.finish());
    }
    return files;
}

Bytes received(const AllprofTrace& trace, std::uint32_t rank) {
    Bytes sum = 0;
    for (const Op& op : program(trace, rank).ops) sum += op.kind == OpKind::recv ? op.size : 0;
    return sum;
}

// All messages have their receives: by (from, to, tag), in number and bytes.
void expect_matched(const AllprofTrace& trace, std::uint32_t total) {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::pair<long, long>> open;
    for (std::uint32_t rank = 0; rank < total; ++rank) {
        for (const Op& op : program(trace, rank, total).ops) {
            if (op.kind == OpKind::calc) continue;
            const bool sends = op.kind == OpKind::send;
            auto& [count, bytes] =
                open[sends ? std::tuple(rank, op.peer, op.tag) : std::tuple(op.peer, rank, op.tag)];
            count += sends ? 1 : -1;
            bytes += (sends ? 1 : -1) * static_cast<long>(op.size);
        }
    }
    for (const auto& [key, balance] : open) {
        EXPECT_EQ(balance.first, 0) << std::get<0>(key) << " to " << std::get<1>(key);
        EXPECT_EQ(balance.second, 0) << std::get<0>(key) << " to " << std::get<1>(key);
    }
}

TEST(AllprofCollectives, blocking_ones_are_a_piece_of_graph) {
    const AllprofTrace trace = read(make(2, [](RankText& t, std::uint32_t) { t.barrier().barrier(); }));
    EXPECT_EQ(dump(program(trace, 0)), "0: send 1 to 1 tag 1000000 | 3\n"
                                       "1: recv 1 from 1 tag 1000000 | 3\n"
                                       "2: calc 0 | 0 1\n"
                                       "3: calc 10\n"
                                       "4: send 1 to 1 tag 1000001 | 7\n"
                                       "5: recv 1 from 1 tag 1000001 | 7\n"
                                       "6: calc 0 | 4 5\n"
                                       "7: calc 10 | 2\n"
                                       "8: calc 10 | 6\n");
}

TEST(AllprofCollectives, nonblocking_ones_end_at_their_wait) {
    const AllprofTrace trace = read(make(
        2, [](RankText& t, std::uint32_t) { t.call("Ibarrier", t.world() + ":64").send(0, 8, 1).wait(64); }));
    EXPECT_EQ(dump(program(trace, 1)), "0: send 1 to 0 tag 1000000 | 3\n"
                                       "1: recv 1 from 0 tag 1000000 | 3\n"
                                       "2: calc 0 | 0 1\n"
                                       "3: calc 10\n"
                                       "4: send 8 to 0 tag 1 | 5\n"
                                       "5: calc 10 | 0i 1i\n"
                                       "6: calc 0 | 2 7\n"
                                       "7: calc 10 | 4\n"
                                       "8: calc 10 | 6\n");
}

TEST(AllprofCollectives, with_nobody_else_there_is_nothing_to_do) {
    const AllprofTrace self = read(make(2, [](RankText& t, std::uint32_t) {
        t.barrier("7000001,0,1").call("Ibarrier", "7000001,0,1:64").wait(64);
    }));
    EXPECT_EQ(dump(program(self, 0)), "0: calc 44\n");
    // But the only rank of a trace may stand for many.
    const AllprofTrace one = read(
        make(1, [](RankText& t, std::uint32_t) { t.barrier().call("Ibarrier", t.world() + ":64").wait(64); }));
    EXPECT_EQ(dump(program(one, 0)), "0: calc 0 | 1\n"
                                     "1: calc 10\n"
                                     "2: calc 0 | 3\n"
                                     "3: calc 10 | 0\n"
                                     "4: calc 0 | 2 5\n"
                                     "5: calc 10 | 3\n"
                                     "6: calc 10 | 4\n");
    expect_matched(one, 8);
}

TEST(AllprofCollectives, early_ones_run_beside_the_computation) {
    AllprofOptions options;
    options.collectives_early = Time::us(4);
    options.compute_cpu = 1;
    const AllprofTrace trace = read(make(2, [](RankText& t, std::uint32_t) { t.barrier(); }), options);
    EXPECT_EQ(dump(program(trace, 0)), "0: send 1 to 1 tag 1000000 | 4\n"
                                       "1: recv 1 from 1 tag 1000000 | 4\n"
                                       "2: calc 0 | 0 1 3\n"
                                       "3: calc 4 cpu 1 | 4\n"
                                       "4: calc 6 cpu 1\n"
                                       "5: calc 10 cpu 1 | 2\n");
    options.collectives_early = Time::us(40); // no earlier than the end of the call before
    EXPECT_EQ(program(read(make(2, [](RankText& t, std::uint32_t) { t.barrier(); }), options), 0).ops[4],
              calc_op(0, 1));
}

TEST(AllprofCollectives, without_collectives_they_are_computing) {
    AllprofOptions options;
    options.collectives = false;
    const AllprofTrace trace =
        read(make(2,
                  [](RankText& t, std::uint32_t r) {
                      t.barrier().send(1 - r, 8, 1).call("Ibarrier", t.world() + ":64").wait(64);
                  }),
             options);
    EXPECT_EQ(dump(program(trace, 0)), "0: send 8 to 1 tag 1 | 1\n1: calc 22\n2: calc 32 | 0\n");
}

TEST(AllprofCollectives, every_one_of_them) {
    const auto files = make(5, [](RankText& t, std::uint32_t r) {
        const std::string w = t.world();
        const std::string own = std::to_string(r + 1);
        t.call("Barrier", w);
        t.call("Bcast", "9:6:1,4,4:3:" + w);
        t.call("Reduce", "9:9:6:1,4,4:3:2:" + w);
        t.call("Allreduce", "9:9:6:1,4,4:3:" + w);
        t.call("Scan", "9:9:6:1,4,4:3:" + w);
        t.call("Exscan", "9:9:6:1,4,4:3:" + w);
        t.call("Gather", "9:6:1,4,4:9:6:1,4,4:1:" + w);
        t.call("Scatter", "9:6:1,4,4:9:6:1,4,4:1:" + w);
        t.call("Allgather", "9:6:1,4,4:9:6:1,4,4:" + w);
        t.call("Alltoall", "9:6:1,4,4:9:6:1,4,4:" + w);
        // Arrays of counts as addresses only ...
        t.call("Gatherv", "9:" + own + ":1,4,4:9:777:778:1,4,4:2:" + w);
        t.call("Scatterv", "9:777:778:1,4,4:9:" + own + ":1,4,4:2:" + w);
        t.call("Allgatherv", "9:" + own + ":1,4,4:9:777:778:1,4,4:" + w);
        // ... and with their elements.
        t.call("Gatherv", "9:" + own + ":1,4,4:9:777:1,2,3,4,5:778:0,1,2,3,4:1,4,4:2:" + w);
        t.call("Scatterv", "9:777:1,2,3,4,5:778:0,1,2,3,4:1,4,4:9:" + own + ":1,4,4:2:" + w);
        t.call("Allgatherv", "1:0:1,4,4:9:777:1,2,3,4,5:778:0,1,2,3,4:1,4,4:" + w); // in place
        std::string out;
        std::string in;
        for (std::uint32_t i = 0; i < 5; ++i) {
            out += (i == 0 ? "" : ",") + std::to_string(r * i);
            in += (i == 0 ? "" : ",") + std::to_string(r * i);
        }
        t.call("Alltoallv", "9:777:" + out + ":778:0,0,0,0,0:1,4,4:9:779:" + in + ":780:0,0,0,0,0:1,4,4:" + w);
        t.call("Reduce_scatter", "9:9:777:1,2,3,4,5:1,4,4:3:" + w);
        t.call("Reduce_scatter_block", "9:9:6:1,4,4:3:" + w);
        t.call("Ibcast", "9:6:1,4,4:3:" + w + ":64");
        t.call("Iallreduce", "9:9:6:1,4,4:3:" + w + ":72");
        t.call("Igather", "9:6:1,4,4:9:6:1,4,4:1:" + w + ":80");
        t.call("Ialltoall", "9:6:1,4,4:9:6:1,4,4:" + w + ":88");
        t.call("Iscan", "9:9:6:1,4,4:3:" + w + ":96");
        t.call("Ireduce_scatter_block", "9:9:6:1,4,4:3:" + w + ":104");
        t.waitall(6, 64);
    });
    const AllprofTrace trace = read(files);
    EXPECT_EQ(trace.summary().tally.collectives, 5u * 25u);
    for (const std::uint32_t total : {5u, 10u, 15u, 40u}) expect_matched(trace, total);
    // With other algorithms too.
    for (std::size_t i = 0; i <= static_cast<std::size_t>(Collective::exscan); ++i) {
        for (const Algorithm& row : algorithms(static_cast<Collective>(i))) {
            SCOPED_TRACE(std::string(name_of(row.operation)) + "=" + std::string(row.name));
            AllprofOptions options;
            options.collective_algorithms.set(std::string(name_of(row.operation)) + "=" +
                                              std::string(row.name));
            const AllprofTrace other = read(files, options);
            expect_matched(other, 5);
            expect_matched(other, 10);
        }
    }
    // And as the libraries choose.
    for (const char* const selector : {"openmpi", "mpich", "smpi-default"}) {
        AllprofOptions options;
        options.collective_algorithms.set(selector);
        expect_matched(read(files, options), 10);
    }
}

// Names that traces of liballprof had for their algorithms before there was one library.
TEST(AllprofCollectives, old_names_stay) {
    CollectivePolicy policy(Selector::loggopsim);
    for (const char* const word : {"barrier=dissemination",
                                   "barrier=binomial",
                                   "barrier=linear",
                                   "bcast=binomial",
                                   "bcast=binary",
                                   "bcast=linear",
                                   "bcast=scatter-allgather",
                                   "reduce=binomial",
                                   "reduce=binary",
                                   "reduce=linear",
                                   "allreduce=dissemination",
                                   "allreduce=recursive-doubling",
                                   "allreduce=rabenseifner",
                                   "allreduce=ring",
                                   "allreduce=reduce-bcast",
                                   "gather=linear",
                                   "gather=binomial",
                                   "gatherv=linear",
                                   "scatter=linear",
                                   "scatter=binomial",
                                   "scatterv=linear",
                                   "allgather=bruck",
                                   "allgather=ring",
                                   "allgather=linear",
                                   "allgather=dissemination",
                                   "allgatherv=ring",
                                   "allgatherv=linear",
                                   "alltoall=linear",
                                   "alltoall=pairwise",
                                   "alltoall=bruck",
                                   "alltoallv=linear",
                                   "alltoallv=pairwise",
                                   "reduce_scatter=pairwise",
                                   "reduce_scatter=reduce-scatter",
                                   "scan=linear",
                                   "scan=binomial",
                                   "exscan=linear",
                                   "exscan=binomial"}) {
        EXPECT_NO_THROW(policy.set(word)) << word;
    }
    try {
        policy.set("bcast=binry");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean 'binary'?"), std::string::npos) << error.what();
    }
}

TEST(AllprofCollectives, sizes_of_the_v_variants) {
    const auto with = [](const std::string& name,
                         const std::function<std::string(std::uint32_t, const std::string&)>& arguments) {
        return read(make(4, [&](RankText& t, std::uint32_t r) { t.call(name, arguments(r, t.world())); }));
    };
    // Ranks contribute 0, 4, 8 and 12 bytes; the root's own block does not travel.
    const AllprofTrace gatherv = with("Gatherv", [](std::uint32_t r, const std::string& w) {
        return fmt::format("9:{}:1,4,4:9:1:2:1,4,4:3:{}", r, w);
    });
    EXPECT_EQ(received(gatherv, 3), 12u);
    EXPECT_EQ(program(gatherv, 0).ops.size(), 3u); // nothing to send: no message
    const AllprofTrace allgatherv = with("Allgatherv", [](std::uint32_t r, const std::string& w) {
        return fmt::format("9:{}:1,4,4:9:1:2:1,4,4:{}", r, w);
    });
    for (std::uint32_t rank = 0; rank < 4; ++rank) EXPECT_EQ(received(allgatherv, rank), 24u - 4 * rank);
    const AllprofTrace scatterv = with("Scatterv", [](std::uint32_t r, const std::string& w) {
        return fmt::format("9:1:2:1,4,4:9:{}:1,4,4:0:{}", r, w);
    });
    EXPECT_EQ(received(scatterv, 2), 8u);
    EXPECT_EQ(program(scatterv, 0).ops.size(), 6u); // three messages
}

TEST(AllprofCollectives, in_place) {
    for (const char* buffer : {"1", "18446744073709551615"}) {
        const AllprofTrace trace = read(make(2, [&](RankText& t, std::uint32_t) {
            t.call("Allgather", std::string(buffer) + ":77:1,4,4:9:6:1,4,4:" + t.world());
        }));
        EXPECT_EQ(received(trace, 0), 24u);
    }
}

TEST(AllprofCollectives, counts_that_are_not_in_the_trace) {
    const auto files = make(2, [](RankText& t, std::uint32_t) {
        t.call("Alltoallv", "9:1:2:1,4,4:9:3:4:1,4,4:" + t.world());
        t.call("Ireduce_scatter", "9:9:777:1,4,4:3:" + t.world() + ":64").wait(64);
    });
    const std::string error = read_error(files);
    EXPECT_NE(error.find("rank-0:4: the first of 4 calls that cannot be represented"), std::string::npos)
        << error;
    EXPECT_NE(error.find("2 MPI_Alltoallv: the trace holds the address of the counts"), std::string::npos)
        << error;
    AllprofOptions options;
    options.skip_unsupported = true;
    const AllprofTrace trace = read(files, options);
    EXPECT_EQ(trace.summary().skipped.size(), 2u);
    EXPECT_EQ(dump(program(trace, 0)), "0: calc 44\n"); // the wait for a request that is not known is left out
    const std::vector<std::string> notes = trace.summary().notes();
    EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
        return note.find("left out: 2 MPI_Ireduce_scatter") != std::string::npos;
    }));
}

TEST(AllprofCollectives, members_must_agree) {
    const auto error = [](const std::function<void(RankText&, std::uint32_t)>& fill) {
        return read_error(make(3, fill));
    };
    EXPECT_NE(error([](RankText& t, std::uint32_t r) {
                  if (r == 2) {
                      t.call("Bcast", "9:6:1,4,4:0:" + t.world());
                  } else {
                      t.barrier();
                  }
              })
                  .find("bcast with root 0 is the collective number 1 of a communicator of 3 ranks here, but "
                        "in rank-0:4 "
                        "that is barrier"),
              std::string::npos);
    EXPECT_NE(error([](RankText& t, std::uint32_t r) {
                  t.call("Bcast", fmt::format("9:6:1,4,4:{}:{}", r == 1 ? 1 : 0, t.world()));
              }).find("root 1"),
              std::string::npos);
    EXPECT_NE(error([](RankText& t, std::uint32_t r) {
                  t.barrier();
                  if (r != 1) t.barrier();
              }).find("only 2 of them make that many"),
              std::string::npos);
    EXPECT_NE(error([](RankText& t, std::uint32_t r) {
                  const std::string sizes = r == 0 ? "1,1,1" : "1,2,1";
                  t.call("Alltoallv", "9:1:1,1,1:2:0,0,0:1,4,4:9:3:" + sizes + ":4:0,0,0:1,4,4:" + t.world());
              }).find("8 bytes are expected from rank 1, which sends 4"),
              std::string::npos);
}

TEST(AllprofCollectives, some_of_the_collectives_only) {
    const auto files = make(2, [](RankText& t, std::uint32_t r) {
        t.barrier()
            .send(1 - r, 8, 1)
            .recv(static_cast<int>(1 - r), 8, 1)
            .barrier()
            .send(1 - r, 8, 2)
            .recv(static_cast<int>(1 - r), 8, 2)
            .barrier();
    });
    const auto messages = [&](std::uint64_t start, std::uint64_t first) {
        AllprofOptions options;
        options.skip_collectives = start;
        options.max_collectives = first;
        const AllprofTrace trace = read(files, options);
        return std::pair(trace.summary().tally.collectives, trace.summary().tally.sends);
    };
    EXPECT_EQ(messages(0, 0), (std::pair<std::uint64_t, std::uint64_t>(6, 4)));
    EXPECT_EQ(messages(0, 1), (std::pair<std::uint64_t, std::uint64_t>(2, 0)));
    EXPECT_EQ(messages(1, 1), (std::pair<std::uint64_t, std::uint64_t>(2, 2)));
    EXPECT_EQ(messages(2, 0), (std::pair<std::uint64_t, std::uint64_t>(2, 2)));
}

} // namespace
} // namespace orrery::allprof_test::collectives_test
