// Times worked out by hand from docs/packet.md: one flit takes 10 ns, a channel 50 ns, a switch 100 ns.
#include "network/packet/packet_network.h"

#include "network/packet/packet_runs.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::test::packet_network_test {

namespace {

TEST(PacketNetwork, ALoneSegmentTakesLatenciesDelaysAndItsLength) {
    EXPECT_EQ(run(star_of(2), {{0, 1, 30, {}}}), std::vector{Time::ns(100 + 100 + 30)});
    EXPECT_EQ(run(row_of({1e9, 1e9, 1e9, 1e9}), {{0, 1, 40, {}}}),
              std::vector{Time::ns(4 * 50 + 3 * 100 + 40)});
}

TEST(PacketNetwork, AnEmptyMessageIsOneFlit) {
    EXPECT_EQ(run(star_of(2), {{0, 1, 0, {}}}), std::vector{Time::ns(210)});
    Wired wired(star_of(2));
    EXPECT_EQ(wired.network.latency({0}, {1}), Time::ns(210));
}

// On the second channel from 150 to 230, there until 380; the third one waits so that it will not run dry.
TEST(PacketNetwork, AFasterChannelWaitsUntilItWillNotRunDry) {
    const WiredPlan plan = row_of({1e9, 0.5e9, 1e9});
    EXPECT_EQ(run(plan, {{0, 1, 40, {}}}), std::vector{Time::ns(380 + 50)});
    PacketParameters wormhole = plain_parameters();
    wormhole.switching = Switching::wormhole; // the pace of the second
    EXPECT_EQ(run(plan, {{0, 1, 40, {}}}, wormhole), std::vector{Time::ns(3 * 50 + 2 * 100 + 80)});
}

TEST(PacketNetwork, MessagesAreCutIntoSegmentsWithHeaders) {
    EXPECT_EQ(run(star_of(2), {{0, 1, 100, {}}}), std::vector{Time::ns(200 + 100)});
    PacketParameters with_header = plain_parameters();
    with_header.header = 5; // 5, 5 and 3 flits
    EXPECT_EQ(run(star_of(2), {{0, 1, 100, {}}}, with_header), std::vector{Time::ns(200 + 130)});
}

TEST(PacketNetwork, SegmentsOfSeveralMessagesTakeTurnsOrNot) {
    const std::vector<Sent> two{{0, 1, 80, {}}, {0, 2, 80, {}}};
    EXPECT_EQ(run(star_of(3), two), (std::vector{Time::ns(200 + 120), Time::ns(200 + 160)}));
    PacketParameters in_order = plain_parameters();
    in_order.injection = Injection::in_order;
    EXPECT_EQ(run(star_of(3), two, in_order), (std::vector{Time::ns(200 + 80), Time::ns(200 + 160)}));
}

// At host 0's channel from 150 on, 40 ns each: hosts 1, 2, 3, then their second segments.
TEST(PacketNetwork, InputsTakeTurns) {
    const std::vector<Sent> three{{1, 0, 80, {}}, {2, 0, 80, {}}, {3, 0, 80, {}}};
    EXPECT_EQ(run(star_of(4), three), (std::vector{Time::ns(360), Time::ns(400), Time::ns(440)}));
}

TEST(PacketNetwork, FirstTurnsDependOnTheSeedAlone) {
    std::vector<Sent> all;
    for (std::uint32_t i = 1; i < 9; ++i) all.push_back({i, 0, 400, {}});
    PacketParameters parameters = plain_parameters();
    parameters.first_turn = FirstTurn::random;
    const std::vector<Time> first = run(star_of(9), all, parameters);
    EXPECT_EQ(run(star_of(9), all, parameters), first);
    bool others = false;
    for (parameters.seed = 2; parameters.seed < 12; ++parameters.seed) {
        others = others || run(star_of(9), all, parameters) != first;
    }
    EXPECT_TRUE(others);
}

TEST(PacketNetwork, MessagesOfProtocolsMayGoFirst) {
    const std::vector<Sent> messages{{0, 1, 120, {}}, {0, 1, 0, Time::ns(10), true}};
    EXPECT_EQ(run(star_of(2), messages),
              (std::vector{Time::ns(330), Time::ns(290)})); // after its first segment
    PacketParameters first = plain_parameters();
    first.injection = Injection::in_order;
    EXPECT_EQ(run(star_of(2), messages, first), (std::vector{Time::ns(320), Time::ns(330)}));
    first.control_priority = true;
    EXPECT_EQ(run(star_of(2), messages, first), (std::vector{Time::ns(330), Time::ns(250)}));
}

// Two hosts on a switch, with a loopback (link 4) or without.
class TwoHosts final : public Topology {
  public:
    explicit TwoHosts(bool loopback) : loopback_(loopback) {}
    void route(HostId from, HostId to, std::vector<LinkId>& links) const override {
        if (from != to) {
            links.insert(links.end(), {{2 * from.value}, {2 * to.value + 1}});
        } else if (loopback_) {
            links.push_back({4});
        }
    }
    bool wire(Wiring& wiring) const override {
        wiring.switches = {{"switch", 1}};
        wiring.cables = {{{0}, {2}, 0, 0, {0}, {1}}, {{1}, {2}, 0, 1, {2}, {3}}};
        return true;
    }
    [[nodiscard]] std::string host_name(HostId) const override { return "host"; }
    [[nodiscard]] std::string link_name(LinkId) const override { return "link"; }
    [[nodiscard]] std::optional<HostId> find_host(std::string_view) const override { return {}; }

