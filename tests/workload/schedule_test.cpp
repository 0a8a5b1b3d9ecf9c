// The compact form: nothing is lost, programs are shared, damage is noticed.
#include "workload/schedule.h"

#include "engine/error.h"
#include "engine/random.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace orrery::schedule_test {
namespace {

Schedule build(const std::vector<RankGraph>& graphs) {
    ScheduleBuilder builder;
    builder.begin(static_cast<std::uint32_t>(graphs.size()));
    for (std::uint32_t rank = 0; rank < graphs.size(); ++rank) builder.rank(RankId{rank}, graphs[rank]);
    builder.finish();
    return builder.take();
}

// The dependents of each operation, which is what the order of dependencies means.
std::vector<std::vector<std::uint32_t>> dependents(const RankGraph& graph, bool on_start) {
    std::vector<std::vector<std::uint32_t>> lists(graph.ops.size());
    for (const Dependency& d : graph.dependencies) {
        if (d.on_start == on_start) lists[d.before].push_back(d.after);
    }
    return lists;
}

void expect_equal(const RankGraph& a, const RankGraph& b) {
    ASSERT_EQ(a.ops.size(), b.ops.size());
    for (std::size_t i = 0; i < a.ops.size(); ++i) ASSERT_EQ(a.ops[i], b.ops[i]) << describe(a.ops[i]);
    ASSERT_EQ(dependents(a, false), dependents(b, false));
    ASSERT_EQ(dependents(a, true), dependents(b, true));
}

RankGraph random_graph(const RandomStream& random, std::uint32_t ranks) {
    std::uint64_t n = 0;
    RankGraph graph;
    const std::uint64_t count = random.below(n++, 60);
    const std::uint64_t size_bits = random.below(n++, 62) + 1;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t size = random.bits(n++) >> (64 - size_bits);
        const auto peer = static_cast<std::uint32_t>(random.below(n++, ranks));
        const auto tag = static_cast<std::uint32_t>(random.below(n++, 3) * 1'000'000);
        const auto cpu = static_cast<std::uint32_t>(random.below(n++, 3) * 300);
        const auto nic = static_cast<std::uint32_t>(random.below(n++, 2) * 40'000);
        switch (random.below(n++, 4)) {
        case 0: graph.add(calc_op(size, cpu)); break;
        case 1: graph.add(calc_op(size / 1'000'000 * 1'000'000, cpu)); break;
        case 2: graph.add(send_op(peer, size, tag, cpu, nic)); break;
        default: {
            Op op = recv_op(peer, size, tag, cpu, nic);
            if (random.below(n++, 5) == 0) op.peer = any_source;
            if (random.below(n++, 5) == 0) op.tag = any_tag;
            graph.add(op);
        }
        }
        for (std::uint64_t k = random.below(n++, 5); k > 0 && i > 0; --k) {
            const auto before = static_cast<std::uint32_t>(random.below(n++, i));
            if (random.below(n++, 3) == 0) {
                graph.irequire(static_cast<std::uint32_t>(i), before);
            } else {
                graph.require(static_cast<std::uint32_t>(i), before);
            }
        }
    }
    return graph;
}

TEST(Schedule, LosesNothing) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const std::uint32_t ranks = 1 + static_cast<std::uint32_t>(seed % 7);
        std::vector<RankGraph> graphs;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) graphs.push_back(random_graph({seed, rank}, ranks));
        const Schedule schedule = build(graphs);
        RankGraph back;
        std::uint64_t operations = 0;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            expand_rank(schedule, RankId{rank}, back);
            expect_equal(graphs[rank], back);
            operations += back.ops.size();
        }
        EXPECT_EQ(schedule.operations(), operations);
    }
}

