// What a new user may type, and the answer that helps: the exit code and a part of the words.
//
// Exit codes: a wrong option, value or key on the command line is 2, whatever it is about; a wrong file is 3.
#include "cli/program_test.h"

#include <string>
#include <vector>

namespace orrery {
namespace {

using test::Answer;

const std::string stencil = test_data() + "/../../examples/stencil/stencil-64.oti";
const std::string halo = test_data() + "/../../examples/schedule/halo.goal";
const std::string readme = test_data() + "/../../README.md";

struct Mistake {
    std::string command;
    int code;
    std::vector<std::string> answer; // all of these are in what is printed
};

class Mistakes : public test::ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        write("two.txt", "0 compute 1e9\n0 send 1 0 100\n1 compute 1e9\n1 recv 0 0 100\n");
        write("one.txt", "0 compute 1e9\n0 barrier\n");
        write(
            "m.toml",
            "[topology]\ntype = \"crossbar\"\nhosts = 4\n[link]\nbandwidth = \"10Gbit/s\"\nlatency = \"1us\"\n"
            "[host]\ncores = 2\n");
        write("typo.toml", "[topology]\ntype = \"crossbar\"\nhosts = 4\n[link]\nbandwith = \"10Gbit/s\"\n");
        write("plain.txt", "just some words\nof no meaning\n");
        write("app", "#!/bin/sh\necho hello\n");
        std::filesystem::create_directories(folder_ / "empty");
        write("secret.oti", "x");
        std::filesystem::permissions(folder_ / "secret.oti", std::filesystem::perms::none);
    }

    void check(const std::vector<Mistake>& mistakes) {
        for (const Mistake& each : mistakes) {
            const Answer answer = run(each.command, true);
            EXPECT_EQ(answer.code, each.code) << "orrery " << each.command << "\n" << answer.out;
            for (const std::string& part : each.answer)
                EXPECT_NE(answer.out.find(part), std::string::npos)
                    << "orrery " << each.command << "\nexpected: " << part << "\ngot: " << answer.out;
        }
    }
};

TEST_F(Mistakes, OfVerbsAndHelp) {
    check({
        {"", 0, {"Usage: orrery VERB", "Predict:", "orrery replay"}},
        {"help", 0, {"Usage: orrery VERB"}},
        {"help replay", 0, {"Usage: orrery replay [OPTIONS] TRACE...", "--on MACHINE"}},
        {"help machine show", 0, {"Usage: orrery machine show [OPTIONS] MACHINE"}},
        {"help repaly", 2, {"orrery has no verb 'repaly'; did you mean 'orrery replay'?"}},
        {"help machine shw", 2, {"did you mean 'orrery machine show'?"}},
        {"repaly x", 2, {"orrery has no verb 'repaly'; did you mean 'orrery replay'?"}},
        {"machine shw stampede", 2, {"did you mean 'orrery machine show'?"}},
        {"machine", 2, {"orrery machine needs a verb: list, show"}},
        {"simulate x.oti", 2, {"did you mean orrery replay TRACE"}},
        {"record -- ./app", 2, {"did you mean orrery trace?"}},
        {"machines", 2, {"did you mean orrery machine list?"}},
        {"./app", 2, {"did you mean 'orrery replay ./app'", "orrery run -n 8 --on MACHINE ./app"}},
        {"version", 2, {"did you mean orrery --version?"}},
        {"frobnicate", 2, {"orrery has no verb 'frobnicate'; there are: run, replay"}},
        {"-n 4 replay " + halo, 2, {"orrery has no option -n"}},
    });
}

