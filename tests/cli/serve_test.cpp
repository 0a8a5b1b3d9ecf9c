// `orrery serve` as a program, with clients over TCP, and the traces for Paraver that verbs write.
#include "cli/program_test.h"
#include "observe/paraver/prv_file.h"
#include "places.h"
#include "reference/sanitized.h"
#include "tools/cosim/test_client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <vector>

namespace orrery::serve_test {
namespace {

using observe_test::PrvFile;
using test::Answer;
using test::ProgramTest;
using test::TestClient;

// Alone, B bytes take 200 ns (two links, a switch) and B ns.
constexpr const char* four_hosts = "[link]\nbandwidth = '1 GB/s'\nlatency = '50 ns'\n[topology]\n"
                                   "type = 'crossbar'\nhosts = 4\n[packet]\nsegment = '1000 B'\nflit = '10 B'\n"
                                   "switch_delay = '100 ns'\n";

class Serve : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        write("four.toml", four_hosts);
    }
    // Starts the program; gives the port that it says it listens on.
    std::uint16_t start(const std::string& options, const std::string& before = "") {
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0) return 0;
        child_ = ::fork();
        if (child_ == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            ::close(ends[0]);
            ::close(ends[1]);
            const std::string command = fmt::format("cd {} && {} exec '{}' serve --port 0 {} 2>errors",
                                                    folder_.string(), before, orrery_program(), options);
            ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
            ::_exit(127);
        }
        ::close(ends[1]);
        output_ = ::fdopen(ends[0], "r");
        unsigned port = 0;
        if (std::fscanf(output_, "listening on 127.0.0.1:%u", &port) != 1) return 0;
        return static_cast<std::uint16_t>(port);
    }
    // Ends it with a signal; gives its exit code, and what else it said.
    int stop(int signal, std::string& said) {
        ::kill(child_, signal);
        int status = 0;
        ::waitpid(child_, &status, 0);
        child_ = -1;
        for (int c = 0; (c = std::fgetc(output_)) != EOF;) said += static_cast<char>(c);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    void TearDown() override {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
        if (output_ != nullptr) std::fclose(output_);
        ProgramTest::TearDown();
    }

  private:
    pid_t child_ = -1;
    FILE* output_ = nullptr;
};

TEST_F(Serve, CarriesMessagesOverThePacketNetwork) {
    const std::uint16_t port = start("--on four.toml");
    ASSERT_NE(port, 0);
    TestClient client(port);
    ASSERT_TRUE(client.say("SEND 1000 0 1 7 20000 0xa 0xb 0 1 0 0\n"));
    EXPECT_EQ(client.turn("21000"), "END\n");
    EXPECT_EQ(client.turn("2.52e+17"), "COMPLETED SEND 21200 0 1 20000 0xa 0xb 0 1 1000\nEND\n");
    // Two at once to one host: its link is shared.
    ASSERT_TRUE(client.say("SEND 100000 0 1 7 1000 0xa 0xb 0 1 0 0\nSEND 100000 2 1 7 1000 0xc 0xd 2 1 0 0\n"));
    EXPECT_TRUE(client.turn("2.52e+17").starts_with("COMPLETED SEND 101200 "));
    EXPECT_TRUE(client.turn("2.52e+17").starts_with("COMPLETED SEND 102200 "));
    // A rendezvous: request and acknowledgement of 64 bytes (7 flits: 270 ns each), then the data.
    ASSERT_TRUE(client.say("PROTO OK_TO_SEND 200000 3 0 7 1000 0 0\n"));
    EXPECT_EQ(client.turn("300000"), "END\n");
    ASSERT_TRUE(client.say("PROTO READY_TO_RECV 300000 3 0 7 1000 0xe 0xf 3 0 0 0\n"));
    EXPECT_EQ(client.turn("2.52e+17"), "COMPLETED SEND 301470 3 0 1000 0xe 0xf 3 0 300270\nEND\n");
    ASSERT_TRUE(client.say("FINISH\n"));
    EXPECT_EQ(client.hear_the_end(), 0U);
    std::string said;
    EXPECT_EQ(stop(SIGTERM, said), 0);
    EXPECT_NE(said.find("finished: 4 messages (1 by rendezvous), 23.00 kB"), std::string::npos) << said;
    EXPECT_NE(said.find("stopped"), std::string::npos) << said;
}

