// Inputs that are pipes, folders, or have odd names; options that say something wrong and are not used.
#include "cli/program_test.h"

#include <nlohmann/json.hpp>

namespace orrery::test::odd_files_test {
namespace {

const char* const small_machine =
    "[link]\nbandwidth = '1 GB/s'\nlatency = '50 ns'\n[topology]\ntype = 'crossbar'\nhosts = 4\n";
const char* const two_ranks = "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n";

class OddFiles : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        write("small.toml", small_machine);
        write("two.goal", two_ranks);
        write("noise.txt", "1000 100\n5000 100\n");
        write("hosts", "n0\nn1\n");
        std::filesystem::copy_file(test_data() + "/../../examples/stencil/stencil-64.oti", folder_ / "s.oti");
    }
    // By bash, which has <(...).
    Answer bash(const std::string& arguments) {
        write("script", "cd " + folder_.string() + "\n" + orrery_program() + " " + arguments + "\n");
        return run_command("bash 2>&1 " + (folder_ / "script").string());
    }
    void expect(const std::string& arguments, int code, const std::string& words) {
        const Answer answer = bash(arguments);
        EXPECT_EQ(answer.code, code) << arguments << "\n" << answer.out;
        EXPECT_NE(answer.out.find(words), std::string::npos) << arguments << "\n" << answer.out;
    }
};

TEST_F(OddFiles, PipesAreReadWhereAFileIsNotMapped) {
    expect("generate ring -n 4 --on <(cat small.toml)", 0, "predicted time");
    expect("generate ring -n 4 --on <(cat small.toml) --network packet --set packet.segment=64B", 0,
           "predicted time");
    expect("machine check <(cat small.toml)", 0, "is sound");
    expect("replay two.goal --on small.toml --noise-file <(cat noise.txt)", 0, "predicted time");
    expect("replay two.goal --on small.toml --network flow --hostfile <(cat hosts)", 0, "predicted time");
    expect("replay <(cat two.goal) --on small.toml", 0, "predicted time");
    expect("machine check small.toml --pattern <(echo n0 n1)", 0, "is sound");
}

TEST_F(OddFiles, PipesThatWouldHaveToBeMappedAreRefused) {
    for (const char* const verb :
         {"replay <(cat s.oti) --on small.toml", "info <(cat s.oti)",
          "replay <(echo 0 compute 1e6) --on small.toml", "convert <(cat s.oti) x.goal"})
        expect(verb, 3, "not GOAL text, which alone can come through a pipe");
    expect("map <(cat s.oti) --on small.toml", 3, "is a pipe: a trace is mapped");
    expect("extrapolate <(cat s.oti) -n 128 -o x.oti", 3, "is a pipe");
}

// Cut off while it is mapped: no bus error without words, and no result of half a file.
TEST_F(OddFiles, AnInputThatIsCutOffIsNamed) {
    ASSERT_EQ(run("generate linear-alltoall -n 1500 --bytes 1KiB -o long.orr").code, 0);
    const std::string replay = "replay long.orr --on stampede --network flow --csv x.csv & sleep 0.5; ";
    expect(replay + "truncate -s 4096 long.orr; wait $!", 3,
           "long.orr: the file became shorter while it was read");
    ASSERT_EQ(run("generate linear-alltoall -n 1500 --bytes 1KiB -o long.orr").code, 0);
    // With the same bytes, so that the test does not hang on what others would do.
    expect(replay + "cp long.orr same; dd if=same of=long.orr conv=notrunc status=none; wait $!", 3,
           "long.orr: the file was changed while it was read");
    ASSERT_EQ(run("extrapolate s.oti -n 4096 -o long.oti").code, 0);
    expect("replay long.oti --on stampede --csv x.csv & sleep 0.4; truncate -s 4096 long.oti; wait $!", 3,
           "long.oti: the file became shorter while it was read");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "x.csv"));
}

TEST_F(OddFiles, AnEndlessPipeEnds) { expect("machine check /dev/zero", 3, "/dev/zero: is too large"); }

TEST_F(OddFiles, FoldersAreNamedAsSuch) {
    std::filesystem::create_directory(folder_ / "folder");
    expect("replay two.goal --on small.toml --noise-file folder", 3, "folder: is a folder");
    expect("replay two.goal --on folder", 3, "folder: is a folder");
    expect("replay two.goal --on small.toml --hostfile folder", 3, "folder: is a folder");
    expect("replay folder --on small.toml", 3, "there is no trace in this folder");
    expect("machine import folder -o x.toml", 3, "folder: is a folder");
    expect("machine check small.toml --pattern folder", 3, "folder: is a folder");
    expect("sweep folder", 3, "folder: is a folder");
    expect("validate folder", 3, "folder: is a folder");
}

