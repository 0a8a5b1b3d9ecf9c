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
