// How fast Dimemas traces are simulated: a ring of 64, 1024 and 4096 tasks (burst, Irecv, Isend, Wait), one
// million records each, on one bus-free cluster. Dimemas 5.5.0 on the same traces: 485, 64 and 12 thousand
// records a second, for its event list is a linked list.
#include "drivers/dimemas/simulate.h"
#include "formats/dimemas/dim_writer.h"

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>

using namespace orrery;
using namespace orrery::dimemas;

namespace {

void write_ring(const std::string& path, std::uint32_t tasks, std::uint32_t steps) {
    DimCommunicator all;
    all.id = 1;
    for (std::uint32_t task = 0; task < tasks; ++task) all.tasks.push_back(task);
    DimWriter writer(path, "ring", std::vector<std::uint32_t>(tasks, 1), {all});
    for (std::uint32_t task = 0; task < tasks; ++task) {
        writer.begin_thread(task, 0);
        DimRecord burst;
        burst.kind = RecordKind::burst;
        burst.seconds = 1e-4 + 1e-7 * (task % 17);
        DimRecord message;
        message.bytes = 4096;
        message.communicator = 1;
        for (std::uint32_t step = 0; step < steps; ++step) {
            writer.record(burst);
            message.tag = step;
            message.peer = static_cast<std::int32_t>((task + tasks - 1) % tasks);
            message.kind = RecordKind::receive_no_wait;
            writer.record(message);
            DimRecord sent = message;
            sent.kind = RecordKind::send;
            sent.immediate = true;
            sent.peer = static_cast<std::int32_t>((task + 1) % tasks);
            writer.record(sent);
            message.kind = RecordKind::wait;
            writer.record(message);
        }
    }
    writer.finish();
}

Configuration machine_of(std::uint32_t nodes) {
    Configuration machine;
    machine.clusters.emplace_back().nodes = nodes;
    machine.clusters[0].ps_per_byte = 1000;
    Node node;
    node.latency = Time::us(5);
    node.links = {1, 1};
    machine.nodes.assign(nodes, node);
    machine.placement.kind = Placement::Kind::per_node;
    return machine;
}

} // namespace

int main() {
    constexpr std::uint64_t records = 1'000'000;
    constexpr std::pair<std::uint32_t, double> sizes[] = {{64, 485e3}, {1024, 64e3}, {4096, 12e3}};
    const std::string path =
        (std::filesystem::temp_directory_path() / fmt::format("orrery-ring-{}.dim", getpid())).string();
    fmt::print("{:>6} {:>10} {:>10} {:>14} {:>12}\n", "tasks", "records", "CPU s", "records/s", "x Dimemas");
    for (const auto& [tasks, theirs] : sizes) {
        write_ring(path, tasks, static_cast<std::uint32_t>(records / tasks / 4));
        const DimFile trace = DimFile::open(path);
        const Configuration machine = machine_of(tasks);
        const std::clock_t start = std::clock();
        const ReplayPrediction answer = simulate(trace, machine);
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        const double rate = static_cast<double>(answer.base.operations) / seconds;
        fmt::print("{:>6} {:>10} {:>10.3f} {:>14.0f} {:>12.1f}\n", tasks, answer.base.operations, seconds, rate,
                   rate / theirs);
    }
    std::filesystem::remove(path);
}