TEST(Schedule, SharesProgramsThatAreTheSameUpToNames) {
    constexpr std::uint32_t ranks = 64;
    std::vector<RankGraph> relative(ranks), absolute(ranks), exclusive(ranks), different(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        relative[rank].add(send_op((rank + 5) % ranks, 8));
        absolute[rank].add(recv_op(7, 8));
        exclusive[rank].add(send_op(rank ^ 8, 8));
        different[rank].add(calc_op(rank * 1000));
    }
    EXPECT_EQ(build(relative).header().blocks, 1U);
    EXPECT_LE(build(absolute).header().blocks, 2U);
    // 8 bits apart is a distance of +8 or -8, so it is also shared by distance.
    EXPECT_LE(build(exclusive).header().blocks, 3U);
    EXPECT_EQ(build(different).header().blocks, ranks);
    RankGraph back;
    for (const auto* graphs : {&relative, &absolute, &exclusive, &different}) {
        const Schedule schedule = build(*graphs);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            expand_rank(schedule, RankId{rank}, back);
            expect_equal((*graphs)[rank], back);
        }
    }
}

TEST(Schedule, RootsAreListedByKind) {
    RankGraph graph;
    graph.add(calc_op(1000));
    graph.add(recv_op(0, 8));
    graph.add(send_op(0, 8));
    graph.add(send_op(0, 9));
    graph.require(3, 0);
    const Schedule schedule = build({graph});
    const BlockView view = schedule.program(RankId{0});
    EXPECT_EQ(view.layout().root_sends, 1U);
    EXPECT_EQ(view.layout().root_recvs, 1U);
    EXPECT_EQ(view.layout().root_calcs, 1U);
    EXPECT_EQ(view.root(0), 2U);
    EXPECT_EQ(view.root(1), 1U);
    EXPECT_EQ(view.root(2), 0U);
}

class ScheduleFile : public testing::Test {
  protected:
    void SetUp() override {
        ScheduleWriter writer(path_);
        writer.begin(4);
        for (std::uint32_t rank = 0; rank < 4; ++rank) {
            graphs_.push_back(random_graph({99, rank}, 4));
            writer.rank(RankId{rank}, graphs_.back());
        }
        writer.finish();
        std::ifstream file(path_, std::ios::binary);
        bytes_.assign(std::istreambuf_iterator<char>(file), {});
    }
    void TearDown() override { std::filesystem::remove(path_); }
    // Reads everything; what matters is that nothing but an InputError comes out.
    static void try_to_read(const std::string& bytes) {
        // A copy of its own, aligned and of exactly this size, so that the sanitizers see any step outside.
        std::vector<std::uint64_t> copy((bytes.size() + 7) / 8);
        if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
        const auto* start = reinterpret_cast<const std::byte*>(copy.data());
        const Schedule schedule = Schedule::from_memory({start, bytes.size()}, "damaged");
        RankGraph graph;
        for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank)
            expand_rank(schedule, RankId{rank}, graph);
    }

    std::string path_ = testing::TempDir() + "schedule_" + std::to_string(::getpid()) + ".orr";
    std::vector<RankGraph> graphs_;
    std::string bytes_;
};

TEST_F(ScheduleFile, IsMappedBack) {
    const Schedule schedule = Schedule::open(path_);
    EXPECT_TRUE(schedule.mapped_from_file());
    RankGraph back;
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        expand_rank(schedule, RankId{rank}, back);
        expect_equal(graphs_[rank], back);
    }
}

TEST_F(ScheduleFile, TruncationIsNoticedAtEveryLength) {
    for (std::size_t length = 0; length < bytes_.size(); ++length) {
        EXPECT_THROW(try_to_read(bytes_.substr(0, length)), InputError) << length;
    }
}

TEST_F(ScheduleFile, DamageNeverDoesWorseThanAnError) {
    std::size_t noticed = 0;
    for (std::size_t at = 0; at < bytes_.size(); ++at) {
        for (const int flip : {0x01, 0x80, 0xFF}) {
            std::string damaged = bytes_;
            damaged[at] = static_cast<char>(damaged[at] ^ flip);
            try {
                try_to_read(damaged);
            } catch (const InputError&) {
                ++noticed;
            }
        }
    }
    EXPECT_GT(noticed, sizeof(ScheduleHeader) * 3 / 2); // header and tables carry a checksum
}

TEST_F(ScheduleFile, OtherFilesAreRefused) {
    EXPECT_THROW((void)Schedule::open("/dev/null"), InputError);
    EXPECT_THROW((void)Schedule::open("/no/such/file"), InputError);
    std::string newer = bytes_;
    newer[8] = 2;
    EXPECT_THROW(try_to_read(newer), InputError);
}

} // namespace
} // namespace orrery::schedule_test
