// `orrery map` as a script uses it.
#include "cli/program_test.h"

#include <map>
#include <nlohmann/json.hpp>

namespace orrery::test::map_test {
namespace {

class MapVerb : public ProgramTest {};

const char* const small = " --on blue-gene-q --set topology.dimensions=2x2x2x2x2 --bytes 1kB";

TEST_F(MapVerb, RanksMappingsAndWritesTheBest) {
    const Answer answer =
        run(std::string("map near-neighbour") + small + " -o best.map --csv all.csv --plot all.svg --json");
    ASSERT_EQ(answer.code, 0);
    const auto json = nlohmann::json::parse(answer.out);
    const auto& rows = json["mappings"];
    ASSERT_GT(rows.size(), 14U);
    for (std::size_t i = 1; i < rows.size(); ++i)
        EXPECT_LE(rows[i - 1]["predicted_time_ps"], rows[i]["predicted_time_ps"]);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "all.svg"));
    std::ifstream csv(folder_ / "all.csv");
    std::size_t lines = 0;
    for (std::string line; std::getline(csv, line);) ++lines;
    EXPECT_EQ(lines, rows.size() + 1);

    // What it wrote is read again, and takes as long.
    const Answer again =
        run(std::string("map near-neighbour") + small + " --systematic --with best.map --json");
    ASSERT_EQ(again.code, 0);
    const auto json_again = nlohmann::json::parse(again.out);
    for (const auto& row : json_again["mappings"]) {
        if (row["mapping"] == "best.map") {
            EXPECT_EQ(row["predicted_time_ps"], rows[0]["predicted_time_ps"]);
        }
    }
    EXPECT_NE(again.out.find("best.map"), std::string::npos);
}

TEST_F(MapVerb, ListsThePostersEightyFour) {
    const Answer answer = run("map alltoall:64 --on blue-gene-q-rack --systematic --list");
    EXPECT_EQ(answer.code, 0);
    EXPECT_EQ(std::count(answer.out.begin(), answer.out.end(), '\n'), 84);
    EXPECT_NE(answer.out.find("DEABCT 2x4x2"), std::string::npos);
}