  private:
    bool loopback_;
};

TEST(PacketNetwork, AHostReachesItselfByItsLoopback) {
    for (const bool loopback : {true, false}) {
        const Platform platform(std::vector<Host>(2), std::vector<Link>(5, {byte_per_ns, Time::ns(50)}),
                                std::make_unique<TwoHosts>(loopback));
        const Fabric fabric(platform);
        TableRouting routing(2, 1);
        routing.path({0}, {1}) = {{{0}, 0}, {{3}, 0}};
        PacketNetwork network(fabric, routing, plain_parameters());
        EXPECT_EQ(network.latency({0}, {0}), loopback ? Time::ns(50) : Time::zero());
        const Time alone = loopback ? Time::ns(5 + 50 + 1000) : Time::ns(5);
        EXPECT_EQ(
            arrivals(network, {{0, 0, 1000, Time::ns(5)}, {0, 0, 1000, Time::ns(5)}, {0, 1, 30, Time::ns(5)}}),
            (std::vector{alone, alone, Time::ns(235)})); // nobody disturbs anybody
    }
}

// Seats take no time on the wire: both hosts' segments are at the router at once, and leave when they are
// whole.
TEST(PacketNetwork, SeatsWithoutLimitTakeNoTime) {
    WiredPlan plan{3, 2, {{3, 4, byte_per_ns, Time::ns(50)}}, {3, 3, 4}};
    EXPECT_EQ(run(plan, {{0, 2, 40, {}}}), std::vector{Time::ns(100 + 40 + 50 + 100)});
    EXPECT_EQ(run(plan, {{0, 2, 80, {}}, {1, 2, 40, {}}}), (std::vector{Time::ns(370), Time::ns(330)}));
    EXPECT_EQ(run(plan, {{0, 1, 80, {}}}), std::vector{Time::ns(100)});
}

TEST(PacketNetwork, CountsWhatChannelsCarry) {
    Wired wired(star_of(3));
    arrivals(wired.network, {{0, 1, 100, {}}, {2, 1, 15, {}}});
    const auto use = wired.network.channel_use();
    EXPECT_EQ(use[0].segments, 3U);
    EXPECT_EQ(use[0].bytes, 100U);
    EXPECT_EQ(use[0].busy, Time::ns(100));
    EXPECT_EQ(use[3].segments, 4U);
    EXPECT_EQ(use[3].bytes, 120U);
    EXPECT_EQ(use[1].segments, 0U);
    EXPECT_EQ(wired.network.segment_hops(), 8U);
    const auto histogram = wired.network.latency_histogram();
    EXPECT_EQ(histogram[8] + histogram[9], 2U); // 128 to 511 ns
    EXPECT_EQ(wired.network.under_way(), 0U);
}

// A caller that has more to start at an instant may ask for the next one in between: the messages of an instant
// are there before any channel is arbitrated, so that what has priority goes first.
TEST(PacketNetwork, AskingBetweenTwoStartsOfAnInstantChangesNothing) {
    const auto arrival_of_the_second = [](bool asks) {
        PacketParameters parameters = plain_parameters();
        parameters.control_priority = true;
        Wired wired(star_of(2), parameters);
        wired.network.start({0}, {0}, {1}, 120, Time::zero());
        if (asks) {
            EXPECT_EQ(wired.network.next_until(Time::zero()), Time::zero());
        }
        wired.network.start_control({1}, {0}, {1}, 0, Time::zero());
        std::vector<TransferId> arrived;
        Time now;
        while (std::find(arrived.begin(), arrived.end(), TransferId{1}) == arrived.end()) {
            now = wired.network.next();
            wired.network.advance(now, arrived);
        }
        return now;
    };
    EXPECT_EQ(arrival_of_the_second(false), Time::ns(210)); // as if it were alone
    EXPECT_EQ(arrival_of_the_second(true), Time::ns(210));
}

} // namespace

} // namespace orrery::test::packet_network_test
