// What makes a prediction doubtful is said with it, as a script sees it; and nothing is said where all is well.
#include "cli/program_test.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace orrery::warnings_test {

namespace {

using orrery::test::Answer;

class Warnings : public orrery::test::ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        // Two switches of four hosts, two cables up; four cores each.
        write("tree.toml", "[provenance]\nsource = 'data sheet'\n[host]\ncores = 4\nspeed = '1 Gflop/s'\n"
                           "[loopback]\nbandwidth = '5 GB/s'\n"
                           "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n"
                           "[topology]\ntype = 'fat-tree'\nlevels = '2; 4,2; 1,2; 1,1'\n");
        write("pair.txt", "0 compute 1e6\n0 send 1 0 1000\n1 compute 1e6\n1 recv 0 0 1000\n");
        write("pair.goal", "num_ranks 2\nrank 0 {\n l1: calc 5000\n l2: send 1000b to 1\n l2 requires l1\n}\n"
                           "rank 1 {\n recv 1000b from 0\n}\n");
    }
    // The warnings of `orrery ARGUMENTS --json`.
    std::vector<std::string> warnings(const std::string& arguments) {
        const Answer answer = run(arguments + " --json", true);
        EXPECT_EQ(answer.code, 0) << arguments << ": " << answer.out;
        if (answer.code != 0) return {};
        return nlohmann::json::parse(answer.out)["warnings"].get<std::vector<std::string>>();
    }
    void expect_none(const std::string& arguments) {
        EXPECT_EQ(warnings(arguments), std::vector<std::string>{}) << arguments;
    }
    void expect_one(const std::string& arguments, const std::string& words) {
        const std::vector<std::string> found = warnings(arguments);
        ASSERT_EQ(found.size(), 1U) << arguments << ": " << nlohmann::json(found).dump(1);
        EXPECT_EQ(found[0], words) << arguments;
    }
    void expect_among(const std::string& arguments, const std::string& words) {
        const std::vector<std::string> found = warnings(arguments);
        EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                                [&](const std::string& each) { return each.find(words) != std::string::npos; }))
            << arguments << ": " << nlohmann::json(found).dump(1);
    }
};

// ---- messages within a host

TEST_F(Warnings, AMachineThatDoesNotSayWhatMessagesWithinAHostCostIsNamed) {
    write("plain.toml",
          "[provenance]\nsource = 'data sheet'\n[host]\ncores = 4\nspeed = '1 Gflop/s'\n"
          "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\ntype = 'crossbar'\nhosts = 2\n");
    expect_among("replay pair.txt --on plain.toml", "set node.memory_bandwidth, which they share");
    expect_none("replay pair.txt --on plain.toml --map-by roundrobin");
    expect_none("replay pair.txt --on plain.toml --set 'node.memory_bandwidth=50 GB/s'");
    expect_none("replay pair.txt --on plain.toml --set 'loopback.bandwidth=50 GB/s'");
    expect_none("replay pair.txt --on plain.toml --set flow.set=smpi");
    expect_none("replay pair.txt --on plain.toml --network ideal");
    EXPECT_EQ(run("replay pair.txt --on tree.toml --set 'node.memory_bandwidth=50 GB/s'").code, 3)
        << "has a loopback";
    expect_one(
        "replay pair.txt --on plain.toml --map-by roundrobin --network ideal --set 'node.memory_bandwidth=1 "
        "GB/s'",
        "node.memory_bandwidth: not used by --network ideal; --network flow, packet or kpacket reads it");
}

// ---- settings without effect

