// `orrery machine export` and `import` as a script sees them.
#include "cli/program_test.h"
#include "places.h"

namespace orrery::machine_files_test {

namespace {

namespace fs = std::filesystem;
using orrery::test::ProgramTest;

class MachineFilesVerb : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        write("tree.toml", "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\ntype = 'fat-tree'\n"
                           "levels = '2; 4,4; 1,2'\n");
    }
    void expect_words(const std::string& arguments, int code, const std::string& words) {
        const auto answer = run(arguments, true);
        EXPECT_EQ(answer.code, code) << answer.out;
        EXPECT_NE(answer.out.find(words), std::string::npos) << answer.out;
    }
};

TEST_F(MachineFilesVerb, ExportsAndTheMapIsAMachineAgain) {
    EXPECT_EQ(run("machine export tree.toml -o tree.map").out, "tree.map\ntree.routes\n");
    expect_words("machine route tree.map n1 n14", 0, "4 links, 4.000 us, 1 GB/s");
    expect_words("machine show tree.map", 0, "routes from a file");
    EXPECT_EQ(run("machine export tree.toml -o tree.ned").out, "tree.ned\ntree.ini\n");
    EXPECT_EQ(run("machine export tree.toml -o tree.dot").out, "tree.dot\n");
    EXPECT_EQ(run("machine export tree.toml -o tree.xml").out, "tree.xml\n");
    expect_words("machine route tree.xml n1 n14", 0, "4 links, 4.000 us, 1 GB/s");
    EXPECT_EQ(run("machine export tree.map -o again.toml").out, "again.routes\nagain.toml\n");
    expect_words("machine route again.toml n1 n14", 0, "4 links, 4.000 us, 1 GB/s");
    EXPECT_EQ(run("machine export tree.toml --no-routes --ports absolute -o other.map").out, "other.map\n");
    EXPECT_FALSE(fs::exists(folder_ / "other.routes"));
}

TEST_F(MachineFilesVerb, ImportsAFabricWithItsTables) {
    const std::string data = test_data() + "/fabric/";
    const auto answer = run("machine import " + data + "tree.ibnet --tables " + data + "tree.lfts -o ib.toml");
    EXPECT_EQ(answer.out, "ib.routes\nib.toml\n");
    expect_words("machine route ib.toml node12 node00", 0, "leaf3:5-spine0:7");
    write("topology.conf", "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-7]\nSwitchName=c Switches=a,b\n");
    EXPECT_EQ(run("machine import topology.conf --set link.latency=2us -o slurm.toml").out, "slurm.toml\n");
    expect_words("machine route slurm.toml n0 n7", 0, "4 links, 8.000 us, 12.5 GB/s");
}

TEST_F(MachineFilesVerb, SaysWhatIsWrong) {
    expect_words("machine export tree.toml -o tree.pdf", 2, "cannot tell the format");
    expect_words("machine import tree.toml -o x.toml", 3, "is neither a Myrinet map");
    expect_words("machine import tree.toml -o x.map", 2, "a machine file ends in .toml");
    write("bad.map", "s - \"s\"\n0 h - \"a\" 0\n");
    expect_words("machine show bad.map", 3, "bad.map:2: there is no host or switch 'a'");
    write("bad.routes", "route \"n0\" \"n1\" 17\n");
    expect_words("machine route tree.toml n0 n1 --set routing.policy=file --set routing.file=bad.routes", 3,
                 "bad.routes:1: port 17 of switch 1.0 is not joined to anything");
    EXPECT_FALSE(fs::exists(folder_ / "x.toml"));
}

TEST_F(MachineFilesVerb, SaysWhatAFileCannotHold) {
    expect_words("machine export tree.toml --set topology.type=torus --set topology.levels=1 -o x.map", 2,
                 "topology.levels");
    write("torus.toml",
          "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\ntype = 'torus'\ndimensions = [4, 4]\n");
    expect_words("machine export torus.toml -o torus.map", 0, "virtual channels");
}

} // namespace

} // namespace orrery::machine_files_test
