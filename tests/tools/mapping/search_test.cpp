// What the search finds: known optima, what the poster says of bandwidth, and the same for any number of
// threads.
#include "tools/mapping/search.h"

#include "engine/in_threads.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "network/flow/flow_network.h"
#include "network/kpacket/kpacket_network.h"
#include "tools/mapping/metis_mapping.h"
#include "tools/mapping/picture.h"
#include "tools/mapping/report.h"
#include "workload/patterns/pattern.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orrery::search_test {
namespace {

std::vector<MappingResult> search(const Machine& machine, const CommunicationPattern& pattern,
                                  std::uint32_t threads = 1) {
    SearchOptions options;
    options.threads = threads;
    const KPacketParameters parameters = read_kpacket_parameters(machine.settings);
    options.network = [&] { return std::make_unique<KPacketNetwork>(*machine.platform, parameters); };
    return search_mappings(*machine.platform, pattern, systematic_mappings(*machine.platform, pattern),
                           options);
}

double spread(const std::vector<MappingResult>& results) {
    return results.back().time.seconds() / results.front().time.seconds();
}

// A small Blue Gene/Q: 2 x 2 x 2 x 4 x 2 nodes of 16 cores.
Machine small(std::vector<std::string> overrides = {}) {
    overrides.emplace_back("topology.dimensions=2x2x2x4x2");
    return load_machine("blue-gene-q", overrides);
}

TEST(MappingSearch, ByHand) {
    // Four hosts in a ring, ranks 0-1 and 2-3 talk: on one host each, nothing leaves it.
    const Machine ring = machine_from_text(R"(
[host]
cores = 2
[link]
bandwidth = "1 GB/s"
latency = "1 us"
[topology]
type = "torus"
dimensions = [4]
)",
                                           "ring.toml");
    CommunicationPattern pattern;
    pattern.ranks = 8;
    pattern.grid = {8, 1, 1};
    pattern.messages = {{0, 1, 1000}, {2, 3, 1000}};
    KPacketNetwork together(*ring.platform, {});
    const auto best = evaluate(*ring.platform, pattern, {{0}, {0}, {1}, {1}, {2}, {2}, {3}, {3}}, together);
    EXPECT_EQ(best.hop_bytes, 0);
    EXPECT_EQ(best.local, 1);
    EXPECT_EQ(best.time, Time::ns(100)); // the loopback of 10 GB/s
    KPacketNetwork apart(*ring.platform, {});
    const auto worst = evaluate(*ring.platform, pattern, {{0}, {2}, {0}, {2}, {1}, {1}, {3}, {3}}, apart);
    EXPECT_EQ(worst.hop_bytes, 4000);
    EXPECT_EQ(worst.mean_hops, 2);
    EXPECT_EQ(worst.time, Time::us(2) + Time::ns(2000)); // one after the other
    EXPECT_EQ(worst.worst_link_time, Time::ns(2000));
    EXPECT_EQ(worst.worst_link, "n0 to n1");
}

TEST(MappingSearch, MappingsMatterOnBlueGeneAndNotWithTenTimesTheBandwidth) {
    const CommunicationPattern pattern = parse_benchmark("near-neighbour", 1024, 65536);
    const auto now = search(small(), pattern);
    EXPECT_GT(spread(now), 1.8);
    // The ten links of a node are then no longer what limits it, but what it can send: 18 GB/s.
    const auto then = search(small({"link.bandwidth=20GB/s", "link.dimension5.bandwidth=40GB/s"}), pattern);
    EXPECT_LT(spread(then), 1.1);
    for (const MappingResult& each : now) EXPECT_GE(each.time, each.worst_link_time);
}

TEST(MappingSearch, ThreadsDoNotMatter) {
    const CommunicationPattern pattern = parse_benchmark("alltoall:16", 512, 1000);
    const Machine machine = small();
    const auto one = search(machine, pattern);
    const auto three = search(machine, pattern, 3);
    ASSERT_EQ(one.size(), three.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].name, three[i].name);
        EXPECT_EQ(one[i].time, three[i].time);
        if (i > 0) {
            EXPECT_LE(one[i - 1].time, one[i].time);
        }
    }
}

TEST(MappingSearch, AnyNetwork) {
    const CommunicationPattern pattern = parse_benchmark("near-neighbour", 512, 65536);
    const Machine machine = small();
    SearchOptions options;
    options.network = [&] { return std::make_unique<FlowNetwork>(*machine.platform, FlowParameters{}); };
    const auto candidates = systematic_mappings(*machine.platform, pattern);
    const auto flow = search_mappings(*machine.platform, pattern, std::span(candidates).first(3), options);
    EXPECT_EQ(flow.size(), 3U);
    EXPECT_GT(flow[0].time, flow[0].worst_link_time);
    options.network = []() -> std::unique_ptr<Network> { throw std::runtime_error("no network"); };
    options.threads = 2;
    EXPECT_THROW((void)search_mappings(*machine.platform, pattern, candidates, options), std::runtime_error);
}

