// What a message costs in the flow network: nanoseconds of computer time each, for patterns from harmless to
// hard, against a network that shares the links out anew among all flows whenever one comes or goes.
//
//   build/release/bench/flow [largest number of hosts]
#include "engine/memory.h"
#include "engine/random.h"
#include "machine/topologies/cluster.h"
#include "machine/topologies/fat_tree.h"
#include "machine/topologies/torus.h"
#include "network/flow/flow_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace orrery::bench {
namespace {

struct Message {
    Time start;
    std::uint32_t from;
    std::uint32_t to;
    Bytes bytes;
};

// The rival: all rates anew at every instant, every flow moved at every step.
class PlainNetwork final : public Network {
  public:
    PlainNetwork(const Platform& platform, const FlowParameters& parameters)
        : platform_(platform), parameters_(parameters), paths_(platform, parameters_) {}

    void start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override {
        const Path& path = paths_[paths_.find(from, to)];
        const double wait =
            static_cast<double>(path.latency.ps()) * FlowParameters::factor(parameters_.latency_factor, bytes);
        const double work =
            static_cast<double>(bytes) / FlowParameters::factor(parameters_.bandwidth_factor, bytes) * 1e12;
        waiting_.push_back({transfer, path, work, 0, now + Time::from_ps(wait)});
    }
    Time next() override {
        Time first = Time::max();
        for (const Flow& flow : waiting_) first = std::min(first, flow.at);
        for (const Flow& flow : active_) first = std::min(first, flow.at);
        return first;
    }
    void advance(Time now, std::vector<TransferId>& arrived) override {
        for (Flow& flow : active_) flow.work -= flow.rate * static_cast<double>((now - now_).ps());
        now_ = now;
        const auto done = std::stable_partition(active_.begin(), active_.end(),
                                                [&](const Flow& flow) { return flow.at > now; });
        for (auto flow = done; flow != active_.end(); ++flow) arrived.push_back(flow->transfer);
        active_.erase(done, active_.end());
        const auto ready = std::stable_partition(waiting_.begin(), waiting_.end(),
                                                 [&](const Flow& flow) { return flow.at > now; });
        active_.insert(active_.end(), ready, waiting_.end());
        waiting_.erase(ready, waiting_.end());
        MaxMin all(platform_.links(), parameters_.precision);
        for (std::uint32_t i = 0; i < active_.size(); ++i) {
            all.add({i}, active_[i].path.shares(), active_[i].path.weight, active_[i].path.bound);
        }
        all.solve();
        for (std::uint32_t i = 0; i < active_.size(); ++i) {
            active_[i].rate = all.rate({i});
            active_[i].at = now + Time::from_ps(std::max(active_[i].work, 0.0) / active_[i].rate);
        }
    }
    Time latency(HostId from, HostId to) override { return paths_[paths_.find(from, to)].latency; }
    [[nodiscard]] std::string validity() const override { return "plain"; }