TEST_F(Mistakes, OfOptions) {
    check({
        {"replay " + stencil + " --machine stampede",
         2,
         {"orrery replay has no option --machine; did you mean --on MACHINE?"}},
        {"replay " + stencil + " --platform x.xml", 2, {"did you mean --on MACHINE?"}},
        {"generate ring -n 4 --size 1KiB", 2, {"no option --size; did you mean --bytes SIZE?"}},
        {"generate ring --nprocs 4", 2, {"did you mean -n, --ranks RANKS?"}},
        {"generate ring --procs=4", 2, {"did you mean -n, --ranks RANKS?"}},
        {"replay " + stencil + " --output x.json", 2, {"-o x.json: expected a folder"}},
        {"machine import x --overwrite -o y.toml", 2, {"did you mean --force?"}},
        {"replay " + stencil + " --netwrok flow", 2, {"did you mean --network?"}},
        {"replay " + stencil + " --latency 2us", 2, {"did you mean --set link.latency=TIME?"}},
        {"replay " + stencil + " --algorithm ring", 2, {"did you mean --collective CHOICE?"}},
        {"replay " + stencil + " --silent", 2, {"did you mean -q, --quiet?"}},
        {"info " + stencil + " --network flow",
         2,
         {"orrery info has no option --network. It is an option of orrery run, orrery replay"}},
        {"doctor --on stampede", 2, {"orrery doctor has no option --on", "It is an option of"}},
        {"replay " + stencil + " --on", 2, {"--on needs a value: --on MACHINE"}},
        {"replay", 2, {"TRACE... is missing. Usage: orrery replay [OPTIONS] TRACE..."}},
        {"convert " + stencil, 2, {"OUTPUT is missing. Usage: orrery convert [OPTIONS] INPUT OUTPUT"}},
        {"info a b", 2, {"'b' is one word too many. Usage: orrery info [OPTIONS] TRACE"}},
        {"replay " + stencil + " --on stampede --json=maybe", 2, {"--json"}},
        {"machine check odin --pairs -1", 2, {"--pairs", "-1: expected a whole number from 0 to"}},
        {"machine check odin --pairs 99999999999999999999", 2, {"expected a whole number from 0 to"}},
        {"traffic --on odin -j 4294967296", 2, {"expected a whole number from 0 to 4294967295"}},
        {"map " + stencil, 2, {"--on MACHINE is missing"}},
        {"completion tcsh", 2, {"tcsh", "bash"}},
        {"generate ring -n 4 --write x.goal --json", 2, {"--json is of no use with --write"}},
    });
}

TEST_F(Mistakes, OfValues) {
    check({
        {"generate ring -n 4 --bytes 1kb --on odin", 2, {"'1kb' is not a size", "did you mean 1kB or 1KiB?"}},
        {"generate ring -n 4 --bytes 2mib --on odin", 2, {"did you mean 2MiB?"}},
        {"generate ring -n 4 --bytes 64K --on odin", 2, {"did you mean 64kB or 64KiB?"}},
        {"generate ring -n 4x --on odin", 2, {"'4x' is not a count", "k and M are 1024"}},
        {"generate ring -n 4m --on odin", 2, {"did you mean 4M"}},
        {"generate ring -n 0 --on odin", 2, {"rank"}},
        {"generate ring --on odin", 2, {"how many ranks? Say -n RANKS"}},
        {"generate rinng -n 4 --on odin", 2, {"did you mean"}},
        {"generate --bytes 8", 2, {"which pattern?", "--list"}},
        {"replay " + stencil + " --on stampde", 2, {"did you mean 'stampede'?"}},
        {"replay " + stencil + " --on stampede --network packets", 2, {"did you mean", "packet"}},
        {"replay " + stencil + " --on stampede --set link.latancy=2us", 2, {"did you mean 'link.latency'?"}},
        {"replay " + stencil + " --on stampede --set link.latency=2",
         2,
         {"'2' is not a time", "ps ns us ms s"}},
        {"replay " + stencil + " --on stampede --set link.latency=2US", 2, {"did you mean 2us?"}},
        {"replay " + stencil + " --on stampede --set link.bandwidth=10gbit/s", 2, {"did you mean 10Gbit/s?"}},
        {"replay " + stencil + " --on stampede --set link.latency", 2, {"expected KEY=VALUE"}},
        {"replay " + halo + " --loggops X=3ns", 2, {"'X' is not a LogGOPS parameter; there are L o g G O S"}},
        {"replay " + halo + " --on odin --set loggops.L=3kg", 2, {"loggops.L", "'3kg' is not a time"}},
        {"replay " + stencil + " --on stampede --map-by round-robin", 2, {"roundrobin"}},
        {"replay " + stencil + " --on stampede --collective allreduc=ring", 2, {"did you mean"}},
        {"replay " + stencil + " --on stampede --timeline x.png", 2, {".svg, .pftrace or .paje"}},
        {"replay " + stencil + " --on stampede --start-skew 10us", 2, {"uniform:"}},
        {"run -n 0 --on stampede ./app", 2, {"expected 1 to"}},
        {"run -n many --on stampede ./app", 2, {"'many' is not a count"}},
        {"sweep nowhere.toml", 3, {"nowhere.toml"}},
    });
}

