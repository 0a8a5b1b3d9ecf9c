// The critical path in the model of Dimemas: it leads from time 0 to the end of the run without a gap, what it
// is made of is the run time, and its sensitivities are what the run time does when the machine changes.
//
// Unless a test says otherwise: L = 10 us, 2^20 bytes take 10 ms.
#include "cases.h"
#include "engine/random.h"
#include "observe/event_path.h"
#include "run_text.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace orrery::dimemas_path_test {
using namespace orrery::test;

namespace {

const std::string mega = "1048576";

EventPath path_of(const dimemas::DimFile& trace, const dimemas::Configuration& machine,
                  dimemas::SimulationOptions options = {}, ReplayPrediction* prediction = nullptr) {
    EventLog log;
    options.events = &log;
    ReplayPrediction answer = dimemas::simulate(trace, machine, options);
    if (prediction != nullptr) *prediction = std::move(answer);
    EventPathContext context;
    context.resource_name = [](EventCause what, const LoggedEvent& waited) {
        const char* const name = what == EventCause::bus           ? "bus"
                                 : what == EventCause::output_link ? "output"
                                                                   : "input";
        return fmt::format("{} {}-{}", name, waited.rank, waited.peer);
    };
    return event_path(log, context);
}

EventPath path_of_tasks(const std::vector<std::vector<std::string>>& tasks, const MachineText& machine = {}) {
    const DimemasFolder folder;
    return path_of(dimemas::DimFile::open(folder.write("t.dim", trace_text(tasks))),
                   dimemas::read_configuration(folder.write("m.cfg", machine.text())));
}

void scale_latencies(dimemas::Configuration& machine, double by) {
    const auto scale = [by](Time& time) { time = Time::from_ps(time.picoseconds() * by, "a test"); };
    for (dimemas::Node& node : machine.nodes) {
        scale(node.latency);
        scale(node.intra_latency);
        scale(node.wan_latency);
    }
    for (std::vector<Time>& row : machine.flight) std::for_each(row.begin(), row.end(), scale);
    for (dimemas::Connection& each : machine.connections) {
        scale(each.latency);
        scale(each.flight);
    }
}

void scale_byte_times(dimemas::Configuration& machine, double by) {
    for (dimemas::Node& node : machine.nodes) node.intra_ps_per_byte *= by;
    for (dimemas::Cluster& cluster : machine.clusters) cluster.ps_per_byte *= by;
    for (dimemas::Connection& each : machine.connections) each.ps_per_byte *= by;
    machine.wan_ps_per_byte *= by;
}

void scale_bursts(dimemas::Configuration& machine, double by) {
    for (dimemas::Node& node : machine.nodes) node.speed /= by;
}

// What the run time gains, in picoseconds for the whole of what is scaled, from the left and from the right.
void expect_slope(const dimemas::DimFile& trace, const dimemas::Configuration& here,
                  void (*scale)(dimemas::Configuration&, double), Time slope) {
    constexpr double step = 1e-4;
    const auto time = [&](double by) {
        dimemas::Configuration machine = here;
        scale(machine, by);
        return dimemas::simulate(trace, machine).base.time.picoseconds();
    };
    const double now = dimemas::simulate(trace, here).base.time.picoseconds();
    const double left = (now - time(1 - step)) / step;
    const double right = (time(1 + step) - now) / step;
    // Times are rounded to picoseconds.
    constexpr double allowed = 100 / step;
    EXPECT_GE(slope.picoseconds(), std::min(left, right) - allowed);
    EXPECT_LE(slope.picoseconds(), std::max(left, right) + allowed);
}

void expect_slopes(const dimemas::DimFile& trace, const dimemas::Configuration& machine) {
    const EventPath path = path_of(trace, machine);
    EXPECT_FALSE(path.first_order);
    {
        SCOPED_TRACE("latency");
        expect_slope(trace, machine, scale_latencies, path.link_latency);
    }
    {
        SCOPED_TRACE("bandwidth");
        expect_slope(trace, machine, scale_byte_times, path.link_transmission);
    }
    {
        SCOPED_TRACE("speed");
        expect_slope(trace, machine, scale_bursts, path.parts.compute + path.parts.core_wait);
    }
}

// Messages of all kinds in one order that all tasks keep, so that there is no deadlock, and collectives.
struct RandomRun {
    std::vector<std::vector<std::string>> tasks;
    MachineText machine;
};
RandomRun random_run(std::uint64_t seed) {
    const RandomStream stream(seed, 0);
    std::uint64_t n = 0;
    const auto draw = [&](std::uint64_t below) { return stream.below(n++, below); };
    RandomRun run;
    MachineText& machine = run.machine;
    machine.nodes = static_cast<int>(2 + draw(4));
    machine.cpus = static_cast<int>(1 + draw(2));
    const std::uint64_t per_node = 1 + draw(3);
    machine.mapping = fmt::format("{} TASKS_PER_NODE", per_node);
    machine.speed = draw(2) == 0 ? 1 : 2;
    machine.buses = static_cast<int>(draw(4));
    machine.in = static_cast<int>(draw(3));
    machine.out = static_cast<int>(draw(3));
    machine.intra_in = static_cast<int>(draw(2));
    machine.intra_out = static_cast<int>(draw(2));
    machine.intra_buses = static_cast<int>(draw(2));
    machine.intra_latency = 1e-6 * static_cast<double>(draw(3));
    machine.intra_bandwidth = static_cast<double>(draw(2) * 400);
    machine.latency = 1e-5 * static_cast<double>(draw(3));
    machine.collectives = static_cast<int>(1 + draw(3));
    const std::uint64_t tasks = per_node * static_cast<std::uint64_t>(machine.nodes);
    for (std::uint64_t task = 0; task < tasks; ++task)
        run.tasks.push_back({fmt::format("1:{:.9f}", 1e-6 * static_cast<double>(draw(1000)))});
    for (std::uint64_t step = 0; step < 60; ++step) {
        const std::uint64_t from = draw(tasks);
        const std::uint64_t to = draw(tasks);
        const std::uint64_t bytes = draw(3) == 0 ? draw(10) : draw(1 << 20);
        const std::uint64_t what = draw(12);
        if (what == 0) {
            const std::uint64_t how = draw(2);
            const std::uint64_t operation = draw(2) == 0 ? 0 : 11; // a barrier, an allreduce
            for (std::vector<std::string>& each : run.tasks) {
                const std::string of = fmt::format("10:{}:1:0:0:{}:{}:", operation, bytes, bytes);
                each.push_back(of + (how == 0 ? "1" : "0"));
                if (how == 1) each.emplace_back("1:0.0002");
                if (how == 1) each.push_back(of + "2");
            }
        } else if (what == 1) {
            for (std::uint64_t task = 0; task < tasks; ++task)
                run.tasks[task].push_back(fmt::format("10:10:1:{}:0:{}:0:3", from, bytes));
        } else if (what == 2) {
            run.tasks[from].push_back(fmt::format("1:{:.9f}", 1e-6 * static_cast<double>(draw(3000))));
        } else if (from != to) {
            run.tasks[from].push_back(fmt::format("2:{}:-1:{}:{}:1:{}", to, bytes, step, draw(4)));
            const std::string receive = fmt::format("3:{}:-1:{}:{}:1:", from, bytes, step);
            if (draw(2) == 0) {
                run.tasks[to].push_back(receive + "0");
            } else {
                run.tasks[to].insert(run.tasks[to].end(), {receive + "1", "1:0.0003", receive + "2"});
            }
        }
    }
    return run;
}

} // namespace