TEST_F(Warnings, ASettingThatLogGOPSDoesNotReadNamesTheOneThatItDoes) {
    expect_none("replay pair.goal --on odin");
    expect_one("replay pair.goal --on odin --set link.bandwidth=1GB/s",
               "link.bandwidth: not used by --network loggops; use --loggops G=...");
    expect_one("replay pair.goal --on odin --set network.latency=1us",
               "network.latency: not used by --network loggops; use --loggops L=...");
    expect_none("replay pair.goal --on odin --set loggops.G=1ns/B");
    expect_none("replay pair.goal --on odin --loggops G=1ns/B");
    expect_none("replay pair.goal --on odin --network flow --map-by roundrobin --set link.bandwidth=1GB/s");
    // Without [loggops] the parameters follow from the links.
    expect_none("replay pair.goal --on tree.toml --network loggops --set link.latency=2us");
    expect_one("replay pair.goal --on tree.toml --network loggops --set endpoint.reduction=1ns/B",
               "endpoint.reduction: not used by --network loggops; use --loggops o=... O=... S=...");
}

TEST_F(Warnings, SettingsOfAnotherNetworkAreNamed) {
    expect_one("replay pair.txt --on tree.toml --set packet.segment=1KiB --set packet.flit=16B",
               "packet.segment, packet.flit: not used by --network flow; --network packet reads it");
    expect_none(
        "replay pair.txt --on tree.toml --map-by roundrobin --network packet --set packet.segment=1KiB");
    expect_one("replay pair.txt --on tree.toml --set kpacket.sharing=exclusive",
               "kpacket.sharing: not used by --network flow; --network kpacket reads it");
    expect_none("replay pair.txt --on tree.toml --network kpacket --set kpacket.sharing=exclusive");
    expect_one("replay pair.txt --on tree.toml --network kpacket --set flow.set=smpi",
               "flow.set: not used by --network kpacket; --network flow reads it");
    expect_one("replay pair.txt --on tree.toml --set routing.policy=random",
               "routing.policy: not used by --network flow; --network packet reads it");
    expect_one("replay pair.txt --on tree.toml --set surf/precision=1e-9",
               "surf.precision: accepted for SimGrid's files; it has no effect here");
}

TEST_F(Warnings, OptionsWithoutUseAreNamed) {
    expect_one(
        "replay pair.goal --on odin --map-by roundrobin",
        "--map-by: not used by --network loggops; LogGOPS has no hosts; --network flow, packet or kpacket "
        "has");
    write("hosts", "n1\nn2\n");
    expect_among("replay pair.goal --on odin --hostfile hosts", "--hostfile: not used by --network loggops");
    expect_none("replay pair.goal --on odin --network flow --hostfile hosts");
    expect_none("replay pair.txt --on tree.toml --map-by roundrobin");
    expect_none("replay pair.txt --on tree.toml --map-by block"); // as it is anyhow
    expect_among("replay pair.txt --on tree.toml --loggops L=1us --network flow",
                 "--loggops: not used by --network flow; use --set link.latency");
    expect_none("replay pair.txt --on tree.toml --set endpoint.eager_limit=1B --rendezvous sender-waits");
    expect_none("replay pair.txt --on tree.toml --rendezvous handshake"); // as it is anyhow
    expect_one("replay pair.txt --on tree.toml --network packet --no-congestion",
               "--no-congestion: not used by --network packet; only --network flow reads it");
    expect_none("replay pair.txt --on tree.toml --no-congestion");
    expect_one("replay pair.txt --on tree.toml --collective allreduce=ring",
               "--collective: not used: the workload calls no collective");
    write("sum.txt", "0 allreduce 1000 0\n1 allreduce 1000 0\n");
    expect_none("replay sum.txt --on tree.toml --collective allreduce=ring");
    expect_one("replay pair.txt --on tree.toml --skew-seed 7", "--skew-seed: not used without --start-skew");
    expect_none("replay pair.txt --on tree.toml --skew-seed 7 --start-skew uniform:1us");
    expect_one("replay pair.txt --on tree.toml --noise-seed 7",
               "--noise-seed: not used without --noise or --noise-file");
    expect_one("replay pair.txt --on tree.toml --timeline-ranks 0-1",
               "--timeline-ranks: not used without --timeline FILE.svg");
    expect_one("replay pair.txt --on tree.toml --events",
               "--events: not used without -o DIR; --csv x.events.csv writes them, too");
    expect_one("replay pair.goal --on odin --links",
               "--links: not used, this network has no links; --network flow, packet or kpacket has");
}

