#include "network/flow/max_min.h"

#include "engine/random.h"
#include "reference/max_min.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace orrery::max_min_test {
namespace {

constexpr double exact = 1e-14; // the solver's tolerance when it is compared with its twin

std::vector<Link> links_of(const std::vector<double>& capacities) {
    std::vector<Link> links;
    for (const double capacity : capacities) links.push_back({capacity, Time::zero(), Sharing::shared});
    return links;
}

TEST(MaxMin, OneFlowGoesAtItsBoundAndNothingIsSettled) {
    const auto links = links_of({10, 20});
    MaxMin system(links, exact);
    const LinkShare route[] = {{{0}}, {{1}}};
    system.add({3}, route, 1, 10);
    system.solve();
    EXPECT_EQ(system.rate({3}), 10);
    EXPECT_EQ(system.bottleneck({3}), MaxMin::no_link);
    EXPECT_EQ(system.settled(), 0U);
    EXPECT_TRUE(system.moved().empty());
}

TEST(MaxMin, FlowsOnALinkShareByWeight) {
    const auto links = links_of({12});
    MaxMin system(links, exact);
    const LinkShare route[] = {{{0}}};
    system.add({0}, route, 1, 12);
    system.add({1}, route, 2, 12);
    system.solve();
    EXPECT_DOUBLE_EQ(system.rate({0}), 8); // twice the weight, half the rate
    EXPECT_DOUBLE_EQ(system.rate({1}), 4);
    system.remove({0});
    system.solve();
    EXPECT_DOUBLE_EQ(system.rate({1}), 12);
}

// One long flow over n links, one short flow on each: the long one gets the smallest half.
TEST(MaxMin, ParkingLot) {
    const auto links = links_of({10, 8, 6});
    MaxMin system(links, exact);
    const LinkShare all[] = {{{0}}, {{1}}, {{2}}};
    system.add({0}, all, 1, 6);
    for (std::uint32_t i = 0; i < 3; ++i) {
        const LinkShare one[] = {{{i}}};
        system.add({i + 1}, one, 1, links[i].bandwidth);
    }
    system.solve();
    EXPECT_DOUBLE_EQ(system.rate({0}), 3);
    EXPECT_DOUBLE_EQ(system.rate({1}), 7);
    EXPECT_DOUBLE_EQ(system.rate({2}), 5);
    EXPECT_DOUBLE_EQ(system.rate({3}), 3);
}

TEST(MaxMin, BoundLeavesTheRestToOthers) {
    const auto links = links_of({10});
    MaxMin system(links, exact);
    const LinkShare route[] = {{{0}}};
    system.add({0}, route, 1, 2);
    system.add({1}, route, 1, 10);
    system.add({2}, route, 1, 10);
    system.solve();
    EXPECT_DOUBLE_EQ(system.rate({0}), 2);
    EXPECT_DOUBLE_EQ(system.rate({1}), 4);
    EXPECT_DOUBLE_EQ(system.rate({2}), 4);
}

TEST(MaxMin, FatPipeBoundsEachFlowAlone) {
    const std::vector<Link> links{{10, Time::zero(), Sharing::fat_pipe}, {100, Time::zero(), Sharing::shared}};
    MaxMin system(links, exact);
    const LinkShare route[] = {{{0}}, {{1}}};
    const LinkShare twice[] = {{{0}, 2}, {{1}}};
    system.add({0}, route, 1, 50);
    system.add({1}, route, 7, 50); // weights do not matter: nobody is in the way
    system.add({2}, twice, 1, 50);
    system.solve();
    EXPECT_DOUBLE_EQ(system.rate({0}), 10);
    EXPECT_DOUBLE_EQ(system.rate({1}), 10);
    EXPECT_DOUBLE_EQ(system.rate({2}), 5);
}

// Forward traffic and the acknowledgements of the other direction: x + 0.05 x = C.
TEST(MaxMin, CrossTraffic) {
    const auto links = links_of({21, 21});
    MaxMin system(links, exact);
    const LinkShare there[] = {{{0}, 1}, {{1}, 0.05}};
    const LinkShare back[] = {{{1}, 1}, {{0}, 0.05}};
    system.add({0}, there, 1, 21);
    system.solve();
    EXPECT_DOUBLE_EQ(system.rate({0}), 21);
    system.add({1}, back, 1, 21);
    system.solve();
    EXPECT_DOUBLE_EQ(system.rate({0}), 20);
    EXPECT_DOUBLE_EQ(system.rate({1}), 20);
}

TEST(MaxMin, AChangeDoesNotSpreadOverLinksWithRoom) {
    const auto links = links_of({10, 1000, 10});
    MaxMin system(links, exact);
    const LinkShare left[] = {{{0}}, {{1}}};
    const LinkShare right[] = {{{2}}, {{1}}};
    for (std::uint32_t i = 0; i < 4; ++i) system.add({i}, left, 1, 10);
    for (std::uint32_t i = 4; i < 8; ++i) system.add({i}, right, 1, 10);
    system.solve();
    system.forget_changes();
    const auto before = system.settled();
    system.remove({0});
    system.solve();
    EXPECT_EQ(system.settled(), before + 1);
    EXPECT_DOUBLE_EQ(system.rate({1}), 10.0 / 3);
    EXPECT_DOUBLE_EQ(system.rate({5}), 2.5);
}

// Thousands of flows whose bounds fill the link but for rounding: sums over them, taken in different ways,
// differ by more than what counts as equal. Nobody may be left without a rate.
TEST(MaxMin, ALinkThatIsJustFullByThousandsOfBounds) {
    const auto links = links_of({1.25e9});
    constexpr std::uint32_t count = 4096;
    constexpr double weight = 1 / 8059.3165699548681;
    constexpr double level =
        72.126116071433728; // half of the flows one way, half the other: 2048 * 1.05 / weight
    MaxMin system(links, 1e-9);
    std::vector<reference::Flow> flows;
    for (std::uint32_t i = 0; i < count; ++i) {
        flows.push_back({{{{0}, i % 2 == 0 ? 1 : 0.05}}, weight, level / weight});
        system.add({i}, flows[i].route, weight, flows[i].bound);
    }
    const LinkShare route[] = {{{0}}};
    system.add({count}, route, weight, links[0].bandwidth); // so that the link is looked at
    system.remove({count});
    system.solve();
    const auto expected = reference::max_min_rates(links, flows);
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_NEAR(system.rate({i}), expected[i], 1e-9 * expected[i]);
}

// Random networks, random arrivals and departures, compared with the twin after each batch.
struct RandomSystem {
    RandomStream random;
    std::uint64_t n = 0;
    std::vector<Link> links;
    std::map<std::uint32_t, reference::Flow> alive;

