// Clients of the co-simulation that are silent, slow, gone or hostile: they harm nobody, and the server ends
// when it is told to.
#include "tools/cosim/test_client.h"
#include "tools/cosim/test_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <random>
#include <vector>

namespace orrery::hostile_clients_test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using test::KnownNetwork;
using test::TestClient;
using test::TestServer;

// A message to node 31 never arrives: the network works on it without end, a millisecond for each microsecond.
// The others take their usual time.
class EndlessNetwork final : public Network {
  public:
    void start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override {
        if (to.value == 31) {
            endless_ = true;
        } else {
            known_.start(transfer, from, to, bytes, now);
        }
        now_ = now;
    }
    Time next() override { return endless_ ? std::min(known_.next(), now_ + Time::us(1)) : known_.next(); }
    Time next_until(Time limit) override {
        while (endless_ && now_ + Time::us(1) < limit && now_ + Time::us(1) < known_.next()) {
            now_ += Time::us(1);
            std::this_thread::sleep_for(1ms);
        }
        return endless_ ? std::max(limit, now_ + Time::us(1)) : known_.next();
    }
    void advance(Time now, std::vector<TransferId>& arrived) override {
        now_ = now;
        known_.advance(now, arrived);
    }
    Time latency(HostId from, HostId to) override { return known_.latency(from, to); }
    [[nodiscard]] std::string validity() const override { return "endless"; }

