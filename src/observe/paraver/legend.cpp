// Names and colours: the .pcf and .row files, and the states that Paraver knows of MPI processes.
#include "observe/paraver/trace_writer.h"

#include <fmt/format.h>
#include <iterator>

namespace orrery::paraver {

std::span<const StateName> mpi_states() {
    static const std::vector<StateName> states{
        {0, "Idle", {117, 195, 255}},
        {1, "Running", {0, 0, 255}},
        {2, "Not created", {255, 255, 255}},
        {3, "Waiting a message", {255, 0, 0}},
        {4, "Blocking Send", {255, 0, 174}},
        {5, "Synchronization", {179, 0, 0}},
        {6, "Test/Probe", {0, 255, 0}},
        {7, "Scheduling and Fork/Join", {255, 255, 0}},
        {8, "Wait/WaitAll", {235, 0, 0}},
        {9, "Blocked", {0, 162, 0}},
        {10, "Immediate Send", {255, 0, 255}},
        {11, "Immediate Receive", {100, 100, 177}},
        {12, "I/O", {172, 174, 41}},
        {13, "Group Communication", {255, 144, 26}},
        {14, "Tracing Disabled", {2, 255, 177}},
        {15, "Others", {192, 224, 0}},
        {16, "Send Receive", {66, 66, 66}},
    };
    return states;
}

std::string pcf_text(const Legend& legend) {
    std::string text = fmt::format("DEFAULT_OPTIONS\n\n"
                                   "LEVEL               THREAD\n"
                                   "UNITS               NANOSEC\n"
                                   "LOOK_BACK           100\n"
                                   "SPEED               1\n"
                                   "FLAG_ICONS          ENABLED\n"
                                   "NUM_OF_STATE_COLORS {}\n"
                                   "YMAX_SCALE          37\n\n\n"
                                   "DEFAULT_SEMANTIC\n\n"
                                   "THREAD_FUNC         State As Is\n\n\n",
                                   legend.states.size());
    const auto to = std::back_inserter(text);
    text += "STATES\n";
    for (const StateName& each : legend.states) fmt::format_to(to, "{:<4} {}\n", each.state, each.name);
    text += "\n\nSTATES_COLOR\n";
    for (const StateName& each : legend.states) {
        fmt::format_to(to, "{:<4} {{{},{},{}}}\n", each.state, each.colour.red, each.colour.green,
                       each.colour.blue);
    }
    for (const EventName& each : legend.events) {
        fmt::format_to(to, "\n\nEVENT_TYPE\n0    {}    {}\n", each.type, each.name);
        if (each.values.empty()) continue;
        text += "VALUES\n";
        for (const auto& [value, name] : each.values) fmt::format_to(to, "{:<4} {}\n", value, name);
    }
    return text;
}

std::string row_text(const Objects& objects) {
    std::string text;
    const auto to = std::back_inserter(text);
    if (!objects.nodes.empty()) {
        std::size_t cpus = 0;
        for (const Objects::Node& node : objects.nodes) cpus += node.cpus;
        fmt::format_to(to, "LEVEL CPU SIZE {}\n", cpus);
        for (const Objects::Node& node : objects.nodes) {
            for (std::uint32_t cpu = 0; cpu < node.cpus; ++cpu)
                fmt::format_to(to, "{}.{}\n", cpu + 1, node.name);
        }
        fmt::format_to(to, "\nLEVEL NODE SIZE {}\n", objects.nodes.size());
        for (const Objects::Node& node : objects.nodes) fmt::format_to(to, "{}\n", node.name);
        text += '\n';
    }
    std::size_t tasks = 0;
    std::size_t threads = 0;
    for (const Objects::Application& application : objects.applications) {
        tasks += application.tasks.size();
        for (const Objects::Task& task : application.tasks) threads += task.threads.size();
    }
    fmt::format_to(to, "LEVEL APPL SIZE {}\n", objects.applications.size());
    for (const Objects::Application& application : objects.applications)
        fmt::format_to(to, "{}\n", application.name);
    fmt::format_to(to, "\nLEVEL TASK SIZE {}\n", tasks);
    for (const Objects::Application& application : objects.applications) {
        for (const Objects::Task& task : application.tasks) fmt::format_to(to, "{}\n", task.name);
    }
    fmt::format_to(to, "\nLEVEL THREAD SIZE {}\n", threads);
    for (const Objects::Application& application : objects.applications) {
        for (const Objects::Task& task : application.tasks) {
            for (const std::string& thread : task.threads) fmt::format_to(to, "{}\n", thread);
        }
    }
    return text;
}

} // namespace orrery::paraver
