// Simulations at once in several threads of one process: each gives the result that it gives alone, also where
// they share a machine, its routes and the files that they read.
#include "drivers/graph/simulate.h"
#include "formats/formats.h"
#include "formats/trace.h"
#include "places.h"
#include "simulation/simulation.h"
#include "workload/patterns/pattern.h"
#include "workload/schedule.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

namespace orrery::at_once_test {
namespace {

constexpr std::uint32_t ranks = 16;
constexpr std::size_t threads = 4;

// work(0), ..., each in a thread; they begin at the same moment.
void together(const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> to_come = threads;
    std::vector<std::thread> all;
    for (std::size_t thread = 0; thread < threads; ++thread) {
        all.emplace_back([&, thread] {
            --to_come;
            while (to_come > 0) std::this_thread::yield();
            work(thread);
        });
    }
    for (std::thread& each : all) each.join();
}

// Everything that a run predicts, as text: what differs is then easily seen.
std::string text_of(const ReplayPrediction& run) {
    std::string text =
        fmt::format("{} ps, rank {}, {} operations, {} messages, {} B\n", run.base.time.ps(),
                    run.base.critical_rank, run.base.operations, run.base.messages, run.base.bytes);
    for (const RankTimes& each : run.base.ranks) {
        text += fmt::format("{} {} {} {}\n", each.finish.ps(), each.compute.ps(), each.overhead.ps(),
                            each.noise.ps());
    }
    for (const CallTimes& each : run.calls)
        for (const Time time : each.by_kind) text += fmt::format("{} ", time.ps());
    for (const LinkLoad& each : run.busiest) text += fmt::format("\n{} {:.17g}", each.name, each.bytes);
    if (run.packets) text += fmt::format("\n{} hops", run.packets->segment_hops);
    for (const std::vector<bool>& rail : run.crossed)
        text += fmt::format("\n{} links", std::count(rail.begin(), rail.end(), true));
    return text;
}

SimulationText on(std::string network, std::string machine, std::vector<std::string> settings = {}) {
    SimulationText text;
    text.network = std::move(network);
    text.machine = std::move(machine);
    text.settings = std::move(settings);
    text.map_by = "roundrobin";
    return text;
}

class AtOnce : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::path(testing::TempDir()) / fmt::format("at_once_{}", ::getpid());
        std::filesystem::create_directories(folder_);
        write_trace();
        write_schedule();
        std::ofstream(folder_ / "ring.toml") << ring();
        add_questions();
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    // What is asked: a simulation, with the trace or with the schedule.
    struct Question {
        SimulationText text;
        bool trace = false;
    };
    // As `simulation` says; all of them read the same two files.
    [[nodiscard]] std::string answer(const Simulation& simulation, bool with_trace) const {
        if (!with_trace) return text_of(simulation.run(load_schedule(schedule()), {}));
        const TiTrace trace = TiTrace::open(trace_file());
        Simulation::Job job;
        job.actions = trace.source();
        return text_of(simulation.run(std::span(&job, 1), {}));
    }
    [[nodiscard]] std::string answer(const Question& question) const {
        return answer(Simulation(question.text, question.trace), question.trace);
    }
    [[nodiscard]] std::vector<std::string> answers_alone() const {
        std::vector<std::string> all;
        for (const Question& question : questions_) all.push_back(answer(question));
        return all;
    }
    // Calls `ask` for all questions in each thread, beginning with another one in each.
    template <typename Ask> void in_each_thread(const Ask& ask) const {
        together([&](std::size_t thread) {
            const std::size_t first = thread * questions_.size() / threads;
            for (std::size_t i = 0; i < questions_.size(); ++i) ask((first + i) % questions_.size());
        });
    }
    [[nodiscard]] std::string name(std::size_t question) const {
        const Question& asked = questions_[question];
        return fmt::format("{} on {} ({}), {}", asked.text.network, asked.text.machine,
                           asked.text.settings.empty() ? "" : asked.text.settings.back(),
                           asked.trace ? "trace" : "schedule");
    }
    [[nodiscard]] std::string trace_file() const { return folder_ / "trace.txt"; }
    [[nodiscard]] std::string schedule() const { return folder_ / "schedule.orr"; }

    std::vector<Question> questions_;
    std::filesystem::path folder_;

