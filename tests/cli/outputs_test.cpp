// Every output for every workload on every network: timelines, Paraver, events. What they show ends when the
// ranks end.
#include "cli/program_test.h"
#include "engine/time.h"
#include "observe/exact_seconds.h"
#include "observe/paraver/prv_file.h"
#include "observe/perfetto_reader.h"
#include "observe/svg_plot.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace orrery::test::outputs_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using observe_test::contents;
using observe_test::PrvFile;
using observe_test::Seen;

const std::string crossbar = "[link]\nbandwidth = '1 GB/s'\nlatency = '50 ns'\n[topology]\ntype = 'crossbar'\n"
                             "hosts = 4\n[host]\nspeed = '1 Gf'\ncores = 2\n[endpoint]\neager_limit = '1 kB'\n"
                             "send_overhead = '200 ns'\nisend_overhead = '200 ns'\nrecv_overhead = '300 ns'\n";
// A short message, a long one, and a rank that ends with a message.
const std::string one_cpu =
    "num_ranks 3\nrank 0 {\nc: calc 5000\ns: send 400b to 1\nl: send 40000b to 1 tag 7\n"
    "e: calc 100\ns requires c\nl requires s\ne requires l\n}\n"
    "rank 1 {\nr: recv 400b from 0\nl: recv 40000b from 0 tag 7\nc: calc 700\n"
    "l requires r\nc requires l\ns: send 10b to 2\ns requires c\n}\n"
    "rank 2 {\nrecv 10b from 1\n}\n";
// While CPU 0 handles messages, CPU 1 computes, on rank 1 to the end.
const std::string two_cpus =
    "num_ranks 3\nrank 0 {\nc: calc 5000\no: calc 4000 cpu 1\ns: send 400b to 1\ns requires c\n"
    "l: send 40000b to 1 tag 7 cpu 1\nl requires o\n"
    "e: calc 100 cpu 1\ne requires l\n}\n"
    "rank 1 {\nr: recv 400b from 0\nl: recv 40000b from 0 tag 7 cpu 1\nc: calc 700 cpu 1\nc requires l\n"
    "s: send 10b to 2\ns requires r\n}\n"
    "rank 2 {\nrecv 10b from 1\ncalc 300 cpu 1\n}\n";
const std::string trace = "0 init\n0 compute 5000\n0 send 1 0 400\n0 isend 1 7 40000\n0 wait 0 1 7\n"
                          "0 compute 100\n0 finalize\n"
                          "1 init\n1 recv 0 0 400\n1 recv 0 7 40000\n1 compute 700\n1 send 2 0 10\n1 finalize\n"
                          "2 init\n2 recv 1 0 10\n2 finalize\n";

struct Workload {
    std::string file;
    std::uint32_t cpus = 1;
};

class Outputs : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        write("one.goal", one_cpu);
        write("two.goal", two_cpus);
        write("trace.txt", trace);
        write("m.toml", crossbar);
    }

    [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
    [[nodiscard]] std::string content(const std::string& name) const { return contents(path(name)); }

    static void expect_ends(const PrvFile& file, const std::vector<Time>& finish, std::uint32_t cpus) {
        EXPECT_EQ(file.all_complaints(), "");
        ASSERT_EQ(file.tasks.size(), 1U);
        ASSERT_EQ(file.tasks[0].size(), finish.size());
        for (const auto& task : file.tasks[0]) EXPECT_EQ(task[0], cpus);
        std::vector<std::uint64_t> ends(finish.size());
        const auto until = [&](const std::array<std::uint64_t, 3>& who, std::uint64_t time) {
            ends[who[1] - 1] = std::max(ends[who[1] - 1], time);
        };
        for (const auto& state : file.states) {
            const std::string& name = file.state_names.at(state.state);
            if (name != "Idle" && name != "Not created") until(state.who, state.end);
        }
        for (const auto& event : file.events) until(event.who, event.time);
        for (const auto& message : file.communications) until(message.to, message.physical_receive);
        EXPECT_EQ(file.communications.size(), 3U);
        for (std::size_t rank = 0; rank < finish.size(); ++rank)
            EXPECT_EQ(ends[rank], static_cast<std::uint64_t>(finish[rank].ps() + 500) / 1000)
                << "rank " << rank;
    }

    static void expect_ends(const Seen& seen, const std::vector<Time>& finish, std::uint32_t cpus) {
        std::map<std::string, std::uint64_t> ends;
        std::set<std::string> busy;
        for (const auto& all : {seen.slices, seen.instants}) {
            for (const auto& each : all) {
                if (each.track.find("NIC") != std::string::npos) continue; // busy for longer than the CPUs
                std::uint64_t& end = ends[each.track.substr(0, each.track.find('/'))];
                end = std::max(end, each.end);
                if (each.begin < each.end) busy.insert(each.track);
            }
        }
        for (std::size_t rank = 0; rank < finish.size(); ++rank) {
            EXPECT_EQ(ends[fmt::format("rank {}", rank)], static_cast<std::uint64_t>(finish[rank].whole_ns()))
                << "rank " << rank;
        }
        if (cpus > 1) {
            EXPECT_EQ(busy.count("rank 1/CPU 0") + busy.count("rank 1/CPU 1"), 2U);
        }
    }

    // The last event of each rank in a Pajé trace: a state that ends or a message that arrives.
    static void expect_ends(const std::string& paje, const std::vector<Time>& finish, std::uint32_t cpus) {
        std::vector<std::string> ends(finish.size(), "0.000000000000");
        std::istringstream in(paje);
        std::string seconds_before;
        for (std::string line; std::getline(in, line);) {
            std::istringstream words(line);
            std::string number;
            std::string seconds;
            std::string type;
            std::string who;
            words >> number >> seconds >> type >> who;
            if (number == "8") words >> who >> who; // run, message, then the container
            if ((number != "6" && number != "8") || who[0] != 'r') continue;
            std::string& end = ends.at(static_cast<std::size_t>(who[1] - '0'));
            end = std::max(end, seconds);
            EXPECT_GE(seconds, seconds_before) << line;
            seconds_before = seconds;
        }
        for (std::size_t rank = 0; rank < finish.size(); ++rank)
            EXPECT_EQ(ends[rank], exact_seconds(finish[rank])) << "rank " << rank;
        EXPECT_EQ(paje.find("rank 1 CPU 1") != std::string::npos, cpus > 1);
    }

    // The lines of the table: the ends of the ranks, causes before their effects.
    static void expect_events(const std::string& table, const std::vector<Time>& finish) {
        std::istringstream in(table);
        std::string line;
        std::getline(in, line);
        std::vector<std::string> ends;
        for (std::size_t row = 0; std::getline(in, line); ++row) {
            std::vector<std::string> fields;
            std::istringstream cells(line);
            for (std::string cell; std::getline(cells, cell, ',');) fields.push_back(cell);
            ASSERT_EQ(fields.size(), 10U) << line;
            if (!fields[7].empty()) {
                EXPECT_LT(std::stoull(fields[7]), row) << line;
            }
            if (fields[1] == "finish") ends.push_back(fields[6]);
        }
        ASSERT_EQ(ends.size(), finish.size());
        for (std::size_t rank = 0; rank < finish.size(); ++rank)
            EXPECT_EQ(ends[rank], exact_seconds(finish[rank])) << "rank " << rank;
    }
};

} // namespace

