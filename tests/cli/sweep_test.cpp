// `orrery sweep` as a script sees it: what is run, kept, run again; and what becomes of it when it is killed.
#include "places.h"
#include "reference/sanitized.h"
#include "tools/sweep/sqlite.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace orrery::sweep_test {

namespace {

namespace fs = std::filesystem;

struct Answer {
    std::string out;
    int code = -1;
};

class Sweep : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }

    Answer run(const std::string& arguments) {
        const std::string command =
            "cd " + folder_.string() + " && " + orrery_program() + " sweep " + arguments + " 2>&1";
        Answer answer;
        FILE* pipe = popen(command.c_str(), "r");
        if (pipe == nullptr) return answer;
        std::array<char, 4096> buffer{};
        for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
            answer.out.append(buffer.data(), got);
        }
        const int status = pclose(pipe);
        answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return answer;
    }
    Answer orrery_says(const std::string& arguments) {
        Answer answer;
        FILE* pipe =
            popen(("cd " + folder_.string() + " && " + orrery_program() + " " + arguments).c_str(), "r");
        if (pipe == nullptr) return answer;
        for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) answer.out += static_cast<char>(c);
        answer.code = pclose(pipe);
        return answer;
    }
    void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
    std::string read(const std::string& name) {
        std::ifstream in(folder_ / name);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    // The first column of the first row.
    std::int64_t ask(const std::string& database, const std::string& sql) {
        orrery::Sqlite opened((folder_ / database).string(), true);
        orrery::SqliteStatement statement(opened, sql);
        return statement.step() ? statement.integer() : -1;
    }
    std::string all(const std::string& database, const std::string& sql, int columns) {
        orrery::Sqlite opened((folder_ / database).string(), true);
        orrery::SqliteStatement statement(opened, sql);
        std::string out;
        while (statement.step()) {
            for (int i = 0; i < columns; ++i) out += statement.text() + "|";
            out += "\n";
        }
        return out;
    }
    pid_t start(const std::string& study, const std::string& more) {
        const pid_t process = fork();
        if (process != 0) return process;
        if (chdir(folder_.c_str()) != 0 || freopen("log", "w", stderr) == nullptr ||
            freopen("out", "w", stdout) == nullptr)
            _exit(9);
        execl(orrery_program().c_str(), "orrery", "sweep", study.c_str(), "--jobs", more.c_str(), nullptr);
        _exit(9);
    }
    // Waits until some results are there; how many.
    std::int64_t wait_for_results(const std::string& database, std::int64_t least) {
        for (int i = 0; i < 12'000; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            try {
                const std::int64_t found = ask(database, "SELECT count(*) FROM result");
                if (found >= least) return found;
            } catch (const std::exception&) { // not there yet
            }
        }
        return -1;
    }

    fs::path folder_ = fs::path(testing::TempDir()) / ("sweep_" + std::to_string(getpid()));
    const std::string small_ = "[base]\npattern = \"dissemination\"\nbytes = 1\n"
                               "loggops = \"L=2500ns o=1500ns g=4000ns G=6ns/B O=8ns/B S=65535B\"\n"
                               "[vary]\nranks = [2, 4, 8]\nloggops.L = [\"2500ns\", \"5us\"]\n";
    // 24 points that take a twentieth of a second each, or more: there is time to interrupt them.
    const std::string long_ = "[base]\npattern = \"dissemination\"\nranks = \"" +
                              std::string(orrery::reference::sanitized ? "8Ki" : "64Ki") +
                              "\"\n"
                              "[vary]\nloggops.L = {from = \"1us\", to = \"24us\", step = \"1us\"}\n";
};

