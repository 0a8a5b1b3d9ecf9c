// Nothing is lost, doubled or reordered; buffers hold what went in and not yet out; heavy traffic always ends.
#include "engine/random.h"
#include "network/packet/packet_machine.h"
#include "reference/sanitized.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <tuple>

namespace orrery::test::conservation_test {

namespace {

struct Topology {
    const char* name;
    const char* text;
};

// Every built-in one, small.
const std::vector<Topology> topologies{
    {"crossbar", "type = \"crossbar\"\nhosts = 6\n"},
    {"cabinets", "type = \"cabinets\"\ncabinets = \"3,4\"\n[core]\n[uplink]\n"},
    {"torus 5x3", "type = \"torus\"\ndimensions = \"5,3\"\n"},
    {"torus 4x4 with hosts", "type = \"torus\"\ndimensions = \"4,4\"\nhosts_per_router = 2\n"},
    {"mesh", "type = \"mesh\"\ndimensions = \"4,3\"\n"},
    {"hypercube", "type = \"hypercube\"\ndimensions = 4\n"},
    {"hyperx", "type = \"hyperx\"\ndimensions = \"3,3\"\nhosts_per_router = 2\n"},
    {"fat tree", "type = \"fat-tree\"\nlevels = \"2; 4,3; 1,2\"\n"},
    {"k-ary n-tree", "type = \"k-ary-n-tree\"\nk = 3\nn = 3\n"},
    {"dragonfly", "type = \"dragonfly\"\ngroups = 5\nrouters = 4\nhosts_per_router = 2\n"},
    {"dragonfly of chassis",
     "type = \"dragonfly\"\ngroups = 3\nchassis = 2\nrouters = 3\nhosts_per_router = 2\n"},
    {"ring of switches",
     "type = \"graph\"\n[[hosts]]\nnames = \"a[0-1]\"\nswitch = \"s0\"\n[[hosts]]\nnames = \"b[0-1]\"\nswitch "
     "= \"s1\"\n"
     "[[hosts]]\nnames = \"c[0-1]\"\nswitch = \"s2\"\n[[hosts]]\nnames = \"d[0-1]\"\nswitch = \"s3\"\n"
     "[[hosts]]\nnames = \"e[0-1]\"\nswitch = \"s4\"\n[[switches]]\nnames = \"s[0-4]\"\n"
     "[[cables]]\nfrom = \"s0\"\nto = \"s1\"\n[[cables]]\nfrom = \"s1\"\nto = \"s2\"\n[[cables]]\nfrom = "
     "\"s2\"\nto = \"s3\"\n"
     "[[cables]]\nfrom = \"s3\"\nto = \"s4\"\n[[cables]]\nfrom = \"s4\"\nto = \"s0\"\n"}};

// Follows every segment.
class Ledger final : public PacketObserver {
  public:
    explicit Ledger(const PacketMachine& machine)
        : machine_(machine), integral_(machine.fabric.channel_count()), held_(integral_.size()),
          since_(integral_.size()) {}

    void message(const Message& message) override { messages_[message.number] = message; }
    void traversal(const Traversal& each) override {
        Segment& segment = segments_[{each.message, each.segment}];
        const Message& message = messages_.at(each.message);
        const Channel& channel = machine_.fabric.channel(each.channel);
        // Each channel begins where the last one ended.
        const NodeId at = segment.hops == 0 ? NodeId{message.from.value} : segment.at;
        EXPECT_EQ(channel.from, at);
        EXPECT_GE(each.start, each.ready);
        // One segment at a time; of worms, one in each lane.
        const bool worms = machine_.parameters.switching == Switching::wormhole;
        Time& free = free_[{each.channel, worms ? each.lane : 0}];
        EXPECT_GE(each.start, free);
        free = each.end;
        ++segment.hops;
        if (segment.hops > 1)
            residence_[segment.buffer.value] +=
                on_the_wire(each.bytes) * static_cast<double>((each.end - segment.arrived).ps());
        segment.at = channel.to;
        segment.buffer = each.channel;
        segment.arrived = each.start + channel.latency;
        if (channel.to != NodeId{message.to.value}) return;
        ++delivered_[each.message];
        bytes_[each.message] += each.bytes;
        // Segments of a pair of hosts on one path stay in order.
        if (machine_.routing->decides() == Decides::per_pair) {
            auto& last = last_of_pair_[{message.from, message.to, each.channel}];
            const std::pair<Time, Time> now{each.start, each.end};
            EXPECT_GE(now.first, last.second);
            last = now;
        }
    }
    void backlog(LinkId channel, Time now, Bytes bytes) override {
        EXPECT_GE(now, since_[channel.index()]);
        integral_[channel.index()] += static_cast<double>(held_[channel.index()]) *
                                      static_cast<double>((now - since_[channel.index()]).ps());
        held_[channel.index()] = bytes;
        since_[channel.index()] = now;
        EXPECT_LE(bytes, machine_.parameters.buffer * lanes());
    }
    void arrived(std::uint64_t message, Time /*now*/) override { ++arrivals_[message]; }