TEST(DimemasCriticalPath, ExplainsAllOfRandomRuns) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(seed);
        const RandomRun run = random_run(seed);
        const EventPath path = path_of_tasks(run.tasks, run.machine);
        EXPECT_TRUE(path.consistent);
        EXPECT_EQ(path.parts.total(), path.time);
        EXPECT_EQ(path.parts.other, Time::zero());
    }
}

TEST(DimemasCriticalPath, ExplainsAllOfEachCaseAndDoesNotChangeIt) {
    for (const DimemasCase& each : dimemas_cases()) {
        SCOPED_TRACE(each.name);
        const ReplayPrediction alone = dimemas::simulate(each.trace, each.machine);
        ReplayPrediction logged;
        const EventPath path = path_of(each.trace, each.machine, {}, &logged);
        EXPECT_EQ(logged.base.events, alone.base.events);
        for (std::uint32_t task = 0; task < each.trace.tasks(); ++task)
            EXPECT_EQ(logged.base.ranks[task].finish, alone.base.ranks[task].finish);
        EXPECT_TRUE(path.consistent);
        EXPECT_EQ(path.time, alone.base.time);
        EXPECT_EQ(path.rank, alone.base.critical_rank);
        EXPECT_EQ(path.parts.total(), path.time);
        EXPECT_EQ(path.parts.other, Time::zero());
        EXPECT_EQ(path.on_rank + path.on_others + path.in_flight, path.time);
    }
}

