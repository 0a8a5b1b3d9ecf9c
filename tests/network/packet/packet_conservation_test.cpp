// Nothing is lost, doubled or reordered, wires carry one segment at a time, buffers never overflow: seen by an
// observer on random trees of switches, where no routing can deadlock.
#include "engine/random.h"
#include "network/packet/packet_runs.h"

#include <gtest/gtest.h>
#include <map>
#include <tuple>

namespace orrery::test::packet_conservation_test {

namespace {

struct Ledger : PacketObserver {
    Ledger(const Fabric*& on, Bytes most) : fabric(on), capacity(most) {}

    void message(const Message& message) override {
        EXPECT_EQ(message.number, messages.size());
        messages.push_back(message);
    }
    void traversal(const Traversal& each) override {
        EXPECT_LE(each.ready, each.start);
        EXPECT_LE(each.start, each.end);
        // The channels of a segment join on, and each is told once.
        const Channel& channel = fabric->channel(each.channel);
        const auto [at, first] =
            place.try_emplace({each.message, each.segment}, messages[each.message].from.value);
        EXPECT_EQ(at->second, channel.from.value);
        at->second = channel.to.value;
        // Within a path segments of a message do not overtake one another.
        std::uint32_t& next = next_segment[{each.message, each.channel.value}];
        EXPECT_EQ(next++, each.segment);
        if (one_at_a_time) {
            EXPECT_GE(each.start, busy_until[each.channel.value]);
            busy_until[each.channel.value] = each.end;
        }
        if (channel.to.value == messages[each.message].to.value) received[each.message] += each.bytes;
    }
    void backlog(LinkId channel, Time now, Bytes bytes) override {
        EXPECT_LE(bytes, capacity);
        EXPECT_GE(now, last_backlog[channel.value]);
        last_backlog[channel.value] = now;
        held[channel.value] = bytes;
    }
    void arrived(std::uint64_t message, Time now) override {
        EXPECT_EQ(received[message], messages[message].bytes);
        EXPECT_GT(now, messages[message].start);
        ++arrivals_told;
    }

    const Fabric*& fabric;
    Bytes capacity;
    bool one_at_a_time = true;
    std::vector<Message> messages;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> place;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> next_segment;
    std::map<std::uint64_t, Bytes> received;
    std::map<std::uint32_t, Time> busy_until;
    std::map<std::uint32_t, Time> last_backlog;
    std::map<std::uint32_t, Bytes> held;
    std::uint64_t arrivals_told = 0;
};

WiredPlan random_tree(std::uint64_t seed) {
    const RandomStream random(seed, 0);
    std::uint64_t n = 0;
    const auto below = [&](std::uint64_t bound) {
        return static_cast<std::uint32_t>(random.below(n++, bound));
    };
    WiredPlan plan{2 + below(10), 1 + below(5), {}, {}};
    const auto cable = [&](std::uint32_t a, std::uint32_t b) {
        plan.cables.push_back({a, b, byte_per_ns / (1 + below(3)), Time::ns(below(80))});
    };
    for (std::uint32_t i = 1; i < plan.switches; ++i) cable(plan.hosts + i, plan.hosts + below(i));
    for (std::uint32_t i = 0; i < plan.hosts; ++i) cable(i, plan.hosts + below(plan.switches));
    return plan;
}

std::vector<Sent> random_messages(const WiredPlan& plan, std::uint64_t seed) {
    const RandomStream random(seed, 1);
    std::vector<Sent> messages;
    Time time;
    for (std::uint64_t i = 0; i < 60; ++i) {
        const auto from = static_cast<std::uint32_t>(random.below(5 * i, plan.hosts));
        auto to = static_cast<std::uint32_t>(random.below(5 * i + 1, plan.hosts - 1));
        to += to >= from ? 1 : 0;
        time += Time::ns(static_cast<std::int64_t>(random.below(5 * i + 2, 40)));
        messages.push_back({from, to, random.below(5 * i + 3, 300), time, random.below(5 * i + 4, 4) == 0});
    }
    return messages;
}

using Mode = std::tuple<Switching, FlowControl, Queueing>;
class PacketConservation : public testing::TestWithParam<Mode> {};

TEST_P(PacketConservation, EverySegmentArrivesOnceAndInOrder) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        PacketParameters parameters = plain_parameters();
        std::tie(parameters.switching, parameters.flow_control, parameters.queueing) = GetParam();
        parameters.buffer = parameters.flow_control == FlowControl::stop_go ? 400 : 80;
        parameters.output_buffer = 80;
        parameters.control_priority = seed % 2 == 0;
        parameters.first_turn = FirstTurn::random;
        parameters.seed = seed;
        const WiredPlan plan = random_tree(seed);
        const std::vector<Sent> messages = random_messages(plan, seed);
        const Fabric* fabric = nullptr;
        Ledger ledger(fabric, parameters.buffer * (parameters.control_priority ? 2 : 1));
        ledger.one_at_a_time = parameters.switching == Switching::cut_through;
        Wired wired(plan, parameters, &ledger);
        fabric = &wired.fabric;
        const std::vector<Time> times = arrivals(wired.network, messages);
        EXPECT_EQ(wired.network.under_way(), 0U);
        EXPECT_EQ(ledger.arrivals_told, messages.size());
        for (const auto& [channel, bytes] : ledger.held) EXPECT_EQ(bytes, 0U) << channel;
        EXPECT_EQ(run(plan, messages, parameters), times); // the same again, and with nobody watching
        if (HasFailure()) return;
    }
}

constexpr auto cut = Switching::cut_through;
INSTANTIATE_TEST_SUITE_P(Modes, PacketConservation,
                         testing::Values(Mode{cut, FlowControl::credits, Queueing::input},
                                         Mode{cut, FlowControl::stop_go, Queueing::input},
                                         Mode{cut, FlowControl::credits, Queueing::output},
                                         Mode{cut, FlowControl::stop_go, Queueing::output},
                                         Mode{cut, FlowControl::credits, Queueing::combined},
                                         Mode{cut, FlowControl::stop_go, Queueing::combined},
                                         Mode{Switching::wormhole, FlowControl::credits, Queueing::input},
                                         Mode{Switching::wormhole, FlowControl::stop_go, Queueing::input}));

} // namespace

} // namespace orrery::test::packet_conservation_test
