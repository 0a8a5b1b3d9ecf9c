// The figures of the k-packet poster: one prediction of each benchmark on 16,384 cores of Blue Gene/Q, and a
// search over 84 mappings. CPU seconds; the search also in seconds on all cores.
//
//   build/release/bench/kpacket [one | search]
#include "engine/memory.h"
#include "engine/random.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "machine/mapping.h"
#include "network/kpacket/kpacket_network.h"
#include "tools/mapping/search.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <string>
#include <thread>

namespace orrery::bench {
namespace {

constexpr std::uint32_t ranks = 16384;
constexpr Bytes bytes = 65536;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void one(const Machine& machine, const std::string& benchmark, const std::string& mapping) {
    const CommunicationPattern pattern = parse_benchmark(benchmark, ranks, bytes);
    const std::vector<HostId> hosts = map_ranks(*machine.platform, ranks, {"", mapping, false});
    const double start = cpu_seconds();
    KPacketNetwork network(*machine.platform, read_kpacket_parameters(machine.settings));
    for (std::uint32_t i = 0; i < pattern.messages.size(); ++i) {
        const RankMessage& message = pattern.messages[i];
        network.start({i}, hosts[message.from], hosts[message.to], message.bytes, Time::zero());
    }
    const double started = cpu_seconds();
    std::vector<TransferId> arrived;
    Time time;
    for (Time now = network.next(); now != Time::max(); now = network.next()) {
        network.advance(now, arrived);
        time = now;
    }
    const double end = cpu_seconds();
    fmt::print(
        "{:<15} {:<11} {:>9} messages  {:>8.3f} s ({:.3f} s routes, {:>6} iterations, {:>5.1f} looks per "
        "message)  predicts {:>8.3f} ms\n",
        benchmark, mapping, pattern.messages.size(), end - start, started - start, network.iterations(),
        static_cast<double>(network.selection().examined()) / static_cast<double>(pattern.messages.size()),
        time.seconds() * 1e3);
}

// A few changes at a time among many messages: each rank has ten messages of any size on their way.
void irregular(const Machine& machine) {
    constexpr std::uint32_t under_way = 10 * ranks;
    constexpr std::uint32_t total = 5 * under_way;
    const RandomStream random(1, 1);
    std::uint64_t n = 0;
    const auto host = [&] { return HostId{static_cast<std::uint32_t>(random.below(n++, 1024))}; };
    const double start = cpu_seconds();
    KPacketNetwork network(*machine.platform, read_kpacket_parameters(machine.settings));
    std::uint32_t started = 0;
    const auto send = [&](TransferId id, Time now) {
        const HostId from = host();
        // Mostly neighbours, so that the machine is not just full.
        const HostId to = random.below(n++, 8) == 0 ? host() : HostId{(from.value + 1) % 1024};
        network.start(id, from, to, 1000 + random.below(n++, 64000), now);
        ++started;
    };
    for (std::uint32_t i = 0; i < under_way; ++i) send({i}, Time::zero());
    std::vector<TransferId> arrived;
    for (Time now = network.next(); now != Time::max(); now = network.next()) {
        arrived.clear();
        network.advance(now, arrived);
        for (const TransferId id : arrived) {
            if (started < total) send(id, now);
        }
    }
    const double seconds = cpu_seconds() - start;
    fmt::print("{:<27} {:>9} messages  {:>8.3f} s ({:.2f} us per message, {} passes, {} updates)\n",
               "any size, any time", total, seconds, seconds / total * 1e6, network.selection().passes(),
               network.selection().updates());
}

void search(const Machine& machine, const std::string& benchmark) {
    const CommunicationPattern pattern = parse_benchmark(benchmark, ranks, bytes);
    const auto candidates = systematic_mappings(*machine.platform, pattern);
    SearchOptions options;
    options.threads = std::max(1U, std::thread::hardware_concurrency());
    const KPacketParameters parameters = read_kpacket_parameters(machine.settings);
    options.network = [&] { return std::make_unique<KPacketNetwork>(*machine.platform, parameters); };
    const double cpu = cpu_seconds();
    const auto begin = std::chrono::steady_clock::now();
    const auto results = search_mappings(*machine.platform, pattern, candidates, options);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print("{:<15} {} mappings  {:>7.1f} s CPU, {:.1f} s on {} cores; fastest {} {:.3f} ms, slowest {} "
               "{:.3f} ms\n",
               benchmark, results.size(), cpu_seconds() - cpu, seconds, options.threads, results.front().name,
               results.front().time.seconds() * 1e3, results.back().name, results.back().time.seconds() * 1e3);
}

} // namespace
} // namespace orrery::bench

int main(int argc, char** argv) {
    using namespace orrery;
    const std::string what = argc > 1 ? argv[1] : "";
    const Machine machine = load_machine("blue-gene-q-rack");
    if (what.empty() || what == "one") {
        for (const char* benchmark : {"near-neighbour", "alltoall:64"}) {
            for (const char* mapping : {"block", "roundrobin", "random"})
                bench::one(machine, benchmark, mapping);
        }
        bench::irregular(machine);
    }
    if (what.empty() || what == "search") {
        bench::search(machine, "near-neighbour");
        bench::search(machine, "alltoall:64");
    }
    fmt::print("peak memory {:.0f} MB\n", static_cast<double>(peak_rss_bytes()) / 1e6);
}