TEST_F(Warnings, WhatCannotMakeSenseIsWrongUsage) {
    EXPECT_EQ(run("replay pair.txt --on tree.toml --model smpi-compat --network packet").code, 2);
    EXPECT_EQ(run("replay pair.goal --on odin --paraver-network x.prv").code, 2);
    EXPECT_EQ(run("replay pair.goal --on odin --paraver x.prv").code, 0);
    EXPECT_EQ(run("replay pair.goal --on odin --efficiencies --csv x.csv").code, 0);
    EXPECT_EQ(run("replay pair.goal --on odin --network flow --csv x.csv").code, 0);
}

TEST_F(Warnings, AValueThatTheMachineHasAlreadyIsNoNews) {
    expect_none("replay pair.txt --on tree.toml --set 'link.bandwidth=1 GB/s'");
    expect_one("replay pair.txt --on tree.toml --set link.bandwidth=1000MB/s",
               "link.bandwidth: changes nothing: the machine has this value already, or other keys replace it");
    expect_none("replay pair.txt --on tree.toml --set machine.name=other");
}

// ---- changes that no message meets

class UnmetChanges : public Warnings {
  protected:
    // Four ranks that send one byte and more around a ring.
    void SetUp() override {
        Warnings::SetUp();
        std::string text;
        for (int rank = 0; rank < 4; ++rank) {
            const std::string me = std::to_string(rank);
            text += me + " isend " + std::to_string((rank + 1) % 4) + " 0 5000\n" + me + " recv " +
                    std::to_string((rank + 3) % 4) + " 0 5000\n" + me + " wait " + me + " " +
                    std::to_string((rank + 1) % 4) + " 0\n";
        }
        write("ring.txt", text);
        write("one-core.toml", "include = 'tree.toml'\n[host]\ncores = 1\n");
    }
};

TEST_F(UnmetChanges, AreSaidForEveryNetworkWithLinks) {
    const std::string said = "no message crosses the changed links: 4 ranks sit on 4 hosts under one switch";
    for (const char* const network : {"flow", "kpacket", "packet"}) {
        const std::string all = std::string("replay ring.txt --on one-core.toml --network ") + network;
        expect_one(all + " --set link.level2.bandwidth=1MB/s", "link.level2.bandwidth: " + said);
        expect_one(all + " --set 'topology.levels=2; 4,2; 1,1; 1,1'", "topology.levels: " + said);
        expect_none(all + " --set link.level1.bandwidth=1MB/s");
        expect_none(all + " --set link.bandwidth=1MB/s");
        // On two switches they meet.
        const std::string spread = all + " --map-by file:places";
        write("places", "n0\nn5\nn1\nn6\n");
        expect_none(spread + " --set link.level2.bandwidth=1MB/s");
        expect_none(spread + " --set 'topology.levels=2; 4,2; 1,1; 1,1'");
    }
}

TEST_F(UnmetChanges, SpreadingIsAdvisedWhereRanksSitTogether) {
    expect_one("replay ring.txt --on tree.toml --set link.level2.latency=5us",
               "link.level2.latency: no message crosses the changed links: 4 ranks sit on 1 host; --map-by "
               "roundrobin spreads them");
}