TEST(MappingSearch, MetisKeepsFriendsTogether) {
    // Groups of 16 ranks that are strewn over all ranks come onto one node each.
    const Machine machine = small();
    CommunicationPattern pattern;
    pattern.ranks = 1024;
    pattern.grid = balanced_grid(1024);
    for (std::uint32_t rank = 0; rank < 1024; ++rank) {
        for (std::uint32_t friend_of = rank % 64; friend_of < 1024; friend_of += 64) {
            if (friend_of != rank) pattern.messages.push_back({rank, friend_of, 1000});
        }
    }
    const auto hosts = map_metis(*machine.platform, natural_hosts(*machine.platform), pattern);
    std::vector<std::uint32_t> count(64, 0);
    for (const HostId host : hosts) ++count[host.index()];
    EXPECT_EQ(count, std::vector<std::uint32_t>(64, 16));
    for (std::uint32_t rank = 64; rank < 1024; ++rank) ASSERT_EQ(hosts[rank], hosts[rank % 64]) << rank;
    EXPECT_EQ(hosts, map_metis(*machine.platform, natural_hosts(*machine.platform), pattern));
}

// METIS draws from the one source of random numbers of the C library.
TEST(MappingSearch, MetisInSeveralThreadsIsMetisAlone) {
    const Machine machine = small();
    const CommunicationPattern pattern = parse_benchmark("near-neighbour", 512, 65536);
    const auto cores = natural_hosts(*machine.platform);
    const auto alone = map_metis(*machine.platform, cores, pattern);
    run_in_threads(8, 4, "mappings",
                   [&](std::size_t) { EXPECT_EQ(map_metis(*machine.platform, cores, pattern), alone); });
}

TEST(MappingSearch, MetisBeatsChanceOnAStencil) {
    const Machine machine = small();
    const CommunicationPattern pattern = parse_benchmark("near-neighbour", 1024, 65536);
    const auto time = [&](const std::vector<HostId>& hosts) {
        KPacketNetwork network(*machine.platform, {});
        return evaluate(*machine.platform, pattern, hosts, network);
    };
    const auto cores = natural_hosts(*machine.platform);
    const auto metis = time(map_metis(*machine.platform, cores, pattern));
    const auto chance = time(map_random(cores, 1024, 1));
    EXPECT_LT(metis.hop_bytes, 0.5 * chance.hop_bytes);
    EXPECT_LT(metis.time, chance.time);
}

TEST(MappingSearch, MetisOnSomeHostsAndWithNothingToSay) {
    const Machine machine = small();
    CommunicationPattern silent;
    silent.ranks = 7;
    const auto hosts = map_metis(*machine.platform, {{{5}, 2}, {{9}, 3}}, silent);
    std::vector<std::uint32_t> count(64, 0);
    for (const HostId host : hosts) ++count[host.index()];
    EXPECT_EQ(count[5], 4U); // two, three, and again two
    EXPECT_EQ(count[9], 3U);
}

TEST(MappingSearch, Reports) {
    MappingResult a;
    a.name = "ABT";
    a.time = Time::us(10);
    a.hop_bytes = 3e6;
    a.mean_hops = 1.5;
    a.worst_link = "n0 to n1";
    a.worst_link_time = Time::us(9);
    MappingResult b = a;
    b.name = "random:1";
    b.time = Time::us(25);
    a.screening_place = 1;
    b.screening_place = 2;
    const SearchReport report{"pattern", "machine", "kpacket", {a, b}, false, "no trace"};
    const std::string words = search_words(report, 1);
    EXPECT_NE(words.find("2.5 times as long"), std::string::npos) << words;
    EXPECT_NE(words.find("random:1"), std::string::npos) << words; // the last is always shown
    EXPECT_NE(words.find("ranked by an estimate"), std::string::npos) << words;
    EXPECT_NE(words.find("(no trace)"), std::string::npos) << words;
    EXPECT_EQ(search_csv(report),
              "place,mapping,replayed_ps,gain_over_block,estimate_ps,screening_place,hop_bytes,"
              "mean_hops,local,worst_link,worst_link_ps\n"
              "1,ABT,,,10000000,1,3000000,1.5,0,\"n0 to n1\",9000000\n"
              "2,random:1,,,25000000,2,3000000,1.5,0,\"n0 to n1\",9000000\n");
    EXPECT_EQ(search_json(report)["mappings"][0]["predicted_time_ps"], 10'000'000);
    EXPECT_EQ(search_json(report)["ranked_by"], "estimate");
    const std::string svg = draw_search(report);
    EXPECT_NE(svg.find(">random:1<"), std::string::npos) << "names of mappings stand in the picture";
}

TEST(MappingSearch, ThePictureCountsWhatItLeavesOut) {
    SearchReport report{"pattern", "machine", "kpacket", {}, false, "no trace"};
    for (int i = 0; i < 100; ++i) {
        MappingResult& each = report.results.emplace_back();
        each.name = "mapping-" + std::to_string(i);
        each.time = Time::us(10 + i);
    }
    const std::string svg = draw_search(report);
    EXPECT_NE(svg.find(">mapping-57<"), std::string::npos);
    EXPECT_EQ(svg.find(">mapping-58<"), std::string::npos);
    EXPECT_NE(svg.find(">(41 more)<"), std::string::npos);
    EXPECT_NE(svg.find(">mapping-99<"), std::string::npos);
}

} // namespace
} // namespace orrery::search_test