TEST_F(Sweep, GivesTableDatabaseAndPicture) {
    write("s.toml", small_);
    const Answer answer = run("s.toml --jobs 2");
    ASSERT_EQ(answer.code, 0) << answer.out;
    EXPECT_NE(answer.out.find("6 points, 6 run now"), std::string::npos) << answer.out;
    // A round of the dissemination takes 2o + L here.
    EXPECT_EQ(
        ask("s.db", "SELECT predicted_time_ps FROM answers WHERE ranks = '2' AND \"loggops.L\" = '2500ns'"),
        5'500'000);
    EXPECT_EQ(ask("s.db", "SELECT predicted_time_ps FROM answers WHERE ranks = '8' AND \"loggops.L\" = '5us'"),
              24'000'000);
    const std::string csv = read("s.csv");
    EXPECT_NE(csv.find("ranks,loggops.L,status,predicted_time_s"), std::string::npos) << csv;
    EXPECT_NE(csv.find("\n2,2500ns,ok,0.0000055,5500000,2,"), std::string::npos) << csv;
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
    EXPECT_NE(read("s.svg").find("</svg>"), std::string::npos);
    const Answer report = run("s.toml --report --json");
    EXPECT_EQ(nlohmann::json::parse(report.out)["points"].size(), 6) << report.out;
}

// Whatever network a replay takes, with the settings of that network.
TEST_F(Sweep, TakesEveryNetworkThatReplayTakes) {
    write("ring", "0 init\n1 init\n0 send 1 0 1000000\n1 recv 0 0 1000000\n0 finalize\n1 finalize\n");
    write("s.toml", "[base]\nworkload = \"ring\"\nmachine = \"graphene\"\nmap_by = \"roundrobin\"\n"
                    "[vary]\nnetwork = [\"loggops\", \"flow\", \"packet\", \"kpacket\", \"ideal\"]\n");
    const Answer answer = run("s.toml");
    ASSERT_EQ(answer.code, 0) << answer.out;
    for (const std::string network : {"loggops", "flow", "packet", "kpacket", "ideal"}) {
        const Answer replayed =
            orrery_says("replay ring --on graphene --map-by roundrobin --json --network " + network);
        EXPECT_EQ(ask("s.db", "SELECT predicted_time_ps FROM answers WHERE network = '" + network + "'"),
                  nlohmann::json::parse(replayed.out)["predicted_time_ps"])
            << network;
    }
    write("p.toml", "[base]\nworkload = \"ring\"\nmachine = \"graphene\"\nnetwork = \"packet\"\n"
                    "[vary]\nmap_by = [\"block\", \"roundrobin\", \"metis\"]\n"
                    "packet.segment = [\"1kB\", \"8kB\"]\n");
    const Answer packets = run("p.toml");
    EXPECT_EQ(packets.code, 0) << packets.out;
    write("w.toml", "[base]\nworkload = \"ring\"\nnetwork = \"packets\"\n");
    EXPECT_NE(run("w.toml").out.find("did you mean 'packet'?"), std::string::npos);
}

TEST_F(Sweep, TracesOfSeveralSizesMakeAScalingCurve) {
    for (const int ranks : {2, 4, 8}) {
        std::string trace;
        for (int rank = 0; rank < ranks; ++rank)
            trace += fmt::format("{0} init\n{0} compute {1}\n{0} barrier\n{0} finalize\n", rank,
                                 800'000'000 / ranks);
        write("h" + std::to_string(ranks), trace);
    }
    const std::string study =
        "name = \"scaling\"\n[base]\nmachine = \"graphene\"\n[vary]\nworkload = [\"h8\", \"h2\", \"h4\"]\n";
    write("s.toml", study + "[plot]\nx = \"ranks\"\ny = \"speedup\"\n");
    const Answer answer = run("s.toml");
    ASSERT_EQ(answer.code, 0) << answer.out;
    const std::string svg = read("s.svg");
    EXPECT_NE(svg.find(">ranks<"), std::string::npos) << svg;
    EXPECT_NE(svg.find("speedup against 2 ranks"), std::string::npos) << svg;
    EXPECT_NE(svg.find("8: 3.9"), std::string::npos) << "a tooltip\n" << svg;
    EXPECT_NE(read("s.csv").find("workload,status,speedup,predicted_time_s,predicted_time_ps,ranks"),
              std::string::npos);
    EXPECT_NE(read("s.csv").find("\nh2,ok,1,"), std::string::npos) << read("s.csv");
    // The command line says the same, over what the study says.
    write("t.toml", study);
    ASSERT_EQ(run("t.toml --x ranks --y speedup").code, 0);
    EXPECT_EQ(read("t.svg").substr(read("t.svg").find("speedup against")),
              svg.substr(svg.find("speedup against")));
    EXPECT_NE(run("t.toml --x rank").out.find("'rank' is not varied; there are workload"), std::string::npos)
        << run("t.toml --x rank").out;
    EXPECT_EQ(run("t.toml --y tmie").code, 2);
}

