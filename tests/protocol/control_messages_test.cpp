// The handshake of a rendezvous as messages over the network (endpoint.control_bytes), by hand-computed times.
#include "drivers/crossbar.h"
#include "drivers/graph/schedule_driver.h"
#include "formats/formats.h"
#include "formats/goal/goal_text_reader.h"
#include "network/loggops/loggops_transport.h"

#include <gtest/gtest.h>

namespace orrery::control_messages_test {
namespace {

using test::ActionScript;

ReplayOptions with_control(Bytes bytes) {
    ReplayOptions options;
    options.endpoint.control_bytes = bytes;
    return options;
}

// On the crossbar a message of B bytes takes 2 us + B ns: the request and the clear-to-send 3 us each, the data
// 102 us.
TEST(ControlMessages, TheHandshakeTakesTheTimeOfTwoMessages) {
    ActionScript script(2);
    script.message(0, ActionKind::send, 1, 100'000);
    script.message(1, ActionKind::recv, 0, 100'000);
    const ReplayPrediction prediction = test::run_on_crossbar(script, with_control(1000));
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(108));
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(108));
    EXPECT_EQ(prediction.base.messages, 1U);
    EXPECT_EQ(prediction.base.bytes, 100'000U);
}

TEST(ControlMessages, TheClearToSendWaitsForTheReceive) {
    ActionScript late(2); // the request is there at 3 us
    late.message(0, ActionKind::send, 1, 100'000);
    late.compute(1, 10000).message(1, ActionKind::recv, 0, 100'000);
    EXPECT_EQ(test::run_on_crossbar(late, with_control(1000)).base.time, Time::us(10 + 3 + 102));

    ActionScript during(2); // the receive is posted while the request is under way
    during.message(0, ActionKind::send, 1, 100'000);
    during.compute(1, 1000).message(1, ActionKind::recv, 0, 100'000);
    EXPECT_EQ(test::run_on_crossbar(during, with_control(1000)).base.time, Time::us(108));

    ActionScript early(2); // the receive waits for the send
    early.compute(0, 7000).message(0, ActionKind::isend, 1, 100'000, 4).wait(0, 4);
    early.message(1, ActionKind::recv, any_source, 100'000);
    EXPECT_EQ(test::run_on_crossbar(early, with_control(1000)).base.time, Time::us(7 + 108));
}

TEST(ControlMessages, EagerMessagesAndPlainRendezvousHaveNone) {
    ActionScript eager(2);
    eager.message(0, ActionKind::send, 1, 1000);
    eager.message(1, ActionKind::recv, 0, 1000);
    EXPECT_EQ(test::run_on_crossbar(eager, with_control(1000)).base.time, Time::us(3));

    ActionScript plain(2);
    plain.message(0, ActionKind::send, 1, 100'000);
    plain.message(1, ActionKind::recv, 0, 100'000);
    ReplayOptions options = with_control(1000);
    options.endpoint.handshake = false;
    EXPECT_EQ(test::run_on_crossbar(plain, options).base.time, Time::us(102));
}

// Interfaces of 1 us + 1 ns per byte, 2 us away. The request stands behind 10,000 eager bytes: it leaves at
// 10.999 us, arrives at 13.998 us; the answer arrives at 16.997 us, and 100,000 bytes 101.999 us later.
TEST(ControlMessages, ARequestWaitsBehindData) {
    ActionScript script(2);
    script.message(0, ActionKind::isend, 1, 10'000, 0).message(0, ActionKind::isend, 1, 100'000, 1).wait_all(0);
    script.message(1, ActionKind::irecv, 0, 10'000, 0).message(1, ActionKind::irecv, 0, 100'000, 1).wait_all(1);
    const Platform platform = test::crossbar(2);
    const LogGOPS parameters = parse_loggops("L=2us o=0 g=1us G=1ns/B O=0");
    LogGOPSTransport network(2, parameters);
    ReplayOptions options = with_control(1000);
    EXPECT_EQ(replay({{&script, Time::zero(), test::one_each(2)}}, platform, network, options).base.time,
              Time::ns(16'997 + 101'999));
    // Without load it takes a latency, but is there only when the 10,000 bytes before it are, at 11.999 us.
    script.rewind();
    LogGOPSTransport free_network(2, parameters);
    options.endpoint.control_bytes = 0;
    EXPECT_EQ(replay({{&script, Time::zero(), test::one_each(2)}}, platform, free_network, options).base.time,
              Time::ns(11'999 + 2'000 + 101'999));
}

TEST(ControlMessages, SchedulesHaveThemToo) {
    ScheduleBuilder builder("test.goal");
    read_goal_text("num_ranks 2\nrank 0 {\nsend 100000b to 1\n}\nrank 1 {\nrecv 100000b from 0\n}\n",
                   "test.goal", builder);
    const Schedule schedule = builder.take();
    const Platform platform = test::crossbar(2);
    FlowNetwork network(platform, FlowParameters{});
    EXPECT_EQ(replay(schedule, platform, test::one_each(2), network, with_control(1000)).base.time,
              Time::us(108));
}

// A network without time that writes down what it is given.
class ListedNetwork final : public Network {
  public:
    void start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override {
        log += fmt::format("data {}>{} {}; ", from.value, to.value, bytes);
        under_way.push_back({transfer, now + Time::us(1)});
    }
    void start_control(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override {
        log += fmt::format("control {}>{} {}; ", from.value, to.value, bytes);
        under_way.push_back({transfer, now + Time::us(1)});
    }
    Time next() override { return under_way.empty() ? Time::max() : under_way.front().second; }
    void advance(Time now, std::vector<TransferId>& arrived) override {
        while (!under_way.empty() && under_way.front().second <= now) {
            arrived.push_back(under_way.front().first);
            under_way.erase(under_way.begin());
        }
    }
    Time latency(HostId, HostId) override { return Time::us(1); }
    [[nodiscard]] std::string validity() const override { return {}; }

    std::string log;

  private:
    std::vector<std::pair<TransferId, Time>> under_way; // in order of time
};

TEST(ControlMessages, GoToTheNetworkAsControl) {
    ActionScript script(2);
    script.message(0, ActionKind::ssend, 1, 500);
    script.message(1, ActionKind::recv, 0, 500);
    ListedNetwork network;
    const Platform platform = test::crossbar(2);
    EXPECT_EQ(
        replay({{&script, Time::zero(), test::one_each(2)}}, platform, network, with_control(64)).base.time,
        Time::us(3));
    EXPECT_EQ(network.log, "control 0>1 64; control 1>0 64; data 0>1 500; ");
}

Settings settings(std::initializer_list<std::pair<const char*, const char*>> values) {
    Settings all;
    for (const auto& [key, value] : values) all.set(key, value, "machine.toml", 1);
    return all;
}

TEST(ControlMessages, AreSetByTheMachine) {
    const EndpointParameters parameters = read_endpoint_parameters(
        settings({{"endpoint.control_bytes", "64 B"}, {"endpoint.eager_limit", "1 KiB"}}));
    EXPECT_EQ(parameters.control_bytes, 64U);
    EXPECT_NE(describe(parameters).find("2 messages of 64 B"), std::string::npos) << describe(parameters);
    EXPECT_EQ(read_endpoint_parameters({}).control_bytes, 0U);
    EXPECT_THROW(read_endpoint_parameters(settings({{"endpoint.control_bytes", "unlimited"}})), InputError);
    EXPECT_THROW(read_endpoint_parameters(settings({{"endpoint.control_bytes", "-3"}})), InputError);
    EXPECT_THROW(
        read_endpoint_parameters(settings({{"endpoint.control_bytes", "64"}, {"endpoint.handshake", "no"}})),
        InputError);
}

} // namespace
} // namespace orrery::control_messages_test
