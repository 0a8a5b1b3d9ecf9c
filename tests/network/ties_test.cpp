// What decides between things of one instant: nothing that hosts which do not meet could change.
#include "engine/random.h"
#include "network/flow/flow_network.h"
#include "network/ideal_network.h"
#include "network/kpacket/kpacket_network.h"
#include "network/node/node_network.h"
#include "network/packet/packet_machine.h"
#include "reference/sanitized.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace orrery::test::ties_test {

namespace {

struct Post {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Bytes bytes = 0;
    Time time;
    auto operator<=>(const Post&) const = default;
};

using MessageName = std::pair<std::uint32_t, std::uint32_t>; // source host, n-th of it

// Who is the n-th message of which host.
std::vector<MessageName> names_of(const std::vector<Post>& posts) {
    std::map<std::uint32_t, std::uint32_t> count;
    std::vector<MessageName> names;
    for (const Post& each : posts) names.emplace_back(each.from, count[each.from]++);
    return names;
}

// All arrivals, in the order in which the network reports them. Message i is called ids[i].
std::vector<std::pair<Time, MessageName>> arrivals_of(Network& network, const std::vector<Post>& posts,
                                                      const std::vector<std::uint32_t>& ids) {
    const std::vector<MessageName> names = names_of(posts);
    std::map<std::uint32_t, MessageName> name_of_id;
    std::vector<std::pair<Time, MessageName>> all;
    std::vector<TransferId> arrived;
    for (std::size_t next = 0;;) {
        const Time now = std::min(network.next(), next < posts.size() ? posts[next].time : Time::max());
        if (now == Time::max()) return all;
        for (; next < posts.size() && posts[next].time == now; ++next) {
            const Post& each = posts[next];
            name_of_id[ids[next]] = names[next];
            network.start({ids[next]}, {each.from}, {each.to}, each.bytes, now);
        }
        arrived.clear();
        network.advance(now, arrived);
        for (const TransferId each : arrived) all.emplace_back(now, name_of_id[each.value]);
    }
}

// Many messages of few sizes at few instants, so that there are many ties.
std::vector<Post> random_posts(std::uint64_t seed, std::uint32_t hosts, std::uint32_t count) {
    const RandomStream random(seed, 11);
    std::uint64_t n = 0;
    std::vector<Post> posts;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto from = static_cast<std::uint32_t>(random.below(n++, hosts));
        const auto to = static_cast<std::uint32_t>(random.below(n++, hosts));
        const Bytes bytes = 2048 * random.below(n++, 4);
        posts.push_back({from, to, bytes, Time::us(static_cast<std::int64_t>(random.below(n++, 3)))});
    }
    std::stable_sort(posts.begin(), posts.end(), [](const Post& a, const Post& b) { return a.time < b.time; });
    return posts;
}

// The same, but at each instant hosts start their messages in another order, each host its own in the same.
std::vector<Post> other_hosts_first(std::vector<Post> posts) {
    const auto place = [](std::uint32_t host) { return mix_bits(host); };
    std::stable_sort(posts.begin(), posts.end(), [&](const Post& a, const Post& b) {
        return std::tuple(a.time, place(a.from)) < std::tuple(b.time, place(b.from));
    });
    return posts;
}

const std::string tree = "[topology]\ntype = \"k-ary-n-tree\"\nk = 4\nn = 2\n";
const std::string dragonfly =
    "[topology]\ntype = \"dragonfly\"\ngroups = 5\nrouters = 4\nhosts_per_router = 2\n";
const std::string torus = "[topology]\ntype = \"torus\"\ndimensions = \"4,4\"\nhosts_per_router = 2\n";
std::string routed(const std::string& topology, const std::string& policy, const std::string& per = "") {
    return topology + "[routing]\npolicy = \"" + policy + "\"\n" +
           (per.empty() ? "" : "per = \"" + per + "\"\n");
}

// Of messages and segments; what is random, what adapts, and what has no choice.
std::vector<std::string> routed_machines() {
    return {tree,
            routed(tree, "random", "message"),
            routed(tree, "random", "packet"),
            routed(tree, "adaptive"),
            routed(dragonfly, "valiant", "message"),
            routed(dragonfly, "valiant", "packet"),
            routed(dragonfly, "ugal", "message"),
            routed(dragonfly, "ugal", "packet"),
            routed(torus, "valiant", "message"),
            routed(torus, "ugal", "packet")};
}

// Neither the names that the caller has for transfers nor the order in which hosts start at an instant change a
// time, or the order in which arrivals are reported, which is that of source hosts and their messages.
void expect_local_ties(const std::string& words, std::uint32_t hosts,
                       const std::function<std::unique_ptr<Network>()>& make, bool by_source = true) {
    for (std::uint64_t seed = 1; seed <= (reference::sanitized ? 1 : 4); ++seed) {
        const std::vector<Post> posts = random_posts(seed, hosts, 300);
        std::vector<std::uint32_t> ids(posts.size());
        std::iota(ids.begin(), ids.end(), 0U);
        const auto usual = arrivals_of(*make(), posts, ids);
        std::reverse(ids.begin(), ids.end());
        const auto other = arrivals_of(*make(), other_hosts_first(posts), ids);
        ASSERT_EQ(usual.size(), posts.size()) << words;
        ASSERT_EQ(usual, other) << words << " seed " << seed;
        if (by_source) {
            ASSERT_TRUE(std::is_sorted(usual.begin(), usual.end())) << words << " seed " << seed;
        }
    }
}

