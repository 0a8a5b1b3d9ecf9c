// Routings that decide for each message, for each packet, and at every switch.
#include "network/packet/packet_runs.h"

#include <gtest/gtest.h>

namespace orrery::test::packet_routes_test {

namespace {

// Host 0 - switch 2 - one of the switches 3, 4, 5 - switch 6 - host 1. Cable i: channels 2i and 2i + 1.
WiredPlan three_paths() {
    const auto cable = [](std::uint32_t a, std::uint32_t b) {
        return WiredCable{a, b, byte_per_ns, Time::ns(50)};
    };
    return {2,
            5,
            {cable(0, 2), cable(6, 1), cable(2, 3), cable(2, 4), cable(2, 5), cable(3, 6), cable(4, 6),
             cable(5, 6)},
            {}};
}

class ByDraw : public Routing {
  public:
    explicit ByDraw(Decides decides) : decides_(decides) {}
    [[nodiscard]] Decides decides() const override { return decides_; }
    void path(HostId from, HostId, std::uint64_t draw, const LoadView&, std::vector<Hop>& hops) const override {
        EXPECT_EQ(from.value, 0U);
        const auto path = static_cast<std::uint32_t>(draw % 3);
        for (const std::uint32_t channel : {0U, 4 + 2 * path, 10 + 2 * path, 2U})
            hops.push_back({{channel}, 0});
    }
    // The path on which the least waits, of equal ones the first.
    Hop next(NodeId at, Hop came, HostId, HostId to, std::uint64_t, const LoadView& load) const override {
        EXPECT_EQ(to.value, 1U);
        if (at.value == 6) return {{2}, 0};
        if (at.value != 2) return {{came.channel.value + 6}, 0};
        std::uint32_t best = 4;
        for (const std::uint32_t channel : {6U, 8U}) {
            if (load.queued({channel}) < load.queued({best})) best = channel;
        }
        return {{best}, 0};
    }
    [[nodiscard]] std::string words() const override { return "by draw"; }

  private:
    Decides decides_;
};

struct Outcome {
    std::vector<Time> times;
    std::vector<std::uint64_t> segments; // on each of the three paths
};

Outcome three_path_run(Decides decides, const std::vector<Sent>& messages, PacketParameters parameters) {
    const auto platform = reference::make_platform(three_paths());
    const Fabric fabric(*platform);
    const ByDraw routing(decides);
    PacketNetwork network(fabric, routing, parameters);
    Outcome outcome{arrivals(network, messages), {}};
    const auto use = network.channel_use();
    for (const std::uint32_t channel : {4U, 6U, 8U}) outcome.segments.push_back(use[channel].segments);
    EXPECT_EQ(network.under_way(), 0U);
    return outcome;
}

const Time alone = Time::ns(4 * 50 + 3 * 100 + 40); // of one segment

TEST(PacketRoutes, OnceForEachMessage) {
    const Outcome outcome = three_path_run(
        Decides::per_message, {{0, 1, 120, {}}, {0, 1, 80, {}}, {0, 1, 40, {}}}, plain_parameters());
    EXPECT_EQ(outcome.segments, (std::vector<std::uint64_t>{3, 2, 1}));
}

TEST(PacketRoutes, OnceForEachPacket) {
    for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
        PacketParameters parameters = plain_parameters();
        parameters.switching = switching;
        const Outcome outcome =
            three_path_run(Decides::per_packet, {{0, 1, 160, {}}, {0, 1, 80, {}}}, parameters);
        EXPECT_EQ(outcome.segments, (std::vector<std::uint64_t>{2, 2, 2}));
        EXPECT_EQ(outcome.times[1], alone + Time::ns(3 * 40)); // the segments take turns
        EXPECT_EQ(outcome.times[0], alone + Time::ns(5 * 40));
    }
}

// The paths are four times slower than the channel before them. With input queues a segment is first only when
// the one before it has left, and finds its path free again; a crossbar is done in half of that time; with
// output queues each segment is sent where the least waits, at 150, 190, 230, ...
TEST(PacketRoutes, AtEverySwitchWhereTheLeastWaits) {
    WiredPlan plan = three_paths();
    for (std::size_t cable = 2; cable < 8; ++cable) plan.cables[cable].bandwidth = byte_per_ns / 4;
    const auto platform = reference::make_platform(plan);
    const Fabric fabric(*platform);
    const ByDraw routing(Decides::per_hop);
    const auto segments = [&](Queueing queueing) {
        PacketParameters parameters = plain_parameters();
        parameters.queueing = queueing;
        PacketNetwork network(fabric, routing, parameters);
        arrivals(network, {{0, 1, 240, {}}});
        EXPECT_EQ(network.under_way(), 0U);
        const auto use = network.channel_use();
        return std::vector<std::uint64_t>{use[4].segments, use[6].segments, use[8].segments};
    };
    EXPECT_EQ(segments(Queueing::input), (std::vector<std::uint64_t>{6, 0, 0}));
    EXPECT_EQ(segments(Queueing::combined), (std::vector<std::uint64_t>{3, 3, 0}));
    EXPECT_EQ(segments(Queueing::output), (std::vector<std::uint64_t>{3, 2, 1}));
}

} // namespace

} // namespace orrery::test::packet_routes_test