    explicit RandomSystem(std::uint64_t seed) : random(7, seed) {
        const std::uint64_t count = 1 + below(12);
        const bool equal = below(3) == 0; // ties: where symmetric workloads live
        for (std::uint64_t i = 0; i < count; ++i) {
            links.push_back({equal ? 10.0 : 1 + 20 * uniform(), Time::zero(),
                             below(6) == 0 ? Sharing::fat_pipe : Sharing::shared});
        }
        equal_weights = equal || below(2) == 0;
        bounded = below(2) == 0;
        cross = below(2) == 0;
    }
    std::uint64_t below(std::uint64_t bound) { return random.below(n++, bound); }
    double uniform() { return random.uniform(n++); }

    reference::Flow flow() {
        reference::Flow flow;
        flow.bound = 1e30;
        const std::uint64_t hops = 1 + below(std::min<std::uint64_t>(5, links.size()));
        for (std::uint64_t i = 0; i < hops; ++i) {
            const LinkId link{static_cast<std::uint32_t>(below(links.size()))};
            const bool back = cross && i > 0 && below(3) == 0;
            if (std::any_of(flow.route.begin(), flow.route.end(), [&](auto& s) { return s.link == link; }))
                continue;
            flow.route.push_back({link, back ? 0.05 : 1.0});
            if (!back) flow.bound = std::min(flow.bound, links[link.index()].bandwidth);
        }
        if (bounded && below(2) == 0) flow.bound *= uniform() + 0.01;
        flow.weight = equal_weights ? 1 : 1e-5 * (1 + 30 * uniform());
        return flow;
    }
    bool equal_weights = false;
    bool bounded = false;
    bool cross = false;
};

void compare(const RandomSystem& system, const MaxMin& fast, double precision, const std::string& where) {
    std::vector<reference::Flow> flows;
    std::vector<double> rates;
    for (const auto& [id, flow] : system.alive) {
        flows.push_back(flow);
        rates.push_back(fast.rate({id}));
    }
    ASSERT_EQ(reference::why_not_max_min(system.links, flows, rates, precision), "") << where;
    const auto expected = reference::max_min_rates(system.links, flows);
    for (std::size_t i = 0; i < rates.size(); ++i) {
        ASSERT_NEAR(rates[i], expected[i], precision * expected[i]) << where << ", flow " << i;
    }
}

TEST(MaxMin, AgreesWithItsTwinOnRandomNetworks) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        RandomSystem system(seed);
        MaxMin fast(system.links, exact);
        for (int step = 0; step < 20; ++step) {
            for (std::uint64_t changes = 1 + system.below(4); changes > 0; --changes) {
                const auto id = static_cast<std::uint32_t>(system.below(30));
                if (system.alive.contains(id)) {
                    fast.remove({id});
                    system.alive.erase(id);
                } else {
                    const auto& flow = system.alive[id] = system.flow();
                    fast.add({id}, flow.route, flow.weight, flow.bound);
                }
            }
            fast.solve();
            fast.forget_changes();
            ASSERT_NO_FATAL_FAILURE(compare(system, fast, 1e-9, "seed " + std::to_string(seed)));
        }
        ASSERT_LT(fast.settled(), 4000 * system.links.size()) << "seed " << seed;
    }
}