// All hosts are in use and their routes differ, but messages stay below their switch.
TEST_F(UnmetChanges, AreToldFromTheLinksThatBytesPassed) {
    std::string text;
    for (const int first : {0, 4}) {
        text += std::to_string(first) + " send " + std::to_string(first + 1) + " 0 5000\n";
        text += std::to_string(first + 1) + " recv " + std::to_string(first) + " 0 5000\n";
    }
    for (const int idle : {2, 3, 6, 7}) text += std::to_string(idle) + " compute 5\n";
    write("apart.txt", text);
    for (const char* const network : {"flow", "kpacket", "packet"}) {
        const std::string all = std::string("replay apart.txt --on one-core.toml --network ") + network;
        expect_one(all + " --set link.level2.bandwidth=1MB/s",
                   "link.level2.bandwidth: no message crosses the changed links: 8 ranks sit on 8 hosts");
        expect_none(all + " --set link.level1.bandwidth=1MB/s");
    }
    // An empty message leaves nothing on the links of a flow, but pays their latency.
    write("empty.txt", text + "3 send 6 0 0\n6 recv 3 0 0\n");
    expect_none("replay empty.txt --on one-core.toml --set link.level2.latency=5us");
    expect_none("replay empty.txt --on one-core.toml --network packet --set link.level2.latency=5us");
}

TEST_F(UnmetChanges, AreToldForRails) {
    write("rails.toml", "include = 'one-core.toml'\n[rails]\ncount = 2\n");
    expect_one("replay ring.txt --on rails.toml --set link.level2.bandwidth=1MB/s",
               "link.level2.bandwidth: no message crosses the changed links: 4 ranks sit on 4 hosts under one "
               "switch");
    expect_none("replay ring.txt --on rails.toml --set link.level1.bandwidth=1MB/s");
    expect_none("replay ring.txt --on rails.toml --set rails.count=1");
}

// ---- uncalibrated

TEST_F(Warnings, ValuesThatAnImportAssumedAreSaidWhenItIsMadeAndUsed) {
    write("topology.conf", "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-7]\nSwitchName=c Switches=a,b\n");
    const Answer made = run("machine import topology.conf -o slurm.toml", true);
    EXPECT_NE(
        made.out.find("assumed, as topology.conf does not say it: link.bandwidth = 100 Gbit/s, link.latency = "
                      "1 us, host.cores = 1, host.speed = 1 Gflop/s"),
        std::string::npos)
        << made.out;
    const std::string fix =
        "; set the values with --set or in slurm.toml, or measure them with 'orrery calibrate'";
    expect_one(
        "replay pair.txt --on slurm.toml",
        "uncalibrated: nobody measured link.bandwidth 12.5 GB/s, link.latency 1 us, host.cores 1, host.speed "
        "1 Gflop/s" +
            fix);
    expect_one("replay pair.goal --on slurm.toml --network flow",
               "uncalibrated: nobody measured link.bandwidth 12.5 GB/s, link.latency 1 us, host.cores 1" + fix);
    expect_one("replay pair.txt --on slurm.toml --map-by roundrobin --set link.bandwidth=10GB/s --set "
               "link.latency=2us --set "
               "host.cores=8",
               "uncalibrated: nobody measured host.speed 1 Gflop/s" + fix);
    expect_none("replay pair.txt --on slurm.toml --map-by roundrobin --set link.bandwidth=10GB/s --set "
                "link.latency=2us --set "
                "host.cores=8 --set host.speed=3Gflop/s");
    const Answer told =
        run("machine import topology.conf --set link.bandwidth=10GB/s --set link.latency=2us --set "
            "host.cores=8 --set host.speed=3Gflop/s -o told.toml",
            true);
    EXPECT_EQ(told.out, "told.toml\n");
    expect_none("replay pair.txt --on told.toml --map-by roundrobin");
}

TEST_F(Warnings, AMachineFileWithoutProvenanceIsSaid) {
    write("bare.toml", "[host]\nspeed = '1 Gflop/s'\n[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n"
                       "[topology]\ntype = 'crossbar'\nhosts = 2\n");
    expect_one(
        "replay pair.txt --on bare.toml",
        "uncalibrated: bare.toml does not say where its values come from; name it in [provenance] source = "
        "\"...\", or measure them with 'orrery calibrate'");
    expect_none("replay pair.txt --on tree.toml");
    for (const char* const name : {"graphene", "stampede", "ndr-fat-tree", "frontier-like"})
        expect_none(std::string("replay pair.txt --on ") + name);
}

