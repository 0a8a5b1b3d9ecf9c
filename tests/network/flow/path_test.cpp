// Paths of more pairs than the cache holds, in any order, and from slots that others have taken meanwhile.
#include "network/flow/path.h"
#include "network/flow/test_platforms.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace orrery::test::path_test {
namespace {

TEST(PathCache, FindsEachPairHoweverManyThereAre) {
    std::vector<Link> links(300); // a chain of 301 hosts: a path says by its length whose it is
    for (Link& link : links) {
        link.bandwidth = 1e9;
        link.latency = Time::ns(7);
    }
    const Platform platform = chain(links);
    const FlowParameters parameters;
    PathCache paths(platform, parameters);
    struct Asked {
        HostId from, to;
        PathCache::Slot slot;
    };
    std::mt19937 random(1);
    std::uniform_int_distribution<std::uint32_t> host(0, 300);
    std::vector<Asked> before;
    const auto expect_right = [&](const Path& path, HostId from, HostId to) {
        const std::uint32_t hops = from.value < to.value ? to.value - from.value : from.value - to.value;
        ASSERT_EQ(path.from, from);
        ASSERT_EQ(path.to, to);
        ASSERT_EQ(path.forward, hops);
        ASSERT_EQ(path.latency, Time::ns(7 * hops));
        if (hops > 0) {
            ASSERT_EQ(path.shares().front().link.value,
                      from.value < to.value ? from.value : 300 + from.value - 1);
        }
    };
    for (int i = 0; i < 60'000; ++i) {
        const HostId from{host(random)};
        const HostId to{host(random)};
        const PathCache::Slot slot = paths.find(from, to);
        expect_right(paths[slot], from, to);
        ASSERT_EQ(paths.latency(slot), paths[slot].latency);
        before.push_back({from, to, slot});
        if (i % 3 == 0) {
            const Asked& again =
                before[std::uniform_int_distribution<std::size_t>(0, before.size() - 1)(random)];
            expect_right(paths.find(again.slot, again.from, again.to), again.from, again.to);
        }
        if (HasFatalFailure()) return;
    }
}

} // namespace
} // namespace orrery::test::path_test
