// Runs over the packet network as Paraver sees them: valid, and in agreement with the figures of the run.
#include "formats/formats.h"
#include "observe/paraver/network_map.h"
#include "observe/paraver/prv_file.h"
#include "simulation/simulation.h"
#include "workload/patterns/pattern.h"

#include <gtest/gtest.h>

namespace orrery::paraver_network_test {
namespace {

using observe_test::PrvCommunication;
using observe_test::PrvEvent;
using observe_test::PrvFile;
using observe_test::temporary_file;

struct Seen {
    ReplayPrediction prediction;
    PrvFile file;
};

// Everybody sends 20,000 bytes to everybody, not quite at once: queues fill.
Seen crowd(const char* name, const std::string& topology, std::vector<std::string> settings,
           std::uint32_t ranks) {
    const std::string machine = temporary_file(std::string(name) + ".toml");
    std::ofstream(machine) << "[link]\nbandwidth = '1 GB/s'\nlatency = '50 ns'\n[topology]\n"
                           << topology << "\n";
    SimulationText text;
    text.machine = machine;
    text.network = "packet";
    text.start_skew = "uniform:30us";
    text.settings = std::move(settings);
    text.settings.emplace_back("packet.segment=1000 B");
    text.settings.emplace_back("packet.flit=10 B");
    const Simulation simulation(text, false);

    PatternOptions options = find_pattern("linear-alltoall").defaults;
    options.ranks = ranks;
    options.bytes = 20'000;
    ScheduleBuilder builder("crowd");
    generate(*make_pattern("linear-alltoall", options), ranks, builder);
    const Schedule schedule = builder.take();

    const std::string path = temporary_file(std::string(name) + ".prv");
    ParaverNetworkTrace trace(path, network_map(*simulation.network().fabric()), 1000, 500);
    Simulation::Watchers watchers;
    watchers.packets = &trace;
    ReplayPrediction prediction = simulation.run(schedule, watchers);
    trace.finish(prediction.base.time);
    std::filesystem::remove(machine);
    return {std::move(prediction), PrvFile(path)};
}

void check(const Seen& seen, std::uint64_t messages, bool blocks) {
    const auto& [prediction, file] = seen;
    ASSERT_EQ(file.all_complaints(), "");
    // A record for each message and link; all of the same message, and each message leaves a host once.
    std::map<std::uint64_t, std::uint64_t> bytes_of; // by tag
    std::uint64_t out_of_hosts = 0;
    for (const PrvCommunication& each : file.communications) {
        bytes_of[each.tag] = each.bytes;
        if (each.from[1] <= prediction.base.ranks.size()) ++out_of_hosts;
        EXPECT_LE(each.physical_send, each.logical_receive);
        EXPECT_LT(each.logical_receive, each.physical_receive);
    }
    EXPECT_EQ(bytes_of.size(), messages);
    EXPECT_EQ(out_of_hosts, messages);
    std::uint64_t bytes = 0;
    for (const auto& [tag, size] : bytes_of) bytes += size;
    EXPECT_EQ(bytes, messages * 20'000);

    std::map<std::array<std::uint64_t, 3>, std::uint64_t> stopped;
    std::map<std::array<std::uint64_t, 3>, std::pair<std::uint64_t, std::uint64_t>> blocked; // lanes, since
    std::uint64_t lane_time = 0;                                                             // ns
    std::uint64_t segments = 0;
    std::uint64_t ends = 0;
    for (const PrvEvent& each : file.events) {
        switch (each.type) {
        case ParaverNetworkTrace::flow_control: stopped[each.who] = each.value; break;
        case ParaverNetworkTrace::head_of_line: {
            auto& [lanes, since] = blocked[each.who];
            lane_time += lanes * (each.time - since);
            lanes = each.value;
            since = each.time;
            break;
        }
        case ParaverNetworkTrace::segment: ++(each.value == 0 ? ends : segments); break;
        default: break;
        }
    }
    EXPECT_EQ(segments, ends);
    EXPECT_EQ(segments, prediction.packets->segment_hops);
    EXPECT_EQ(segments, file.communications.size() * 20); // 20 segments to a message
    for (const auto& [who, lanes] : stopped) EXPECT_EQ(lanes, 0U) << "still stopped at the end";
    for (const auto& [who, lanes] : blocked) EXPECT_EQ(lanes.first, 0U) << "still blocked at the end";
    EXPECT_EQ(!blocked.empty(), blocks);
    double figures = 0; // the ten worst are all there is here
    for (const LinkLoad& link : prediction.packets->blocked) figures += link.blocked.seconds();
    if (prediction.packets->blocked.size() < 10) {
        EXPECT_NEAR(static_cast<double>(lane_time) * 1e-9, figures, 1e-9 * static_cast<double>(ends));
    }
    // Buffers are empty at the end, or become so with the last byte of all.
    std::map<std::array<std::uint64_t, 3>, std::uint64_t> last;
    for (const auto& each : file.states) last[each.who] = each.end == file.end ? each.state : 0;
    std::size_t full = 0;
    for (const auto& [who, state] : last) full += state == 0 ? 0U : 1U;
    EXPECT_LE(full, 3U); // on the way of that byte
}

TEST(ParaverNetworkRuns, ACrossbarWithInputQueuesBlocks) {
    const Seen seen = crowd("crossbar", "type = 'crossbar'\nhosts = 6", {"packet.buffer=3 kB"}, 6);
    check(seen, 30, true);
    EXPECT_EQ(seen.file.communications.size(), 60U);
    EXPECT_EQ(seen.file.tasks[0].size(), 7U);
    std::uint64_t highest = 0;
    for (const auto& each : seen.file.states) highest = std::max(highest, each.state);
    EXPECT_EQ(highest, 3U); // the buffer, in quanta of 1000 bytes
}

TEST(ParaverNetworkRuns, OutputQueuesDoNotBlock) {
    check(
        crowd("output", "type = 'crossbar'\nhosts = 6", {"packet.queueing=output", "packet.buffer=100 kB"}, 6),
        30, false);
}

TEST(ParaverNetworkRuns, StopAndGo) {
    const Seen seen = crowd("stopgo", "type = 'crossbar'\nhosts = 6",
                            {"packet.flow_control=stop-go", "packet.buffer=6 kB"}, 6);
    check(seen, 30, true);
    std::uint64_t stops = 0;
    for (const PrvEvent& each : seen.file.events) {
        if (each.type == ParaverNetworkTrace::flow_control && each.value > 0) ++stops;
    }
    EXPECT_GT(stops, 0U);
}

TEST(ParaverNetworkRuns, ATorusHasRoutersWithSeats) {
    const Seen seen = crowd("torus", "type = 'torus'\ndimensions = [3, 3]", {"packet.buffer=4 kB"}, 9);
    check(seen, 72, true);
    EXPECT_EQ(seen.file.tasks[0].size(), 18U);
}

} // namespace
} // namespace orrery::paraver_network_test