TEST_F(Warnings, ASpeedThatNobodySaidIsSaid) {
    expect_one(
        "replay pair.txt --on ideal-fat-tree",
        "uncalibrated: the machine does not say the speed of its cores, 1 Gflop/s is assumed: set host.speed");
    expect_none("replay pair.txt --on ideal-fat-tree --set host.speed=2Gflop/s");
    expect_none("replay pair.goal --on ideal-fat-tree"); // a schedule holds times
}

// A trace of Dimemas holds CPU time.
TEST_F(Warnings, ComputationAtTheSpeedOfTheRecordingComputerIsSaid) {
    const std::string trace = std::string("replay ") + test_data() + "/dimemas/p2p_eager.dim --on ";
    expect_one(trace + "stampede", "computation runs at the speed of the computer that recorded the trace: set "
                                   "host.speed (--set host.speed=2Gflop/s for cores twice as fast)");
    expect_none(trace + "stampede --set host.speed=2Gflop/s");
    write("rated.toml", "include = 'stampede'\n[host]\ncounts = 'cpu-time'\nspeed = '3 Ginstr/s'\n");
    expect_none(trace + "rated.toml");
    expect_none("replay pair.txt --on stampede"); // instructions or flops
}

TEST_F(Warnings, LogGOPSParametersOfNobodyAreSaid) {
    expect_among("replay pair.goal", "uncalibrated: no machine was named");
    expect_none("replay pair.goal --loggops L=1us");
}

TEST_F(Warnings, HostSpeedOfAScheduleIsNotUsed) {
    expect_one("replay pair.goal --on odin --set host.speed=9Gflop/s",
               "host.speed: not used by schedules, which hold the time of each computation");
}

// ---- more ranks than cores

TEST_F(Warnings, MoreRanksThanCoresAreSaidWithTheirCost) {
    std::string text;
    std::string goal = "num_ranks 8\n";
    for (int rank = 0; rank < 8; ++rank) {
        text += std::to_string(rank) + " compute 1e9\n";
        goal += "rank " + std::to_string(rank) + " {\n calc 1000000000\n}\n";
    }
    write("eight.txt", text);
    write("eight.goal", goal);
    write("node.toml",
          "[provenance]\nsource = 'data sheet'\n[host]\ncores = 4\nspeed = '1 Gflop/s'\n"
          "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\ntype = 'crossbar'\nhosts = 1\n");
    expect_one(
        "replay eight.txt --on node.toml",
        "more ranks than cores: 8 ranks share 4 cores of n0 and take turns, which costs 50.0 % of the time of "
        "all ranks");
    expect_none("replay eight.txt --on tree.toml");
    expect_one(
        "replay eight.goal --on node.toml --network flow",
        "more ranks than cores: up to 2 ranks for each core of a host. Ranks of a schedule compute as if "
        "alone; on this machine computation takes up to 2 times as long");
    expect_one(
        "replay eight.goal --on node.toml --network loggops",
        "more ranks than cores: 8 ranks, but node has 4 cores. LogGOPS lets each rank compute alone on a host; "
        "on this machine computation takes at least 2 times as long");
    expect_none("replay eight.goal --on tree.toml --network loggops");
    expect_none("replay eight.goal --on tree.toml --network flow");
    expect_one(
        "replay eight.txt --on node.toml --network loggops",
        "more ranks than cores: 8 ranks share 4 cores of n0 and take turns, which costs 50.0 % of the time of "
        "all ranks");
}

// ---- the error