// With a coarse precision the rates are those of a network whose capacities are off by at most that.
TEST(MaxMin, CoarseRatesAreExactForNearbyCapacities) {
    constexpr double coarse = 1e-3;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        RandomSystem system(seed);
        MaxMin fast(system.links, coarse);
        for (int step = 0; step < 20; ++step) {
            const auto id = static_cast<std::uint32_t>(system.below(30));
            if (system.alive.contains(id)) {
                fast.remove({id});
                system.alive.erase(id);
            } else {
                const auto& flow = system.alive[id] = system.flow();
                fast.add({id}, flow.route, flow.weight, flow.bound);
            }
            fast.solve();
            fast.forget_changes();
            std::vector<Link> nearby = system.links;
            for (std::uint32_t l = 0; l < nearby.size(); ++l) {
                if (nearby[l].sharing == Sharing::fat_pipe) continue;
                const double used = fast.used({l});
                ASSERT_LE(used, nearby[l].bandwidth * (1 + coarse * 1.001));
                if (fast.level(LinkId{l}) != MaxMin::unlimited_level) {
                    ASSERT_GE(used, nearby[l].bandwidth * (1 - coarse * 1.001));
                    nearby[l].bandwidth = used;
                } else {
                    nearby[l].bandwidth = std::max(used, nearby[l].bandwidth);
                }
            }
            RandomSystem off = system;
            off.links = nearby;
            ASSERT_NO_FATAL_FAILURE(compare(off, fast, 1e-9, "seed " + std::to_string(seed)));
        }
    }
}

} // namespace
} // namespace orrery::max_min_test
