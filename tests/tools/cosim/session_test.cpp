#include "tools/cosim/known_network.h"
#include "tools/cosim/session.h"

#include <gtest/gtest.h>

#include <random>

namespace orrery::session_test {
namespace {

using test::KnownNetwork;

CosimOptions nodes(std::uint32_t count, Bytes control_bytes = 0) {
    CosimOptions options;
    for (std::uint32_t node = 0; node < count; ++node) options.nodes.push_back(HostId{node});
    options.control_bytes = control_bytes;
    return options;
}

// 1 us, then 100 MB/s.
struct Conversation {
    explicit Conversation(const CosimOptions& options = nodes(2)) : session(network, options) {}
    // Lines that have no answer.
    Conversation& say(const char* line) {
        EXPECT_EQ(session.take(line), "") << line;
        return *this;
    }
    std::string turn(const char* stop) {
        EXPECT_EQ(session.take(stop), "");
        return session.take("END");
    }
    std::string refusal(const std::string& line) {
        try {
            (void)session.take(line);
        } catch (const SessionError& error) {
            return error.what();
        }
        return "no error";
    }
    KnownNetwork network{Time::us(1), 10'000};
    CosimSession session;
};

// As a Dimemas client spoke it, word by word (a message of 1 MiB after 1.01 ms).
TEST(CosimSession, TheTranscriptOfDimemas) {
    Conversation client;
    client.say("SEND 1010000 0 1 7 1048576 0x56468bb64500 0x56468bb644a0 0 1 0 0");
    EXPECT_EQ(client.turn("STOP 1010000"), "END\n");
    EXPECT_EQ(client.turn("STOP 2010000"), "END\n");
    EXPECT_EQ(client.turn("STOP 1000000000"),
              "COMPLETED SEND 11496760 0 1 1048576 0x56468bb64500 0x56468bb644a0 0 1 1010000\nEND\n");
    EXPECT_EQ(client.turn("STOP 11496760"), "END\n");
    EXPECT_EQ(client.turn("STOP 1000000000"), "END\n");
    EXPECT_FALSE(client.session.finished());
    client.say("FINISH");
    EXPECT_TRUE(client.session.finished());
    EXPECT_EQ(client.session.figures().messages, 1U);
    EXPECT_EQ(client.session.figures().bytes, 1048576U);
    EXPECT_EQ(client.session.figures().rounds, 5U);
    EXPECT_EQ(client.session.figures().last, Time::ns(11'496'760));
}

TEST(CosimSession, OlderClientsSendNoTag) {
    Conversation client;
    client.say("SEND 0 0 1 100 0xa 0xb 0 1 0 0");
    EXPECT_EQ(client.turn("STOP 5000"), "COMPLETED SEND 2000 0 1 100 0xa 0xb 0 1 0\nEND\n");
}

TEST(CosimSession, ReportsNothingLaterThanTheClientSaid) {
    Conversation client;
    client.say("SEND 0 0 1 3 100 0xa 0xb 0 1 0 0"); // there at 2000
    EXPECT_EQ(client.turn("STOP 1999.999"), "END\n");
    EXPECT_EQ(client.turn("STOP 1999.9999999999"), "END\n"); // the nearest picosecond would be later
    EXPECT_EQ(client.turn("STOP 2000"), "COMPLETED SEND 2000 0 1 100 0xa 0xb 0 1 0\nEND\n");
}

// Times go to and fro as decimals: what was reported at t is known at a STOP of t.
TEST(CosimSession, TimesSurviveTheWire) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 2000; ++i) {
        KnownNetwork network(Time::ps(static_cast<std::int64_t>(random() % 1'000'000'000'000)), 0);
        CosimSession session(network, nodes(2));
        (void)session.take("SEND 0 0 1 3 1 0xa 0xb 0 1 0 0");
        (void)session.take("STOP 2.52e+17");
        const std::string answer = session.take("END");
        double time = -1;
        ASSERT_EQ(std::sscanf(answer.c_str(), "COMPLETED SEND %lg", &time), 1) << answer;
        // As Dimemas prints it. At this very time the next message begins, and one without size arrives.
        (void)session.take(fmt::format("SEND {:.100g} 1 0 3 1 0xc 0xd 1 0 0 0", time));
        EXPECT_EQ(session.figures().drifts, 0U);
        (void)session.take("STOP 2.52e+17");
        double again = -1;
        ASSERT_EQ(std::sscanf(session.take("END").c_str(), "COMPLETED SEND %lg", &again), 1);
        EXPECT_NEAR(again, 2 * time, time * 1e-15);
    }
}

TEST(CosimSession, StopsAtTheFirstDelivery) {
    Conversation client;
    client.say("SEND 0 0 1 3 100 0xa 0xb 0 1 0 0");
    client.say("SEND 0 1 0 3 200 0xc 0xd 1 0 0 0");
    EXPECT_EQ(client.turn("STOP 2.52e+17"), "COMPLETED SEND 2000 0 1 100 0xa 0xb 0 1 0\nEND\n");
    // The client goes on from there: a message that would arrive before the second.
    client.say("SEND 2000 0 1 3 0 0xe 0xf 0 1 0 0");
    EXPECT_EQ(client.turn("STOP 2.52e+17"),
              "COMPLETED SEND 3000 1 0 200 0xc 0xd 1 0 0\nCOMPLETED SEND 3000 0 1 0 0xe 0xf 0 1 2000\nEND\n");
}

// Dimemas reads 500 bytes and does not put lines together.
TEST(CosimSession, AnswersAreShortWhateverHappensAtOnce) {
    Conversation client(nodes(100));
    for (int node = 0; node < 56; ++node) {
        client.say(fmt::format("SEND 0 {} 99 3 100 0x56468bb645{:02x} 0x56468bb646{:02x} {} 99 0 0", node, node,
                               node, node)
                       .c_str());
    }
    std::size_t completed = 0;
    for (int round = 0; round < 56 && completed < 56; ++round) {
        const std::string answer = client.turn("STOP 2000");
        EXPECT_LT(answer.size(), 500U);
        EXPECT_TRUE(answer.ends_with("\nEND\n"));
        for (std::size_t at = 0; (at = answer.find("COMPLETED SEND 2000 ", at)) != std::string::npos; ++at)
            ++completed;
    }
    EXPECT_EQ(completed, 56U);
    EXPECT_EQ(client.turn("STOP 2000"), "END\n");
    EXPECT_LE(client.session.figures().rounds, 20U); // several to an answer
}

TEST(CosimSession, ARendezvousShakesHandsOverTheNetwork) {
    // Requests and acknowledgements of 100 bytes: 2 us each. Ready at 10 us: data leaves at 12 us.
    Conversation client(nodes(2, 100));
    client.say("PROTO OK_TO_SEND 1000 0 1 3 1000 0 0");
    EXPECT_EQ(client.turn("STOP 10000"), "END\n");
    client.say("PROTO READY_TO_RECV 10000 0 1 3 1000 0xa 0xb 0 1 0 0");
    EXPECT_EQ(client.turn("STOP 2.52e+17"), "COMPLETED SEND 23000 0 1 1000 0xa 0xb 0 1 12000\nEND\n");
    EXPECT_EQ(client.network.control, 2);
    EXPECT_EQ(client.network.data, 1);
    EXPECT_EQ(client.session.figures().rendezvous, 1U);

    // Ready while the request is under way (1 us to 3 us): acknowledged at 5 us.
    Conversation early(nodes(2, 100));
    early.say("PROTO OK_TO_SEND 1000 0 1 3 1000 0 0");
    early.say("PROTO READY_TO_RECV 2000 0 1 3 1000 0xa 0xb 0 1 0 0");
    EXPECT_EQ(early.turn("STOP 2.52e+17"), "COMPLETED SEND 16000 0 1 1000 0xa 0xb 0 1 5000\nEND\n");

    // Never offered: the request leaves when the receiver is ready.
    Conversation alone(nodes(2, 100));
    alone.say("PROTO READY_TO_RECV 2000 0 1 3 1000 0xa 0xb 0 1 0 0");
    EXPECT_EQ(alone.turn("STOP 2.52e+17"), "COMPLETED SEND 17000 0 1 1000 0xa 0xb 0 1 6000\nEND\n");
}

TEST(CosimSession, WithoutBytesTheHandshakeIsTwoLatencies) {
    Conversation client(nodes(2, 0));
    client.say("PROTO OK_TO_SEND 1000 0 1 3 1000 0 0");
    client.say("PROTO READY_TO_RECV 1500 0 1 3 1000 0xa 0xb 0 1 0 0");
    EXPECT_EQ(client.turn("STOP 2.52e+17"), "COMPLETED SEND 14000 0 1 1000 0xa 0xb 0 1 3000\nEND\n");
    EXPECT_EQ(client.network.control, 0);
}

TEST(CosimSession, OffersAreTakenInOrderByPairTagAndApplication) {
    Conversation client(nodes(3, 100));
    client.say("PROTO OK_TO_SEND 0 0 1 3 1000 0 0");
    client.say("PROTO OK_TO_SEND 500 0 1 3 1000 0 0");
    client.say("PROTO OK_TO_SEND 0 0 1 4 1000 0 0");
    EXPECT_EQ(client.turn("STOP 5000"), "END\n");
    client.say("PROTO READY_TO_RECV 5000 0 1 4 1000 0xa 0xb 0 1 0 0");
    client.say("PROTO READY_TO_RECV 5000 0 1 3 1000 0xc 0xd 0 1 0 0");
    const std::string answer = client.turn("STOP 2.52e+17");
    EXPECT_NE(answer.find("COMPLETED SEND 18000 0 1 1000 0xa 0xb"), std::string::npos) << answer;
    EXPECT_NE(answer.find("COMPLETED SEND 18000 0 1 1000 0xc 0xd"), std::string::npos) << answer;
    EXPECT_EQ(client.turn("STOP 2.52e+17"), "END\n"); // one is still not wanted
}

// A client whose clock is a little behind (4.1 of the paper): its message leaves now.
TEST(CosimSession, AMessageFromThePastLeavesNow) {
    Conversation client;
    client.say("SEND 0 0 1 3 100 0xa 0xb 0 1 0 0");
    (void)client.turn("STOP 2.52e+17"); // we are at 2000
    client.say("SEND 1999.5 0 1 3 100 0xc 0xd 0 1 0 0");
    EXPECT_EQ(client.turn("STOP 2.52e+17"), "COMPLETED SEND 4000 0 1 100 0xc 0xd 0 1 2000\nEND\n");
    EXPECT_EQ(client.session.figures().drifts, 1U);
}

// What a client computes between messages takes it past events of ours: they wait for their turn.
TEST(CosimSession, AMessageFromTheFutureWaits) {
    Conversation client;
    client.say("SEND 9000 0 1 3 100 0xa 0xb 0 1 0 0");
    client.say("SEND 1000 0 1 3 100 0xc 0xd 0 1 0 0");
    EXPECT_EQ(client.turn("STOP 9000"), "COMPLETED SEND 3000 0 1 100 0xc 0xd 0 1 1000\nEND\n");
    EXPECT_EQ(client.turn("STOP 2.52e+17"), "COMPLETED SEND 11000 0 1 100 0xa 0xb 0 1 9000\nEND\n");
}

TEST(CosimSession, RefusesWhatIsNotTheProtocol) {
    for (const char* const line : {
             "HELLO",
             "send 0 0 1 3 100 0xa 0xb 0 1 0 0",
             "SEND",
             "SEND 0 0 1 3 100 0xa 0xb 0 1",       // 9
             "SEND 0 0 1 3 100 0xa 0xb 0 1 0 0 0", // 12
             "SEND x 0 1 3 100 0xa 0xb 0 1 0 0",
             "SEND -1 0 1 3 100 0xa 0xb 0 1 0 0",
             "SEND nan 0 1 3 100 0xa 0xb 0 1 0 0",
             "SEND 1e300 0 1 3 100 0xa 0xb 0 1 0 0",
             "SEND inf 0 1 3 100 0xa 0xb 0 1 0 0",
             "SEND 0 2 1 3 100 0xa 0xb 0 1 0 0", // unknown node
             "SEND 0 0 -1 3 100 0xa 0xb 0 1 0 0",
             "SEND 0 0 1 3 -100 0xa 0xb 0 1 0 0",
             "SEND 0 0 1 3 99999999999999999999999 0xa 0xb 0 1 0 0",
             "SEND 0 0 1 3 2000000000000 0xa 0xb 0 1 0 0", // too large
             "SEND 0 0 1 3 100 0x0123456789012345678901234567890123456789abcdef 0xb 0 1 0 0",
             "PROTO",
             "PROTO MAYBE 0 0 1 3 1000 0 0",
             "PROTO OK_TO_SEND 0 0 1 3 1000 0",
             "PROTO READY_TO_RECV 0 0 1 3 1000 0 0",
             "STOP",
             "STOP soon",
             "STOP 1 2",
             "\x01\x02\x03",
         }) {
        Conversation client;
        EXPECT_NE(client.refusal(line), "no error") << line;
    }
    Conversation client;
    EXPECT_NE(client.refusal(std::string("END\0END", 7)), "no error");
    EXPECT_NE(client.refusal(std::string(5000, 'x')), "no error");
    // The reason is fit for a log.
    for (const char c : client.refusal("\x1b[31mSEND\n\x07")) EXPECT_TRUE(c >= ' ' && c < 127);
    // Blank lines and the ends of lines of other systems do no harm.
    EXPECT_EQ(client.session.take(""), "");
    EXPECT_EQ(client.session.take("   "), "");
    EXPECT_EQ(client.session.take("END\r"), "END\n");
}

TEST(CosimSession, BoundsWhatIsUnderWay) {
    CosimOptions options = nodes(2);
    options.most_messages = 10;
    Conversation client(options);
    for (int i = 0; i < 10; ++i) client.say("SEND 0 0 1 3 100 0xa 0xb 0 1 0 0");
    EXPECT_NE(client.refusal("SEND 0 0 1 3 100 0xa 0xb 0 1 0 0").find("more than 10"), std::string::npos);
    Conversation offers(options);
    for (int i = 0; i < 10; ++i) offers.say("PROTO OK_TO_SEND 0 0 1 3 1000 0 0");
    EXPECT_NE(offers.refusal("PROTO OK_TO_SEND 0 0 1 3 1000 0 0").find("more than 10"), std::string::npos);
    // What was reported is under way no more.
    Conversation busy(options);
    for (int i = 0; i < 100; ++i) {
        busy.say("SEND 0 0 1 3 100 0xa 0xb 0 1 0 0");
        EXPECT_TRUE(busy.turn("STOP 2.52e+17").starts_with("COMPLETED"));
    }
}

TEST(CosimSession, CanBeCancelled) {
    CosimOptions options = nodes(2);
    options.look_around = [] { throw SessionError("time to go"); };
    Conversation client(options);
    EXPECT_NE(client.refusal("END").find("time to go"), std::string::npos);
}

// A made-up application against the session: every message is reported once, at the time that the network
// takes, and never after the STOP.
TEST(CosimSession, ReportsEveryMessageOnce) {
    std::mt19937 random(11);
    KnownNetwork network(Time::ns(500), 1'000);
    CosimSession session(network, nodes(16, 32));
    std::map<int, double> expected; // by token
    double now = 0;
    int sent = 0;
    int completed = 0;
    while (completed < 1000) {
        while (sent < 1000 && random() % 3 != 0) {
            const int from = static_cast<int>(random() % 16);
            const int to = static_cast<int>(random() % 16);
            const int bytes = static_cast<int>(random() % 5000);
            (void)session.take(
                fmt::format("SEND {:.100g} {} {} 0 {} {} e {} {} 0 0", now, from, to, bytes, sent, from, to));
            expected[sent++] = now + 500 + bytes;
        }
        const double stop = sent == 1000 ? 2.52e17 : now + static_cast<double>(random() % 3000);
        (void)session.take(fmt::format("STOP {:.100g}", stop));
        const std::string answer = session.take("END");
        std::istringstream in(answer);
        std::string word;
        bool any = false;
        while (in >> word && word == "COMPLETED") {
            double time = 0;
            double left = 0;
            int from = 0;
            int to = 0;
            int size = 0;
            int token = 0;
            std::string rest;
            ASSERT_TRUE(in >> word >> time >> from >> to >> size >> token >> rest >> from >> to >> left);
            ASSERT_EQ(expected.count(token), 1U) << "reported twice";
            EXPECT_NEAR(time, expected[token], 1e-3);
            EXPECT_LE(time, stop);
            EXPECT_GE(time, now);
            expected.erase(token);
            ++completed;
            now = time;
            any = true;
        }
        EXPECT_EQ(word, "END");
        if (!any && sent < 1000) now = stop;
    }
    EXPECT_TRUE(expected.empty());
}

} // namespace
} // namespace orrery::session_test