TEST_F(Sweep, SaysWhatMakesItsAnswersDoubtful) {
    write("s.toml", "[base]\npattern = \"dissemination\"\nranks = 8\nmachine = \"odin\"\n"
                    "[vary]\nnetwork = [\"loggops\", \"flow\"]\nlink.bandwidth = [\"1GB/s\", \"2GB/s\"]\n");
    const std::string said =
        "  warning         at 2 of 4 points: link.bandwidth: not used by --network loggops; use "
        "--loggops G=...\n";
    EXPECT_NE(run("s.toml").out.find(said), std::string::npos);
    const Answer again = run("s.toml"); // from the database
    EXPECT_NE(again.out.find("0 run now, 4 known before"), std::string::npos) << again.out;
    EXPECT_NE(again.out.find(said), std::string::npos) << again.out;
    const Answer report = run("s.toml --report --json");
    const auto points = nlohmann::json::parse(report.out)["points"];
    EXPECT_EQ(points[0]["warnings"].size(), 1U) << report.out;
    // Its ranks share a host, about whose memory this machine says nothing.
    const nlohmann::json& shared = points[3]["warnings"];
    ASSERT_EQ(shared.size(), 1U) << report.out;
    EXPECT_NE(shared[0].get<std::string>().find("set node.memory_bandwidth"), std::string::npos) << report.out;
    write("t.toml", small_);
    EXPECT_EQ(run("t.toml").out.find("warning"), std::string::npos);
}

TEST_F(Sweep, RunsOnlyWhatIsMissing) {
    write("s.toml", small_);
    const Answer listed = run("s.toml --dry-run");
    EXPECT_NE(listed.out.find("6 points, 6 to run"), std::string::npos) << listed.out;
    EXPECT_FALSE(fs::exists(folder_ / "s.db"));
    ASSERT_EQ(run("s.toml").code, 0);
    EXPECT_NE(run("s.toml").out.find("0 run now, 6 known before"), std::string::npos);
    EXPECT_NE(run("s.toml --force").out.find("6 run now, 0 known before"), std::string::npos);
    std::string wider = small_;
    wider.replace(wider.find("[2, 4, 8]"), 9, "[2, 4, 8, 16]");
    write("s.toml", wider);
    EXPECT_NE(run("s.toml --dry-run").out.find("8 points, 2 to run"), std::string::npos);
    EXPECT_NE(run("s.toml").out.find("2 run now, 6 known before"), std::string::npos);
}

TEST_F(Sweep, AChangedInputIsANewPoint) {
    const std::string goal = "num_ranks 2\nrank 0 {\n send 1b to 1\n}\nrank 1 {\n recv 1b from 0\n}\n";
    write("ping.goal", goal);
    write("s.toml", "[base]\nworkload = \"ping.goal\"\n[vary]\nloggops.L = [\"1us\", \"2us\"]\n");
    ASSERT_EQ(run("s.toml").code, 0);
    const std::int64_t before = ask("s.db", "SELECT predicted_time_ps FROM answers");
    fs::last_write_time(folder_ / "ping.goal", fs::file_time_type::clock::now() + std::chrono::hours(1));
    EXPECT_NE(run("s.toml").out.find("0 run now"), std::string::npos) << "touched, not changed";
    std::string larger = goal;
    for (std::size_t at = 0; (at = larger.find("1b", at)) != std::string::npos;) larger.replace(at, 2, "9b");
    write("ping.goal", larger);
    EXPECT_NE(run("s.toml").out.find("2 run now"), std::string::npos);
    EXPECT_GT(ask("s.db", "SELECT predicted_time_ps FROM answers"), before);
    EXPECT_EQ(ask("s.db", "SELECT count(*) FROM result"), 4) << "the old answers are kept";
    write("ping.goal", goal);
    EXPECT_NE(run("s.toml").out.find("0 run now, 2 known before"), std::string::npos);
}

