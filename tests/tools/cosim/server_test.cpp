// The co-simulation over real sockets: clients that behave, clients that do not, several at once.
#include "engine/error.h"
#include "simulation/simulation.h"
#include "tools/cosim/test_client.h"
#include "tools/cosim/test_server.h"

#include <gtest/gtest.h>

#include <chrono>

namespace orrery::server_test {
namespace {

using test::KnownNetwork;
using test::TestClient;
using Server = test::TestServer;

// 1 MiB at 1.01 ms, as in the transcript.
void exchange_a_message(const TestClient& client) {
    ASSERT_TRUE(client.say("SEND 1010000 0 1 7 1048576 0xa 0xb 0 1 0 0\n"));
    EXPECT_EQ(client.turn("1010000"), "END\n");
    EXPECT_EQ(client.turn("1000000000"), "COMPLETED SEND 11496760 0 1 1048576 0xa 0xb 0 1 1010000\nEND\n");
    EXPECT_EQ(client.turn("11496760"), "END\n");
}

TEST(CosimServer, ServesAClientToItsEnd) {
    Server server;
    TestClient client(server.port());
    ASSERT_TRUE(client.connected());
    exchange_a_message(client);
    ASSERT_TRUE(client.say("FINISH\n"));
    EXPECT_EQ(client.hear_the_end(), 0U);
    EXPECT_TRUE(server.notes("finished: 1 messages"));
    EXPECT_NE(server.notes().find("3 rounds"), std::string::npos) << server.notes();
    EXPECT_EQ(server.complaints(), "");
}

TEST(CosimServer, LinesMayComeInPieces) {
    Server server;
    TestClient client(server.port());
    const std::string text = "SEND 0 0 1 7 100 0xa 0xb 0 1 0 0\nSTOP 5000\nEND\nEND\n";
    for (const char c : text) ASSERT_TRUE(client.say(std::string(1, c)));
    std::string heard;
    while (heard.size() < 50 && heard.find("END\nEND\n") == std::string::npos) {
        const std::string more = client.hear();
        if (more.empty()) break;
        heard += more;
    }
    EXPECT_EQ(heard, "COMPLETED SEND 2000 0 1 100 0xa 0xb 0 1 0\nEND\nEND\n");
}

// All of it within the 500 bytes that a client reads at once, in one piece, however much happens at one
// instant.
TEST(CosimServer, AnswersComeInOnePiece) {
    Server server;
    TestClient client(server.port());
    for (int node = 0; node < 31; ++node) {
        ASSERT_TRUE(client.say(
            fmt::format("SEND 0 {} 31 7 100 0x56468bb645{:02x} 0x56468bb644a0 {} 31 0 0\n", node, node, node)));
    }
    std::size_t completed = 0;
    for (int round = 0; round < 40 && completed < 31; ++round) {
        const std::string answer = client.turn("2000");
        ASSERT_TRUE(answer.ends_with("END\n")) << answer;
        for (std::size_t at = 0; (at = answer.find("COMPLETED", at)) != std::string::npos; ++at) ++completed;
    }
    EXPECT_EQ(completed, 31U);
}

TEST(CosimServer, ClientsDoNotSeeEachOther) {
    Server server;
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 8; ++i) clients.push_back(std::make_unique<TestClient>(server.port()));
    for (const auto& client : clients) {
        ASSERT_TRUE(client->say("SEND 1010000 0 1 7 1048576 0xa 0xb 0 1 0 0\n"));
    }
    for (const auto& client : clients) {
        EXPECT_EQ(client->turn("1000000000"), "COMPLETED SEND 11496760 0 1 1048576 0xa 0xb 0 1 1010000\nEND\n");
    }
    std::vector<std::thread> threads;
    for (const auto& client : clients) {
        threads.emplace_back([&client] {
            for (int i = 1; i <= 200; ++i) {
                const double now = 11'496'760 + i * 1e6;
                EXPECT_TRUE(client->say(fmt::format("SEND {} 2 3 7 100 0xa 0xb 2 3 0 0\n", now)));
                EXPECT_TRUE(client->turn("2.52e+17").starts_with("COMPLETED SEND"));
            }
            EXPECT_TRUE(client->say("FINISH\n"));
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& client : clients) EXPECT_EQ(client->hear_the_end(), 0U);
    EXPECT_EQ(server.complaints(), "");
}

// As `orrery serve` has it: a network for each client, over one machine and one routing.
TEST(CosimServer, ClientsOfARealNetworkHearWhatOneAloneHears) {
    for (const char* const network : {"packet", "flow", "kpacket"}) {
        SimulationText text;
        text.machine = "ideal-fat-tree";
        text.network = network;
        text.settings = {"host.speed=1Gf", "topology.levels=2; 4,8; 1,4", "routing.policy=random"};
        if (text.network == "packet") text.settings.emplace_back("routing.per=packet");
        const Simulation simulation(text, true);
        const auto transcript = [&](std::uint16_t port) {
            const TestClient client(port);
            std::string heard;
            for (int round = 1; round <= 10; ++round) {
                for (int node = 0; node < 8; ++node) {
                    (void)client.say(fmt::format("SEND {} {} {} 7 {} 0xa 0xb {} {} 0 0\n", round * 1'000'000,
                                                 node, 31 - (node * round) % 16, 10'000 * node + 1, node,
                                                 round));
                }
                for (int turn = 0; turn < 8; ++turn)
                    heard += client.turn(std::to_string((round + 1) * 1'000'000));
            }
            return heard;
        };
        Server server(Server::options(8), [&simulation] { return simulation.network().make(); });
        const std::string alone = transcript(server.port());
        EXPECT_NE(alone.find("COMPLETED SEND"), std::string::npos) << alone;
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] { EXPECT_EQ(transcript(server.port()), alone) << network; });
        for (std::thread& thread : threads) thread.join();
    }
}

TEST(CosimServer, WhoeverDoesWrongIsClosedWithAReasonAndHarmsNobody) {
    Server server;
    TestClient good(server.port());
    ASSERT_TRUE(good.say("SEND 1010000 0 1 7 1048576 0xa 0xb 0 1 0 0\n"));
    EXPECT_EQ(good.turn("1010000"), "END\n");

    TestClient stranger(server.port());
    ASSERT_TRUE(stranger.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    (void)stranger.hear_the_end();
    EXPECT_TRUE(server.complains("unknown command 'GET'"));

    TestClient lost(server.port());
    ASSERT_TRUE(lost.say("SEND 0 0 32 7 100 0xa 0xb 0 1 0 0\n"));
    (void)lost.hear_the_end();
    EXPECT_TRUE(server.complains("node 32 does not exist"));

    TestClient endless(server.port());
    (void)endless.say(std::string(100'000, 'x')); // the server may hang up in the middle
    (void)endless.hear_the_end();
    EXPECT_TRUE(server.complains("too long"));

    TestClient junk(server.port());
    std::string bytes;
    for (int i = 0; i < 5000; ++i) bytes += static_cast<char>((i * 37) % 256);
    (void)junk.say(bytes);
    (void)junk.hear_the_end();

    {
        TestClient gone(server.port());
        ASSERT_TRUE(gone.say("SEND 0 0 1 7 100 0xa 0xb 0 1 0 0\nSTOP 10"));
    }
    EXPECT_TRUE(server.complains("without FINISH"));

    EXPECT_EQ(good.turn("1000000000"), "COMPLETED SEND 11496760 0 1 1048576 0xa 0xb 0 1 1010000\nEND\n");
    ASSERT_TRUE(good.say("FINISH\n"));
    EXPECT_EQ(good.hear_the_end(), 0U);
    // One line each.
    EXPECT_TRUE(server.notes("finished"));
    for (const char c : server.complaints()) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 127));
}

// A client that asks and never reads fills its own connection only.
TEST(CosimServer, AClientThatDoesNotReadHarmsNobody) {
    Server server;
    TestClient deaf(server.port());
    std::string many;
    for (int i = 0; i < 10'000; ++i) many += "END\n";
    (void)deaf.say(many);
    TestClient good(server.port());
    exchange_a_message(good);
} // and the server stops, though the client has not read

TEST(CosimServer, RefusesMoreClientsThanAllowed) {
    Server server(1);
    TestClient first(server.port());
    EXPECT_EQ(first.turn("0"), "END\n");
    {
        TestClient second(server.port());
        EXPECT_EQ(second.hear_the_end(), 0U);
        EXPECT_TRUE(server.complains("refused"));
    }
    ASSERT_TRUE(first.say("FINISH\n"));
    EXPECT_EQ(first.hear_the_end(), 0U);
    // There is room again, at the latest when the server next looks.
    bool served = false;
    for (int i = 0; i < 3000 && !served; ++i) {
        TestClient third(server.port());
        served = third.turn("0") == "END\n";
        if (!served) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_TRUE(served);
}

TEST(CosimServer, StopsWithClientsConnected) {
    std::unique_ptr<TestClient> client;
    {
        Server server;
        client = std::make_unique<TestClient>(server.port());
        EXPECT_EQ(client->turn("0"), "END\n");
    }
    EXPECT_EQ(client->hear_the_end(), 0U);
}

TEST(CosimServer, SaysWhyItCannotListen) {
    Server server;
    CosimServerOptions options;
    options.port = server.port(); // taken
    const auto network = [] { return std::make_unique<KnownNetwork>(Time::us(1), 0); };
    const auto log = [](CosimServer::Log, const std::string&) {};
    EXPECT_THROW(CosimServer(options, network, log), InputError);
    options.address = "localhost";
    EXPECT_THROW(CosimServer(options, network, log), UsageError);
}

} // namespace
} // namespace orrery::server_test
