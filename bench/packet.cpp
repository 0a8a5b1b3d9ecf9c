// What a segment's hop costs in the packet network: nanoseconds of computer time, under uniform random traffic
// of packets of one segment, open loop.
//
//   build/release/bench/packet [packets per host [torus or tree]]
//
// On an 8 x 8 x 8 torus (dimension order) and a full fat tree of 1,024 hosts and three levels (D-mod-k).
#include "engine/random.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "network/packet/packet_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace orrery::bench {
namespace {

constexpr std::string_view torus = R"(
[topology]
type = "torus"
dimensions = [8, 8, 8]
[link]
bandwidth = "8 GB/s"
latency = "50 ns"
)";

constexpr std::string_view tree = R"(
[topology]
type = "fat-tree"
levels = "3; 16,8,8; 1,16,8; 1,1,1"
[link]
bandwidth = "8 GB/s"
latency = "50 ns"
)";

struct Start {
    Time time;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
};

// Each host sends a packet to another one at random, after exponential pauses.
std::vector<Start> uniform_traffic(std::uint32_t hosts, double bytes_per_second, Bytes bytes,
                                   std::uint32_t packets) {
    std::vector<Start> starts;
    for (std::uint32_t host = 0; host < hosts; ++host) {
        const RandomStream random(1, host);
        Time time;
        for (std::uint32_t i = 0; i < packets; ++i) {
            time +=
                Time::from_ps(random.exponential(2 * i, static_cast<double>(bytes) / bytes_per_second * 1e12));
            auto to = static_cast<std::uint32_t>(random.below(2 * i + 1, hosts - 1));
            to += to >= host ? 1 : 0;
            starts.push_back({time, host, to});
        }
    }
    std::stable_sort(starts.begin(), starts.end(),
                     [](const Start& a, const Start& b) { return a.time < b.time; });
    return starts;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// What this process occupies now.
std::uint64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t all = 0;
    std::uint64_t resident = 0;
    file >> all >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// The load is a part of the bandwidth of a host's channel, which is what uniform traffic brings all channels of
// both machines to at most (8/k on a torus of even k; a full tree).
void run(std::string_view name, std::string_view text, Bytes segment, std::uint32_t packets) {
    const Machine machine = machine_from_text(text, std::string(name));
    const Fabric fabric(*machine.platform);
    const auto routing = make_routing(fabric, machine.settings);
    PacketParameters parameters;
    parameters.segment = segment;
    parameters.buffer = 8 * segment;
    constexpr double bandwidth = 8e9;
    for (const double load : {0.4, 0.8}) {
        const std::vector<Start> starts =
            uniform_traffic(fabric.host_count(), load * bandwidth, parameters.segment, packets);
        const std::uint64_t before = resident_bytes();
        PacketNetwork network(fabric, *routing, parameters);
        std::vector<TransferId> arrived;
        std::vector<std::uint32_t> free;
        std::uint32_t used = 0;
        const double begin = cpu_seconds();
        std::size_t next = 0;
        Time now;
        for (;;) {
            const Time outside = next < starts.size() ? starts[next].time : Time::max();
            const Time inside = network.next_until(outside);
            if (inside == Time::max() && outside == Time::max()) break;
            now = std::min(inside, outside);
            if (inside == now) {
                arrived.clear();
                network.advance(now, arrived);
                for (const TransferId each : arrived) free.push_back(each.value);
            }
            for (; next < starts.size() && starts[next].time == now; ++next) {
                if (free.empty()) free.push_back(used++);
                network.start({free.back()}, {starts[next].from}, {starts[next].to}, parameters.segment, now);
                free.pop_back();
            }
        }
        const double seconds = cpu_seconds() - begin;
        const auto hops = static_cast<double>(network.segment_hops());
        const std::uint64_t memory = resident_bytes() - before;
        fmt::print("{:9} {:5} B {:4.0f} % {:9.2f} M {:6.1f} ns {:6.2f} M/s {:7.1f} kB {:8}\n", name, segment,
                   100 * load, hops / 1e6, 1e9 * seconds / hops, hops / seconds / 1e6,
                   static_cast<double>(memory) / 1e3 / fabric.node_count(), used);
    }
}

} // namespace
} // namespace orrery::bench

int main(int argc, char** argv) {
    const auto packets = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 500);
    const std::string_view only = argc > 2 ? argv[2] : "";
    fmt::print("                   load       hops   each hop     hops     memory packets\n"
               "                                                          per node at once\n");
    // Segments as they are unless set, and small ones, of which many are under way at once.
    for (const orrery::Bytes segment : {orrery::Bytes{4096}, orrery::Bytes{64}}) {
        if (only.empty() || only == "torus")
            orrery::bench::run("torus", orrery::bench::torus, segment, packets);
        if (only.empty() || only == "tree")
            orrery::bench::run("fat tree", orrery::bench::tree, segment, packets);
    }
}