TEST_F(Warnings, APredictionCarriesTheErrorOfItsMachine) {
    const auto error = [&](const std::string& arguments) {
        const Answer answer = run(arguments + " --json", true);
        EXPECT_EQ(answer.code, 0) << answer.out;
        return answer.code == 0 ? nlohmann::json::parse(answer.out) : nlohmann::json();
    };
    EXPECT_TRUE(error("replay pair.txt --on tree.toml")["error"].is_null());
    EXPECT_NE(run("replay pair.txt --on tree.toml").out.find("; no error known)\n"), std::string::npos);
    write("known.toml", "include = 'tree.toml'\n[validation]\nerror = '6 %'\nmean_error = '4 %'\nprograms = 3\n"
                        "network = 'flow'\ndate = '2026-11-18'\n");
    const nlohmann::json known = error("replay pair.txt --on known.toml");
    const auto time = known["predicted_time_ps"].get<double>();
    EXPECT_DOUBLE_EQ(known["error"]["relative"], 0.06);
    EXPECT_NEAR(known["error"]["low_ps"], 0.94 * time, 1);
    EXPECT_NEAR(known["error"]["high_ps"], 1.06 * time, 1);
    EXPECT_EQ(known["error"]["source"], "largest error of 3 programs, validated 2026-11-18");
    const std::string words = run("replay pair.txt --on known.toml").out;
    EXPECT_NE(words.find(", +-6.0 %   (rank "), std::string::npos) << words;
    EXPECT_EQ(words.find("no error known"), std::string::npos) << words;
    EXPECT_EQ(error("replay pair.txt --on known.toml --set link.latency=2us")["error"]["source"],
              "largest error of 3 programs, validated 2026-11-18 without --set");
    EXPECT_TRUE(error("replay pair.txt --on known.toml --network kpacket")["error"].is_null());
    EXPECT_TRUE(error("replay pair.goal --on known.toml --network loggops")["error"].is_null());
    write("wrong.toml", "include = 'tree.toml'\n[validation]\nerror = 'small'\n");
    EXPECT_EQ(run("replay pair.txt --on wrong.toml").code, 3);
}

// ---- the summary

// Nothing computes in random traffic, nor in the estimates of mappings; a trace that is replayed under them
// does.
TEST_F(Warnings, OfTrafficAndMappings) {
    const char* const not_used =
        "not used: nothing but messages is simulated, no computation and no call of MPI";
    const std::string traffic = "traffic --on tree.toml --load 0.5 --messages 20 --no-search ";
    expect_none(traffic);
    expect_none(traffic + "--set link.bandwidth=2GB/s --set packet.segment=1KiB");
    expect_one(traffic + "--set host.speed=2Gf", std::string("host.speed: ") + not_used);
    expect_one(traffic + "--set flow.set=lv08",
               "flow.set: not used by --network packet; --network flow reads it");
    expect_none("map near-neighbour --on tree.toml -n 8");
    expect_one("map near-neighbour --on tree.toml -n 8 --set endpoint.eager_limit=1KiB",
               std::string("endpoint.eager_limit: ") + not_used);
    expect_none("map pair.txt --on tree.toml --set endpoint.eager_limit=100");
    expect_one("map pair.txt --on tree.toml --set packet.segment=1KiB",
               "packet.segment: not used by --network kpacket; --network packet reads it");
}

TEST_F(Warnings, StandBelowThePredictedTimeAndLinesFit) {
    const Answer answer = run(
        "replay pair.goal --on odin --set link.bandwidth=1GB/s --set host.speed=9Gflop/s --map-by roundrobin");
    ASSERT_EQ(answer.code, 0);
    std::istringstream lines(answer.out);
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 120U) << line;
        all.push_back(line);
    }
    ASSERT_GT(all.size(), 4U);
    EXPECT_TRUE(all[1].starts_with("  predicted time  "));
    EXPECT_TRUE(all[2].starts_with("  warning         link.bandwidth: not used by")) << answer.out;
    EXPECT_EQ(answer.out.find(" 0.0 %"), std::string::npos) << answer.out;
}

} // namespace

} // namespace orrery::warnings_test