  private:
    // Messages to neighbours and far away, by both protocols, and collectives.
    void write_trace() const {
        std::ofstream out(trace_file());
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            out << rank << " init\n";
            for (std::uint32_t round = 0; round < 3; ++round) {
                const std::uint32_t away = 1 + 5 * round;
                const std::uint32_t bytes = 1000U << 4U * round;
                out << fmt::format("{0} compute {1}\n{0} isend {2} 0 {3} 6\n{0} recv {4} 0 {3} 6\n{0} waitall\n"
                                   "{0} allreduce {3} 1000 6\n{0} alltoall 500 500 6 6\n",
                                   rank, 100'000 * (rank % 3 + 1), (rank + away) % ranks, bytes,
                                   (rank + ranks - away) % ranks);
            }
            out << rank << " barrier\n" << rank << " finalize\n";
        }
    }
    void write_schedule() const {
        PatternOptions options = find_pattern("linear-alltoall").defaults;
        options.ranks = ranks;
        options.bytes = 20'000;
        const auto writer = make_writer(schedule(), ScheduleFormat::compact);
        generate(*make_pattern("linear-alltoall", options), ranks, *writer);
    }
    // A machine whose routes are searched for when they are first asked for.
    static std::string ring() {
        std::string text = "[topology]\ntype = 'graph'\n[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n"
                           "[host]\nspeed = '1 Gf'\n[[switches]]\nnames = 's[0-15]'\n";
        for (std::uint32_t i = 0; i < ranks; ++i)
            text += fmt::format("[[hosts]]\nnames = 'n{0}'\nswitch = 's{0}'\n"
                                "[[cables]]\nfrom = 's{0}'\nto = 's{1}'\n",
                                i, (i + 1) % ranks);
        return text;
    }
    void add_questions() {
        const std::string tree = "topology.levels=2; 4,4; 1,4";
        const std::vector<std::string> speed{"host.speed=1Gf", tree};
        const auto with = [&](std::initializer_list<std::string> more) {
            std::vector<std::string> all = speed;
            all.insert(all.end(), more);
            return all;
        };
        const std::vector<std::string> torus{"topology.dimensions=2x2x2x2x1"};
        const std::vector<std::string> dragonfly{"topology.groups=4", "topology.routers=2",
                                                 "topology.hosts_per_router=2"};
        std::vector<std::string> ugal = dragonfly;
        ugal.emplace_back("routing.policy=ugal");
        const std::vector<SimulationText> texts{
            on("loggops", "ideal-fat-tree", speed),
            on("ideal", "ideal-fat-tree", speed),
            on("flow", "ideal-fat-tree", speed),
            on("flow", folder_ / "ring.toml"),
            on("flow", "graphene"),
            on("flow", test_data() + "/simgrid/networks/dijkstracache0.xml"),
            on("kpacket", "ideal-fat-tree", with({"routing.policy=random"})),
            on("kpacket", "blue-gene-q", torus),
            on("packet", "ideal-fat-tree", with({"routing.policy=random", "routing.per=packet"})),
            on("packet", "ideal-fat-tree", with({"routing.policy=adaptive"})),
            on("packet", "ideal-fat-tree", with({"packet.switching=wormhole"})),
            on("packet", folder_ / "ring.toml", {"routing.policy=up-down"}),
            on("packet", folder_ / "ring.toml", {"routing.policy=layered"}),
            on("packet", "frontier-like", ugal),
        };
        for (const SimulationText& text : texts)
            for (const bool trace : {false, true}) questions_.push_back({text, trace});
        questions_.back().text.start_skew = "exponential:10us";
    }
};

TEST_F(AtOnce, EachMachineByItself) {
    const std::vector<std::string> alone = answers_alone();
    in_each_thread([&](std::size_t i) { EXPECT_EQ(answer(questions_[i]), alone[i]) << name(i); });
}

// One machine, with its topology and routing, serves all threads: as in `orrery map` and `orrery traffic`.
// Nobody has asked for a route of it before.
TEST_F(AtOnce, AllShareOneMachine) {
    const std::vector<std::string> alone = answers_alone();
    std::vector<std::unique_ptr<const Simulation>> simulations;
    for (const Question& question : questions_)
        simulations.push_back(std::make_unique<const Simulation>(question.text, question.trace));
    for (std::size_t i = 0; i < questions_.size(); ++i) {
        together(
            [&](std::size_t) { EXPECT_EQ(answer(*simulations[i], questions_[i].trace), alone[i]) << name(i); });
    }
}

// Errors belong to the run that makes them: others go on.
TEST_F(AtOnce, AMistakeOfOneIsNotThatOfAnother) {
    const std::vector<std::string> alone = answers_alone();
    in_each_thread([&](std::size_t i) {
        if (i % 2 == 0) {
            EXPECT_EQ(answer(questions_[i]), alone[i]) << name(i);
        } else {
            SimulationText wrong = questions_[i].text;
            wrong.settings.emplace_back("link.bandwidth=much");
            EXPECT_THROW((void)answer({wrong, questions_[i].trace}), std::exception);
        }
    });
}

// The simulator of LogGOPS schedules, which has no network.
TEST_F(AtOnce, SchedulesWithoutAMachine) {
    const Schedule shared = load_schedule(schedule());
    const auto simulated = [](const Schedule& what, int variant) {
        SimulationOptions options;
        options.loggops.L = Time::us(1 + variant);
        const Prediction found = simulate(what, options);
        std::string text = fmt::format("{} {} {}", found.time.ps(), found.messages, found.critical_rank);
        for (const RankTimes& each : found.ranks) text += fmt::format(" {}", each.finish.ps());
        return text;
    };
    constexpr int variants = 8;
    std::vector<std::string> alone;
    for (int variant = 0; variant < variants; ++variant) alone.push_back(simulated(shared, variant));
    together([&](std::size_t thread) {
        for (int variant = 0; variant < variants; ++variant) {
            const bool own = (static_cast<std::size_t>(variant) + thread) % 2 == 0;
            EXPECT_EQ(own ? simulated(load_schedule(schedule()), variant) : simulated(shared, variant),
                      alone[static_cast<std::size_t>(variant)]);
        }
    });
}

} // namespace
} // namespace orrery::at_once_test