// What nothing depends on is checked all the same, and it is said that it is not used.
TEST_F(OddFiles, OptionsOfNoUseAreChecked) {
    expect("generate ring -n 4 --on odin --hostfile /nonexistent", 3, "/nonexistent: cannot be read");
    expect("generate ring -n 4 --on stampede --network loggops --hostfile /nonexistent", 3,
           "/nonexistent: cannot be read");
    expect("generate ring -n 4 --on stampede --network loggops --hostfile two.goal", 3, "two.goal:1");
    expect("generate ring -n 4 --on odin --set routing.seed=valiant", 2, "routing.seed");
    expect("generate ring -n 4 --on stampede --set routing.per=month", 2, "routing.per");
    expect("generate ring -n 4 --on odin --map-by bock", 2, "did you mean block?");
    expect("generate ring -n 4 --on odin --hostfile hosts", 0, "--hostfile: not used by --network loggops");
    expect("generate ring -n 4 --on odin --map-by roundrobin", 0, "--map-by: not used by --network loggops");
}

TEST_F(OddFiles, NamesThatAreNotUtf8AreValidJson) {
    const std::string name = "odd\xFF\xFE.goal";
    std::filesystem::copy_file(folder_ / "two.goal", folder_ / name);
    for (const char* const verb :
         {"replay $'odd\\xff\\xfe.goal' --on odin --json", "info $'odd\\xff\\xfe.goal' --json"}) {
        const Answer answer = bash(verb);
        EXPECT_EQ(answer.code, 0) << answer.out;
        EXPECT_TRUE(nlohmann::json::accept(answer.out)) << answer.out;
        EXPECT_NE(answer.out.find("odd\xEF\xBF\xBD\xEF\xBF\xBD.goal"), std::string::npos) << answer.out;
    }
}

// 47 bytes that claim 2^31 ranks: refused before memory or disk is taken for them.
TEST_F(OddFiles, RanksThatTheFileHasNoRoomForAreRefused) {
    write("many.goal", "num_ranks 2147483647\nrank 0 {\ncalc 1\n}\n");
    for (const char* const verb :
         {"convert many.goal x.bin", "convert many.goal x.orr", "replay many.goal --on odin", "info many.goal"})
        expect(verb, 3, "many.goal:4:1: num_ranks is 2147483647, but the 2 bytes from here on have no room");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "x.bin"));
    // Through a pipe nobody knows how much comes; the table of ranks takes no room until it is filled.
    const std::string pipe = "<(cat many.goal; head -c 300000 /dev/zero | tr '\\0' ' ')";
    expect("convert " + pipe + " x.bin", 3, "ends before rank 1");
    expect("convert " + pipe + " x.orr", 3, "ends before rank 1");
}

TEST_F(OddFiles, ErrorsOfMachinesNameTheFile) {
    write("many.conf", "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=B[65536-1000000]x[1-2]\n");
    expect("machine import many.conf -o x.toml", 3, "many.conf:2: Nodes: names more than 65535 nodes");
    write("cabinet.xml",
          "<?xml version='1.0'?>\n<platform version='4.1'>\n<zone id='z' routing='Cluster'>\n"
          "<cabinet id='c' prefix='h' suffix='' radical='1-16777215' speed='1Gf' bw='1GBps' lat='1us'/>\n"
          "</zone></platform>\n");
    expect("machine check cabinet.xml", 3, "cabinet.xml:4");
    write("routed.xml", "<?xml version='1.0'?>\n<platform version='4.1'>\n<zone id='z' routing='Full'>\n"
                        "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>\n"
                        "<link id='l' bandwidth='1GBps' latency='1us'/>\n"
                        "<route src='a' dst='b'><link_ctn id='l'/></route>\n</zone></platform>\n");
    expect("replay two.goal --on routed.xml --network packet", 3, "routed.xml: this machine says how messages");
    expect("machine draw routed.xml -o x.svg", 3, "routed.xml: this machine says how messages");
    write("far.cfg",
          "#DIMEMAS_CONFIGURATION\n\"wide area network information\" {\"\", 1, 0, 4, 0.0, 0.0, "
          "1};;\n\"environment information\" {\"c\", 0, \"\", 8, 100.0, 4, 3};;\n"
          "\"multi node information\" {0, 8, \"\", 2, 1.0, 2e30, 1000.0, 0, 1, 0, 1e-05, 1, 1, 0.0};;\n");
    ASSERT_EQ(run("convert s.oti one.dim --speed 1Ginstr/s").code, 0);
    expect("replay one.dim --on far.cfg", 3,
           "far.cfg:4: the latency within the node of 2e+30 s is longer than 26 days");
    write("wide.toml", "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\ntype = 'dragonfly'\n"
                       "groups = 3\nchassis = 2\nrouters = 3\nhosts_per_router = 2\nblue = 65536\n");
    expect("machine check wide.toml", 0, "is sound");
}

} // namespace
} // namespace orrery::test::odd_files_test