TEST_F(Mistakes, OfFiles) {
    check({
        {"replay " + readme + " --on stampede", 3, {"not a trace and not a schedule", "GOAL text", ".oti"}},
        {"info " + readme, 3, {"not a trace and not a schedule"}},
        {"replay plain.txt --on stampede", 3, {"plain.txt: not a trace"}},
        {"replay m.toml --on stampede", 3, {"m.toml: not a trace: it looks like a machine", "--on m.toml"}},
        {"replay nowhere.oti --on stampede", 3, {"nowhere.oti", "No such file"}},
        {"replay empty --on stampede", 3, {"there is no trace in this folder"}},
        {"replay /bin/ls --on stampede", 3, {"it is a program", "orrery run", "orrery trace"}},
        {"replay " + stencil + " --on " + stencil, 3, {"this is a trace or schedule, not a machine"}},
        {"replay m.toml --on " + stencil, 3, {"not a"}},
        {"replay " + stencil + " --on " + readme, 3, {"not a machine; expected a machine file"}},
        {"replay " + stencil + " --on nowhere.toml", 3, {"nowhere.toml"}},
        {"replay " + stencil + " --on nowhere.xml", 3, {"nowhere.xml"}},
        {"replay two.txt --on typo.toml", 3, {"typo.toml:5", "did you mean 'link.bandwidth'?"}},
        {"replay " + stencil + " --on m.toml --timeline nowhere/x.svg", 3, {"nowhere"}},
        {"convert " + stencil + " nowhere/x.oti", 3, {"nowhere"}},
        {"convert " + stencil + " x.foo", 2, {"cannot tell the format", ".oti"}},
        {"machine show nowhere.toml", 3, {"nowhere.toml"}},
        {"machine draw stampede -o nowhere/x.svg", 3, {"nowhere"}},
        {"replay " + stencil + " --on m.toml --hostfile nowhere", 3, {"nowhere"}},
    });
    if (::geteuid() != 0) check({{"replay secret.oti --on stampede", 3, {"Permission denied"}}});
}

TEST_F(Mistakes, OfNumbersOfRanks) {
    check({
        {"replay two.txt --on m.toml -n 2", 0, {"2 ranks"}},
        {"replay two.txt --on m.toml -np 2", 0, {"2 ranks"}},
        {"replay two.txt --on m.toml -n 3", 2, {"-n 3: two.txt has 2 ranks; without -n"}},
        {"replay one.txt --on m.toml -n 3", 0, {"3 ranks"}}, // which all three follow
        {"replay " + stencil + " --on stampede -n 64", 0, {"64 ranks"}},
        {"replay " + stencil + " --on stampede -n 128", 2, {"has 64 ranks"}},
        {"replay " + halo + " --on odin -n 3", 2, {"-n 3", "has 4 ranks"}},
        {"generate ring -np 4 --on odin", 0, {"4 ranks"}},
        {"generate ring -np4 --on odin", 0, {"4 ranks"}},
        {"generate ring -np 1k --on odin", 0, {"1,024 ranks"}},
    });
}

