// Who is in which communicator.
#include "formats/allprof/trace_text.h"

#include <algorithm>
#include <functional>
#include <set>

namespace orrery::allprof_test::communicators_test {
namespace {

std::vector<std::string> make(std::uint32_t ranks, const std::function<void(RankText&, std::uint32_t)>& fill) {
    std::vector<std::string> files;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        RankText text(rank, ranks);
        fill(text, rank);
        files.push_back(text.finish());
    }
    return files;
}

// The ranks that `rank` sends to.
std::set<std::uint32_t> partners(const AllprofTrace& trace, std::uint32_t rank, std::uint32_t total = 0) {
    std::set<std::uint32_t> found;
    for (const Op& op : program(trace, rank, total).ops) {
        if (op.kind == OpKind::send) found.insert(op.peer);
    }
    return found;
}

std::string comm(std::uint64_t handle, std::uint32_t rank, std::uint32_t size) {
    return fmt::format("{},{},{}", handle, rank, size);
}

TEST(AllprofCommunicators, split_by_colour_and_key) {
    // Odd and even ranks, in descending order.
    const AllprofTrace trace = read(make(6, [](RankText& t, std::uint32_t r) {
        t.call("Comm_split", fmt::format("{}:{}:{}:555", t.world(), r % 2, -static_cast<int>(r)));
        const std::uint32_t mine = 2 - r / 2;
        const std::string part = comm(8'000'000 + r, mine, 3); // handles mean nothing to other ranks
        t.send((mine + 1) % 3, 8, 1, part).recv(static_cast<int>((mine + 2) % 3), 8, 1, part).barrier(part);
    }));
    // In the part {4, 2, 0}, rank 4 is member 0 and sends to member 1: rank 2.
    EXPECT_EQ(program(trace, 4).ops[0].peer, 2u);
    EXPECT_EQ(program(trace, 0).ops[0].peer, 4u);
    EXPECT_EQ(program(trace, 3).ops[0].peer, 1u);
    EXPECT_EQ(partners(trace, 1), (std::set<std::uint32_t>{3, 5}));
    // Collectives and messages of the parts do not mix with those of MPI_COMM_WORLD.
    EXPECT_NE(program(trace, 4).ops[0].tag, program(trace, 3).ops[0].tag);
    EXPECT_NE(program(trace, 4).ops[0].tag >> 24, 0u);
    // Extrapolated, the parts are copied.
    EXPECT_EQ(partners(trace, 1 + 12, 18), (std::set<std::uint32_t>{15, 17}));
}

TEST(AllprofCommunicators, some_get_none) {
    const AllprofTrace trace = read(make(4, [](RankText& t, std::uint32_t r) {
        t.call("Comm_split", fmt::format("{}:{}:0:555", t.world(), r < 2 ? 5 : -32766)); // MPI_UNDEFINED
        if (r < 2) t.barrier(comm(8'000'000, r, 2));
        t.barrier();
    }));
    EXPECT_EQ(partners(trace, 0), (std::set<std::uint32_t>{1, 2}));
    EXPECT_EQ(trace.summary().tally.collectives, 6u);
}

TEST(AllprofCommunicators, copies_are_the_same_communicator) {
    for (const char* call : {"Comm_dup", "Cart_create"}) {
        const AllprofTrace trace = read(make(4, [&](RankText& t, std::uint32_t r) {
            t.call(call, t.world() + (call[1] == 'o' ? ":555" : ":2:1:2:0:555"))
                .barrier(comm(8'000'000, r, 4))
                .barrier();
        }));
        EXPECT_EQ(program(trace, 2).ops[0].tag, 1'000'000u);
        EXPECT_EQ(partners(trace, 2, 8), (std::set<std::uint32_t>{3, 4, 6})); // made anew for 8 ranks
    }
}

TEST(AllprofCommunicators, all_ranks_in_another_order) {
    const AllprofTrace trace = read(make(3, [](RankText& t, std::uint32_t r) {
        t.call("Comm_split", fmt::format("{}:0:{}:555", t.world(), -static_cast<int>(r)));
        // Rank 1 is in the middle both ways: only the handle tells the two communicators apart.
        t.call("Bcast", "9:8:13,1,1:0:" + comm(8'000'000, 2 - r, 3)).call("Bcast", "9:8:13,1,1:0:" + t.world());
    }));
    EXPECT_EQ(program(trace, 1).ops[0], recv_op(2, 8, (1u << 24) + 1'000'000));
    EXPECT_EQ(program(trace, 1).ops[3], recv_op(0, 8, 1'000'000));
    // At six ranks, the copy of the reversed order continues it: 2 1 0 5 4 3.
    EXPECT_EQ(partners(trace, 2, 6), (std::set<std::uint32_t>{1, 0, 4}));
}

// Rows and columns of a 3 x 3 grid. On the diagonal, rank and size are the same in both.
std::vector<std::string>
grid(const std::function<void(RankText&, const std::string&, const std::string&)>& use) {
    return make(9, [&](RankText& t, std::uint32_t r) {
        const std::uint32_t row = r / 3;
        const std::uint32_t column = r % 3;
        t.call("Comm_split", fmt::format("{}:{}:{}:555", t.world(), row, column));
        t.call("Comm_split", fmt::format("{}:{}:{}:556", t.world(), column, row));
        use(t, comm(8'000'000, column, 3), comm(9'000'000, row, 3));
    });
}

TEST(AllprofCommunicators, what_the_others_do_decides) {
    // Used in the order opposite to creation, so that the order does not help.
    const auto use = [](RankText& t, const std::string& row, const std::string& column) {
        t.barrier(column).barrier(column).call("Bcast", "9:8:13,1,1:0:" + row);
    };
    const AllprofTrace trace = read(grid(use));
    EXPECT_EQ(partners(trace, 4), (std::set<std::uint32_t>{1, 7})); // the barrier along column 1
    EXPECT_EQ(trace.summary().tally.guessed_communicators, 0u);
}

TEST(AllprofCommunicators, messages_decide_too) {
    // Along the columns each member sends to the next, along the rows nobody does anything but ask for the
    // size.
    const AllprofTrace trace = read(grid([](RankText& t, const std::string& row, const std::string& column) {
        const int mine = column[8] - '0';
        t.call("Comm_size", row + ":1");
        t.send(static_cast<std::uint32_t>(mine + 1) % 3, 8, 1, column).recv((mine + 2) % 3, 8, 1, column);
    }));
    EXPECT_EQ(partners(trace, 4), (std::set<std::uint32_t>{7}));
    EXPECT_EQ(partners(trace, 0), (std::set<std::uint32_t>{3}));
}

TEST(AllprofCommunicators, if_nothing_decides_the_order_of_creation_does) {
    const AllprofTrace trace = read(grid([](RankText& t, const std::string& row, const std::string& column) {
        t.call("Bcast", "9:8:13,1,1:0:" + row).call("Bcast", "9:8:13,1,1:0:" + column);
    }));
    EXPECT_EQ(program(trace, 4).ops[0].peer, 3u); // first along the row
    EXPECT_GT(trace.summary().tally.guessed_communicators, 0u);
    EXPECT_FALSE(trace.summary().notes().empty());
}

TEST(AllprofCommunicators, handles_are_used_again) {
    // Two rounds of split, barrier, free: rows first, then columns, with the same handle and variable.
    const AllprofTrace trace = read(make(4, [](RankText& t, std::uint32_t r) {
        const std::uint32_t row = r / 2;
        const std::uint32_t column = r % 2;
        t.call("Comm_split", fmt::format("{}:{}:0:555", t.world(), row)).barrier(comm(8'000'000, column, 2));
        t.call("Comm_free", "555");
        t.call("Comm_split", fmt::format("{}:{}:0:555", t.world(), column)).barrier(comm(8'000'000, row, 2));
        t.call("Comm_free", "555");
    }));
    EXPECT_EQ(partners(trace, 0), (std::set<std::uint32_t>{1, 2}));
    EXPECT_EQ(partners(trace, 3), (std::set<std::uint32_t>{2, 1}));
}

TEST(AllprofCommunicators, freed_by_another_variable) {
    // The handles were copied (as HPL does), so that MPI_Comm_free names variables that the trace has not seen.
    const AllprofTrace trace = read(make(4, [](RankText& t, std::uint32_t r) {
        for (const bool columns : {false, true, false}) {
            const std::uint32_t color = columns ? r % 2 : r / 2;
            const std::uint32_t mine = columns ? r / 2 : r % 2;
            t.call("Comm_split", fmt::format("{}:0:{}:555", t.world(), columns ? 3 - r : r));
            t.barrier(comm(8'500'000, columns ? 3 - r : r, 4));
            t.call("Comm_split", fmt::format("{}:{}:0:556", t.world(), color))
                .barrier(comm(8'000'000, mine, 2));
            t.call("Comm_free", "900").call("Comm_free", "901");
        }
    }));
    EXPECT_EQ(trace.summary().tally.guessed_communicators, 0u);
    std::multiset<std::uint32_t> to;
    for (const Op& op : program(trace, 1).ops) {
        if (op.kind == OpKind::send) to.insert(op.peer);
    }
    // All four, twice in order (2, 3) and once reversed (0, 3); the row twice (0), the column once (3).
    EXPECT_EQ(to, (std::multiset<std::uint32_t>{2, 3, 2, 3, 0, 3, 0, 0, 3}));
}

TEST(AllprofCommunicators, handles_change_places) {
    // Rows and columns, freed and made again: memory that was freed last is given out first, so that the
    // handles of row and column are exchanged (this is what Open MPI does). On the diagonal nothing but
    // behaviour tells them apart.
    const AllprofTrace trace = read(make(9, [](RankText& t, std::uint32_t r) {
        for (const std::uint64_t round : {0u, 1u}) {
            t.call("Comm_split", fmt::format("{}:{}:{}:555", t.world(), r / 3, r % 3));
            t.call("Comm_split", fmt::format("{}:{}:{}:556", t.world(), r % 3, r / 3));
            const std::string row = comm(8'000'000 + round * 1'000'000, r % 3, 3);
            const std::string column = comm(9'000'000 - round * 1'000'000, r / 3, 3);
            t.call("Bcast", "9:8:13,1,1:0:" + column).barrier(row).call("Bcast", "9:8:13,1,1:1:" + column);
            t.call("Comm_free", "555");
            t.barrier(column); // the other one is still there
            t.call("Comm_free", "556");
        }
    }));
    EXPECT_EQ(trace.summary().tally.guessed_communicators, 0u);
    const RankGraph graph = program(trace, 4);
    std::multiset<std::uint32_t> partners_in_row;
    for (const Op& op : graph.ops) {
        if (op.kind == OpKind::send && op.peer / 3 == 1) partners_in_row.insert(op.peer);
    }
    EXPECT_EQ(partners_in_row, (std::multiset<std::uint32_t>{3, 3, 5, 5})); // two barriers along the row
}

TEST(AllprofCommunicators, parts_of_parts) {
    const AllprofTrace trace = read(make(8, [](RankText& t, std::uint32_t r) {
        t.call("Comm_split", fmt::format("{}:{}:0:555", t.world(), r / 4));
        t.call("Comm_split", fmt::format("{}:{}:0:556", comm(8'000'000, r % 4, 4), r % 2));
        t.barrier(comm(9'000'000, r % 4 / 2, 2));
    }));
    EXPECT_EQ(partners(trace, 1), (std::set<std::uint32_t>{3}));
    EXPECT_EQ(partners(trace, 6), (std::set<std::uint32_t>{4}));
}

TEST(AllprofCommunicators, members_that_the_trace_does_not_tell) {
    const auto files = make(4, [](RankText& t, std::uint32_t r) {
        t.call("Comm_create", t.world() + ":99:555");
        t.send(1 - r % 2, 8, 1, comm(8'000'000, r % 2, 2)).barrier(comm(8'000'000, r % 2, 2)).barrier();
    });
    const std::string error = read_error(files);
    EXPECT_NE(error.find("4 send: on a communicator of 2 ranks whose members the trace does not tell"),
              std::string::npos)
        << error;
    AllprofOptions options;
    options.skip_unsupported = true;
    const AllprofTrace trace = read(files, options);
    EXPECT_EQ(trace.summary().tally.collectives, 4u);
    EXPECT_EQ(trace.summary().tally.sends, 0u);
    EXPECT_EQ(program(trace, 0).ops[5],
              calc_op(42'000'000)); // without the time inside the calls that are left out
}

TEST(AllprofCommunicators, missing_surplus_and_renamed_files) {
    EXPECT_NE(read_error({RankText(0, 3).barrier().finish(), RankText(1, 3).barrier().finish()})
                  .find("a communicator of 3 ranks, but there are files of 2 only"),
              std::string::npos);
    EXPECT_NE(read_error({RankText(0, 2).barrier().finish(), RankText(1, 2).barrier().finish(),
                          RankText(0, 2).finish()})
                  .find("are some of the files left from another run?"),
              std::string::npos);
    EXPECT_NE(read_error({RankText(1, 2).barrier().finish(), RankText(0, 2).barrier().finish()})
                  .find("were the files renamed?"),
              std::string::npos);
}

} // namespace
} // namespace orrery::allprof_test::communicators_test
