// A machine with several rails, as a user meets it.
#include "cli/program_test.h"

#include <nlohmann/json.hpp>

namespace orrery::test::rails_test {
namespace {

class RailsMachine : public ProgramTest {
  protected:
    void machine(const std::string& rails) {
        write("m.toml", R"(
[host]
[topology]
type = "crossbar"
hosts = 8
[link]
bandwidth = "1 GB/s"
latency = "1 us"
[rails]
)" + rails);
    }
    std::int64_t time_over(const std::string& network) {
        const Answer answer =
            run("generate linear-alltoall -n 8 --bytes 1MB --on m.toml --json --network " + network);
        EXPECT_EQ(answer.code, 0) << answer.out;
        return nlohmann::json::parse(answer.out)["predicted_time_ps"].get<std::int64_t>();
    }
};

TEST_F(RailsMachine, TwoRailsCarryTwiceAsMuch) {
    for (const std::string network : {"flow", "packet", "kpacket"}) {
        machine("count = 1");
        const std::int64_t one = time_over(network);
        machine("count = 2");
        const std::int64_t two = time_over(network);
        EXPECT_LT(two, 0.66 * static_cast<double>(one)) << network;
        EXPECT_GT(two, 0.49 * static_cast<double>(one)) << network;
    }
}

TEST_F(RailsMachine, SaysSoInItsSummary) {
    machine("count = 2\nchoose = \"hash\"");
    const Answer answer = run("generate linear-alltoall -n 8 --bytes 1MB --on m.toml --network packet");
    EXPECT_EQ(answer.code, 0);
    EXPECT_NE(answer.out.find("2 rails"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("rail 1: "), std::string::npos) << answer.out;
}

TEST_F(RailsMachine, LogGOPSDoesNotSeeThem) {
    machine("count = 2");
    const Answer answer = run("generate linear-alltoall -n 8 --on m.toml --network loggops", true);
    EXPECT_EQ(answer.code, 2);
    EXPECT_NE(answer.out.find("several rails"), std::string::npos) << answer.out;
}

TEST_F(RailsMachine, HasNoOneNetworkToShow) {
    machine("count = 2");
    const Answer answer =
        run("generate linear-alltoall -n 8 --on m.toml --network packet --paraver-network n.prv", true);
    EXPECT_EQ(answer.code, 2);
    EXPECT_NE(answer.out.find("several rails"), std::string::npos) << answer.out;
}

} // namespace
} // namespace orrery::test::rails_test
