// What those who watch a run in the model of Dimemas are told of its calls and messages.
#include "cases.h"
#include "observe/paraver/mpi_trace.h"
#include "observe/paraver/prv_file.h"
#include "results/calls.h"
#include "run_text.h"

#include <gtest/gtest.h>
#include <map>

namespace orrery::call_reports_test {
using namespace orrery::test;

namespace {

class Watcher final : public ReplayObserver {
  public:
    struct Call {
        Action action;
        Time begin;
        Time end;
    };
    explicit Watcher(std::uint32_t threads) : calls(threads), times(threads) {}

    void performed(CpuOfRank who, const Action& action, Time begin, Time end) override {
        const std::uint32_t thread = who.rank;
        EXPECT_LT(begin, end);
        EXPECT_GE(begin, now(thread)) << "calls of thread " << thread << " overlap";
        calls[thread].push_back({action, begin, end});
        times[thread][call_kind(action)] += end - begin;
    }
    void passed(CpuOfRank who, const Action& action, Time at) override {
        calls[who.rank].push_back({action, at, at});
    }
    void delivered(std::uint32_t from, std::uint32_t to, std::uint32_t /*tag*/, Bytes bytes, Time sent,
                   Time arrived) override {
        EXPECT_LT(from, calls.size());
        EXPECT_LT(to, calls.size());
        EXPECT_LE(sent, arrived);
        ++messages;
        all_bytes += bytes;
    }
    void received(const Received& message) override {
        EXPECT_LE(message.sent, message.left);
        EXPECT_LE(message.left, message.arrived);
        taken.push_back(message);
    }
    [[nodiscard]] Time now(std::uint32_t thread) const {
        return calls[thread].empty() ? Time::zero() : calls[thread].back().end;
    }

    std::vector<std::vector<Call>> calls;
    std::vector<CallTimes> times;
    std::vector<Received> taken;
    std::uint64_t messages = 0;
    Bytes all_bytes = 0;
};

Watcher watch(const std::string& trace, const std::string& machine) {
    const DimemasFolder folder;
    const dimemas::DimFile file = dimemas::DimFile::open(folder.write("t.dim", trace));
    Watcher watcher(file.threads());
    dimemas::SimulationOptions options;
    options.observer = &watcher;
    (void)dimemas::simulate(file, dimemas::read_configuration(folder.write("m.cfg", machine)), options);
    return watcher;
}

} // namespace

TEST(DimemasCallReports, AddUpToThePredictionAndDoNotChangeIt) {
    for (const DimemasCase& each : dimemas_cases()) {
        SCOPED_TRACE(each.name);
        const ReplayPrediction alone = dimemas::simulate(each.trace, each.machine);
        Watcher watcher(each.trace.threads());
        dimemas::SimulationOptions options;
        options.observer = &watcher;
        const ReplayPrediction watched = dimemas::simulate(each.trace, each.machine, options);
        EXPECT_EQ(watched.base.events, alone.base.events);
        EXPECT_EQ(watcher.messages, alone.base.messages);
        EXPECT_EQ(watcher.all_bytes, alone.base.bytes);
        ASSERT_EQ(each.trace.threads(), each.trace.tasks());
        for (std::uint32_t task = 0; task < each.trace.tasks(); ++task) {
            EXPECT_EQ(watched.base.ranks[task].finish, alone.base.ranks[task].finish);
            for (std::size_t kind = 0; kind < call_kinds; ++kind) {
                EXPECT_EQ(watched.calls[task].by_kind[kind], alone.calls[task].by_kind[kind]);
                // Waiting for a processor is no call.
                const bool gap = static_cast<CallKind>(kind) == CallKind::other;
                EXPECT_EQ(watcher.times[task].by_kind[kind],
                          gap ? Time::zero() : alone.calls[task].by_kind[kind])
                    << task << ' ' << call_kind_names[kind];
            }
        }
    }
}

TEST(DimemasCallReports, MessagesHaveTheirFourTimes) {
    // L = 10 us, 1 MiB takes 10 ms; the second waits for the output link. One receive is posted before its
    // message arrives, one after.
    const std::string mega = "1048576";
    const Watcher watcher =
        watch(trace_text({{"1:0.001", "2:1:-1:" + mega + ":1:1:0", "2:1:-1:" + mega + ":2:1:0"},
                          {"1:0", "3:0:-1:" + mega + ":2:1:1", "1:0.005", "3:0:-1:" + mega + ":2:1:2",
                           "1:0.001", "3:0:-1:" + mega + ":1:1:0"}}),
              MachineText().text());
    ASSERT_EQ(watcher.taken.size(), 2U);
    const ReplayObserver::Received& second = watcher.taken[0];
    EXPECT_EQ(second.tag, 2U);
    EXPECT_EQ(second.bytes, 1048576U);
    EXPECT_EQ(second.sent, Time::us(1010));
    EXPECT_EQ(second.left, Time::us(1010 + 10000));
    EXPECT_EQ(second.arrived, Time::us(1010 + 20000));
    EXPECT_EQ(second.posted, Time::zero());
    const ReplayObserver::Received& first = watcher.taken[1];
    EXPECT_EQ(first.tag, 1U);
    EXPECT_EQ(first.sent, Time::us(1000));
    EXPECT_EQ(first.left, Time::us(1010));
    EXPECT_EQ(first.arrived, Time::us(11010));
    EXPECT_EQ(first.posted, second.arrived + Time::us(1000));
}

TEST(DimemasCallReports, CallsHaveTheirNames) {
    const std::vector<std::string> calls{"1:0.001",          "2:1:-1:8:1:1:0",    "2:1:-1:8:1:1:1",
                                         "2:1:-1:8:1:1:2",   "2:1:-1:8:1:1:3",    "10:1:1:1:0:8:0:1",
                                         "10:0:1:0:0:0:0:1", "10:11:1:0:0:8:8:0", "10:11:1:0:0:8:8:2"};
    const std::vector<std::string> other{
        "1:0.001",        "3:0:-1:8:1:1:0",   "3:0:-1:8:1:1:1",   "3:0:-1:8:1:1:2",    "3:0:-1:8:1:1:0",
        "3:0:-1:8:1:1:0", "10:1:1:0:0:0:8:1", "10:0:1:0:0:0:0:1", "10:11:1:0:0:8:8:0", "10:11:1:0:0:8:8:2"};
    const Watcher watcher = watch(trace_text({calls, other}), MachineText().text());
    const auto names = [&](std::uint32_t thread) {
        std::string all;
        for (const Watcher::Call& call : watcher.calls[thread])
            all += call_name(call_number(call.action)) + ' ';
        return all;
    };
    EXPECT_EQ(names(0), "compute send ssend isend issend bcast barrier iallreduce wait ");
    EXPECT_EQ(names(1), "compute recv irecv wait recv recv bcast barrier iallreduce wait ");
    // The receiver of a broadcast does not say who its root is; all of them know in the end.
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        for (const Watcher::Call& call : watcher.calls[thread]) {
            if (call_name(call_number(call.action)) == "bcast") {
                EXPECT_EQ(call.action.peer, 0U);
            }
            EXPECT_EQ(call.action.comm, world);
        }
    }
    EXPECT_DOUBLE_EQ(watcher.calls[0][0].action.volume, 1e6);
}

