// Random traffic over networks whose answer is known: a delay, and a single server per host.
#include "engine/error.h"
#include "machine/topologies/torus.h"
#include "network/network.h"
#include "tools/traffic/curve.h"
#include "tools/traffic/report.h"

#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace orrery::traffic_test {

namespace {

// Each host sends one message at a time, at `bandwidth`; then it takes `delay`.
class OneByOne final : public Network {
  public:
    OneByOne(std::uint32_t hosts, double bandwidth, Time delay)
        : free_(hosts), bandwidth_(bandwidth), delay_(delay) {}

    void start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override {
        EXPECT_NE(from, to);
        Time& free = free_[from.index()];
        free = later(free, now) + Time::from_ps(static_cast<double>(bytes) / bandwidth_ * 1e12);
        arrivals_.insert({free + delay_, transfer});
        most_ = std::max(most_, arrivals_.size());
    }
    Time next() override { return arrivals_.empty() ? Time::max() : arrivals_.begin()->first; }
    void advance(Time now, std::vector<TransferId>& arrived) override {
        while (!arrivals_.empty() && arrivals_.begin()->first == now) {
            arrived.push_back(arrivals_.begin()->second);
            arrivals_.erase(arrivals_.begin());
        }
    }
    Time latency(HostId /*from*/, HostId /*to*/) override { return delay_; }
    [[nodiscard]] std::string validity() const override { return {}; }
    [[nodiscard]] std::size_t most() const { return most_; }

