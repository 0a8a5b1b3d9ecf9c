// Dimemas and Paraver traces on the command line.
#include "places.h"
#include "program_test.h"

#include <nlohmann/json.hpp>

using orrery::test::ProgramTest;

namespace orrery::dimemas_test {

namespace {

const std::string data = test_data() + "/dimemas/";

class DimemasProgram : public ProgramTest {};

} // namespace

TEST_F(DimemasProgram, AnswersAsDimemasDoes) {
    const auto answer =
        run("replay " + data + "link_steal.dim --on " + data + "link_steal.cfg --json --per-rank");
    ASSERT_EQ(answer.code, 0);
    const nlohmann::json json = nlohmann::json::parse(answer.out);
    EXPECT_EQ(json["predicted_time_ps"], 32'010'000'000);
    EXPECT_EQ(json["finish_times_ps"][3], 12'021'000'000);
    EXPECT_EQ(json["messages"], 3);
    const auto words = run("replay " + data + "link_steal.dim --on " + data + "link_steal.cfg --model dimemas");
    ASSERT_EQ(words.code, 0);
    EXPECT_NE(words.out.find("32.010 ms"), std::string::npos) << words.out;
}

TEST_F(DimemasProgram, SettingsChangeTheMachine) {
    const auto time = [&](const std::string& more) -> std::int64_t {
        const auto answer =
            run("replay " + data + "p2p_eager.dim --on " + data + "p2p_eager.cfg --json " + more);
        EXPECT_EQ(answer.code, 0);
        return nlohmann::json::parse(answer.out)["predicted_time_ps"];
    };
    EXPECT_EQ(time(""), 12'010'000'000);
    EXPECT_EQ(time("--set dimemas.latency=1ms"), 13'000'000'000);
    EXPECT_EQ(time("--set dimemas.bandwidth=1048576000B/s"), 3'010'000'000);
    EXPECT_EQ(
        run("replay " + data + "p2p_eager.dim --on " + data + "p2p_eager.cfg --set dimemas.latencey=1ms").code,
        2);
}

TEST_F(DimemasProgram, OptionsOfDimemasForSends) {
    // 1 MiB at 100 MB/s takes 10 ms, L is 10 us; the receiver comes at 20 ms.
    const auto time = [&](const std::string& how, const std::string& more) -> std::int64_t {
        write("late.dim", "#DIMEMAS:\"s\":0:2(1,1),0\n1:0:0:0.001\n2:0:0:1:-1:1048576:0:1:" + how +
                              "\n1:1:0:0.02\n3:1:0:0:-1:1048576:0:1:0\n");
        const auto answer = run("replay late.dim --on " + data + "p2p_eager.cfg --json " + more, true);
        EXPECT_EQ(answer.code, 0) << answer.out;
        if (answer.code != 0) return -1;
        return nlohmann::json::parse(answer.out)["predicted_time_ps"];
    };
    const std::int64_t eager = time("0", "");
    const std::int64_t waits = time("1", "");
    EXPECT_EQ(eager, 20'010'000'000);
    EXPECT_GT(waits, eager + 1'000'000'000);
    EXPECT_EQ(time("0", "-S 1048576"), waits);
    EXPECT_EQ(time("0", "--rendezvous-from 1MiB"), waits);
    EXPECT_EQ(time("0", "-S 1048577"), eager);
    EXPECT_EQ(time("0", "--set dimemas.rendezvous_from=1MiB"), waits);
    EXPECT_EQ(time("1", "-F"), eager);
    EXPECT_EQ(time("1", "--asynchronous-sends"), eager);
    EXPECT_EQ(time("1", "-F -S 1MiB"), waits);
    EXPECT_NE(run("replay late.dim --on " + data + "p2p_eager.cfg -F").out.find("all messages eager"),
              std::string::npos);
    // Elsewhere they mean nothing.
    for (const char* option : {"-S 1MiB", "-F"}) {
        const auto answer = run(std::string("replay late.dim --on stampede ") + option, true);
        EXPECT_EQ(answer.code, 2);
        EXPECT_NE(answer.out.find("is for the model of Dimemas"), std::string::npos) << answer.out;
    }
    EXPECT_NE(run("replay late.dim --on " + data + "p2p_eager.cfg -S 1furlong", true).code, 0);
}

TEST_F(DimemasProgram, DrawsTimelines) {
    const std::string both = "replay " + data + "random_04.dim --on " + data + "random_04.cfg ";
    const auto answer =
        run(both + "--json --timeline a.svg --timeline a.pftrace --timeline a.paje --paraver a.prv");
    ASSERT_EQ(answer.code, 0);
    EXPECT_EQ(nlohmann::json::parse(answer.out)["predicted_time_ps"],
              nlohmann::json::parse(run(both + "--json").out)["predicted_time_ps"]);
    for (const char* file : {"a.svg", "a.pftrace", "a.paje", "a.prv", "a.pcf", "a.row"})
        EXPECT_GT(std::filesystem::file_size(folder_ / file), 0U) << file;
    // What was written is the same program again.
    EXPECT_EQ(run("replay a.prv --on " + data + "random_04.cfg").code, 0);
}

TEST_F(DimemasProgram, ExplainsTheRun) {
    const std::string both = "replay " + data + "link_steal.dim --on " + data + "link_steal.cfg ";
    const auto answer = run(both + "--json --critical-path --efficiencies");
    ASSERT_EQ(answer.code, 0);
    const nlohmann::json json = nlohmann::json::parse(answer.out);
    EXPECT_EQ(json["predicted_time_ps"], 32'010'000'000);
    const nlohmann::json& path = json["critical_path"];
    EXPECT_EQ(path["consistent"], true);
    std::int64_t sum = 0;
    for (const nlohmann::json& part : path["made_of_ps"]) sum += part.get<std::int64_t>();
    EXPECT_EQ(sum, 32'010'000'000);
    EXPECT_EQ(path["made_of_ps"]["contention"], 20'000'000'000);
    EXPECT_EQ(path["top_links"][0]["name"], "node 2 input");
    const auto words = run(both + "--critical-path");
    EXPECT_NE(words.out.find("node 2 input"), std::string::npos) << words.out;
    EXPECT_EQ(words.out.find("WARNING"), std::string::npos) << words.out;
    // Without latencies and time for bytes the bursts are left, one after the other where they wait.
    const nlohmann::json& efficiencies = json["efficiencies"];
    EXPECT_NEAR(efficiencies["serialisation"].get<double>() * efficiencies["transfer"].get<double>(),
                efficiencies["communication"].get<double>(), 1e-12);
    const auto loud = run(both + "--json --noise 'period=1ms duration=100us'");
    ASSERT_EQ(loud.code, 0);
    EXPECT_GT(nlohmann::json::parse(loud.out)["predicted_time_ps"], 32'010'000'000);
    EXPECT_NE(run(both + "--noise 'period=1ms duration=100us'").out.find("noise"), std::string::npos);
}

// The causes of the table lead from the last finish to time 0, and each event on the way takes the time from
// its start on.
TEST_F(DimemasProgram, WritesItsEventsWithTheirCauses) {
    ASSERT_EQ(run("replay " + data + "link_steal.dim --on " + data + "link_steal.cfg --csv a.events.csv").code,
              0);
    std::ifstream file(folder_ / "a.events.csv");
    std::vector<std::vector<std::string>> rows;
    std::string line;
    for (std::getline(file, line); std::getline(file, line);) {
        std::vector<std::string>& row = rows.emplace_back();
        std::istringstream fields(line);
        for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
    }
    ASSERT_GT(rows.size(), 4U);
    std::size_t event = rows.size() - 2; // rank 2 ends last
    EXPECT_EQ(rows[event][6], "0.032010000000");
    std::string hows;
    while (!rows[event][7].empty()) {
        const std::size_t cause = std::stoul(rows[event][7]);
        EXPECT_EQ(rows[cause][6], rows[event][5]);
        hows += rows[event][8] + ' ';
        event = cause;
    }
    EXPECT_EQ(std::stod(rows[event][5]), 0);
    EXPECT_EQ(hows, "before arrival input_link before before ");
}

TEST_F(DimemasProgram, WrongUsage) {
    const std::string both = "replay " + data + "p2p_eager.dim --on " + data + "p2p_eager.cfg ";
    EXPECT_EQ(run(both + "--network flow").code, 2);
    EXPECT_EQ(run(both + "--map-by block").code, 2);
    EXPECT_EQ(run(both + "--paraver-network x.prv").code, 2);
    EXPECT_EQ(run("replay " + data + "p2p_eager.dim --model dimemas").code, 2);
    EXPECT_EQ(run("replay " + data + "p2p_eager.dim --model dimemas --on stampede").code, 2);
    write("t.goal", "num_ranks 1\nrank 0 {\nl1: calc 5\n}\n");
    EXPECT_EQ(run("replay t.goal --on " + data + "p2p_eager.cfg").code, 2);
    write("bad.cfg", "#DIMEMAS_CONFIGURATION\nnonsense\n");
    const auto bad = run("replay " + data + "p2p_eager.dim --on bad.cfg", true);
    EXPECT_EQ(bad.code, 3);
    EXPECT_NE(bad.out.find("bad.cfg:2"), std::string::npos) << bad.out;
    write("stuck.dim", "#DIMEMAS:\"s\":0:2(1,1),0\n1:0:0:0.1\n3:0:0:1:-1:8:0:1:0\n1:1:0:0\n");
    EXPECT_EQ(run("replay stuck.dim --on " + data + "p2p_eager.cfg").code, 1);
}

TEST_F(DimemasProgram, OtherNetworksTakeTheTrace) {
    const auto answer = run("replay " + data + "multicore_2x2.dim --on stampede --json");
    ASSERT_EQ(answer.code, 0);
    const nlohmann::json json = nlohmann::json::parse(answer.out);
    EXPECT_EQ(json["ranks"], 4);
    EXPECT_EQ(json["messages"], 8);
    EXPECT_GT(json["predicted_time_ps"], 2'000'000'000); // its bursts
    const auto info = run("info " + data + "multicore_2x2.dim");
    ASSERT_EQ(info.code, 0);
    EXPECT_NE(info.out.find("Dimemas trace"), std::string::npos);
    EXPECT_NE(info.out.find("ns of CPU time"), std::string::npos) << info.out;
}

TEST_F(DimemasProgram, ConvertsThereAndBack) {
    const auto time = [&](const std::string& trace, const std::string& machine) -> std::int64_t {
        const auto answer = run("replay " + trace + " --on " + machine + " --json");
        EXPECT_EQ(answer.code, 0) << trace;
        return nlohmann::json::parse(answer.out)["predicted_time_ps"];
    };
    for (const std::string form : {"a.dim", "a.oti", "a.ort"}) {
        ASSERT_EQ(run("convert " + data + "exchange_half_duplex.dim " + form).code, 0);
        const std::string speed = form == "a.oti" ? " --speed 1Ginstr/s" : "";
        ASSERT_EQ(run("convert " + form + " back.dim" + speed).code, 0);
        EXPECT_EQ(time("back.dim", data + "exchange_half_duplex.cfg"), 22'010'000'000) << form;
    }
    ASSERT_EQ(run("convert " + data + "exchange_half_duplex.dim x.goal").code, 0);
    EXPECT_EQ(run("replay x.goal --on odin").code, 0);
    EXPECT_EQ(run("convert " + data + "exchange_half_duplex.dim - --to dim").code, 2);
}

TEST_F(DimemasProgram, ParaverTraces) {
    write("t.prv", "#Paraver (01/01/26 at 12:00):100000_ns:2(1,1):1:2(1:1,1:2)\n"
                   "2:2:1:2:1:500000:50000001:2\n2:1:1:1:1:1000000:50000001:1\n"
                   "3:1:1:1:1:1000000:1000000:2:1:2:1:500000:2400000:1048576:5\n"
                   "2:1:1:1:1:1500000:50000001:0\n2:2:1:2:1:2500000:50000001:0\n");
    ASSERT_EQ(run("convert t.prv t.dim").code, 0);
    for (const std::string trace : {"t.prv", "t.dim"}) {
        const auto answer = run("replay " + trace + " --on " + data + "p2p_eager.cfg --json");
        ASSERT_EQ(answer.code, 0);
        EXPECT_EQ(nlohmann::json::parse(answer.out)["predicted_time_ps"], 11'010'000'000);
    }
    EXPECT_EQ(run("replay t.prv --on stampede").code, 0);
}

} // namespace orrery::dimemas_test
