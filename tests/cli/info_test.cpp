// `orrery info` on traces: the matrix and the rates from the outside.
#include "cli/program_test.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace orrery::info_test {
namespace {

using test::Answer;

class InfoCommand : public test::ProgramTest {
  protected:
    std::string text(const std::string& name) const {
        std::ostringstream all;
        all << std::ifstream(folder_ / name).rdbuf();
        return all.str();
    }
    void write_ring() {
        std::string lines;
        for (int rank = 0; rank < 4; ++rank) {
            const std::string r = std::to_string(rank);
            lines += r + " compute 1000\n" + r + " isend " + std::to_string((rank + 1) % 4) + " 0 2000 6\n" +
                     r + " recv " + std::to_string((rank + 3) % 4) + " 0 2000 6\n" + r + " waitall\n" + r +
                     " bcast 100 0 6\n";
        }
        write("ring.txt", lines);
    }
};

TEST_F(InfoCommand, SaysWhoTalksToWhom) {
    write_ring();
    const Answer answer = run("info ring.txt");
    EXPECT_EQ(answer.code, 0);
    EXPECT_NE(answer.out.find("neighbours     4 pairs; a rank talks to 2 to 2 others, 2 on average"),
              std::string::npos)
        << answer.out;
    EXPECT_NE(answer.out.find("heaviest pairs 0 to 1: 2000 B in 1; 1 to 2: 2000 B in 1"), std::string::npos);
    EXPECT_NE(answer.out.find("4000 instructions, 1000 to 1000 in a rank"), std::string::npos);
}

TEST_F(InfoCommand, WritesTheMatrix) {
    write_ring();
    ASSERT_EQ(run("info ring.txt --matrix m.csv").code, 0);
    EXPECT_EQ(text("m.csv"), "from,to,messages,bytes\n0,1,1,2000\n1,2,1,2000\n2,3,1,2000\n3,0,1,2000\n");
    const Answer answer = run("info ring.txt --matrix m.json --matrix-collectives --collective bcast=linear");
    ASSERT_EQ(answer.code, 0);
    EXPECT_NE(answer.out.find("in collectives 3 messages, 300 B in all"), std::string::npos) << answer.out;
    const auto json = nlohmann::json::parse(text("m.json"));
    EXPECT_EQ(json["messages"], 7);
    EXPECT_EQ(json["pairs"].size(), 6U); // 0 to 1 has both
    ASSERT_EQ(run("info ring.txt --matrix m.svg").code, 0);
    EXPECT_NE(text("m.svg").find("Bytes per pair of ranks"), std::string::npos);
}

TEST_F(InfoCommand, JsonHasItAll) {
    write_ring();
    const auto json = nlohmann::json::parse(run("info ring.txt --json").out);
    EXPECT_EQ(json["volume"], 4000.0);
    EXPECT_EQ(json["volume_unit"], "instructions");
    EXPECT_EQ(json["matrix"]["pairs"], 4);
    EXPECT_EQ(json["matrix"]["partners_of_rank"], (std::vector<int>{2, 2, 2, 2}));
    EXPECT_FALSE(json.contains("run"));
}

TEST_F(InfoCommand, RefusesWhatMakesNoSense) {
    write_ring();
    EXPECT_EQ(run("info ring.txt --matrix m.png").code, 2);
    EXPECT_EQ(run("info ring.txt --collective mpich").code, 2);
    const Answer rates = run("info ring.txt --rates r.svg", true);
    EXPECT_EQ(rates.code, 2);
    EXPECT_NE(rates.out.find("orrery trace --timed"), std::string::npos) << rates.out;
    write("a.goal", "num_ranks 1\nrank 0 {\n}\n");
    EXPECT_EQ(run("info a.goal --matrix m.svg").code, 2);
}

} // namespace
} // namespace orrery::info_test
