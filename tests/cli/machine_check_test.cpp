// `orrery machine check` and `draw` as a script sees them.
#include "cli/program_test.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orrery::machine_check_test {

namespace {

class MachineCheckVerb : public orrery::test::ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        write_machine("ring.toml", "type = 'torus'\ndimensions = '6'");
        write_machine("tree.toml", "type = 'fat-tree'\nlevels = '2; 4,4; 1,2'");
    }
    void write_machine(const std::string& name, const std::string& topology) {
        write(name,
              "[host]\nspeed = '1 Ginstr/s'\n[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\n" +
                  topology + "\n");
    }
    void says(const std::string& arguments, const std::string& words, int code = 0) {
        const auto answer = run("machine " + arguments, true);
        EXPECT_EQ(answer.code, code) << answer.out;
        EXPECT_NE(answer.out.find(words), std::string::npos) << arguments << ":\n" << answer.out;
    }
};

TEST_F(MachineCheckVerb, ListsTopologiesAndTheKeysOfOne) {
    says("topologies", "k-ary-n-tree   a fat tree");
    says("topologies dragonfly", "cables between two groups");
    says("topologies dragonflies", "did you mean dragonfly?", 2);
    const auto all = nlohmann::json::parse(run("machine topologies --json").out);
    EXPECT_EQ(all.size(), 11U);
    const auto torus = nlohmann::json::parse(run("machine topologies torus --json").out);
    EXPECT_EQ(torus["name"], "torus");
    EXPECT_EQ(torus["keys"].back()["default"], "none"); // limiter.bandwidth
}

// Three hosts on each router: the neighbours of a host are at its place of the next routers.
TEST_F(MachineCheckVerb, NeighboursOnAHypercubeKeepTheirPlace) {
    write_machine("cube.toml", "type = 'hypercube'\ndimensions = 2\nhosts_per_router = 3");
    const auto json = nlohmann::json::parse(run("machine check cube.toml --pattern neighbour --json").out);
    EXPECT_EQ(json["pattern"]["flows"], 24);
    EXPECT_EQ(json["pattern"]["contention"], 3); // those of a router share its cables
}

TEST_F(MachineCheckVerb, NamesTheCircleOfARing) {
    says("check ring.toml", "cannot happen: no cycle");
    says("check ring.toml", "dimension order with datelines; 2 lanes");
    says("check ring.toml --set routing.policy=shortest", "n0 to n1 -> n1 to n2");
    const auto json = nlohmann::json::parse(run("machine check ring.toml --json").out);
    EXPECT_EQ(json["deadlock"]["possible"], false);
    EXPECT_EQ(json["connected"], true);
    EXPECT_EQ(json["switches"], 6);
    EXPECT_EQ(json["cables"], 6);
    EXPECT_EQ(json["bisection_by_search"]["bytes_per_second"], 2e9);
    EXPECT_EQ(json["bisection_bytes_per_second"], 2e9);
    EXPECT_EQ(json["routes"]["most_channels"], 5);
    EXPECT_EQ(json["routing"]["lanes"], 2);
}

TEST_F(MachineCheckVerb, CountsTheConflictsOfAPattern) {
    const auto json = nlohmann::json::parse(run("machine check tree.toml --pattern shift:4 --json").out);
    EXPECT_EQ(json["pattern"]["most_flows_on_a_channel"], 2);
    EXPECT_EQ(json["pattern"]["contention"], 2);
    EXPECT_EQ(json["pattern"]["channels_by_flows"], (std::vector<int>{0, 0, 16}));
    write("p.txt", "n0 n4\nn1 n5\n");
    says("check tree.toml --pattern p.txt", "1 flow at most on a channel between switches, contention 1");
    says("check tree.toml --pattern p.txt --set routing.policy=naive", "2 flows at most");
    says("check tree.toml --pattern p.txt --set routing.policy=coloured --set routing.pattern=p.txt",
         "coloured for p.txt (2 pairs): contention 1");
}

TEST_F(MachineCheckVerb, SaysWhatIsWrong) {
    says("check tree.toml --set routing.policy=valiant", "valiant needs a torus", 2);
    says("check tree.toml --set routing.polcy=valiant", "did you mean 'routing.policy'", 2);
    says("check tree.toml --pattern nonsense", "neither a file nor a pattern", 2);
    says("check tree.toml --pattern stencil-2", "did you mean 'stencil-2d'?", 2);
    says("check tree.toml --pattern stencil-2d:dims=4x4", "pattern", 0);
    write("p.txt", "n0\n");
    says("check tree.toml --pattern p.txt", "p.txt:1: expected 'from to", 3);
}

TEST_F(MachineCheckVerb, Draws) {
    says("draw tree.toml -o tree.svg --pattern shift:4", "tree.svg: tree: fat tree 2; 4,4; 1,2; 1,1");
    std::ifstream in(folder_ / "tree.svg");
    const std::string svg{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    EXPECT_NE(svg.find("</svg>"), std::string::npos);
    EXPECT_NE(svg.find("shift:4 (16 flows), D-mod-k"), std::string::npos);
    says("draw fugaku-like -o f.svg", "a picture holds", 2);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "f.svg"));
    says("draw tree.toml", "--output", 2);
}

} // namespace

} // namespace orrery::machine_check_test
