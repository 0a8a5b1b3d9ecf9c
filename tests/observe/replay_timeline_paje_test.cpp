#include "engine/error.h"
#include "observe/replay_timeline.h"
#include "observe/told_replay.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

namespace orrery::replay_timeline_paje_test {
namespace {

using namespace observe_test;

void write(const ToldReplay& told, const std::string& file) {
    const std::unique_ptr<ReplayTimeline> timeline = make_replay_timeline(file, told.ranks);
    told.tell(*timeline);
    EXPECT_FALSE(std::filesystem::exists(file)) << "there before it is finished";
    timeline->finish(told.end);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string run(const std::string& command, int& status) {
    std::string output;
    FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return {};
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        output.append(buffer.data(), got);
    status = ::pclose(pipe);
    return output;
}

// The trace as pajeng sees it: "State, rank 0, call, 0, 1e-06, 1e-06, 0, compute" and the like, fields apart.
void dump(const std::string& file, std::vector<std::vector<std::string>>& rows, const char* options = "") {
    int status = -1;
    const std::string output = run("pj_dump -l 12 " + std::string(options) + " " + file, status);
    ASSERT_EQ(status, 0) << output;
    for (const std::string& line : lines_of(output)) {
        std::vector<std::string> fields;
        std::istringstream in(line);
        for (std::string field; std::getline(in, field, ',');)
            fields.push_back(field.substr(std::min(field.find_first_not_of(' '), field.size())));
        rows.push_back(fields);
    }
}

TEST(ReplayTimelinePaje, IsInOrderOfTime) {
    const std::string file = temporary_file("order.paje");
    write(told_ring(7, 5), file);
    double last = 0;
    std::size_t events = 0;
    for (const std::string& line : lines_of(contents(file))) {
        if (line[0] < '4') continue; // definitions (% and 0 to 3) carry no time
        std::istringstream in(line);
        int kind = 0;
        double time = 0;
        ASSERT_TRUE(in >> kind >> time) << line;
        EXPECT_GE(time, last) << line;
        last = time;
        ++events;
    }
    // Containers made and destroyed, 4 calls and the end of each rank, two ends of each message.
    EXPECT_EQ(events, 2U * 8U + 7U * (5U * 4U + 1U) + 2U * 35U);
    std::filesystem::remove(file);
}

TEST(ReplayTimelinePaje, IsReadByPajengWithoutComplaint) {
    const ToldReplay told = told_ring(7, 5);
    const std::string file = temporary_file("ring.paje");
    write(told, file);
    std::vector<std::vector<std::string>> rows;
    dump(file, rows);
    std::vector<std::vector<std::string>> by_flex; // its other reader
    dump(file, by_flex, "-f");
    EXPECT_EQ(rows.size(), by_flex.size());
    std::map<std::string, std::size_t> kinds;
    std::map<std::string, std::map<std::string, double>> seconds; // rank, call
    for (const auto& row : rows) {
        ASSERT_GE(row.size(), 6U);
        ++kinds[row[0]];
        if (row[0] == "State") {
            ASSERT_GE(row.size(), 8U);
            EXPECT_EQ(row[2], "call");
            seconds[row[1]][row[7]] += std::stod(row[5]);
        }
        if (row[0] == "Link") {
            ASSERT_GE(row.size(), 9U);
            const std::uint32_t from = static_cast<std::uint32_t>(std::stoul(row[7].substr(5)));
            const std::uint32_t to = static_cast<std::uint32_t>(std::stoul(row[8].substr(5)));
            EXPECT_EQ((from + 1) % 7, to);
            EXPECT_NEAR(std::stod(row[5]), 2e-6, 1e-12);
        }
    }
    EXPECT_EQ(kinds["Container"], 9U); // its own root, ours, and the ranks
    EXPECT_EQ(kinds["Link"], told.messages.size());
    ASSERT_EQ(seconds.size(), 7U);
    std::map<std::string, std::map<std::string, double>> expected;
    for (const ToldCall& call : told.calls) {
        const char* const name = call.action.kind == ActionKind::compute ? "compute"
                                 : call.action.kind == ActionKind::isend ? "isend"
                                 : call.action.kind == ActionKind::recv  ? "recv"
                                                                         : "barrier";
        expected["rank " + std::to_string(call.rank)][name] += (call.end - call.begin).seconds();
    }
    for (const auto& [rank, calls] : expected) {
        for (const auto& [name, sum] : calls) EXPECT_NEAR(seconds[rank][name], sum, 1e-9) << rank << name;
    }
    std::filesystem::remove(file);
}

TEST(ReplayTimelinePaje, GivesTheBytesAndTagOfEachMessage) {
    ToldReplay told;
    told.ranks = 2;
    told.call(0, ActionKind::send, Time::zero(), Time::us(3));
    told.call(1, ActionKind::recv, Time::zero(), Time::us(4));
    told.messages.push_back({0, 1, 77, 123'456'789'012, Time::us(1), Time::us(4)});
    const std::string file = temporary_file("bytes.trace");
    write(told, file);
    std::vector<std::vector<std::string>> rows;
    dump(file, rows, "-u");
    std::size_t links = 0;
    for (const auto& row : rows) {
        if (row[0] != "Link") continue;
        ++links;
        const std::set<std::string> fields(row.begin(), row.end());
        EXPECT_EQ(fields.count("123456789012"), 1U);
        EXPECT_EQ(fields.count("77"), 1U);
    }
    EXPECT_EQ(links, 1U);
    std::filesystem::remove(file);
}

// A job that starts later, a rank that never does anything, a message that arrives after all have ended.
TEST(ReplayTimelinePaje, FillsWhatIsNotTold) {
    ToldReplay told;
    told.ranks = 3;
    told.call(0, ActionKind::compute, Time::us(5), Time::us(6));
    told.call(1, ActionKind::compute, Time::zero(), Time::us(1));
    told.call(1, ActionKind::sleep, Time::us(3), Time::us(4));
    told.messages.push_back({1, 0, 0, 8, Time::us(4), Time::us(9)});
    const std::string file = temporary_file("gaps.paje");
    write(told, file);
    std::vector<std::vector<std::string>> rows;
    dump(file, rows);
    std::map<std::string, double> idle;
    for (const auto& row : rows) {
        if (row[0] == "State" && row[7] == "idle") idle[row[1]] += std::stod(row[5]);
        if (row[0] == "Container") {
            EXPECT_NEAR(std::stod(row[4]), 9e-6, 1e-12);
        }
    }
    EXPECT_NEAR(idle["rank 0"], 8e-6, 1e-12);
    EXPECT_NEAR(idle["rank 1"], 7e-6, 1e-12);
    EXPECT_NEAR(idle["rank 2"], 9e-6, 1e-12);
    std::filesystem::remove(file);
}

TEST(ReplayTimelinePaje, IsTheSameEveryTime) {
    const std::string one = temporary_file("one.paje");
    const std::string two = temporary_file("two.paje");
    write(told_ring(16, 20), one);
    write(told_ring(16, 20), two);
    EXPECT_EQ(contents(one), contents(two));
    std::filesystem::remove(one);
    std::filesystem::remove(two);
}

TEST(ReplayTimeline, RefusesOtherNames) {
    EXPECT_THROW(make_replay_timeline("x.pdf", 2), UsageError);
    EXPECT_THROW(make_replay_timeline("paje", 2), UsageError);
    EXPECT_THROW(make_replay_timeline(temporary_file("no/such/folder/x.paje"), 2), InputError);
}

TEST(ReplayTimeline, WithoutAnEndThereIsNoFile) {
    for (const char* name : {"x.paje", "x.pftrace", "x.svg"}) {
        const std::string file = temporary_file(name);
        told_ring(3, 1).tell(*make_replay_timeline(file, 3));
        EXPECT_FALSE(std::filesystem::exists(file)) << name;
    }
}

TEST(ReplayTimeline, SeveralAreToldTheSame) {
    const ToldReplay told = told_ring(3, 2);
    const std::string alone = temporary_file("alone.paje");
    const std::string first = temporary_file("first.paje");
    const std::string second = temporary_file("second.pftrace");
    write(told, alone);
    ReplayTimelines both;
    EXPECT_TRUE(both.empty());
    both.add(make_replay_timeline(first, 3));
    both.add(make_replay_timeline(second, 3));
    told.tell(both);
    both.finish(told.end);
    EXPECT_EQ(contents(alone), contents(first));
    EXPECT_GT(contents(second).size(), 1000U);
    for (const std::string& file : {alone, first, second}) std::filesystem::remove(file);
}

} // namespace
} // namespace orrery::replay_timeline_paje_test
