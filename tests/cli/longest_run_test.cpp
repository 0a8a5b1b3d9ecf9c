// One rule for the longest run: whatever is simulated, by whatever network, the sentence and the exit code are
// the same; and the run just below is simulated.
#include "program_test.h"

namespace orrery::longest_run_test {
namespace {

class LongestRun : public test::ProgramTest {
  protected:
    void expect_refused(const std::string& arguments) {
        const test::Answer answer = run(arguments, true);
        EXPECT_EQ(answer.code, 1) << arguments << "\n" << answer.out;
        EXPECT_NE(answer.out.find(" takes longer than 26 days, the longest time that can be simulated"),
                  std::string::npos)
            << arguments << "\n"
            << answer.out;
    }
    void expect_refused_with(const std::string& arguments, const std::string& days) {
        const test::Answer answer = run(arguments, true);
        EXPECT_EQ(answer.code, 1) << arguments << "\n" << answer.out;
        EXPECT_NE(answer.out.find(" takes longer than " + days), std::string::npos) << answer.out;
    }
    void expect_time(const std::string& arguments, const std::string& time) {
        const test::Answer answer = run(arguments, true);
        EXPECT_EQ(answer.code, 0) << arguments << "\n" << answer.out;
        EXPECT_NE(answer.out.find("predicted time  " + time), std::string::npos) << arguments << "\n"
                                                                                 << answer.out;
    }
};

const std::string odin = " --on odin --map-by roundrobin ";

TEST_F(LongestRun, OfAllNetworks) {
    const std::string ping = "generate ping-pong -n 2" + odin;
    const std::string alltoall = "generate linear-alltoall -n 8 --bytes 1000" + odin;
    for (const char* const network : {"flow", "kpacket", "packet"}) {
        const std::string on = std::string(" --network ") + network;
        expect_refused(ping + "--bytes 3TB --set 'link.bandwidth=1 MB/s' --set packet.segment=1MB" + on);
        expect_refused(alltoall + "--set 'link.bandwidth=1e-6 B/s'" + on);
        expect_refused(ping + "--bytes 8 --set 'link.latency=600 h'" + on);
    }
    expect_refused(alltoall + "--set 'link.bandwidth=1e-9 B/s' --network packet");
    expect_refused("generate ping-pong -n 2 --bytes 200TB --loggops G=1s/B");
    expect_refused("generate ring -n 4 --bytes 8 --loggops L=600h");
}

TEST_F(LongestRun, AlmostSoLongIsSimulated) {
    const std::string ping =
        "generate ping-pong -n 2 --bytes 1TB --set 'link.bandwidth=1 MB/s' --set link.latency=0" + odin +
        "--set endpoint.handshake=no --set packet.segment=1MB";
    for (const char* const network : {"flow", "kpacket", "packet"})
        expect_time(ping + " --network " + network, "2000000.");
}

TEST_F(LongestRun, OfTracesAndSchedules) {
    write("trace", "0 init\n0 compute 3e15\n0 finalize\n");
    write("long.goal",
          "num_ranks 1\nrank 0 {\nl1: calc 2000000000000000\nl2: calc 2000000000000000\nl2 requires l1\n}\n");
    write("machine.toml", "[host]\nspeed = '1Gf'\n[link]\nbandwidth = '1 GB/s'\nlatency = '1us'\n[topology]\n"
                          "type = 'crossbar'\nhosts = 2\n");
    for (const char* const network : {"flow", "kpacket", "packet"}) {
        expect_refused("replay long.goal --on machine.toml --network " + std::string(network));
        expect_refused("replay trace --on machine.toml --network " + std::string(network));
    }
    expect_refused("replay long.goal --loggops L=1us");
}

// Four computations of 52 days: 2.1e19 ps do not fit into 64 bits. What is printed is exact.
TEST_F(LongestRun, IsLongerWithLongerTicks) {
    std::string goal = "num_ranks 1\nrank 0 {\n";
    for (int i = 1; i <= 5; ++i) goal += "l" + std::to_string(i) + ": calc 4500000000000000\n";
    for (int i = 2; i <= 5; ++i) goal += "l" + std::to_string(i) + " requires l" + std::to_string(i - 1) + "\n";
    write("year.goal", goal + "}\n");
    write("trace", "0 init\n0 compute 1e16\n0 compute 1e16\n0 finalize\n");
    write("machine.toml", "[host]\nspeed = '1Gf'\n[link]\nbandwidth = '1 GB/s'\nlatency = '1us'\n[topology]\n"
                          "type = 'crossbar'\nhosts = 2\n");
    const test::Answer refused = run("replay year.goal --loggops L=1us", true);
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.out.find("--resolution 32ps, 854 days"), std::string::npos) << refused.out;
    expect_time("replay year.goal --loggops L=1us --resolution 32ps", "22500000.000 s");
    expect_time("replay trace --on machine.toml --network flow --resolution=32ps", "20000000.000 s");
    const test::Answer json = run("replay year.goal --loggops L=1us --resolution 32ps --json --per-rank", true);
    EXPECT_NE(json.out.find("\"predicted_time_ps\":22500000000000000000,"), std::string::npos) << json.out;
    EXPECT_NE(json.out.find("\"finish_times_ps\":[22500000000000000000]"), std::string::npos) << json.out;
    EXPECT_EQ(run("replay year.goal --loggops L=1us --resolution \'\'").code, 2);
    const test::Answer coarse =
        run("generate ring -n 4 --on odin --network packet --resolution 1048576ps", true);
    EXPECT_NE(coarse.out.find("which ticks of 1048576 ps (--resolution) do not resolve"), std::string::npos)
        << coarse.out;
    expect_refused_with("replay year.goal --loggops L=1us --resolution 4ps", "106 days");
}

// Where all durations are multiples of the tick nothing changes.
TEST_F(LongestRun, ShortRunsAreTheSame) {
    const std::string alltoall = "generate linear-alltoall -n 16 --bytes 1024 --json --per-rank";
    const std::string loggops = alltoall + " --loggops 'L=3200ns o=1600ns g=960ns G=64ps/B O=32ps/B'";
    const auto times = [&](const std::string& arguments) {
        const std::string out = run(arguments, true).out;
        const std::size_t at = out.find("\"finish_times_ps\"");
        return at == std::string::npos ? out : out.substr(at, out.find(']', at) - at);
    };
    EXPECT_EQ(times(loggops), times(loggops + " --resolution 32ps"));
    for (const char* const network : {"flow", "kpacket", "packet"}) {
        const std::string on =
            alltoall + odin + "--set 'link.bandwidth=1 GB/s' --set link.latency=3200ns --network ";
        EXPECT_EQ(times(on + network), times(on + network + " --resolution 8ps")) << network;
    }
}

TEST_F(LongestRun, OfTraffic) {
    expect_refused(
        "traffic --on odin --pattern uniform --load 0.5 --bytes 1GB --set 'link.bandwidth=1e-3 B/s'");
}

// Nobody waits for so many messages.
TEST_F(LongestRun, SoManyMessagesAreRefusedAtOnce) {
    const test::Answer answer = run("traffic --on odin --pattern uniform --load 0.5 --warm-up 1e6s", true);
    EXPECT_EQ(answer.code, 3) << answer.out;
    EXPECT_NE(answer.out.find("messages; 1e+10 are the most"), std::string::npos) << answer.out;
}

} // namespace
} // namespace orrery::longest_run_test