TEST(Ties, OfPacketsAreLocal) {
    for (const std::string& text : routed_machines()) {
        for (const std::string packet : {"", "queueing = \"output\"\n", "queueing = \"combined\"\n",
                                         "switching = \"wormhole\"\n", "injection = \"in-order\"\n"}) {
            const PacketMachine machine(text + "[packet]\nsegment = \"1 KiB\"\n" + packet);
            expect_local_ties(text + packet, machine.platform().host_count(),
                              [&] { return machine.network(); });
        }
    }
}

TEST(Ties, OfFlowsTurnsAndCopiesAreLocal) {
    for (const std::string& text : {tree, dragonfly, torus}) {
        const PacketMachine machine(text);
        const Platform& platform = machine.platform();
        const std::uint32_t hosts = platform.host_count();
        const auto flow = [&] { return std::make_unique<FlowNetwork>(platform, FlowParameters{}); };
        expect_local_ties("flow " + text, hosts, flow);
        for (const Bytes piece : {~Bytes{0}, Bytes{2048}, Bytes{500}}) {
            KPacketParameters parameters;
            parameters.piece = piece;
            expect_local_ties(fmt::format("kpacket, pieces of {}, {}", piece, text), hosts,
                              [&] { return std::make_unique<KPacketNetwork>(platform, parameters); });
        }
        expect_local_ties("ideal", hosts, [] { return std::make_unique<IdealNetwork>(); });
        NodeParameters node;
        node.memory_bandwidth = 10e9;
        node.copy_bandwidth = 5e9;
        // What is copied within hosts comes behind what arrives from the network.
        expect_local_ties(
            "node " + text, hosts, [&] { return std::make_unique<NodeNetwork>(flow(), node, platform); },
            false);
    }
}

// The path and the times of every segment of these messages.
using Hops = std::map<MessageName, std::vector<std::tuple<std::uint32_t, Time, std::uint32_t, std::uint32_t>>>;

class Traverses final : public PacketObserver {
  public:
    void message(const Message& message) override {
        const std::uint32_t n = sent_[message.from.value]++;
        names_[message.number] = {message.from.value, n};
    }
    void traversal(const Traversal& each) override {
        hops[names_.at(each.message)].emplace_back(each.segment, each.start, each.channel.value, each.lane);
    }
    Hops hops;

  private:
    std::map<std::uint64_t, MessageName> names_;
    std::map<std::uint32_t, std::uint32_t> sent_;
};

Hops hops_of(const PacketMachine& machine, const std::vector<Post>& posts, std::uint32_t hosts,
             bool with_times) {
    Traverses seen;
    std::vector<std::uint32_t> ids(posts.size());
    std::iota(ids.begin(), ids.end(), 0U);
    arrivals_of(*machine.network(&seen), posts, ids);
    Hops wanted;
    for (auto& [name, hops] : seen.hops) {
        std::sort(hops.begin(), hops.end());
        for (auto& hop : hops) std::get<Time>(hop) = with_times ? std::get<Time>(hop) : Time::zero();
        if (name.first < hosts) wanted[name] = hops;
    }
    return wanted;
}

// Messages between hosts below 6, with and without others between the last two hosts, which are neighbours on
// one switch. Valiant's detours of these pass links of the first: so only routes are the same then.
TEST(Ties, TrafficThatSharesNoLinkChangesNoRoute) {
    for (const std::string& text : routed_machines()) {
        const bool with_times = text.find("valiant") == std::string::npos;
        const PacketMachine machine(text + "[packet]\nsegment = \"1 KiB\"\n");
        const std::uint32_t hosts = machine.platform().host_count();
        std::vector<Post> posts;
        for (const Post& each : random_posts(5, 6, 120)) {
            if (each.from != each.to) posts.push_back(each);
        }
        const Hops alone = hops_of(machine, posts, 6, with_times);
        ASSERT_EQ(alone.size(), posts.size());
        for (std::size_t i = posts.size(); i-- > 0;) {
            for (std::uint32_t k = 0; k <= i % 3; ++k)
                posts.insert(posts.begin() + static_cast<std::ptrdiff_t>(i),
                             {hosts - 1 - k % 2, hosts - 2 + k % 2, 3000, posts[i].time});
        }
        EXPECT_TRUE(hops_of(machine, posts, 6, with_times) == alone) << text;
    }
}

// So that the test before says something: choices do differ, from message to message and from host to host.
TEST(Ties, RandomRoutesDependOnHostAndMessage) {
    const PacketMachine machine(routed(tree, "random", "message"));
    std::set<std::uint32_t> of_one_host; // the switch above
    std::set<std::vector<std::uint32_t>> of_hosts;
    for (std::uint32_t host = 0; host < 4; ++host) {
        std::vector<std::uint32_t> switches;
        for (std::uint64_t draw = 0; draw < 16; ++draw) {
            std::vector<Hop> hops;
            machine.routing->path({host}, {15}, draw, no_load(), hops);
            switches.push_back(machine.fabric.channel(hops[1].channel).to.value);
        }
        if (host == 0) of_one_host.insert(switches.begin(), switches.end());
        of_hosts.insert(switches);
    }
    EXPECT_EQ(of_one_host.size(), 4U);
    EXPECT_EQ(of_hosts.size(), 4U);
}

} // namespace

} // namespace orrery::test::ties_test