  private:
    std::vector<Time> free_;
    double bandwidth_;
    Time delay_;
    std::multimap<Time, TransferId> arrivals_;
    std::size_t most_ = 0;
};

Platform torus_of(std::vector<std::uint32_t> dimensions, bool wraps = true) {
    TorusShape shape;
    shape.dimensions = std::move(dimensions);
    shape.cables.assign(shape.dimensions.size(), {1e9, Time::ns(10), Duplex::split});
    shape.wraps = wraps;
    const auto hosts = static_cast<std::uint32_t>(torus_hosts(shape));
    std::vector<Link> links;
    std::unique_ptr<Topology> topology = make_torus(shape, HostNames("n", hosts, ""), links);
    return {std::vector<Host>(hosts), std::move(links), std::move(topology)};
}

TEST(TrafficPattern, UniformGoesToAllOthersAlike) {
    const Platform platform = torus_of({4, 4});
    const TrafficPattern pattern(platform, "uniform", 7);
    std::vector<int> count(16);
    for (std::uint64_t n = 0; n < 15'000; ++n) ++count[pattern.destination(HostId{5}, n).index()];
    EXPECT_EQ(count[5], 0);
    for (std::size_t to = 0; to < 16; ++to) {
        EXPECT_NEAR(count[to], to == 5 ? 0 : 1000, 150);
    }
}

TEST(TrafficPattern, FixedOnes) {
    const Platform platform = torus_of({4, 4});
    const auto to = [&](const char* name, std::uint32_t from) {
        return TrafficPattern(platform, name, 1).destination(HostId{from}, 3).value;
    };
    EXPECT_EQ(to("bit-complement", 1), 14U);
    EXPECT_EQ(to("bit-reverse", 1), 8U);
    EXPECT_EQ(to("transpose", 1), 4U);
    EXPECT_EQ(to("shuffle", 9), 3U);
    EXPECT_EQ(to("shift:5", 14), 3U);
    EXPECT_EQ(to("tornado", 0), 5U);  // one on in each dimension of 4
    EXPECT_EQ(to("tornado", 15), 0U); // round both rings
    EXPECT_FALSE(TrafficPattern(platform, "transpose", 1).sends(HostId{5}));
    EXPECT_EQ(TrafficPattern(platform, "transpose", 1).senders(), 12U);
}

TEST(TrafficPattern, APermutationReachesEveryHostOnce) {
    const Platform platform = torus_of({5, 3});
    const TrafficPattern pattern(platform, "permutation", 3);
    std::set<HostId> reached;
    for (std::uint32_t i = 0; i < 15; ++i) {
        reached.insert(pattern.destination(HostId{i}, 0));
        EXPECT_EQ(pattern.destination(HostId{i}, 0), pattern.destination(HostId{i}, 9));
    }
    EXPECT_EQ(reached.size(), 15U);
}

TEST(TrafficPattern, NeighboursOfTorusAndMesh) {
    const auto neighbours = [](const Platform& platform, std::uint32_t host) {
        const TrafficPattern pattern(platform, "neighbour", 1);
        std::set<std::uint32_t> all;
        for (std::uint64_t n = 0; n < 100; ++n) all.insert(pattern.destination(HostId{host}, n).value);
        return all;
    };
    EXPECT_EQ(neighbours(torus_of({4, 3}), 0), (std::set<std::uint32_t>{1, 3, 4, 8}));
    EXPECT_EQ(neighbours(torus_of({4, 3}, false), 0), (std::set<std::uint32_t>{1, 4}));
    EXPECT_EQ(neighbours(torus_of({4, 3}, false), 5), (std::set<std::uint32_t>{1, 4, 6, 9}));
}

TEST(TrafficPattern, HotSpotAndGroup) {
    const Platform platform = torus_of({4, 4});
    const TrafficPattern hot(platform, "hotspot:0.5", 1);
    int to_hot = 0;
    for (std::uint64_t n = 0; n < 10'000; ++n) to_hot += hot.destination(HostId{3}, n) == HostId{0} ? 1 : 0;
    EXPECT_NEAR(to_hot, 10'000 * (0.5 + 0.5 / 15), 200);
    const TrafficPattern group(platform, "group:4", 1);
    for (std::uint64_t n = 0; n < 100; ++n) {
        EXPECT_EQ(group.destination(HostId{6}, n).value / 4, 2U);
        EXPECT_EQ(group.destination(HostId{15}, n).value / 4, 0U);
    }
}

TEST(TrafficPattern, RefusesWhatDoesNotFit) {
    const Platform platform = torus_of({3, 3});
    for (const char* const text : {"bit-reverse", "shuffle", "group", "group:2", "group:9", "hotspot:2",
                                   "hotspot:x", "unifrom", "shift:x", "tornado:3"}) {
        EXPECT_THROW(TrafficPattern(platform, text, 1), UsageError) << text;
    }
    EXPECT_THROW(TrafficPattern(torus_of({1}), "uniform", 1), UsageError);
}

TEST(TrafficSource, KeepsItsRate) {
    for (const Arrivals arrivals : {Arrivals::bernoulli, Arrivals::poisson, Arrivals::regular}) {
        TrafficSource source(arrivals, HostId{3}, 1000, 0.25, 1);
        Time last = Time::ps(-1);
        for (int i = 0; i < 20'000; ++i) {
            EXPECT_GE(source.time(), last);
            last = source.time();
            if (arrivals == Arrivals::bernoulli) {
                EXPECT_EQ(last.ps() % 1000, 0);
            }
            source.take();
        }
        EXPECT_NEAR(last.seconds() * 1e9, 80'000, 1500) << name_of(arrivals); // 20,000 of 4 slots of a ns
    }
    EXPECT_THROW(parse_arrivals("sometimes"), UsageError);
}

TrafficOptions options_of(Bytes bytes) {
    TrafficOptions options;
    options.bytes = bytes;
    options.bandwidth = 1e9;
    options.warm_up = Time::us(200);
    options.duration = Time::us(2000);
    return options;
}

TEST(TrafficRun, ASlottedSourceNeverWaits) {
    const Platform platform = torus_of({8});
    const TrafficPattern pattern(platform, "uniform", 1);
    OneByOne network(8, 1e9, Time::ns(300));
    const TrafficPoint point = run_traffic(network, pattern, 8, 0.5, options_of(1000));
    EXPECT_NEAR(point.offered, 0.5, 0.02);
    EXPECT_NEAR(point.accepted, point.offered, 0.002);
    EXPECT_EQ(point.arrived, point.messages);
    EXPECT_DOUBLE_EQ(point.mean_latency, 1.3e6); // 1 us on the wire and 300 ns
    EXPECT_EQ(point.p99, Time::ns(1300));
    EXPECT_FALSE(point.saturated);
}

// M/D/1: the mean wait is load / (2 (1 - load)) services (Pollaczek and Khinchine).
TEST(TrafficRun, PoissonArrivalsWaitAsQueueingTheorySays) {
    const Platform platform = torus_of({32});
    const TrafficPattern pattern(platform, "uniform", 1);
    OneByOne network(32, 1e9, Time::zero());
    TrafficOptions options = options_of(1000);
    options.arrivals = Arrivals::poisson;
    options.duration = Time::us(20'000);
    const TrafficPoint point = run_traffic(network, pattern, 32, 0.8, options);
    EXPECT_NEAR(point.mean_latency, (1 + 0.8 / (2 * 0.2)) * 1e6, 0.1e6);
    EXPECT_LT(point.median, point.p95);
    EXPECT_LT(point.p95, point.p99);
}

TEST(TrafficRun, SaturationIsSeenAndMemoryBounded) {
    const Platform platform = torus_of({8});
    const TrafficPattern pattern(platform, "uniform", 1);
    OneByOne network(8, 0.5e9, Time::zero()); // half as fast as offered
    TrafficOptions options = options_of(1000);
    options.outstanding = 16;
    const TrafficPoint point = run_traffic(network, pattern, 8, 1.0, options);
    EXPECT_TRUE(point.saturated);
    EXPECT_NEAR(point.accepted, 0.5, 0.002);
    EXPECT_DOUBLE_EQ(point.offered, 1.0); // also what never entered the network
    EXPECT_LE(network.most(), 8U * 16U);
    EXPECT_LT(point.arrived, point.messages);
}

TEST(TrafficCurve, FindsTheKneeWhateverTheNumberOfThreads) {
    const Platform platform = torus_of({8});
    const TrafficPattern pattern(platform, "uniform", 1);
    CurveOptions options;
    options.traffic = options_of(1000);
    options.loads = {0.2, 0.4, 0.8};
    const auto make = [] { return std::make_unique<OneByOne>(8, 0.5e9, Time::ns(100)); };
    const TrafficCurve curve = measure_curve(make, pattern, 8, options);
    EXPECT_NEAR(*curve.saturation, 0.51, 0.02); // 97 % of it are accepted
    EXPECT_NEAR(*curve.at_full_load, 0.5, 0.002);
    EXPECT_DOUBLE_EQ(curve.zero_load_latency, 2.1e6);
    EXPECT_FALSE(curve.points[1].saturated);
    EXPECT_TRUE(curve.points[2].saturated);
    options.threads = 3;
    const TrafficCurve again = measure_curve(make, pattern, 8, options);
    EXPECT_EQ(*again.saturation, *curve.saturation);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(again.points[i].mean_latency, curve.points[i].mean_latency);

    const TrafficQuestion question{"m", "n", "uniform", "bernoulli", 1000, 1e9, 8, 1, 0.97};
    const nlohmann::json json = traffic_json(question, curve);
    EXPECT_EQ(json["points"].size(), 3U);
    EXPECT_DOUBLE_EQ(json["saturation_load"], *curve.saturation);
    EXPECT_NE(traffic_words(question, curve).find("saturated"), std::string::npos);
    const std::string csv = traffic_csv(curve);
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
    EXPECT_EQ(traffic_charts(question, curve).size(), 2U);
    EXPECT_EQ(traffic_charts(question, curve)[0].series[0].points.size(), 2U); // not the saturated one
}

TEST(TrafficLoads, ListsAndRanges) {
    EXPECT_EQ(parse_loads("0.5"), (std::vector<double>{0.5}));
    EXPECT_EQ(parse_loads("0.5,0.1"), (std::vector<double>{0.1, 0.5}));
    EXPECT_EQ(parse_loads("0.1..0.3"), (std::vector<double>{0.1, 0.2, 0.3}));
    EXPECT_EQ(parse_loads("0.1..1.0").size(), 10U);
    EXPECT_EQ(parse_loads("0.5..0.6:0.05,0.9"), (std::vector<double>{0.5, 0.55, 0.6, 0.9}));
    for (const char* const text : {"", "0", "1.1", "-0.1", "x", "0.1..", "0.1..0.5:0", "0.1,,0.2", "nan"}) {
        EXPECT_THROW(parse_loads(text), UsageError) << text;
    }
}

} // namespace

} // namespace orrery::traffic_test
