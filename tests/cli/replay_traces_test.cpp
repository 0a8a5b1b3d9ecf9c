// `orrery replay` of traces and of schedules over the flow network, as a script sees it.
#include "cli/program_test.h"

#include <nlohmann/json.hpp>

namespace orrery::replay_traces_test {

namespace {

using orrery::test::Answer;

// Two hosts on a crossbar: 1 us and 1 GB/s per link, one core of 1 Gflop/s.
class ReplayTraces : public orrery::test::ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        write("pair.toml", "[machine]\nname = \"pair\"\n[host]\ncores = 1\nspeed = \"1 Gflop/s\"\n"
                           "[link]\nbandwidth = \"1 GB/s\"\nlatency = \"1us\"\n"
                           "[topology]\ntype = \"crossbar\"\nhosts = 2\n");
        write("ping.txt",
              "0 init\n0 compute 5000\n0 send 1 0 1000\n0 finalize\n1 init\n1 recv 0 0 1000\n1 finalize\n");
        write("ping.goal", "num_ranks 2\nrank 0 {\n l1: calc 5000\n l2: send 1000b to 1\n l2 requires l1\n}\n"
                           "rank 1 {\n recv 1000b from 0\n}\n");
    }
    std::int64_t time(const std::string& arguments) {
        const Answer answer = run("replay " + arguments + " --json", true);
        EXPECT_EQ(answer.code, 0) << answer.out;
        return answer.code == 0 ? nlohmann::json::parse(answer.out)["predicted_time_ps"].get<std::int64_t>()
                                : -1;
    }
    void expect_error(const std::string& arguments, int code, const std::string& words) {
        const Answer answer = run("replay " + arguments, true);
        EXPECT_EQ(answer.code, code) << arguments << ": " << answer.out;
        EXPECT_NE(answer.out.find(words), std::string::npos) << arguments << ": " << answer.out;
    }
};

TEST_F(ReplayTraces, ATraceAndAScheduleTakeTheSameTimeOverTheSameNetwork) {
    EXPECT_EQ(time("ping.txt --on pair.toml"),
              8'000'000); // 5 us of computation, 2 us of latency, 1 us of bytes
    EXPECT_EQ(time("ping.goal --on pair.toml --network flow"), 8'000'000);
    EXPECT_EQ(time("ping.txt --on pair.toml --network ideal"), 5'000'000);
}

