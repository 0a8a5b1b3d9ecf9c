// Random machines and messages: the k-packet network against its slow twin, and what must hold whatever
// happens.
#include "engine/random.h"
#include "network/flow/run_messages.h"
#include "network/flow/test_platforms.h"
#include "network/kpacket/kpacket_network.h"
#include "reference/kpacket.h"

#include <gtest/gtest.h>

namespace orrery::random_messages_test {
namespace {

using test::Message;

// Bandwidths of all sizes, so that messages fit beside each other in many ways.
Platform platform_number(std::uint64_t n) {
    const Link link{1e9, Time::us(1), Sharing::shared};
    const Link wide{2.5e9, Time::us(1), Sharing::shared};
    switch (n % 5) {
    case 0: return test::crossbar(6, link);
    case 1: return test::bus(6, wide);
    case 2: return test::torus(3, link);
    case 3: return test::torus(4, wide);
    default:
        return test::chain({link,
                            wide,
                            {2e9, Time::us(2), Sharing::fat_pipe},
                            {4e8, Time::ns(300)},
                            wide,
                            link,
                            {1.3e9, Time::zero()}});
    }
}

KPacketParameters parameters_number(std::uint64_t n) {
    KPacketParameters parameters;
    if (n % 2 == 1) parameters.sharing = LinkSharing::exclusive;
    if (n / 2 % 3 == 1) parameters.injection = 1.5e9;
    if (n / 2 % 3 == 2) parameters.ejection = 7e8;
    parameters.local = n % 5 == 0;
    if (n % 4 < 2) parameters.tolerance = n % 4 == 0 ? 0 : 0.2;
    if (n / 6 % 2 == 1) parameters.piece = 5000;
    return parameters;
}

std::vector<Message> random_messages(std::uint64_t seed, std::uint32_t hosts, std::uint32_t count) {
    const RandomStream random(5, seed);
    std::vector<Message> messages;
    std::uint64_t n = 0;
    const bool uniform = seed % 3 == 0; // of equal sizes, as in the poster
    for (std::uint32_t i = 0; i < count; ++i) {
        const HostId from{static_cast<std::uint32_t>(random.below(n++, hosts))};
        const HostId to{static_cast<std::uint32_t>(random.below(n++, hosts))};
        const Bytes bytes = uniform ? 10'000 : random.below(n++, 8) == 0 ? 0 : random.below(n++, 40'000);
        const auto start = static_cast<std::int64_t>(random.below(n++, seed % 4 == 0 ? 1 : 60));
        messages.push_back({from, to, bytes, Time::us(start)});
    }
    return messages;
}

class KPacketProcedures : public testing::TestWithParam<Selection::Procedure> {};

TEST_P(KPacketProcedures, ArriveExactlyWhenTheTwinSays) {
    for (std::uint64_t seed = 0; seed < 240; ++seed) {
        const Platform platform = platform_number(seed);
        const KPacketParameters parameters = parameters_number(seed / 5);
        const auto messages = random_messages(seed, platform.host_count(), 90);
        KPacketNetwork network(platform, parameters);
        network.always(GetParam());
        const auto fast = test::run(network, messages).arrival;
        const auto slow = reference::kpacket_arrivals(platform, parameters, messages);
        for (std::size_t i = 0; i < messages.size(); ++i)
            ASSERT_EQ(fast[i].ps(), slow[i].ps()) << "seed " << seed << " message " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(BothWays, KPacketProcedures,
                         testing::Values(Selection::Procedure::pass, Selection::Procedure::update));

// First much changes at a time, then little, then much again.
TEST(KPacketRandom, TheCheaperProcedureGivesTheSame) {
    const Platform platform = test::torus(4, {1e9, Time::ns(100), Sharing::shared});
    std::vector<Message> messages = random_messages(1, platform.host_count(), 9000);
    for (std::size_t i = 0; i < messages.size(); ++i)
        messages[i].start = Time::us(i < 6000 ? 0 : 30'000); // the rest when some are left
    const auto run = [&](Selection::Procedure procedure) {
        KPacketNetwork network(platform, {});
        network.always(procedure);
        auto when = test::run(network, messages).arrival;
        return std::tuple(std::move(when), network.selection().passes(), network.selection().updates());
    };
    const auto [mixed, passes, updates] = run(Selection::Procedure::cheaper);
    EXPECT_GT(passes, 100U);
    EXPECT_GT(updates, 100U);
    EXPECT_EQ(mixed, std::get<0>(run(Selection::Procedure::pass)));
    EXPECT_EQ(mixed, std::get<0>(run(Selection::Procedure::update)));
}

TEST(KPacketRandom, NoLinkIsAboveItsCapacityAndNothingIsLost) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Platform platform = platform_number(seed);
        const auto messages = random_messages(seed, platform.host_count(), 150);
        KPacketNetwork network(platform, parameters_number(seed));
        std::vector<bool> here(messages.size(), false);
        std::vector<TransferId> arrived;
        for (std::uint32_t i = 0; i < messages.size(); ++i)
            network.start({i}, messages[i].from, messages[i].to, messages[i].bytes, Time::zero());
        Time end;
        for (Time now = network.next(); now != Time::max(); now = network.next()) {
            const KPacketState state = network.state(now);
            for (std::uint32_t link = 0; link < platform.link_count(); ++link) {
                ASSERT_LE(state.links[link].used, platform.link({link}).bandwidth * (1 + 1e-9));
            }
            arrived.clear();
            network.advance(now, arrived);
            for (const TransferId each : arrived) {
                ASSERT_FALSE(here[each.index()]);
                here[each.index()] = true;
            }
            end = now;
        }
        EXPECT_EQ(std::count(here.begin(), here.end(), true), static_cast<std::ptrdiff_t>(messages.size()));
        std::vector<double> passed(platform.link_count(), 0);
        for (const Message& message : messages) {
            std::vector<LinkId> route;
            platform.route(message.from, message.to, route);
            for (const LinkId link : route) passed[link.index()] += static_cast<double>(message.bytes);
        }
        for (std::uint32_t link = 0; link < platform.link_count(); ++link) {
            EXPECT_EQ(network.link_use()[link].bytes, passed[link]);
            if (platform.link({link}).sharing == Sharing::shared) {
                EXPECT_LE(network.link_use()[link].mean_use(platform.link({link}), end), 1 + 1e-9);
            }
        }
    }
}

// Transfers are started as others arrive, with their numbers used again: what a driver does.
TEST(KPacketRandom, NumbersAreUsedAgain) {
    const Platform platform = test::torus(4, {1e9, Time::ns(100), Sharing::shared});
    KPacketNetwork network(platform, {});
    const RandomStream random(8, 8);
    std::uint64_t n = 0;
    std::uint64_t started = 0;
    std::uint64_t ended = 0;
    const auto start = [&](TransferId id, Time now) {
        const HostId from{static_cast<std::uint32_t>(random.below(n++, 16))};
        const HostId to{static_cast<std::uint32_t>(random.below(n++, 16))};
        network.start(id, from, to, 1 + random.below(n++, 3000), now);
        ++started;
    };
    for (std::uint32_t i = 0; i < 40; ++i) start({i}, Time::zero());
    std::vector<TransferId> arrived;
    for (Time now = network.next(); now != Time::max(); now = network.next()) {
        arrived.clear();
        network.advance(now, arrived);
        ended += arrived.size();
        for (const TransferId id : arrived) {
            if (started < 5000) start(id, now);
        }
    }
    EXPECT_EQ(ended, started);
    EXPECT_EQ(started, 5000U);
}

} // namespace
} // namespace orrery::random_messages_test