TEST(DimemasCriticalPath, SensitivitiesAreThoseOfTheRunTime) {
    for (const DimemasCase& each : dimemas_cases()) {
        SCOPED_TRACE(each.name);
        expect_slopes(each.trace, each.machine);
    }
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE(seed);
        const DimemasFolder folder;
        const RandomRun run = random_run(seed);
        expect_slopes(dimemas::DimFile::open(folder.write("t.dim", trace_text(run.tasks))),
                      dimemas::read_configuration(folder.write("m.cfg", run.machine.text())));
    }
}

TEST(DimemasCriticalPath, GoesThroughTheSenderIfTheReceiverWaits) {
    const EventPath path =
        path_of_tasks({{"1:0.001", "2:1:-1:" + mega + ":1:1:0"}, {"1:0", "3:0:-1:" + mega + ":1:1:0"}});
    EXPECT_EQ(path.parts.compute, Time::us(1000));
    EXPECT_EQ(path.parts.latency, Time::us(10));
    EXPECT_EQ(path.parts.transmission, Time::us(10000));
    EXPECT_EQ(path.parts.total(), path.time);
    EXPECT_EQ(path.in_flight, Time::us(10000));
    EXPECT_EQ(path.on_others, Time::us(1010));
}

TEST(DimemasCriticalPath, StaysOnAReceiverThatComesLate) {
    const EventPath path =
        path_of_tasks({{"1:0.001", "2:1:-1:" + mega + ":1:1:0"}, {"1:0.1", "3:0:-1:" + mega + ":1:1:0"}});
    EXPECT_EQ(path.parts.compute, Time::us(100000));
    EXPECT_EQ(path.parts.latency, Time::us(10));
    EXPECT_EQ(path.on_rank, path.time);
}

TEST(DimemasCriticalPath, GoesThroughTheReceiverOfARendezvous) {
    const EventPath path = path_of_tasks(
        {{"1:0.001", "2:1:-1:" + mega + ":1:1:1"}, {"1:0.1", "3:0:-1:" + mega + ":1:1:0", "1:0.001"}});
    EXPECT_EQ(path.parts.compute, Time::us(101000));
    EXPECT_EQ(path.parts.latency, Time::us(10));
    EXPECT_EQ(path.parts.transmission, Time::us(10000));
}