  private:
    KnownNetwork known_{Time::us(1), 10'000};
    Time now_;
    bool endless_ = false;
};

std::unique_ptr<Network> endless() { return std::make_unique<EndlessNetwork>(); }

const char* const endless_turn = "SEND 0 0 31 7 100 0xa 0xb 0 31 0 0\nSTOP 1e15\nEND\n";

// A message of 1 MiB, and what a client hears of it.
bool is_served(const TestClient& client) {
    return client.say("SEND 1010000 0 1 7 1048576 0xa 0xb 0 1 0 0\n") &&
           client.turn("1000000000") == "COMPLETED SEND 11496760 0 1 1048576 0xa 0xb 0 1 1010000\nEND\n";
}

TEST(HostileClients, ServerStopsInTheMiddleOfATurn) {
    Clock::time_point told;
    {
        TestServer server(TestServer::options(4), endless);
        TestClient client(server.port());
        ASSERT_TRUE(client.say(endless_turn));
        EXPECT_TRUE(server.notes("connected"));
        std::this_thread::sleep_for(50ms);
        told = Clock::now();
    }
    EXPECT_LT(Clock::now() - told, 1s);
}

TEST(HostileClients, WorkForAClientThatHasGoneIsDropped) {
    TestServer server(TestServer::options(1), endless);
    {
        TestClient client(server.port());
        ASSERT_TRUE(client.say(endless_turn));
    }
    EXPECT_TRUE(server.complains("went away while it waited"));
}

// A client that says everything at once and closes its side may still read.
TEST(HostileClients, AHalfClosedConnectionIsServed) {
    TestServer server(TestServer::options(1),
                      [] { return std::make_unique<KnownNetwork>(Time::us(1), 10'000); });
    TestClient client(server.port());
    ASSERT_TRUE(client.say("SEND 0 0 1 7 100 0xa 0xb 0 1 0 0\nSTOP 5000\nEND\nFINISH\n"));
    client.close_own_side();
    EXPECT_EQ(client.hear(), "COMPLETED SEND 2000 0 1 100 0xa 0xb 0 1 0\nEND\n");
    EXPECT_TRUE(server.notes("finished"));
}

TEST(HostileClients, SilentAndSlowOnesTimeOut) {
    CosimServerOptions options = TestServer::options(2);
    options.greeting_timeout = 500ms;
    options.idle_timeout = 500ms;
    TestServer server(options);
    TestClient silent(server.port());
    TestClient slow(server.port()); // a character now and then, never a line
    std::atomic<bool> enough = false;
    std::thread typing([&] {
        while (!enough && slow.say("x")) std::this_thread::sleep_for(10ms);
    });
    EXPECT_TRUE(server.complains("it said nothing"));
    EXPECT_EQ(silent.hear_the_end(), 0U);
    EXPECT_EQ(slow.hear_the_end(), 0U);
    enough = true;
    typing.join();

    TestClient tired(server.port()); // it speaks once
    EXPECT_EQ(tired.turn("0"), "END\n");
    EXPECT_EQ(tired.hear_the_end(), 0U);
    EXPECT_TRUE(server.complains("nothing was heard of it for too long"));

    std::string many;
    for (int i = 0; i < 200'000; ++i) many += "END\n";
    // On a busy computer it may be taken for a silent one before it begins: then again.
    bool noticed = false;
    for (int i = 0; i < 20 && !noticed; ++i) {
        const TestClient deaf(server.port());
        (void)deaf.say(many); // until the server hangs up
        std::this_thread::sleep_for(50ms);
        noticed = server.complaints().find("does not read") != std::string::npos;
    }
    EXPECT_TRUE(noticed) << server.complaints();
}

// All places are taken by clients that say nothing: after their time there is room again.
TEST(HostileClients, SilentOnesDoNotLockOthersOut) {
    CosimServerOptions options = TestServer::options(4);
    options.greeting_timeout = 100ms;
    TestServer server(options);
    std::vector<std::unique_ptr<TestClient>> silent;
    for (int i = 0; i < 4; ++i) silent.push_back(std::make_unique<TestClient>(server.port()));
    bool served = false;
    for (int i = 0; i < 1000 && !served; ++i) {
        const TestClient client(server.port());
        served = is_served(client);
        if (!served) std::this_thread::sleep_for(10ms);
    }
    EXPECT_TRUE(served);
}

// Hostile clients of all kinds beside good ones, for three seconds, longer on a busy computer: every good one
// hears just what it would alone.
TEST(HostileClients, Soak) {
    CosimServerOptions options = TestServer::options(64);
    options.greeting_timeout = 300ms;
    options.idle_timeout = 300ms;
    TestServer server(options, endless);
    std::atomic<int> good = 0;
    std::atomic<int> hostile = 0;
    const auto goes_on = [&, begin = Clock::now()] {
        const auto since = Clock::now() - begin;
        return since < 3s || (since < 60s && (good <= 10 || hostile <= 50));
    };
    const auto garbage = [](std::mt19937& random) {
        std::string text(random() % 3000, ' ');
        for (char& c : text) c = static_cast<char>(random() % 256);
        return text;
    };
    const std::vector<std::function<void(std::mt19937&)>> attacks = {
        [&](std::mt19937& random) { (void)TestClient(server.port()).say(garbage(random)); },
        [&](std::mt19937&) { (void)TestClient(server.port()).say(endless_turn); },
        [&](std::mt19937&) { (void)TestClient(server.port()); },
        [&](std::mt19937&) {
            (void)TestClient(server.port()).say("SEND 0 0 1 7 1099511627776 a b 0 1 0 0\nSTOP");
        },
        [&](std::mt19937&) { (void)TestClient(server.port()).say(std::string(100'000, 'x')); },
        [&](std::mt19937&) {
            const TestClient client(server.port());
            std::string many;
            for (int i = 0; i < 20'000; ++i) many += "SEND 0 0 1 7 1 a b 0 1 0 0\n";
            (void)client.say(many + "STOP 1e18\nEND\nEND\n");
        },
        [&](std::mt19937&) {
            const TestClient client(server.port());
            std::this_thread::sleep_for(20ms);
        },
    };
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 4; ++seed) {
        threads.emplace_back([&, seed] {
            std::mt19937 random(seed);
            while (goes_on()) {
                attacks[random() % attacks.size()](random);
                ++hostile;
            }
        });
    }
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
            while (goes_on()) {
                const TestClient client(server.port());
                if (!client.connected() || client.turn("0") != "END\n") { // no place was free
                    std::this_thread::sleep_for(1ms);
                    continue;
                }
                EXPECT_TRUE(is_served(client));
                ++good;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_GT(good, 10);
    EXPECT_GT(hostile, 50);
    for (const char c : server.complaints()) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 127));
}

} // namespace
} // namespace orrery::hostile_clients_test