    void expect_all_delivered() const {
        const Bytes segment = machine_.parameters.segment;
        for (const auto& [number, message] : messages_) {
            EXPECT_EQ(arrivals_.at(number), 1U);
            EXPECT_EQ(delivered_.at(number), std::max<Bytes>(1, (message.bytes + segment - 1) / segment));
            EXPECT_EQ(bytes_.at(number), message.bytes);
        }
        EXPECT_EQ(arrivals_.size(), messages_.size());
        for (const Bytes held : held_) EXPECT_EQ(held, 0U);
    }
    // Mean occupancy = throughput * mean residence; here both times the duration of the run.
    void expect_littles_law() const {
        for (std::size_t channel = 0; channel < integral_.size(); ++channel) {
            const auto found = residence_.find(static_cast<std::uint32_t>(channel));
            const double residence = found == residence_.end() ? 0 : found->second;
            EXPECT_NEAR(integral_[channel], residence, 1e-9 * residence) << "channel " << channel;
        }
    }

  private:
    struct Segment {
        std::uint32_t hops = 0;
        NodeId at;
        LinkId buffer;
        Time arrived;
    };
    // In whole flits, as buffers count.
    [[nodiscard]] double on_the_wire(Bytes payload) const {
        const PacketParameters& parameters = machine_.parameters;
        const Bytes flits = (payload + parameters.header + parameters.flit - 1) / parameters.flit;
        return static_cast<double>(std::max<Bytes>(flits, 1) * parameters.flit);
    }
    [[nodiscard]] std::uint32_t lanes() const {
        return machine_.routing->lanes() + (machine_.parameters.control_priority ? 1 : 0);
    }