  private:
    struct Flow {
        TransferId transfer;
        Path path;
        double work;
        double rate;
        Time at; // enters or ends
    };
    const Platform& platform_;
    FlowParameters parameters_;
    PathCache paths_;
    std::vector<Flow> waiting_;
    std::vector<Flow> active_;
    Time now_;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Cost {
    double seconds = 0;
    std::uint64_t instants = 0;
    std::uint64_t arrived = 0;
    Time end;
};

// All messages, or as many as `budget` seconds allow.
Cost run(Network& network, const std::vector<Message>& messages, double budget) {
    const double begin = cpu_seconds();
    Cost cost;
    std::uint64_t look_again = 16;
    std::vector<TransferId> arrived;
    std::vector<std::uint32_t> free;
    std::uint32_t used = 0;
    std::size_t next = 0;
    for (;; ++cost.instants) {
        const Time start = next < messages.size() ? messages[next].start : Time::max();
        const Time now = std::min(network.next(), start);
        if (now == Time::max()) break;
        arrived.clear();
        network.advance(now, arrived);
        cost.arrived += arrived.size();
        for (const TransferId each : arrived) free.push_back(each.value);
        for (; next < messages.size() && messages[next].start == now; ++next) {
            if (free.empty()) free.push_back(used++);
            const Message& message = messages[next];
            network.start({free.back()}, {message.from}, {message.to}, message.bytes, now);
            free.pop_back();
        }
        cost.end = now;
        if (cost.instants ==
            look_again) { // seldom where instants are cheap: asking for the time is a system call
            const double now_seconds = cpu_seconds() - begin;
            if (now_seconds > budget) break;
            look_again += 1 + (now_seconds < 0.1 ? cost.instants : cost.instants / 64);
        }
    }
    cost.seconds = cpu_seconds() - begin;
    return cost;
}

FlowParameters parameters(const std::string& set) {
    Settings settings;
    settings.set("flow.set", set, "bench");
    return read_flow_parameters(settings);
}

void measure(const std::string& name, const Platform& platform, const FlowParameters& set,
             std::vector<Message> messages, bool with_rival = true) {
    std::stable_sort(messages.begin(), messages.end(),
                     [](const Message& a, const Message& b) { return a.start < b.start; });
    FlowNetwork network(platform, set);
    const Cost ours = run(network, messages, 200);
    const auto settled = static_cast<double>(network.settled_links()) / static_cast<double>(ours.arrived);
    std::string ratio;
    if (with_rival) {
        PlainNetwork plain(platform, set);
        const Cost theirs = run(plain, messages, 2);
        const double here = ours.seconds / static_cast<double>(ours.arrived);
        const double there = theirs.seconds / static_cast<double>(std::max<std::uint64_t>(theirs.arrived, 1));
        ratio = fmt::format("{:9.0f}{}", there / here, theirs.arrived < messages.size() ? "*" : " ");
    }
    fmt::print("{:44} {:9} {:8.2f} {:9.0f} {:9.0f} {:8.1f} {:>10}\n", name, ours.arrived, ours.seconds,
               1e9 * ours.seconds / static_cast<double>(ours.arrived),
               static_cast<double>(2 * ours.arrived) / ours.seconds / 1000, settled, ratio);
    std::fflush(stdout);
}

const Cable cable{10e9, Time::us(1), Duplex::split};

template <typename Make, typename Shape> Platform machine(Make make, const Shape& shape, std::uint32_t hosts) {
    std::vector<Link> links;
    auto topology = make(shape, HostNames("n", hosts, ""), links);
    return {std::vector<Host>(hosts), std::move(links), std::move(topology)};
}
Platform crossbar(std::uint32_t hosts) {
    return machine(make_cluster, ClusterShape{cable, {}, {}, {}, true}, hosts);
}
Platform torus(std::uint32_t side) {
    TorusShape shape;
    shape.dimensions = {side, side};
    shape.cables = {cable, cable};
    return machine(make_torus, shape, side * side);
}
// Two levels, full bisection: 32 hosts to a switch.
Platform fat_tree(std::uint32_t hosts) {
    FatTreeShape shape;
    shape.down = {32, hosts / 32};
    shape.up = {1, 32};
    shape.parallel = {1, 1};
    shape.cables = {cable, cable};
    return machine(make_fat_tree, shape, hosts);
}

std::vector<Message> isolated() {
    std::vector<Message> messages;
    for (std::uint32_t i = 0; i < 1'000'000; ++i) {
        messages.push_back({Time::us(std::int64_t{20} * i), i % 64, (i + 1 + i % 7) % 64, 8192});
    }
    return messages;
}

// So many begin together, then one each time the link has carried one: that many stay alive.
std::vector<Message> one_link(std::uint32_t flows, std::uint32_t messages_in_all) {
    std::vector<Message> messages;
    for (std::uint32_t i = 0; i < messages_in_all; ++i) {
        const double round = i < flows ? 0 : (i - flows) * 0.8192e6;
        messages.push_back({Time::from_ps(round), 0, 1 + i % 63, 8192});
    }
    return messages;
}

// Four neighbours on a square of hosts; each host begins its iteration a little early or late.
std::vector<Message> stencil(std::uint32_t side, std::uint32_t iterations, double period, double skew) {
    std::vector<Message> messages;
    const RandomStream random(2, side);
    std::uint64_t n = 0;
    for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
        for (std::uint32_t host = 0; host < side * side; ++host) {
            const std::uint32_t x = host % side;
            const std::uint32_t y = host / side;
            const Time begin = Time::from_ps(iteration * period + random.uniform(n++) * skew);
            const std::uint32_t to[] = {y * side + (x + 1) % side, y * side + (x + side - 1) % side,
                                        (y + 1) % side * side + x, (y + side - 1) % side * side + x};
            for (const std::uint32_t each : to) messages.push_back({begin, host, each, 8208});
        }
    }
    return messages;
}

// Host i sends to i + 1, i + 2, ... every `gap`; hosts begin at random times within `skew`.
std::vector<Message> alltoall(std::uint32_t hosts, double gap, double skew) {
    std::vector<Message> messages;
    const RandomStream random(3, hosts);
    for (std::uint32_t host = 0; host < hosts; ++host) {
        for (std::uint32_t k = 1; k < hosts; ++k) {
            messages.push_back(
                {Time::from_ps(k * gap + random.uniform(host) * skew), host, (host + k) % hosts, 8208});
        }
    }
    return messages;
}

// Everybody sends to a random partner, again and again.
std::vector<Message> permutations(std::uint32_t hosts, std::uint32_t rounds) {
    std::vector<Message> messages;
    const RandomStream random(4, hosts);
    std::uint64_t n = 0;
    for (std::uint32_t round = 0; round < rounds; ++round) {
        std::vector<std::uint32_t> to(hosts);
        for (std::uint32_t i = 0; i < hosts; ++i) to[i] = i;
        for (std::uint32_t i = hosts - 1; i > 0; --i) std::swap(to[i], to[random.below(n++, i + 1)]);
        for (std::uint32_t i = 0; i < hosts; ++i) {
            messages.push_back({Time::from_ps(round * 40e6 + random.uniform(n++) * 10e6), i, to[i], 65536});
        }
    }
    return messages;
}

void all(std::uint32_t largest) {
    const FlowParameters smpi = parameters("smpi");
    const FlowParameters fabric = parameters("fabric");
    FlowParameters coarse = fabric;
    coarse.precision = 1e-3;
    fmt::print("{:44} {:>9} {:>8} {:>9} {:>9} {:>8} {:>10}\n", "pattern (hosts)", "messages", "seconds",
               "ns/msg", "kevents/s", "settled", "x plain");
    const Platform small = crossbar(64);
    measure("isolated messages (64)", small, smpi, isolated());
    for (const std::uint32_t flows : {16U, 256U, 4096U}) {
        measure(fmt::format("{} flows on one link", flows), small, fabric, one_link(flows, 200'000));
    }
    for (std::uint32_t side = 8; side * side <= largest; side *= 2) {
        const Platform switched = crossbar(side * side);
        const auto messages = stencil(side, 40, 12e6, 6e6);
        measure(fmt::format("stencil, crossbar, smpi ({})", side * side), switched, smpi, messages);
        measure(fmt::format("stencil, crossbar, fabric ({})", side * side), switched, fabric, messages);
        measure(fmt::format("stencil, torus, smpi ({})", side * side), torus(side), smpi, messages);
        measure(fmt::format("stencil, fat tree, smpi ({})", side * side), fat_tree(side * side), smpi,
                messages);
    }
    for (std::uint32_t hosts = 64; hosts <= largest; hosts *= 4) {
        const Platform switched = crossbar(hosts);
        const bool rival = hosts <= 256;
        measure(fmt::format("alltoall at once, smpi ({})", hosts), switched, smpi, alltoall(hosts, 0, 0),
                rival);
        measure(fmt::format("alltoall, one each 0.5 us, smpi ({})", hosts), switched, smpi,
                alltoall(hosts, 0.5e6, 0), rival);
        measure(fmt::format("alltoall, one each 0.5 us, fabric ({})", hosts), switched, fabric,
                alltoall(hosts, 0.5e6, 0), rival);
        if (hosts > 256) continue; // the hardest: every flow that comes or goes is felt everywhere
        measure(fmt::format("alltoall, 0.5 us, random phase, fabric ({})", hosts), switched, fabric,
                alltoall(hosts, 0.5e6, 0.5e6), rival);
        measure(fmt::format("the same, precision 1e-3 ({})", hosts), switched, coarse,
                alltoall(hosts, 0.5e6, 0.5e6), rival);
    }
    measure("permutations, fat tree, fabric (1024)", fat_tree(1024), fabric, permutations(1024, 20));
    measure("permutations, fat tree, smpi (1024)", fat_tree(1024), smpi, permutations(1024, 20));
    measure("permutations, torus, fabric (1024)", torus(32), fabric, permutations(1024, 20));
    fmt::print("peak memory {:.0f} MB\n\n", static_cast<double>(peak_rss_bytes()) / 1e6);
}

} // namespace
} // namespace orrery::bench

int main(int argc, char** argv) {
    const auto largest = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 1024);
    orrery::bench::all(largest);
}