TEST_F(Mistakes, OfPrograms) {
    check({
        {"run -n 4 --on stampede", 2, {"which program?"}},
        {"run --on stampede ./app", 2, {"-n, --ranks RANKS is missing. Usage: orrery run [OPTIONS] -n RANKS"}},
        {"run -n 4 --on stampede ./nowhere", 3, {"nowhere"}},
        {"run -n 4k --on stampede ./nowhere", 3, {"nowhere"}}, // a number as generate takes it
        {"run -n 4 --on stampede ./app", 3, {"a script cannot be run"}},
        {"run -n 4 --on stampede /bin/true", 3, {"orrery-mpicc"}},
        {"run -n 4 --size 8 --on stampede ./app", 2, {"no option --size", "stand behind its name"}},
        {"trace -n 2", 2, {"which program?"}},
        {"trace -- ./app", 2, {"-n, --ranks RANKS is missing"}},
        {"trace -n 2 -- ./nowhere", 3, {"there is no such program"}},
        {"trace -n 2 -- ./app", 3, {"not executable; 'chmod +x ./app'"}},
        {"validate -n 2 -- ./app", 2, {"a machine is needed: --on"}},
    });
}

// What was measured, recorded or imported is kept; what is only an output is replaced.
TEST_F(Mistakes, OfOverwriting) {
    write("topology.conf", "SwitchName=s0 Nodes=n[0-3]\n");
    check({
        {"machine import topology.conf -o cluster.toml", 0, {"cluster.toml"}},
        {"machine import topology.conf -o cluster.toml",
         2,
         {"cluster.toml is there already; --force replaces it"}},
        {"machine import topology.conf -o cluster.toml --force", 0, {"cluster.toml"}},
        {"machine draw m.toml -o m.svg", 0, {"m.svg"}},
        {"machine draw m.toml -o m.svg", 0, {"m.svg"}},
        {"convert two.txt two.oti", 0, {"2 ranks"}},
        {"convert two.txt two.oti", 0, {"2 ranks"}},
        {"calibrate --from m.toml -o m.toml", 2, {"m.toml is there already; --force replaces it"}},
    });
}

TEST_F(Mistakes, OfOrder) {
    check({
        {"replay stampede two.txt", 3, {"stampede: cannot be opened", "a built-in machine", "--on stampede"}},
        {"replay two.txt stampede", 3, {"'orrery machine show stampede'"}},
        {"replay two.txt -on stampede", 3, {"a built-in machine"}},
        {"info stampede", 3, {"stampede is a built-in machine"}},
        {"stampede", 2, {"did you mean 'orrery machine show stampede'?"}},
        {"machine stampede", 2, {"did you mean 'orrery machine show stampede'?"}},
        {"map two.txt stampede", 2, {"--on MACHINE is missing; did you mean --on stampede?"}},
        {"serve odin", 2, {"did you mean --on odin?"}},
        {"traffic odin --load 0.5", 2, {"'odin' is one word too many; did you mean --on odin?"}},
        {"generate ring 8 --on m.toml", 2, {"'8' is one word too many; did you mean -n 8?"}},
        {"generate 8 ring --on m.toml", 2, {"'ring' is one word too many; did you mean -n 8?"}},
        {"run ./app -n 4 --on m.toml", 2, {"RANKS is missing; options stand before the program's name."}},
        {"machine draw m.toml m.svg", 2, {"FILE is missing; did you mean -o m.svg?"}},
        {"calibrate here.toml", 2, {"did you mean -o here.toml?"}},
        {"run -n 2 --on m.toml --oversubscribe ./app", 2, {"one of mpirun's that is not needed here"}},
    });
}

