// `orrery collectives`, as a user calls it.
#include "cli/program_test.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>
#include <string>

namespace orrery::test::collectives_test {
namespace {

using CollectivesVerb = ProgramTest;

TEST_F(CollectivesVerb, ListsOperationsAndAlgorithms) {
    const auto all = run("collectives", true);
    EXPECT_EQ(all.code, 0);
    EXPECT_NE(all.out.find("allreduce ("), std::string::npos);
    EXPECT_NE(all.out.find("neighbor_alltoallw"), std::string::npos);
    const auto one = run("collectives allreduce", true);
    EXPECT_EQ(one.code, 0);
    EXPECT_NE(one.out.find("rabenseifner"), std::string::npos);
    EXPECT_NE(one.out.find("2 lg(p)α"), std::string::npos);
    EXPECT_NE(one.out.find("Open MPI"), std::string::npos);
    EXPECT_NE(one.out.find("simgrid:rdb"), std::string::npos);
    const auto json = nlohmann::json::parse(run("collectives --json").out);
    EXPECT_EQ(json.size(), 22U);
}

TEST_F(CollectivesVerb, SaysWhatWouldBeTakenAndWhy) {
    const auto answer = run("collectives allreduce --selector openmpi -n 64 --bytes 1KiB,1MiB", true);
    EXPECT_EQ(answer.code, 0);
    EXPECT_NE(answer.out.find("recursive_doubling (coll_tuned_decision_fixed.c"), std::string::npos)
        << answer.out;
    EXPECT_NE(answer.out.find("rabenseifner"), std::string::npos);
    const auto nodes = run("collectives bcast --selector mpich -n 16 --per-node 4 --bytes 1KiB --json");
    EXPECT_EQ(nlohmann::json::parse(nodes.out)[0]["algorithm"], "two_level");
}

TEST_F(CollectivesVerb, ComparesOnAMachine) {
    const std::string picture =
        (std::filesystem::temp_directory_path() / "orrery_collectives_test.svg").string();
    const auto answer =
        run("collectives allreduce --compare --on graphene -n 8 --bytes 8,64KiB --json --plot picture.svg");
    ASSERT_EQ(answer.code, 0) << answer.out;
    const auto json = nlohmann::json::parse(answer.out);
    const auto& times = json["predicted_times_ps"];
    EXPECT_GT(times["recursive_doubling"][0], 0);
    EXPECT_LT(times["recursive_doubling"][0], times["linear"][1]);
    EXPECT_LT(times["rabenseifner"][1], times["linear"][1]);
    EXPECT_TRUE(times.contains("two_level")); // its hosts have four cores
    EXPECT_EQ(json["selected"]["mpich"][0], "two_level");
    std::ifstream file(folder_ / "picture.svg");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_NE(text.str().find("<svg"), std::string::npos);
    EXPECT_NE(text.str().find("recursive_doubling"), std::string::npos);
}

TEST_F(CollectivesVerb, RefusesWhatMakesNoSense) {
    EXPECT_NE(run("collectives alreduce", true).out.find("did you mean 'allreduce'?"), std::string::npos);
    EXPECT_EQ(run("collectives alreduce", true).code, 2);
    EXPECT_NE(run("collectives bcast --selector opnmpi -n 4", true).out.find("did you mean 'openmpi'?"),
              std::string::npos);
    EXPECT_NE(run("collectives bcast --selector openmpi", true).out.find("how many ranks?"), std::string::npos);
    EXPECT_NE(run("collectives bcast --compare -n 4", true).out.find("on which machine?"), std::string::npos);
    EXPECT_NE(run("collectives --compare", true).out.find("which operation?"), std::string::npos);
    EXPECT_NE(
        run("collectives neighbor_alltoall --compare --on odin -n 4", true).out.find("nothing to compare"),
        std::string::npos);
}

} // namespace
} // namespace orrery::test::collectives_test
