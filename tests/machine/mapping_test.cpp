#include "machine/mapping.h"

#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "places.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>

namespace orrery::mapping_test {
namespace {

class Mapping : public testing::Test {
  protected:
    const Machine machine_ =
        load_machine("odin", std::vector<std::string>{"topology.hosts=12", "host.cores=2"});
    const Platform& platform_ = *machine_.platform;

    std::vector<std::uint32_t> numbers(const std::vector<HostId>& hosts) const {
        std::vector<std::uint32_t> out;
        for (const HostId host : hosts) out.push_back(host.value);
        return out;
    }
    std::string complaint(const std::string& text) const {
        try {
            (void)parse_hostfile(text, "hosts", platform_);
        } catch (const InputError& error) {
            return error.what();
        }
        return "no complaint";
    }
};

using Numbers = std::vector<std::uint32_t>;

TEST_F(Mapping, HostfilesOfAllKinds) {
    const auto hosts =
        parse_hostfile("# comment\nn3\n\n n1:2 \nn10 slots=3 max_slots=4 # more\r\nn3\n", "f", platform_);
    EXPECT_EQ(hosts, (std::vector<HostSlots>{{{3}, 1}, {{1}, 2}, {{10}, 3}, {{3}, 1}}));
    EXPECT_EQ(numbers(map_block(hosts, 9)), (Numbers{3, 1, 1, 10, 10, 10, 3, 3, 1}));
    EXPECT_EQ(numbers(map_round_robin(hosts, 9)), (Numbers{3, 1, 10, 3, 1, 10, 10, 3, 1}));
    EXPECT_TRUE(map_block(hosts, 0).empty());
}

TEST_F(Mapping, BadHostfilesAreNamedWithTheirLine) {
    EXPECT_EQ(complaint("n1\nn99\n"), "hosts:2: the machine has no host 'n99'; did you mean 'n9'?");
    EXPECT_EQ(complaint("n1:0\n"), "hosts:1: '0' is not a number of slots from 1 to 1000000");
    EXPECT_EQ(complaint("n1:x\n"), "hosts:1: 'x' is not a number of slots from 1 to 1000000");
    EXPECT_EQ(complaint("n1 slots=-3\n"), "hosts:1: '-3' is not a number of slots from 1 to 1000000");
    EXPECT_EQ(complaint("n1 n2\n"), "hosts:1: 'n2': expected slots=NUMBER after the host");
    EXPECT_EQ(complaint("# nothing\n"), "hosts: names no host");
    EXPECT_THROW((void)read_hostfile("/no/such/file", platform_), InputError);
}

TEST_F(Mapping, WithoutHostfile) {
    EXPECT_EQ(numbers(map_ranks(platform_, 5, {})), (Numbers{0, 0, 1, 1, 2}));
    EXPECT_EQ(numbers(map_ranks(platform_, 14, {"", "roundrobin", false})),
              (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1}));
    // As strings: n0 n1 n10 n11 n2 ...
    EXPECT_EQ(numbers(map_ranks(platform_, 13, {"", "block", true})),
              (Numbers{0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9, 0}));
    EXPECT_THROW((void)map_ranks(platform_, 3, {"", "blok", false}), UsageError);
    EXPECT_THROW((void)map_ranks(platform_, 3, {"hosts", "file:x", false}), UsageError);
}

TEST_F(Mapping, NaturalOrderIsThatOfTheNames) {
    const Machine odd =
        load_machine("odin", std::vector<std::string>{"topology.hosts=4", "host.numbers=10,9,100,1"});
    const auto hosts = natural_hosts(*odd.platform);
    EXPECT_EQ(hosts, (std::vector<HostSlots>{{{3}, 4}, {{1}, 4}, {{0}, 4}, {{2}, 4}}));
}

TEST_F(Mapping, RankByRank) {
    EXPECT_EQ(numbers(parse_rank_map("1 n5\n0 n7 # first\n2 n5\n", "f", platform_, 3)), (Numbers{7, 5, 5}));
    const auto fails = [&](const char* text, const char* words) {
        try {
            (void)parse_rank_map(text, "map", platform_, 2);
            ADD_FAILURE() << text;
        } catch (const InputError& error) {
            EXPECT_STREQ(error.what(), words);
        }
    };
    fails("0 n1\n", "map: rank 1 is missing");
    fails("0 n1\n0 n2\n", "map:2: rank 0 was mapped in line 1 already");
    fails("0 n1\n2 n2\n", "map:2: there is no rank 2: 2 ranks are mapped");
    fails("0 n1\n1 x2\n", "map:2: the machine has no host 'x2'; did you mean 'n2'?");
    fails("0 n1\nn2\n", "map:2: expected RANK HOST, such as '3 n7', or a host in every line");
    fails("0 1 n1\n", "map:1: expected RANK HOST, such as '3 n7', or a host in every line");
}

TEST_F(Mapping, AHostPerLine) {
    EXPECT_EQ(numbers(parse_rank_map("# tasks\nn5\n\nn7 # second\nn5\n", "f", platform_, 3)),
              (Numbers{5, 7, 5}));
    EXPECT_EQ(numbers(parse_rank_map("11\nn2\n0\n", "f", platform_, 3)), (Numbers{11, 2, 0})); // by number
    const auto fails = [&](const char* text, const char* words) {
        try {
            (void)parse_rank_map(text, "map", platform_, 2);
            ADD_FAILURE() << text;
        } catch (const InputError& error) {
            EXPECT_STREQ(error.what(), words);
        }
    };
    fails("n1\n", "map: rank 1 is missing");
    fails("n1\nn2\nn3\n", "map:3: a host for rank 2, but 2 ranks are mapped");
    fails("n1\n1 n2\n", "map:2: expected one host, as in the lines before");
    fails("n1\n12\n", "map:2: the machine has no host '12'; did you mean 'n2'?");
    fails("# nothing\n", "map: rank 0 is missing");
    const std::vector<HostId> hosts{{3}, {0}, {3}};
    EXPECT_EQ(parse_rank_map(rank_map_text(hosts, platform_), "f", platform_, 3), hosts);
}

TEST_F(Mapping, AtRandom) {
    const auto some = map_ranks(platform_, 24, {"", "random:7", false});
    EXPECT_EQ(some, map_ranks(platform_, 24, {"", "random:7", false}));
    EXPECT_NE(some, map_ranks(platform_, 24, {"", "random:8", false}));
    EXPECT_EQ(map_ranks(platform_, 24, {"", "random", false}),
              map_ranks(platform_, 24, {"", "random:1", false}));
    Numbers sorted = numbers(some); // every core once
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, numbers(map_ranks(platform_, 24, {})));
    EXPECT_EQ(map_ranks(platform_, 30, {"", "random", false})[24],
              map_ranks(platform_, 30, {"", "random", false})[0]);
    EXPECT_THROW((void)map_ranks(platform_, 3, {"", "random:x", false}), UsageError);
    EXPECT_THROW((void)map_ranks(platform_, 3, {"", "random:", false}), UsageError);
    EXPECT_THROW((void)map_ranks(platform_, 3, {"", "metis", false}), UsageError);
}

TEST_F(Mapping, TheHostfilesOfTheReference) {
    const std::string folder = test_data() + "/simgrid/";
    const Machine cluster = load_machine(folder + "platforms/mc4.xml");
    const auto block = map_ranks(*cluster.platform, 8, {folder + "hostfiles/mc4x4", "block", false});
    EXPECT_EQ(numbers(block), (Numbers{0, 0, 0, 0, 1, 1, 1, 1}));
    const auto turn = map_ranks(*cluster.platform, 6, {folder + "hostfiles/mc4rr", "block", false});
    EXPECT_EQ(numbers(turn), (Numbers{0, 1, 2, 3, 0, 1}));
}

} // namespace
} // namespace orrery::mapping_test
