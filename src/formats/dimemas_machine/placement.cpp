#include "engine/error.h"
#include "formats/dimemas_machine/configuration.h"

#include <fmt/format.h>

namespace orrery::dimemas {

namespace {

[[noreturn]] void too_few(const Configuration& configuration, std::uint32_t tasks, const std::string& room) {
    throw InputError(Error{configuration.file, 0, 0, fmt::format("{} tasks do not fit: {}", tasks, room)});
}

} // namespace

std::string Placement::words() const {
    switch (kind) {
    case Kind::per_node: return fmt::format("{} on each node", tasks_per_node);
    case Kind::fill: return "filling node after node";
    case Kind::interleaved: return "one on each node in turn";
    case Kind::listed: break;
    }
    return "as listed in the .cfg";
}

std::vector<std::uint32_t> place_tasks(const Configuration& configuration, std::uint32_t tasks) {
    const Placement& placement = configuration.placement;
    const auto nodes = static_cast<std::uint32_t>(configuration.nodes.size());
    std::vector<std::uint32_t> where;
    where.reserve(tasks);
    switch (placement.kind) {
    case Placement::Kind::per_node:
        if (std::uint64_t{placement.tasks_per_node} * nodes < tasks)
            too_few(configuration, tasks,
                    fmt::format("{} nodes with {} tasks each", nodes, placement.tasks_per_node));
        for (std::uint32_t task = 0; task < tasks; ++task) where.push_back(task / placement.tasks_per_node);
        break;
    case Placement::Kind::fill:
        for (std::uint32_t node = 0; node < nodes; ++node) {
            for (std::uint32_t cpu = 0; cpu < configuration.nodes[node].cpus && where.size() < tasks; ++cpu)
                where.push_back(node);
        }
        where.resize(tasks, nodes - 1); // what is left goes to the last node
        break;
    case Placement::Kind::interleaved:
        for (std::uint32_t task = 0; task < tasks; ++task) where.push_back(task % nodes);
        break;
    case Placement::Kind::listed:
        if (placement.nodes.size() < tasks)
            too_few(configuration, tasks, fmt::format("the mapping lists {}", placement.nodes.size()));
        where.assign(placement.nodes.begin(), placement.nodes.begin() + tasks);
        break;
    }
    return where;
}

} // namespace orrery::dimemas