TEST(DimemasCriticalPath, NamesTheLinkOrBusThatAMessageWaitsFor) {
    const std::string send = "2:{}:-1:" + mega + ":1:1:0";
    MachineText machine;
    machine.nodes = 4;
    machine.buses = 1;
    const std::vector<std::vector<std::string>> apart{{"1:0.001", fmt::format(fmt::runtime(send), 2)},
                                                      {"1:0.002", fmt::format(fmt::runtime(send), 3)},
                                                      {"1:0", "3:0:-1:" + mega + ":1:1:0"},
                                                      {"1:0", "3:1:-1:" + mega + ":1:1:0"}};
    const EventPath by_bus = path_of_tasks(apart, machine);
    EXPECT_EQ(by_bus.time, Time::us(1000 + 10 + 20000));
    EXPECT_EQ(by_bus.parts.contention, Time::us(10000));
    EXPECT_EQ(by_bus.parts.transmission, Time::us(10000));
    EXPECT_EQ(by_bus.parts.compute, Time::us(1000)); // of the first: the second has waited for it
    ASSERT_EQ(by_bus.top_links.size(), 1U);
    EXPECT_EQ(by_bus.top_links[0].name, "bus 1-3");
    EXPECT_EQ(by_bus.top_links[0].contention, Time::us(10000));
    EXPECT_EQ(by_bus.top_links[0].messages, 1U);

    machine.buses = 0;
    const std::vector<std::vector<std::string>> to_one{
        {"1:0.001", fmt::format(fmt::runtime(send), 2)},
        {"1:0.002", fmt::format(fmt::runtime(send), 2)},
        {"1:0", "3:0:-1:" + mega + ":1:1:0", "3:1:-1:" + mega + ":1:1:0"}};
    EXPECT_EQ(path_of_tasks(to_one, machine).top_links.at(0).name, "input 1-2");

    const std::vector<std::vector<std::string>> of_one{
        {"1:0.001", fmt::format(fmt::runtime(send), 1), fmt::format(fmt::runtime(send), 2)},
        {"1:0", "3:0:-1:" + mega + ":1:1:0"},
        {"1:0", "3:0:-1:" + mega + ":1:1:0"}};
    EXPECT_EQ(path_of_tasks(of_one, machine).top_links.at(0).name, "output 0-2");
}

TEST(DimemasCriticalPath, AMessageWithoutBytesWaitsToo) {
    const std::vector<std::vector<std::string>> tasks{
        {"1:0.001", "2:1:-1:" + mega + ":1:1:0", "2:2:-1:0:1:1:0"},
        {"1:0", "3:0:-1:" + mega + ":1:1:0"},
        {"1:0", "3:0:-1:0:1:1:0", "1:0.005"}};
    MachineText machine;
    machine.nodes = 3;
    const EventPath path = path_of_tasks(tasks, machine);
    EXPECT_EQ(path.time, Time::us(1010 + 10000 + 5000));
    EXPECT_EQ(path.parts.contention, Time::us(10000));
    EXPECT_EQ(path.top_links.at(0).name, "output 0-2");
}

TEST(DimemasCriticalPath, GoesThroughWhoHasTheProcessor) {
    MachineText machine;
    machine.nodes = 1;
    machine.mapping = "2 TASKS_PER_NODE";
    const EventPath path = path_of_tasks({{"1:0.001"}, {"1:0.002"}}, machine);
    EXPECT_EQ(path.time, Time::us(3000));
    EXPECT_EQ(path.parts.core_wait, Time::us(1000));
    EXPECT_EQ(path.parts.compute, Time::us(2000));
    EXPECT_EQ(path.on_others, Time::us(1000));
}

TEST(DimemasCriticalPath, GoesThroughWhoComesLastToACollective) {
    MachineText machine;
    machine.nodes = 4;
    machine.collectives = 2;
    const std::string all = "10:11:1:0:0:" + mega + ":" + mega + ":1";
    const EventPath path = path_of_tasks(
        {{"1:0.001", all}, {"1:0.004", all}, {"1:0.002", all, "1:0.003"}, {"1:0.001", all}}, machine);
    EXPECT_EQ(path.rank, 2U);
    EXPECT_EQ(path.parts.compute, Time::us(4000 + 3000));
    EXPECT_EQ(path.on_others, Time::us(4000));
    EXPECT_EQ(path.parts.total(), path.time);
    EXPECT_EQ(path.parts.latency + path.parts.transmission, path.time - Time::us(7000));
    EXPECT_GT(path.parts.latency, Time::us(10));
    EXPECT_GT(path.parts.transmission, Time::us(10000));
}

} // namespace orrery::dimemas_path_test