TEST_F(Mistakes, OfSettingsAndUnits) {
    const std::string replay = "replay two.txt --on m.toml ";
    check({
        {replay + "--set link.latency=5 us", 3, {"us: cannot be opened", "in quotes where it has a blank"}},
        {replay + "--set link.latency 5us", 3, {"5us: cannot be opened", "--set 'link.latency=5 us'"}},
        {"replay '' --on m.toml", 3, {"cannot be opened: No such file or directory\n"}},
        {"replay 8 --on m.toml", 3, {"8: cannot be opened: No such file or directory\n"}},
        {replay + "--set latency=5us", 2, {"unknown key 'latency'; did you mean 'link.latency'?"}},
        {replay + "--set speed=2Gflop/s", 2, {"did you mean 'host.speed'?"}},
        {replay + "--set link.latency=1usec", 2, {"did you mean 1us?"}},
        {replay + "--set link.latency=1.3\xC2\xB5s", 2, {"did you mean 1.3us?"}},
        {replay + "--set link.bandwidth=200Gb", 2, {"did you mean 200Gbit/s or 200GB/s?"}},
        {replay + "--json out.json", 3, {"out.json: cannot be opened", "--json > out.json"}},
        {replay + "--json=out.json", 2, {"--json takes no value", "--json > FILE"}},
        {replay + "--map-by node", 2, {"did you mean roundrobin?"}},
        {replay + "--map-by socket", 2, {"did you mean block?"}},
        {replay + "--collective allreduce:ring", 2, {"are written allreduce=ring. There are: openmpi"}},
        {replay + "--collective foo", 2, {"no selector 'foo'. There are: openmpi"}},
        {"generate bcast -n 8 --on odin", 2, {"there are: ", "binomial-bcast"}},
        {"generate MPI_Allreduce -n 8 --on odin", 2, {"recursive-doubling-allreduce"}},
        {"completion powershell", 2, {"powershell: expected one of bash, zsh, fish"}},
    });
}

TEST_F(Mistakes, OfKindsOfFiles) {
    write("manifest.json", "{\"schema\": 1}\n");
    write("heat.c", "int main(void) { return 0; }\n");
    write("nodes", "node1 slots=4\n");
    ASSERT_EQ(test::run_command("gzip -c " + stencil + " > " + (folder_ / "s.oti.gz").string()).code, 0);
    check({
        {"convert new.goal x.oti", 3, {"new.goal: cannot be opened: No such file"}},
        {"extrapolate new.ort -n 8 --on m.toml", 3, {"new.ort: cannot be opened: No such file"}},
        {"replay 'new*.oti' --on m.toml", 3, {"no file fits, so the shell left it as it was"}},
        {"replay manifest.json --on m.toml", 3, {"JSON, and no trace", "give its folder"}},
        {"replay s.oti.gz --on m.toml", 3, {"cannot be compressed: unpack it"}},
        {"replay two.txt --on m.toml --hostfile nodes",
         3,
         {"nodes:1: the machine has no host 'node1'; its first is 'n0', its last 'n3'"}},
        {"run -n 2 --on m.toml ./heat.c", 3, {"orrery-mpicc makes of source code"}},
        {"sweep two.txt", 3, {"two.txt: this is a trace, not a study"}},
        {"calibrate --from nowhere.json -o x.toml", 3, {"nowhere.json: cannot be opened: No such file"}},
        {"calibrate --kernel empty -o x.toml", 3, {"empty: is a folder"}},
        {"trace -n 2 --hostfile nowhere -- ./app", 3, {"nowhere: cannot be opened: No such file"}},
        {"validate /bin/true", 3, {"this is a program, not a study: orrery validate -n RANKS"}},
    });
}

TEST_F(Mistakes, ThePlaceOfMpirunsOptions) {
    // Behind the program's name -np belongs to the program, whatever it means there.
    const Answer answer = run("trace -np 2 -o t -- ./nowhere -np 5", true);
    EXPECT_EQ(answer.code, 3) << answer.out;
    EXPECT_NE(answer.out.find("there is no such program"), std::string::npos) << answer.out;
}

} // namespace
} // namespace orrery