TEST_F(Outputs, AreThereForEveryWorkloadOnEveryNetwork) {
    for (const std::string network : {"loggops", "flow", "kpacket", "packet", "ideal"}) {
        for (const Workload& workload :
             {Workload{"one.goal"}, Workload{"two.goal", 2}, Workload{"trace.txt"}}) {
            const std::string arguments =
                fmt::format("replay {} --on m.toml --network {} --json --per-rank", workload.file, network);
            SCOPED_TRACE(arguments);
            const Answer alone = run(arguments);
            ASSERT_EQ(alone.code, 0);
            const Answer answer = run(arguments + " --timeline x.svg --timeline x.pftrace --timeline x.paje "
                                                  "--paraver x.prv --csv x.events.csv -o dir --events --force");
            ASSERT_EQ(answer.code, 0);
            const json result = json::parse(answer.out);
            const json& times = result["finish_times_ps"];
            ASSERT_EQ(times, json::parse(alone.out)["finish_times_ps"]) << "watching changes the run";
            EXPECT_EQ(result["warnings"], json::parse(alone.out)["warnings"]);
            ASSERT_EQ(times.size(), 3U);
            std::vector<Time> finish;
            for (const json& each : times) finish.push_back(Time::ps(each.get<std::int64_t>()));

            expect_ends(PrvFile(path("x.prv")), finish, workload.cpus);
            Seen seen;
            observe_test::read_perfetto(path("x.pftrace"), seen);
            expect_ends(seen, finish, workload.cpus);
            expect_ends(content("x.paje"), finish, workload.cpus);
            const std::string picture = content("x.svg");
            for (const Time each : finish)
                EXPECT_NE(picture.find(time_words(each)), std::string::npos) << time_words(each);
            expect_events(content("x.events.csv"), finish);
            EXPECT_EQ(content("x.events.csv"), content("dir/events.csv"));
            const json manifest = json::parse(content("dir/manifest.json"));
            EXPECT_NE(manifest["files"].dump().find("events.csv"), std::string::npos);
        }
    }
}

TEST_F(Outputs, EventsOnlyIfAsked) {
    ASSERT_EQ(run("replay one.goal -o dir").code, 0);
    EXPECT_FALSE(fs::exists(folder_ / "dir/events.csv"));
    const Answer answer = run("replay one.goal --on m.toml --events");
    EXPECT_EQ(answer.code, 0);
    EXPECT_NE(answer.out.find("--events: not used without -o DIR"), std::string::npos) << answer.out;
}

// Two ranks on the one core of a host: both compute until the end.
TEST_F(Outputs, ComputationsOnSharedCoresLastAsLongAsTheyTake) {
    write("shared.goal", "num_ranks 2\nrank 0 {\ncalc 1000\n}\nrank 1 {\ncalc 1000\n}\n");
    write("one_core.toml", "[link]\nbandwidth = '1 GB/s'\nlatency = '50 ns'\n[topology]\ntype = 'crossbar'\n"
                           "hosts = 2\n[host]\nspeed = '1 Gf'\ncores = 1\n");
    write("hosts", "n0 slots=2\n");
    const Answer answer = run("replay shared.goal --on one_core.toml --network flow --hostfile hosts "
                              "--timeline x.paje --paraver x.prv --json --per-rank");
    ASSERT_EQ(answer.code, 0) << answer.out;
    EXPECT_EQ(json::parse(answer.out)["predicted_time_ps"], 2'000'000);
    const PrvFile file(path("x.prv"));
    EXPECT_EQ(file.all_complaints(), "");
    ASSERT_EQ(file.states.size(), 2U);
    for (const auto& state : file.states) EXPECT_EQ(state.end, 2'000U);
    EXPECT_NE(content("x.paje").find("0.000002000000"), std::string::npos);
}

} // namespace orrery::test::outputs_test