TEST_F(ReplayTraces, AnyWorkloadRunsOverLogGOPS) {
    // compute, o, L, (s-1)G, o
    const std::string loggops =
        " --on pair.toml --network loggops --loggops \"L=2us o=1us g=1us G=1ns/B O=0 S=65535B\"";
    EXPECT_EQ(time("ping.txt" + loggops), 5'000'000 + 1'000'000 + 2'000'000 + 999'000 + 1'000'000);
}

TEST_F(ReplayTraces, TheCriticalPathExplainsARunOnEveryNetwork) {
    for (const std::string network : {"flow", "kpacket", "packet", "ideal", "loggops"}) {
        SCOPED_TRACE(network);
        const std::string how = "replay ping.txt --on pair.toml --critical-path --network " + network;
        const Answer answer = run(how + " --json", true);
        ASSERT_EQ(answer.code, 0) << answer.out;
        const nlohmann::json json = nlohmann::json::parse(answer.out);
        const nlohmann::json& path = json["critical_path"];
        EXPECT_TRUE(path["consistent"]);
        EXPECT_EQ(path["time_ps"], json["predicted_time_ps"]);
        std::int64_t sum = 0;
        for (const auto& [name, time] : path["made_of_ps"].items()) sum += time.get<std::int64_t>();
        EXPECT_EQ(json["predicted_time_ps"], sum);
        EXPECT_EQ(path["made_of_ps"]["compute"], 5'000'000);
        EXPECT_NE(run(how).out.find("critical path"), std::string::npos);
    }
    const Answer schedule = run("replay ping.goal --on pair.toml --network flow --critical-path --json");
    const Answer flow = run("replay ping.txt --on pair.toml --critical-path --json");
    EXPECT_EQ(nlohmann::json::parse(schedule.out)["critical_path"]["made_of_ps"],
              nlohmann::json::parse(flow.out)["critical_path"]["made_of_ps"]);
    const nlohmann::json path = nlohmann::json::parse(flow.out)["critical_path"];
    EXPECT_EQ(path["made_of_ps"]["latency"], 2'000'000);
    EXPECT_EQ(path["made_of_ps"]["transmission"], 1'000'000);
    ASSERT_EQ(path["top_links"].size(), 2); // up and down
    EXPECT_EQ(path["top_links"][0]["transmission_ps"], 1'000'000);
    EXPECT_EQ(path["top_links"][0]["latency_ps"], 1'000'000);
    EXPECT_EQ(path["top_links"][1]["transmission_ps"], 0);
    EXPECT_FALSE(path["top_links"][0]["name"].get<std::string>().empty());
    ASSERT_EQ(path["link_classes"].size(), 1);
    EXPECT_EQ(path["link_classes"][0]["name"], "link");
    EXPECT_EQ(path["link_classes"][0]["sensitivity"]["latency"], 0.25);
    EXPECT_EQ(path["link_classes"][0]["sensitivity"]["more_bandwidth"], -0.125);
    EXPECT_EQ(path["sensitivity"]["first_order"], false);
}

// What the critical path says of a class of links is what --set of the same name makes of the run.
TEST_F(ReplayTraces, TheCriticalPathSaysWhatAClassOfLinksIsWorth) {
    const std::string tree =
        "[topology]\ntype = 'fat-tree'\nlevels = '2; 2,2; 1,2; 1,1'\n[link]\nlatency = '1 us'\n"
        "bandwidth = '2 GB/s'\n[link.level2]\nbandwidth = '1 GB/s'\n";
    write("tree.toml", tree);
    write("rails.toml", tree + "[rails]\ncount = 2\n");
    write("beside.toml", "include = 'tree.toml'\n[link.level2]\nlatency = '9 us'\n");
    write("unlike.toml", tree + "[rails]\nbeside = 'beside.toml'\nchoose = 'size'\nbelow = '10 B'\n");
    write("far.txt", "0 send 3 0 100000\n0 compute 1\n3 recv 0 0 100000\n1 compute 1\n2 compute 1\n");
    for (const std::string machine : {"tree.toml", "rails.toml"}) {
        for (const std::string network : {"flow", "kpacket", "packet"}) {
            SCOPED_TRACE(machine + " " + network);
            const std::string how = "far.txt --on " + machine + " --network " + network;
            const Answer answer = run("replay " + how + " --critical-path --json");
            const nlohmann::json path = nlohmann::json::parse(answer.out)["critical_path"];
            ASSERT_EQ(path["link_classes"].size(), 2);
            const auto at = static_cast<double>(time(how));
            const auto costs = [&](const std::string& setting) {
                return static_cast<double>(time(how + " --set " + setting)) - at;
            };
            for (const nlohmann::json& each : path["link_classes"]) {
                const auto name = each["name"].get<std::string>();
                const nlohmann::json& worth = each["sensitivity"];
                EXPECT_FALSE(worth["first_order"]);
                EXPECT_NEAR(costs(name + ".latency=1.01us"), 0.01 * worth["latency"].get<double>() * at, 5);
                const std::string less =
                    name == "link.level2" ? "0.8GB/s" : "1.6GB/s"; // bytes take 25 % longer
                EXPECT_NEAR(costs(name + ".bandwidth=" + less),
                            -0.25 * worth["less_bandwidth"].get<double>() * at, 5);
                EXPECT_EQ(name == "link.level2", worth["more_bandwidth"] < -0.8);
            }
        }
    }
    const Answer unlike = run("replay far.txt --on unlike.toml --network flow --critical-path --json");
    const nlohmann::json path = nlohmann::json::parse(unlike.out)["critical_path"];
    EXPECT_EQ(path["link_classes"][0]["name"], "rail 1: link.level2");
    EXPECT_EQ(path["link_classes"][0]["latency_ps"], 18'000'000);
}

TEST_F(ReplayTraces, OneValueOfTheMachineCanBeChanged) {
    EXPECT_EQ(time("ping.txt --on pair.toml --set link.latency=2us"), 10'000'000);
    EXPECT_EQ(time("ping.txt --on pair.toml --set network.bandwidth=2GB/s"), 7'500'000);
    EXPECT_EQ(time("ping.txt --on pair.toml --set endpoint.send_overhead=3us"), 11'000'000);
    EXPECT_EQ(time("ping.txt --on pair.toml --set host.speed=2Gflop/s"), 5'500'000);
}

TEST_F(ReplayTraces, MessagesDisturbEachOtherUnlessToldNotTo) {
    write("three.toml", "include = \"pair.toml\"\n[topology]\nhosts = 3\n");
    write("incast.txt", "0 send 2 0 60000\n1 send 2 0 60000\n2 recv 0 0 60000\n2 recv 1 0 60000\n");
    EXPECT_EQ(time("incast.txt --on three.toml"), 122'000'000);
    EXPECT_EQ(time("incast.txt --on three.toml --no-congestion"), 62'000'000);
}

TEST_F(ReplayTraces, SeveralJobsShareTheMachine) {
    const Answer answer =
        run("replay ping.txt ping.txt --on pair.toml --start 0 --start 100us --json --per-rank", true);
    ASSERT_EQ(answer.code, 0) << answer.out;
    const auto json = nlohmann::json::parse(answer.out);
    EXPECT_EQ(json["ranks"], 4);
    EXPECT_EQ(json["predicted_time_ps"], 108'000'000);
    EXPECT_EQ(json["finish_times_ps"],
              (std::vector<std::int64_t>{5'000'000, 8'000'000, 105'000'000, 108'000'000}));
}

TEST_F(ReplayTraces, SaysWhereTheTimeWent) {
    const Answer answer = run("replay ping.txt --on pair.toml --efficiencies --links", true);
    ASSERT_EQ(answer.code, 0) << answer.out;
    for (const char* const words :
         {"predicted time", "where it went", "efficiency", "busiest links", "validity"}) {
        EXPECT_NE(answer.out.find(words), std::string::npos) << words << "\n" << answer.out;
    }
}

TEST_F(ReplayTraces, WritesTablesAndTimelines) {
    const Answer answer =
        run("replay ping.txt --on pair.toml --csv r.csv --csv r.links.csv --timeline r.paje --timeline "
            "r.pftrace --timeline r.svg",
            true);
    ASSERT_EQ(answer.code, 0) << answer.out;
    for (const char* const name : {"r.csv", "r.links.csv", "r.paje", "r.pftrace", "r.svg"})
        EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
}

TEST_F(ReplayTraces, BadInputIsNamedWithFileAndLine) {
    write("hosts", "n0\nn7\n");
    expect_error("ping.txt --on pair.toml --hostfile hosts", 3, "hosts:2");
    write("minus.txt", "0 init\n0 compute -5\n0 finalize\n");
    expect_error("minus.txt --on pair.toml", 3, "minus.txt:2");
    write("gap.txt", "0 init\n0 compute 5\n2 init\n2 compute 5\n");
    expect_error("gap.txt --on pair.toml", 3, "rank 1");
    write("word.txt", "0 init\n0 comptue 5\n");
    expect_error("word.txt --on pair.toml", 3, "did you mean");
    write("lonely.txt", "0 init\n0 send 1 4 100\n0 finalize\n1 init\n1 finalize\n");
    expect_error("lonely.txt --on pair.toml", 1, "sent at lonely.txt:2");
    write("unit.toml",
          "[machine]\nname = \"x\"\n[host]\nspeed = \"1 Gflop/s\"\n[link]\nbandwidth = 10\nlatency = "
          "\"1us\"\n[topology]\ntype = \"crossbar\"\nhosts = 2\n");
    expect_error("ping.txt --on unit.toml", 3, "unit.toml:6");
    write("key.toml", "include = \"pair.toml\"\n[flow]\nlatency_faktor = 2\n");
    expect_error("ping.txt --on key.toml", 3, "key.toml:3");
    expect_error("ping.txt --on key.toml", 3, "did you mean 'flow.latency_factor'");
}

TEST_F(ReplayTraces, WrongUsageIsNamed) {
    expect_error("ping.txt", 2, "--on");
    expect_error("ping.txt --on pear", 2, "pear");
    expect_error("ping.txt --on pair.toml --network flwo", 2, "did you mean flow");
    expect_error("ping.txt --on pair.toml --model smpi-compact", 2, "did you mean smpi-compat");
    expect_error("ping.txt --on pair.toml --model loggopsim-compat", 2,
                 "'orrery convert' makes one of a trace");
    expect_error("ping.txt --on pair.toml --collective allreduce=rng", 2, "allreduce");
    expect_error("ping.goal --on pair.toml --collective allreduce=ring", 2, "--collective");
    expect_error("ping.txt --on pair.toml --set latency", 2, "latency");
}

} // namespace

} // namespace orrery::replay_traces_test