TEST(DimemasCallReports, MakeAParaverTrace) {
    for (const DimemasCase& each : dimemas_cases()) {
        SCOPED_TRACE(each.name);
        const std::string path = observe_test::temporary_file("dimemas.prv");
        const std::unique_ptr<ReplayTimeline> timeline = make_paraver_timeline(
            path, {{each.trace.tasks()}, std::vector<std::string>(each.trace.tasks(), "node 0")});
        dimemas::SimulationOptions options;
        options.observer = timeline.get();
        const ReplayPrediction prediction = dimemas::simulate(each.trace, each.machine, options);
        timeline->finish(prediction.base.time);
        EXPECT_EQ(observe_test::PrvFile(path).all_complaints(), "");
    }
}

TEST(DimemasCallReports, WaitingForAProcessorIsAGap) {
    MachineText machine;
    machine.nodes = 1;
    machine.mapping = "2 TASKS_PER_NODE";
    const Watcher watcher = watch(trace_text({{"1:0.001"}, {"1:0.002"}}), machine.text());
    ASSERT_EQ(watcher.calls[1].size(), 1U);
    EXPECT_EQ(watcher.calls[1][0].begin, Time::us(1000));
    EXPECT_EQ(watcher.calls[1][0].end, Time::us(3000));
}

TEST(DimemasCallReports, ThreadsOfATaskAreRanks) {
    const std::string trace = "#DIMEMAS:\"t\":0:2(2,1),1\nd:1:1:2:0:1\n"
                              "1:0:0:0.001\n2:0:0:0:1:8:1:1:0\n"
                              "1:0:1:0.001\n3:0:1:0:0:8:1:1:0\n2:0:1:1:-1:8:2:1:0\n"
                              "1:1:0:0.001\n3:1:0:0:-1:8:2:1:0\n";
    MachineText machine;
    machine.cpus = 2;
    const Watcher watcher = watch(trace, machine.text());
    ASSERT_EQ(watcher.taken.size(), 2U);
    EXPECT_EQ(watcher.taken[0].from, 0U);
    EXPECT_EQ(watcher.taken[0].to, 1U);
    EXPECT_EQ(watcher.taken[1].from, 1U);
    EXPECT_EQ(watcher.taken[1].to, 2U);
}

} // namespace orrery::call_reports_test