TEST_F(Sweep, TheDatabaseIsTheSameForAnyNumberOfJobs) {
    write("one.toml", small_);
    write("two.toml", small_);
    ASSERT_EQ(run("one.toml --jobs 1").code, 0);
    ASSERT_EQ(run("two.toml --jobs 2").code, 0);
    for (const auto& [sql, columns] : std::map<std::string, int>{{"SELECT * FROM point", 3},
                                                                 {"SELECT * FROM input", 7},
                                                                 {"SELECT * FROM grid", 3},
                                                                 {"SELECT * FROM result", 25}}) {
        const std::string one = all("one.db", sql, columns);
        EXPECT_FALSE(one.empty() && sql != "SELECT * FROM input");
        EXPECT_EQ(one, all("two.db", sql, columns)) << sql;
    }
    EXPECT_EQ(read("one.csv"), read("two.csv"));
}

TEST_F(Sweep, GoesOnAfterBeingKilled) {
    write("s.toml", long_);
    const pid_t process = start("s.toml", "1");
    const std::int64_t found = wait_for_results("s.db", 3);
    kill(process, SIGKILL);
    int status = 0;
    waitpid(process, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it was over before it was killed";
    ASSERT_GE(found, 3);
    const std::int64_t kept = ask("s.db", "SELECT count(*) FROM result");
    ASSERT_GE(kept, found);
    ASSERT_LT(kept, 24);
    const Answer rest = run("s.toml");
    ASSERT_EQ(rest.code, 0) << rest.out;
    EXPECT_NE(rest.out.find(std::to_string(24 - kept) + " run now, " + std::to_string(kept) + " known before"),
              std::string::npos)
        << rest.out;
    // As if nothing had happened.
    write("whole.toml", long_);
    ASSERT_EQ(run("whole.toml").code, 0);
    EXPECT_EQ(read("s.csv"), read("whole.csv"));
}

TEST_F(Sweep, StopsCleanlyWhenAskedTo) {
    write("s.toml", long_);
    const pid_t process = start("s.toml", "1");
    ASSERT_GE(wait_for_results("s.db", 2), 2);
    kill(process, SIGSTOP); // so that it is not over before the second has begun
    const Answer second = run("s.toml");
    EXPECT_EQ(second.code, 3) << "one at a time";
    EXPECT_NE(second.out.find("another"), std::string::npos) << second.out;
    kill(process, SIGINT);
    kill(process, SIGCONT);
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    EXPECT_NE(read("log").find("To go on: orrery sweep s.toml"), std::string::npos) << read("log");
    EXPECT_NE(read("s.csv").find("missing"), std::string::npos) << "what is there is written";
    EXPECT_EQ(run("s.toml --report").code, 0);
}

TEST_F(Sweep, AFailingPointIsRecordedAndTheRestGoesOn) {
    write("ok.goal", "num_ranks 2\nrank 0 {\n send 1b to 1\n}\nrank 1 {\n recv 1b from 0\n}\n");
    write("hangs.goal", "num_ranks 2\nrank 0 {\n recv 1b from 1\n}\nrank 1 {\n recv 1b from 0\n}\n");
    write("s.toml", "[vary]\nworkload = [\"hangs.goal\", \"ok.goal\"]\n");
    const Answer answer = run("s.toml");
    EXPECT_EQ(answer.code, 1);
    EXPECT_NE(answer.out.find("1 of 2 points failed, the first at (hangs.goal)"), std::string::npos)
        << answer.out;
    EXPECT_EQ(all("s.db", "SELECT status FROM answers", 1), "failed|\nok|\n");
    EXPECT_NE(all("s.db", "SELECT message FROM answers", 1).find("deadlock"), std::string::npos);
    EXPECT_NE(read("s.csv").find("hangs.goal,failed,"), std::string::npos);
    const Answer again = run("s.toml");
    EXPECT_EQ(again.code, 1);
    EXPECT_NE(again.out.find("0 run now"), std::string::npos) << "it would fail again: " << again.out;
}

TEST_F(Sweep, TracesVaryInMachineNetworkAndCollective) {
    fs::create_directories(folder_ / "trace");
    for (int rank = 0; rank < 8; ++rank) {
        std::ofstream file(folder_ / "trace" / ("r" + std::to_string(rank) + ".txt"));
        for (const char* action : {"init", "compute 1e6", "allreduce 100000 1000 0", "finalize"})
            file << rank << " " << action << "\n";
    }
    write("s.toml",
          "[base]\nworkload = \"trace\"\nmap_by = \"roundrobin\"\nefficiencies = true\n"
          "[vary]\nlink.bandwidth = [\"1 Gbit/s\", \"10 Gbit/s\"]\nmachine = [\"graphene\", \"stampede\"]\n"
          "network = [\"flow\", \"ideal\"]\ncollective.allreduce = [\"ring\", \"recursive-doubling\"]\n");
    const Answer answer = run("s.toml");
    ASSERT_EQ(answer.code, 0) << answer.out;
    EXPECT_EQ(ask("s.db", "SELECT count(DISTINCT predicted_time_ps) FROM answers WHERE network = 'flow'"), 8);
    EXPECT_EQ(
        ask("s.db",
            "SELECT count(*) FROM answers a JOIN answers b USING (machine, network, \"collective.allreduce\") "
            "WHERE network = 'flow' AND a.\"link.bandwidth\" = '1 Gbit/s' AND b.\"link.bandwidth\" = '10 "
            "Gbit/s' "
            "AND a.predicted_time_ps > b.predicted_time_ps"),
        4)
        << "less bandwidth takes longer";
    EXPECT_EQ(ask("s.db", "SELECT count(*) FROM answers WHERE transfer_efficiency BETWEEN 0 AND 1"), 16);
    EXPECT_EQ(ask("s.db", "SELECT sum(files) FROM input WHERE role = 'workload'"), 16 * 8);
}

TEST_F(Sweep, NoiseRepeatsWithItsSeeds) {
    write("s.toml",
          "repeat = 3\n[base]\npattern = \"dissemination\"\nranks = 64\nnoise = \"period=20us duration=5us\"\n"
          "[vary]\nbytes = [8, 64]\n");
    const Answer answer = run("s.toml");
    ASSERT_EQ(answer.code, 0) << answer.out;
    EXPECT_EQ(ask("s.db", "SELECT count(*) FROM answers"), 6);
    EXPECT_GT(ask("s.db", "SELECT count(DISTINCT predicted_time_ps) FROM answers"), 2);
}

TEST_F(Sweep, BadStudiesAreRefusedWithTheirPlace) {
    write("s.toml", "[base]\npattern = \"dissemination\"\nranks = 4\n[vary]\nbites = [8]\n");
    const Answer misspelt = run("s.toml");
    EXPECT_EQ(misspelt.code, 3);
    EXPECT_NE(misspelt.out.find("s.toml:5:"), std::string::npos) << misspelt.out;
    EXPECT_NE(misspelt.out.find("did you mean 'bytes'"), std::string::npos) << misspelt.out;
    write("s.toml", "[base]\nranks = 4\n");
    EXPECT_NE(run("s.toml").out.find("what shall run?"), std::string::npos);
    write("s.toml", "[base]\nworkload = \"none.goal\"\n");
    const Answer missing = run("s.toml");
    EXPECT_EQ(missing.code, 3);
    EXPECT_NE(missing.out.find("s.toml:2:12"), std::string::npos) << missing.out;
    write("s.toml", "[base]\npattern = \"ring\"\nranks = 4\nmachine = \"odim\"\n");
    EXPECT_NE(run("s.toml").out.find("did you mean 'odin'"), std::string::npos);
    write("s.toml", "[base]\npattern = \"ring\"\nranks = 4\n");
    EXPECT_NE(run("s.toml --report").out.find("no results yet"), std::string::npos);
    EXPECT_EQ(run("nowhere.toml").code, 3);
    EXPECT_EQ(run("").code, 2);
    EXPECT_FALSE(fs::exists(folder_ / "s.db")) << "nothing is begun";
}

} // namespace

} // namespace orrery::sweep_test