TEST_F(MapVerb, TakesATrace) {
    write("ring", "0 init\n1 init\n2 init\n3 init\n"
                  "0 send 1 0 100000\n1 recv 0 0 100000\n2 send 3 0 100000\n3 recv 2 0 100000\n"
                  "0 finalize\n1 finalize\n2 finalize\n3 finalize\n");
    const Answer answer = run("map ring --on odin --random 2", true);
    EXPECT_EQ(answer.code, 0) << answer.out;
    EXPECT_NE(answer.out.find("all messages of ring, 4 ranks, 200.00 kB"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("metis"), std::string::npos);

    // Ranks that talk come together; round robin takes them apart.
    const auto time = [&](const std::string& map_by) {
        const Answer replayed = run("replay ring --on odin --network kpacket --json --map-by " + map_by);
        EXPECT_EQ(replayed.code, 0) << map_by;
        return nlohmann::json::parse(replayed.out)["predicted_time_ps"].get<std::int64_t>();
    };
    EXPECT_EQ(time("metis"), time("block"));
    EXPECT_LT(time("metis"), time("roundrobin"));

    // The same messages as a schedule.
    ASSERT_EQ(run("convert ring ring.goal --speed 1Gf").code, 0);
    const auto time_of_schedule = [&](const std::string& map_by) {
        const Answer replayed = run("replay ring.goal --on odin --network kpacket --json --map-by " + map_by);
        EXPECT_EQ(replayed.code, 0) << map_by;
        return nlohmann::json::parse(replayed.out)["predicted_time_ps"].get<std::int64_t>();
    };
    EXPECT_EQ(time_of_schedule("metis"), time("metis"));
    EXPECT_EQ(time_of_schedule("roundrobin"), time("roundrobin"));
    EXPECT_EQ(run("generate ring -n 4 --on odin --network flow --map-by metis").code, 0);
    EXPECT_EQ(run("generate ring -n 4 --on odin --map-by metis").code, 0); // loggops: said in vain
}

// What a new user met: the estimate recommends metis, and replayed the trace is slower with it.
TEST_F(MapVerb, ReplaysTheBestAndRanksByThat) {
    write("torus.toml", "[host]\ncores = 1\nspeed = \"10 Gflop/s\"\n[link]\nbandwidth = \"12.5 GB/s\"\n"
                        "latency = \"1 us\"\n[topology]\ntype = \"torus\"\ndimensions = [4, 4, 4]\n");
    const std::string stencil = test_data() + "/../../examples/stencil/stencil-64.oti";
    const std::string search = "map " + stencil + " --on torus.toml --json";
    const Answer answer = run(search + " -o best.map --plot best.svg --jobs 1");
    ASSERT_EQ(answer.code, 0);
    EXPECT_EQ(run(search + " --jobs 3").out, answer.out) << "whatever the number of threads";
    const auto json = nlohmann::json::parse(answer.out);
    EXPECT_EQ(json["ranked_by"], "replay");
    EXPECT_EQ(json["use"], "block");
    EXPECT_EQ(json["verdict"], "mapping matters 0.3 %: keep block");
    std::map<std::string, nlohmann::json> rows;
    for (const auto& row : json["mappings"]) rows[row["mapping"]] = row;
    EXPECT_LT(rows["metis"]["estimated_time_ps"], rows["block"]["estimated_time_ps"]);
    EXPECT_GT(rows["metis"]["replayed_time_ps"], rows["block"]["replayed_time_ps"]);
    EXPECT_FALSE(rows["roundrobin"]["replayed_time_ps"].is_null());
    EXPECT_TRUE(rows["random:4"]["replayed_time_ps"].is_null()) << "not among the best five";

    // A replay by itself says the same.
    const auto replayed = [&](const std::string& map_by) {
        const Answer one =
            run("replay " + stencil + " --on torus.toml --network kpacket --json --map-by " + map_by);
        return nlohmann::json::parse(one.out)["predicted_time_ps"].get<std::int64_t>();
    };
    EXPECT_EQ(replayed("block"), rows["block"]["replayed_time_ps"]);
    EXPECT_EQ(replayed("metis"), rows["metis"]["replayed_time_ps"]);
    EXPECT_EQ(replayed("file:best.map"), json["mappings"][0]["replayed_time_ps"]);

    // The user's own is replayed whatever its estimate; --systematic has block and roundrobin with a trace.
    write("mine.map", [] {
        std::string lines;
        for (int rank = 0; rank < 64; ++rank) lines += "n" + std::to_string(rank * 5 % 64) + "\n";
        return lines;
    }());
    const Answer mine = run("map " + stencil + " --on torus.toml --systematic --replay 1 --with mine.map");
    EXPECT_NE(mine.out.find("mapping matters"), std::string::npos) << mine.out;
    EXPECT_NE(mine.out.find("5 of them replayed"), std::string::npos) << mine.out;
    // Without a replay it is said.
    const Answer estimated = run("map " + stencil + " --on torus.toml --replay 0");
    EXPECT_NE(estimated.out.find("ranked by an estimate"), std::string::npos) << estimated.out;
    EXPECT_NE(estimated.out.find("(--replay 0)"), std::string::npos) << estimated.out;
    const Answer pattern = run(std::string("map near-neighbour") + small + " --systematic");
    EXPECT_NE(pattern.out.find("give a trace to have the best replayed"), std::string::npos) << pattern.out;
}

// The patterns of `orrery generate`, with options behind the name.
TEST_F(MapVerb, TakesThePatternsOfAllVerbs) {
    const std::string on = std::string(small) + " -n 64 --random 0";
    EXPECT_NE(run("map stencil-3d:periodic" + on).out.find("stencil-3d:periodic of 64 ranks (4 x 4 x 4)"),
              std::string::npos);
    EXPECT_EQ(run("map ring-allreduce" + on).code, 0);
    const Answer misspelt = run("map stencl-3d" + on, true);
    EXPECT_EQ(misspelt.code, 2);
    EXPECT_NE(misspelt.out.find("did you mean 'stencil-3d'?"), std::string::npos) << misspelt.out;
    const Answer option = run("map stencil-3d:dim=4x4x4" + on, true);
    EXPECT_EQ(option.code, 2);
    EXPECT_NE(option.out.find("did you mean 'dims'?"), std::string::npos) << option.out;
}

TEST_F(MapVerb, ADeadlockInAReplayIsSaid) {
    write("stuck", "0 init\n1 init\n0 recv 1 0 100\n1 recv 0 0 100\n0 finalize\n1 finalize\n");
    const Answer answer = run("map stuck --on odin --random 0", true);
    EXPECT_EQ(answer.code, 1) << answer.out;
    EXPECT_NE(answer.out.find("deadlock"), std::string::npos) << answer.out;
}

TEST_F(MapVerb, WrongUsageIsSaid) {
    EXPECT_EQ(run("map near-neighbour").code, 2); // where?
    EXPECT_EQ(run("map no-such-thing --on odin").code, 2);
    EXPECT_EQ(run("map alltoall:7 --on odin").code, 2);
    EXPECT_EQ(run("map near-neighbour --on odin -n 1000000").code, 2); // more than cores
    EXPECT_EQ(run("map near-neighbour --on odin --network nothing").code, 2);
    EXPECT_EQ(run("map near-neighbour --on odin -n 0").code, 2);
    EXPECT_EQ(run("map near-neighbour --on odin --with none.map").code, 3);
    EXPECT_EQ(run("map near-neighbour --on odin --set kpacket.sharing=none").code, 2);
}

} // namespace
} // namespace orrery::test::map_test
