// Who sends how much to whom, by hand on small cases.
#include "observe/communication_matrix.h"

#include "drivers/crossbar.h"
#include "engine/error.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace orrery::communication_matrix_test {
namespace {

using test::ActionScript;

CommunicationMatrix matrix_of(ActionScript& script, const CollectivePolicy* policy = nullptr) {
    script.rewind();
    const TraceCommunicators communicators(script);
    script.rewind();
    CommunicationMatrix matrix(script, communicators, policy);
    script.rewind();
    return matrix;
}

std::vector<PairTraffic> pairs_of(const CommunicationMatrix& matrix) {
    return {matrix.pairs().begin(), matrix.pairs().end()};
}

ActionScript three_ranks() {
    ActionScript script(3);
    script.message(0, ActionKind::send, 1, 100).message(0, ActionKind::isend, 1, 50, 0).wait(0, 0);
    script.message(0, ActionKind::ssend, 2, 7);
    script.message(1, ActionKind::recv, 0, 100).message(1, ActionKind::recv, 0, 50);
    script.message(2, ActionKind::recv, 0, 7);
    Action exchange;
    exchange.kind = ActionKind::sendrecv;
    exchange.peer = exchange.other = 2;
    exchange.bytes = exchange.more_bytes = 1000;
    script.add(1, exchange);
    exchange.peer = exchange.other = 1;
    return std::move(script.add(2, exchange));
}

TEST(CommunicationMatrix, CountsWhatIsSent) {
    ActionScript script = three_ranks();
    const CommunicationMatrix matrix = matrix_of(script);
    EXPECT_EQ(pairs_of(matrix),
              (std::vector<PairTraffic>{{0, 1, 2, 150}, {0, 2, 1, 7}, {1, 2, 1, 1000}, {2, 1, 1, 1000}}));
    EXPECT_EQ(matrix.messages(), 5U);
    EXPECT_EQ(matrix.bytes(), 2157U);
    EXPECT_EQ(matrix.partners(), (std::vector<std::uint32_t>{2, 2, 2}));
    EXPECT_EQ(matrix.heaviest(2), (std::vector<PairTraffic>{{1, 2, 1, 1000}, {2, 1, 1, 1000}}));
    EXPECT_EQ(matrix.heaviest(9).size(), 4U);
}

TEST(CommunicationMatrix, RanksOfCommunicatorsAreThoseOfTheWorld) {
    ActionScript script(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) script.split(rank, 1, rank % 2, 10 - rank);
    script.message(3, ActionKind::send, 1, 60, 0, 0, 1).message(1, ActionKind::recv, 0, 60, 0, 0, 1);
    EXPECT_EQ(pairs_of(matrix_of(script)), (std::vector<PairTraffic>{{3, 1, 1, 60}}));
}

TEST(CommunicationMatrix, OneSidedOperationsGoBothWays) {
    ActionScript script(3);
    Action action;
    action.kind = ActionKind::one_sided;
    action.peer = 2;
    action.bytes = 10;
    script.add(0, action).add(0, action);
    action.more_bytes = 30;
    script.add(0, action);
    action.bytes = 0;
    script.add(1, action).message(2, ActionKind::send, 0, 5);
    action.kind = ActionKind::window; // a fence
    for (std::uint32_t rank = 0; rank < 3; ++rank) script.add(rank, action);
    const CommunicationMatrix matrix = matrix_of(script);
    EXPECT_EQ(pairs_of(matrix), (std::vector<PairTraffic>{{0, 2, 3, 30}, {2, 0, 2, 35}, {2, 1, 1, 30}}));
    const CollectivePolicy policy;
    EXPECT_GT(matrix_of(script, &policy).messages(), matrix.messages()); // those of its barrier
}

TEST(CommunicationMatrix, CollectivesCountIfAskedFor) {
    ActionScript script(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        script.create(rank, 1, {3, 2, 1}).collective(rank, Collective::bcast, 100);
        if (rank > 0) script.collective(rank, Collective::bcast, 9, 1);
    }
    EXPECT_TRUE(matrix_of(script).pairs().empty());
    const CollectivePolicy linear = CollectivePolicy::parse("bcast=linear");
    EXPECT_EQ(
        pairs_of(matrix_of(script, &linear)),
        (std::vector<PairTraffic>{{0, 1, 1, 100}, {0, 2, 1, 100}, {0, 3, 1, 100}, {3, 1, 1, 9}, {3, 2, 1, 9}}));
}

// The matrix and the replay count the same messages.
TEST(CommunicationMatrix, AgreesWithTheReplay) {
    ActionScript script(7);
    for (std::uint32_t rank = 0; rank < 7; ++rank) {
        script.split(rank, 1, rank / 4, 0).collective(rank, Collective::allreduce, 4000, 1);
        script.neighbours(rank, {(rank + 6) % 7}, {(rank + 1) % 7});
        script.collective(rank, Collective::neighbor_alltoall, 30).collective(rank, Collective::alltoall, 64);
        script.nonblocking(rank, Collective::bcast, 5000, 0).wait(rank, 0).dup(rank, 2);
    }
    const CollectivePolicy policy;
    const CommunicationMatrix matrix = matrix_of(script, &policy);
    const ReplayPrediction prediction = test::run_on_crossbar(script);
    EXPECT_EQ(matrix.messages(), prediction.base.messages);
    EXPECT_EQ(matrix.bytes(), prediction.base.bytes);
}

std::string written(const CommunicationMatrix& matrix, const std::string& name) {
    const std::string path = testing::TempDir() + "/matrix_" + std::to_string(getpid()) + name;
    write_matrix(matrix, path, "a <title>");
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    std::filesystem::remove(path);
    return text.str();
}

TEST(CommunicationMatrix, FilesHaveEveryPair) {
    ActionScript script = three_ranks();
    const CommunicationMatrix matrix = matrix_of(script);
    EXPECT_EQ(written(matrix, ".csv"), "from,to,messages,bytes\n0,1,2,150\n0,2,1,7\n1,2,1,1000\n2,1,1,1000\n");
    const auto json = nlohmann::json::parse(written(matrix, ".json"));
    EXPECT_EQ(json["ranks"], 3);
    EXPECT_EQ(json["pairs"][0]["bytes"], 150);
    EXPECT_THROW(check_matrix_name("x.png"), UsageError);
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
}

TEST(CommunicationMatrix, ThePictureHasASquareForEachPair) {
    ActionScript script = three_ranks();
    const std::string svg = written(matrix_of(script), ".svg");
    EXPECT_NE(svg.find("a &lt;title&gt;"), std::string::npos);
    // Bytes: 150, 7, and 1000 twice at (column 2, row 1) and (column 1, row 2).
    EXPECT_NE(svg.find("d=\"M2 1h1M1 2h1\""), std::string::npos) << svg;
    EXPECT_GT(count(svg, "<path"), 3U);
}

TEST(CommunicationMatrix, ManyRanksBecomeBlocks) {
    ActionScript script(1025); // blocks of 5
    script.message(0, ActionKind::send, 1, 10).message(1, ActionKind::send, 2, 20);
    script.message(1024, ActionKind::send, 1000, 30);
    const std::string svg = written(matrix_of(script), ".svg");
    EXPECT_NE(svg.find("each square stands for 5 x 5 ranks"), std::string::npos);
    EXPECT_EQ(count(svg, "M0 0h1"), 2U); // both messages among ranks 0 to 4, in both panels
    EXPECT_EQ(count(svg, "M200 204h1"), 2U);
}

TEST(CommunicationMatrix, NothingSentIsAnEmptyPicture) {
    ActionScript script(2);
    script.compute(0, 1);
    const std::string svg = written(matrix_of(script), ".svg");
    EXPECT_EQ(count(svg, "<path"), 0U);
    EXPECT_NE(svg.find("0 B in 0 messages"), std::string::npos);
}

} // namespace
} // namespace orrery::communication_matrix_test
