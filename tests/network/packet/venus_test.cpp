// The experiments of examples/venus: what Minkenberg and Rodriguez (2009) found with Dimemas and Venus.
#include "cli/program_test.h"
#include "places.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace orrery::venus_test {
namespace {

const std::string examples = test_data() + "/../../examples/venus/";

nlohmann::json predict(const std::string& arguments) {
    const test::Answer answer =
        test::run_command(orrery_program() + " generate " + arguments + " --network packet --json --per-rank");
    EXPECT_EQ(answer.code, 0) << arguments;
    return nlohmann::json::parse(answer.out, nullptr, false);
}

double milliseconds(const std::string& arguments) {
    return predict(arguments)["predicted_time_ps"].get<double>() / 1e9;
}

TEST(VenusAlltoall, ImbalanceDelaysProtocolMessages) {
    const std::string base = "rolling-alltoall -n 32 --bytes 32769B --on " + examples + "alltoall32.toml";
    const std::string rendezvous = base + " --set endpoint.eager_limit=32768B --set endpoint.control_bytes=16B";
    // 31 steps of 8 us and 32,769 B at 2 Gbit/s; then with two more latencies.
    EXPECT_NEAR(milliseconds(base), 31 * (8 + 131.08) / 1000, 0.003);
    EXPECT_NEAR(milliseconds(rendezvous), 31 * (24 + 131.08) / 1000, 0.006);
    const std::string skewed = rendezvous + " --start-skew uniform:10us";
    EXPECT_GT(milliseconds(skewed), 6.0);
    EXPECT_LT(milliseconds(skewed), 6.6);
    // With a lane of their own they wait for no more than the segment under way.
    EXPECT_LT(milliseconds(skewed + " --set packet.control_priority=yes"), 5.8);
}

// How many ranks end in which microsecond.
std::map<std::int64_t, int> ends(const std::string& more) {
    const nlohmann::json json =
        predict("shift-exchange -n 256 --distance 16 --bytes 6000B --on " + examples + "wrf256.toml " + more);
    std::map<std::int64_t, int> counts;
    for (const auto& each : json["finish_times_ps"]) ++counts[each.get<std::int64_t>() / 1'000'000];
    return counts;
}

TEST(VenusWrf, HeadOfLineBlockingDependsOnThePointers) {
    // The first and the last row receive one message each, and the first one's is done after 39 us.
    EXPECT_EQ(ends("--set packet.seed=3"), (std::map<std::int64_t, int>{{39, 16}, {63, 237}, {87, 3}}));
    EXPECT_EQ(ends("--set packet.first_turn=equal"), (std::map<std::int64_t, int>{{39, 16}, {63, 240}}));
    EXPECT_EQ(ends("--set packet.queueing=output --set packet.seed=3"),
              (std::map<std::int64_t, int>{{39, 16}, {63, 240}}));
}

TEST(VenusRouting, ModKAndColouredFollowTheTopRandomDoesNot) {
    const auto time = [](int parents, const std::string& policy) {
        return milliseconds("shift-exchange -n 256 --distance 16 --bytes 60000B --on " + examples +
                            "slimmed256.toml --set 'topology.levels=3; 4,8,8; 1,4," + std::to_string(parents) +
                            "' --set routing.policy=" + policy);
    };
    const std::string coloured = "coloured --set routing.pattern=" + examples + "wrf.pattern";
    for (const int parents : {8, 3, 1}) {
        // A subtree of 32 hosts sends 16 messages of 240 us up and 16 down over 4 * parents cables.
        const double bound = std::max(32 * 0.240 / (4 * parents), 2 * 0.240);
        EXPECT_LT(time(parents, "d-mod-k"), 1.85 * bound) << parents;
        EXPECT_LE(time(parents, coloured), time(parents, "d-mod-k")) << parents;
        EXPECT_GT(time(parents, "random"), 1.3 * time(parents, "d-mod-k")) << parents;
        EXPECT_GT(time(parents, "naive"), 3 * time(parents, "d-mod-k")) << parents;
    }
    EXPECT_GT(time(8, "random"), 3 * time(8, "d-mod-k")); // at full bisection
}

} // namespace
} // namespace orrery::venus_test