TEST_F(Serve, MapsNodesToHostsAndServesSeveral) {
    write("map", "n3\nn3\nn1\n"); // nodes 0 and 1 are one host
    const std::uint16_t port = start("--on four.toml --map map --set endpoint.control_bytes=0 --network flow");
    ASSERT_NE(port, 0);
    TestClient first(port);
    TestClient second(port);
    for (const TestClient* client : {&first, &second})
        ASSERT_TRUE(client->say("SEND 0 0 2 7 1000 0xa 0xb 0 2 0 0\n"));
    for (const TestClient* client : {&first, &second})
        EXPECT_EQ(client->turn("2.52e+17"), "COMPLETED SEND 1100 0 2 1000 0xa 0xb 0 2 0\nEND\n");
    ASSERT_TRUE(first.say("SEND 2000 3 2 7 1000 0xa 0xb 0 2 0 0\n")); // there is no node 3
    EXPECT_EQ(first.hear_the_end(), 0U);
    EXPECT_EQ(second.turn("2.52e+17"), "END\n");
    std::string said;
    EXPECT_EQ(stop(SIGINT, said), 0);
    const std::string errors = observe_test::contents((folder_ / "errors").string());
    EXPECT_NE(errors.find("node 3 does not exist"), std::string::npos) << errors;
}

// A message of 1 TiB in segments of 1,000 bytes takes hours to simulate.
TEST_F(Serve, StopsInTheMiddleOfATurn) {
    for (const int signal : {SIGINT, SIGTERM}) {
        const std::uint16_t port = start("--on four.toml");
        ASSERT_NE(port, 0);
        const TestClient client(port);
        ASSERT_TRUE(client.say("SEND 0 0 1 0 1099511627776 a b 0 1 0 0\nSTOP 1e15\nEND\n"));
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        const auto told = std::chrono::steady_clock::now();
        std::string said;
        EXPECT_EQ(stop(signal, said), 0);
        EXPECT_LT(std::chrono::steady_clock::now() - told, std::chrono::seconds(3)); // 1 s, and a busy computer
        EXPECT_NE(said.find("stopped"), std::string::npos) << said;
    }
}

// Where no thread can be started, that client is refused; the others go on.
TEST_F(Serve, RefusesAClientForWhichThereIsNoThread) {
    if (reference::sanitized) return; // a limit on addresses is none for the address sanitizer
    const std::uint16_t port = start("--on four.toml", "ulimit -v 400000 &&");
    ASSERT_NE(port, 0);
    const TestClient first(port);
    EXPECT_EQ(first.turn("0"), "END\n");
    std::vector<std::unique_ptr<TestClient>> others;
    bool refused = false;
    for (int i = 0; i < 63 && !refused; ++i) {
        others.push_back(std::make_unique<TestClient>(port));
        refused = others.back()->turn("0") != "END\n";
    }
    EXPECT_TRUE(refused);
    EXPECT_EQ(first.turn("1"), "END\n");
    std::string said;
    EXPECT_EQ(stop(SIGINT, said), 0);
    const std::string errors = observe_test::contents((folder_ / "errors").string());
    EXPECT_NE(errors.find("refused: Resource temporarily unavailable"), std::string::npos) << errors;
}