    const PacketMachine& machine_;
    std::map<std::uint64_t, Message> messages_;
    std::map<std::pair<std::uint64_t, std::uint32_t>, Segment> segments_;
    std::map<std::pair<LinkId, std::uint32_t>, Time> free_; // each channel and lane
    std::map<std::tuple<HostId, HostId, LinkId>, std::pair<Time, Time>> last_of_pair_;
    std::map<std::uint64_t, std::uint64_t> delivered_; // segments of each message
    std::map<std::uint64_t, Bytes> bytes_;
    std::map<std::uint64_t, std::uint32_t> arrivals_;
    std::vector<double> integral_; // of the backlog of each buffer over time
    std::vector<Bytes> held_;
    std::vector<Time> since_;
    std::map<std::uint32_t, double> residence_; // bytes times time in each buffer
};

// `count` messages of each host, all at once, at random; false if some never arrive.
bool finishes(const PacketMachine& machine, std::uint32_t count, Ledger* ledger) {
    const std::unique_ptr<PacketNetwork> network = machine.network(ledger);
    const std::uint32_t hosts = machine.platform().host_count();
    const RandomStream random(5, 5);
    for (std::uint32_t i = 0; i < count * hosts; ++i) {
        const std::uint32_t from = i % hosts;
        const auto to =
            static_cast<std::uint32_t>((from + 1 + random.below(std::uint64_t{2} * i, hosts - 1)) % hosts);
        network->start(TransferId{i}, HostId{from}, HostId{to}, random.below(std::uint64_t{2} * i + 1, 300),
                       Time::zero());
    }
    std::vector<TransferId> arrived;
    for (Time now = network->next(); now != Time::max(); now = network->next()) network->advance(now, arrived);
    return arrived.size() == std::size_t{count} * hosts;
}

constexpr const char* small_buffers =
    "[packet]\nsegment = \"128 B\"\nheader = \"8 B\"\nbuffer = \"136 B\"\nswitch_delay = \"5 ns\"\n"
    "output_buffer = \"136 B\"\n";

TEST(PacketConservation, EverySegmentArrivesOnceInOrder) {
    for (const Topology& topology : topologies) {
        SCOPED_TRACE(topology.name);
        const PacketMachine machine(std::string("[topology]\n") + topology.text + small_buffers);
        Ledger ledger(machine);
        EXPECT_TRUE(finishes(machine, 12, &ledger));
        ledger.expect_all_delivered();
        ledger.expect_littles_law();
    }
}

TEST(PacketConservation, InEveryMode) {
    for (const char* const mode :
         {"queueing = \"output\"\n", "queueing = \"combined\"\n", "switching = \"wormhole\"\n",
          "control_priority = true\ninjection = \"in-order\"\n"}) {
        SCOPED_TRACE(mode);
        const PacketMachine machine(std::string("[topology]\ntype = \"torus\"\ndimensions = \"4,4\"\n") +
                                    small_buffers + mode);
        Ledger ledger(machine);
        EXPECT_TRUE(finishes(machine, 12, &ledger));
        ledger.expect_all_delivered();
    }
    const PacketMachine machine(
        "[topology]\ntype = \"torus\"\ndimensions = \"4,4\"\n[packet]\nsegment = \"128 B\"\n"
        "flow_control = \"stop-go\"\nbuffer = \"1 KiB\"\nswitch_delay = \"5 ns\"\n");
    Ledger ledger(machine);
    EXPECT_TRUE(finishes(machine, 12, &ledger));
    ledger.expect_all_delivered();
    ledger.expect_littles_law();
}

// With buffers of one segment, a cycle of channels that wait for one another would show.
void expect_no_deadlock(std::uint32_t count) {
    struct Choice {
        const char* topology;
        std::vector<const char*> policies;
    };
    const std::vector<Choice> choices{{"torus", {"dimension-order", "valiant", "ugal"}},
                                      {"mesh", {"dimension-order", "valiant", "ugal"}},
                                      {"hypercube", {"dimension-order", "valiant", "ugal"}},
                                      {"hyperx", {"dimension-order", "valiant", "ugal"}},
                                      {"fat tree", {"d-mod-k", "s-mod-k", "random", "naive", "adaptive"}},
                                      {"k-ary", {"d-mod-k", "s-mod-k", "random", "naive", "adaptive"}},
                                      {"dragonfly", {"minimal", "valiant", "ugal"}},
                                      {"ring", {"auto", "up-down", "layered"}}};
    for (const Topology& topology : topologies) {
        for (const Choice& choice : choices) {
            if (!std::string(topology.name).starts_with(choice.topology)) continue;
            for (const char* const policy : choice.policies) {
                for (const char* const mode : {"", "switching = \"wormhole\"\n", "queueing = \"output\"\n",
                                               "queueing = \"combined\"\n"}) {
                    const PacketMachine machine(fmt::format("[routing]\npolicy = \"{}\"\n[topology]\n{}{}{}",
                                                            policy, topology.text, small_buffers, mode));
                    EXPECT_TRUE(finishes(machine, count, nullptr))
                        << topology.name << ' ' << policy << ' ' << mode;
                }
            }
        }
    }
}

TEST(PacketConservation, NoDeadlockWhateverTheRouting) { expect_no_deadlock(reference::sanitized ? 6 : 30); }

class SlowPacketConservation : public testing::Test {};
TEST_F(SlowPacketConservation, NoDeadlockWhateverTheRouting) { expect_no_deadlock(1000); }

} // namespace

} // namespace orrery::test::conservation_test
