// Several rails: what each rule chooses, and what that means for time.
#include "formats/load_machine.h"
#include "network/rails/rails_network.h"

#include "engine/error.h"
#include "network/flow/run_messages.h"
#include "network/flow/test_platforms.h"
#include "network/kpacket/kpacket_network.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace orrery::rails_network_test {
namespace {

using test::Message;

Machine machine(const std::string& rails) {
    return machine_from_text(R"(
[host]
[link]
bandwidth = "1 GB/s"
latency = "1 us"
[topology]
type = "crossbar"
hosts = 4
[rails]
)" + rails,
                             "rails.toml");
}

std::unique_ptr<Network> kpacket(const Machine& of) {
    return std::make_unique<KPacketNetwork>(*of.platform, KPacketParameters{});
}

std::unique_ptr<Network> side_by_side(const Rails& rails, const Machine& with) {
    std::vector<std::unique_ptr<Network>> networks;
    for (std::uint32_t i = 0; i < rails.equal; ++i) networks.push_back(kpacket(with));
    for (const Machine& beside : rails.beside) networks.push_back(kpacket(beside));
    return std::make_unique<RailsNetwork>(std::move(networks), rails, with.platform->host_count());
}

std::vector<Time> arrivals(const std::string& text, const std::vector<Message>& messages) {
    const Machine with = machine(text);
    const Rails rails = Rails::of(with);
    return test::run(*side_by_side(rails, with), messages).arrival;
}

Time last(const std::vector<Time>& when) { return *std::max_element(when.begin(), when.end()); }

std::string complaint(const std::string& text) {
    try {
        (void)Rails::of(machine(text));
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

TEST(Rails, TwoHalveTheTimeOfMany) {
    std::vector<Message> messages(8, {{0}, {1}, 1000, {}});
    EXPECT_EQ(last(arrivals("count = 1", messages)), Time::us(2) + Time::ns(8000));
    EXPECT_EQ(last(arrivals("count = 2", messages)), Time::us(2) + Time::ns(4000));
    EXPECT_EQ(last(arrivals("count = 4", messages)), Time::us(2) + Time::ns(2000));
    messages.resize(1); // one message takes one rail
    EXPECT_EQ(last(arrivals("count = 2", messages)), Time::us(2) + Time::ns(1000));
}

TEST(Rails, RoundRobinIsPerSource) {
    const auto when = arrivals("count = 2", {{{0}, {2}, 1000, {}}, {{1}, {3}, 1000, {}}, {{0}, {2}, 1000, {}}});
    for (const Time each : when) EXPECT_EQ(each, Time::us(2) + Time::ns(1000)); // both of host 0 at once
}

TEST(Rails, BySource) {
    const std::string text = "count = 2\nchoose = \"source\"";
    EXPECT_EQ(last(arrivals(text, {{{0}, {3}, 1000, {}}, {{1}, {3}, 1000, {}}})), Time::us(2) + Time::ns(1000));
    EXPECT_EQ(last(arrivals(text, {{{0}, {3}, 1000, {}}, {{2}, {3}, 1000, {}}})), Time::us(2) + Time::ns(2000));
    EXPECT_EQ(last(arrivals(text, {{{0}, {3}, 1000, {}}, {{0}, {3}, 1000, {}}})), Time::us(2) + Time::ns(2000));
}

TEST(Rails, BySize) {
    const std::string text = "count = 2\nchoose = \"size\"\nbelow = \"1 kB\"";
    const auto when =
        arrivals(text, {{{0}, {1}, 1000, {}}, {{0}, {1}, 999, {}}, {{0}, {1}, 5, {}}, {{0}, {1}, 2000, {}}});
    EXPECT_EQ(when[0], Time::us(2) + Time::ns(1000)); // 1000 is not below
    EXPECT_EQ(when[1], Time::us(2) + Time::ns(999));
    EXPECT_EQ(when[2], Time::us(2) + Time::ns(1004));
    EXPECT_EQ(when[3], Time::us(2) + Time::ns(3000));
}

TEST(Rails, ByPair) {
    const std::string text = "count = 2\nchoose = \"hash\"";
    // Always the same rail for a pair, and both are used.
    EXPECT_EQ(last(arrivals(text, {{{0}, {1}, 1000, {}}, {{0}, {1}, 1000, {}}})), Time::us(2) + Time::ns(2000));
    std::uint32_t together = 0;
    for (std::uint32_t to = 2; to < 4; ++to) {
        for (std::uint32_t from = 0; from < 4; ++from) {
            const auto when = arrivals(text, {{{from}, {1}, 1000, {}}, {{from}, {to}, 1000, {}}});
            if (from != 1 && from != to) together += last(when) > Time::us(3) ? 1 : 0;
        }
    }
    EXPECT_GT(together, 0U);
    EXPECT_LT(together, 5U);
}

TEST(Rails, ADifferentNetworkBeside) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "rails_beside";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "slow.toml") << "[link]\nlatency = \"5 us\"\nbandwidth = \"100 MB/s\"\n[topology]\n"
                                           "type = \"crossbar\"\nhosts = 4\n";
    std::ofstream(folder / "small.toml") << "[link]\nlatency = \"5 us\"\nbandwidth = \"100 MB/s\"\n[topology]\n"
                                            "type = \"crossbar\"\nhosts = 3\n";
    const std::string fast = "[link]\nlatency = \"1 us\"\nbandwidth = \"1 GB/s\"\n[topology]\n"
                             "type = \"crossbar\"\nhosts = 4\n[rails]\n";
    std::ofstream(folder / "fast.toml")
        << fast << "beside = \"slow.toml\"\nchoose = \"size\"\nbelow = \"1 kB\"\n";
    std::ofstream(folder / "wrong.toml") << fast << "beside = \"small.toml\"\n";
    const Machine with = load_machine((folder / "fast.toml").string());
    const Rails rails = Rails::of(with);
    EXPECT_EQ(rails.count(), 2U);
    EXPECT_EQ(rails.words(), "2 rails by size");
    const std::unique_ptr<Network> network = side_by_side(rails, with);
    EXPECT_EQ(network->latency({0}, {1}), Time::us(2));
    const auto when = test::run(*network, {{{0}, {1}, 100, {}}, {{0}, {1}, 1000, {}}}).arrival;
    EXPECT_EQ(when[0], Time::us(2) + Time::ns(100));
    EXPECT_EQ(when[1], Time::us(10) + Time::us(10));
    try {
        (void)Rails::of(load_machine((folder / "wrong.toml").string()));
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("'small.toml' has 3 hosts"), std::string::npos)
            << error.what();
    }
    std::filesystem::remove_all(folder);
}

TEST(Rails, NonsenseIsRefused) {
    EXPECT_NE(complaint("count = 0").find("a number from 1 to 64"), std::string::npos);
    EXPECT_NE(complaint("count = 1.5").find("a number from 1 to 64"), std::string::npos);
    EXPECT_NE(complaint("choose = \"best\"").find("round-robin, source, size or hash"), std::string::npos);
    EXPECT_NE(complaint("count = 2\nchoose = \"size\"").find("1 size in rails.below"), std::string::npos);
    EXPECT_NE(complaint("count = 3\nchoose = \"size\"\nbelow = [\"2 kB\", \"1 kB\"]").find("ascend"),
              std::string::npos);
    EXPECT_NE(complaint("count = 2\nbelow = \"2 kB\"").find("rails.choose"), std::string::npos);
    EXPECT_THROW((void)machine("cuont = 2"), InputError);
    EXPECT_EQ(complaint("count = 64"), "none");
}

} // namespace
} // namespace orrery::rails_network_test