TEST_F(Serve, WarnsOfOtherComputers) {
    const Answer refused = run("serve --on four.toml --address 0.0.0.0 --port 0", true);
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.out.find("--allow-remote"), std::string::npos) << refused.out;
    const Answer warned =
        test::run_command("cd " + folder_.string() + " && timeout --preserve-status 1 " + orrery_program() +
                          " serve --on four.toml --address 0.0.0.0 --port 0 --allow-remote 2>&1");
    EXPECT_EQ(warned.code, 0) << warned.out;
    EXPECT_NE(warned.out.find("warning: whoever reaches 0.0.0.0 can use this server"), std::string::npos)
        << warned.out;
}

TEST_F(Serve, SaysWhatIsWrong) {
    write("map", "n1\nnobody\n");
    const auto failure = [&](const std::string& options) { return run("serve " + options, true); };
    EXPECT_EQ(failure("").code, 2);
    EXPECT_EQ(failure("--on four.toml --address localhost").code, 2);
    EXPECT_EQ(failure("--on four.toml --port 99999").code, 2);
    const Answer answer = failure("--on four.toml --map map");
    EXPECT_EQ(answer.code, 3);
    EXPECT_NE(answer.out.find("map:2:1: there is no host 'nobody'"), std::string::npos) << answer.out;
}

class ParaverOptions : public Serve {};

TEST_F(ParaverOptions, WriteBothLevels) {
    const Answer answer = run("generate linear-alltoall -n 4 --bytes 5000 --on four.toml --network packet "
                              "--paraver mpi.prv --paraver-network net.prv --paraver-quantum 500B "
                              "--start-skew uniform:2us --json");
    ASSERT_EQ(answer.code, 0) << answer.out;
    const PrvFile mpi((folder_ / "mpi.prv").string());
    EXPECT_EQ(mpi.all_complaints(), "");
    EXPECT_EQ(mpi.communications.size(), 12U);
    const PrvFile network((folder_ / "net.prv").string());
    EXPECT_EQ(network.all_complaints(), "");
    EXPECT_EQ(network.communications.size(), 24U);
    EXPECT_EQ(network.end, mpi.end);
}

TEST_F(ParaverOptions, OfTraces) {
    write("ping.txt", "0 init\n0 send 1 0 3000\n0 barrier\n0 finalize\n"
                      "1 init\n1 recv 0 0 3000\n1 barrier\n1 finalize\n");
    const Answer answer = run(
        "replay ping.txt --on four.toml --network packet --paraver mpi.prv --paraver-network net.prv", true);
    ASSERT_EQ(answer.code, 0) << answer.out;
    EXPECT_NE(answer.out.find("paraver         mpi.prv"), std::string::npos) << answer.out;
    const PrvFile mpi((folder_ / "mpi.prv").string());
    EXPECT_EQ(mpi.all_complaints(), "");
    EXPECT_EQ(mpi.communications.size(), 1U); // the barrier is a call
    const PrvFile network((folder_ / "net.prv").string());
    EXPECT_EQ(network.all_complaints(), "");
    EXPECT_GT(network.communications.size(), 2U); // but has messages
}

TEST_F(ParaverOptions, SayWhatTheyNeed) {
    const auto failure = [&](const std::string& options) {
        const Answer answer = run("generate ring -n 4 " + options, true);
        EXPECT_EQ(answer.code, 2) << answer.out;
        return answer.out;
    };
    EXPECT_NE(failure("--on four.toml --network flow --paraver-network x.prv").find("--network packet"),
              std::string::npos);
    EXPECT_NE(failure("--on four.toml --network packet --paraver x.txt").find(".prv"), std::string::npos);
    EXPECT_NE(failure("--on four.toml --network packet --paraver x.prv --paraver-network x.prv").find("names"),
              std::string::npos);
    EXPECT_NE(failure("--on four.toml --network packet --paraver-quantum 0").find("quantum"),
              std::string::npos);
    EXPECT_NE(failure("--on four.toml --start-skew gaussian:1us").find("uniform:TIME"), std::string::npos);
}

} // namespace
} // namespace orrery::serve_test
