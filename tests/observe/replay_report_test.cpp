#include "observe/replay_report.h"

#include "engine/error.h"
#include "observe/replay_csv.h"
#include "observe/temporary_file.h"
#include "results/calls.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include <numeric>
#include <random>

namespace orrery::replay_report_test {
namespace {

using observe_test::contents;
using observe_test::temporary_file;

// Ranks that compute for so many seconds and wait for the rest of `run`.
ReplayPrediction computing(const std::vector<std::int64_t>& seconds, std::int64_t run) {
    ReplayPrediction prediction;
    prediction.base.time = Time::us(1'000'000 * run);
    prediction.base.messages = 100;
    prediction.base.bytes = 102'400;
    prediction.base.operations = 1'000;
    prediction.base.events = 1'100;
    prediction.base.simulation_seconds = 0.001;
    prediction.by_size[11] = 60; // 1 to 2 KiB
    prediction.by_size[4] = 40;
    for (const std::int64_t each : seconds) {
        CallTimes times;
        times[CallKind::compute] = Time::us(1'000'000 * each);
        times[CallKind::receive] = prediction.base.time - times[CallKind::compute];
        prediction.calls.push_back(times);
        prediction.base.ranks.push_back({prediction.base.time, times[CallKind::compute], {}, {}});
    }
    prediction.jobs.push_back(
        {0, static_cast<std::uint32_t>(seconds.size()), Time::zero(), prediction.base.time});
    return prediction;
}

ReplayContext context() {
    ReplayContext context;
    context.what = "lu.A.4";
    context.machine = "graphene";
    context.mapping = "4 ranks on 4 hosts";
    context.network = "flow";
    context.endpoint = "eager below 64 KiB";
    context.collectives = "openmpi";
    context.validity = "flows share links";
    return context;
}

std::string line_with(const std::string& text, const std::string& start) {
    const std::size_t at = text.find("  " + start);
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

// ---- efficiencies

TEST(Efficiencies, AreThoseOfTheDefinition) {
    const Efficiencies e = efficiencies_of(computing({2, 4, 6, 4}, 10), Time::us(8'000'000));
    EXPECT_DOUBLE_EQ(e.parallel, 0.4);
    EXPECT_DOUBLE_EQ(e.load_balance, 4.0 / 6);
    EXPECT_DOUBLE_EQ(e.communication, 0.6);
    EXPECT_DOUBLE_EQ(e.serialisation, 6.0 / 8);
    EXPECT_DOUBLE_EQ(e.transfer, 0.8);
    EXPECT_TRUE(e.with_ideal);
}

TEST(Efficiencies, MultiplyUp) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::int64_t> seconds(1 + random() % 20);
        for (std::int64_t& each : seconds) each = random() % 50;
        const std::int64_t longest = *std::max_element(seconds.begin(), seconds.end());
        const std::int64_t ideal = longest + 1 + static_cast<std::int64_t>(random() % 50);
        const std::int64_t run = ideal + static_cast<std::int64_t>(random() % 50);
        const Efficiencies e = efficiencies_of(computing(seconds, run), Time::us(1'000'000 * ideal));
        EXPECT_NEAR(e.parallel, e.load_balance * e.communication, 1e-12);
        EXPECT_NEAR(e.communication, e.serialisation * e.transfer, 1e-12);
        for (const double factor : {e.parallel, e.load_balance, e.communication, e.serialisation, e.transfer}) {
            EXPECT_GE(factor, 0);
            EXPECT_LE(factor, 1 + 1e-12);
        }
    }
}

TEST(Efficiencies, WithoutAnIdealRunTheLastTwoAreUnknown) {
    const Efficiencies e = efficiencies_of(computing({3, 3}, 4), Time::zero());
    EXPECT_FALSE(e.with_ideal);
    EXPECT_DOUBLE_EQ(e.parallel, 0.75);
}

TEST(Efficiencies, CountFromTheStartOfTheFirstJob) {
    ReplayPrediction prediction = computing({5, 5}, 20);
    prediction.jobs[0].start = Time::us(10'000'000);
    const Efficiencies e = efficiencies_of(prediction, Time::us(18'000'000));
    EXPECT_DOUBLE_EQ(e.parallel, 0.5);
    EXPECT_DOUBLE_EQ(e.transfer, 0.8);
}

TEST(Efficiencies, AreOfTheTimeOfAllCpus) {
    ReplayPrediction prediction = computing({10, 30}, 20);
    prediction.base.cpus = 2;
    const Efficiencies e = efficiencies_of(prediction, Time::us(15'000'000));
    EXPECT_DOUBLE_EQ(e.parallel, 0.5);
    EXPECT_DOUBLE_EQ(e.communication, 0.75);
    EXPECT_DOUBLE_EQ(e.transfer, 0.75);
    EXPECT_DOUBLE_EQ(e.serialisation, 1);
    prediction.calls[0][CallKind::receive] = Time::zero();
    prediction.calls[1][CallKind::receive] = Time::zero();
    EXPECT_EQ(line_with(summary(prediction, context()), "where it went"),
              "  where it went   compute 50.0 %, idle CPUs 50.0 %");
}

TEST(Efficiencies, OfNothingAreZero) {
    EXPECT_EQ(efficiencies_of({}, Time::zero()).parallel, 0);
    const Efficiencies idle = efficiencies_of(computing({0, 0}, 5), Time::us(1'000'000));
    EXPECT_EQ(idle.parallel, 0);
    EXPECT_EQ(idle.load_balance, 1);
    EXPECT_EQ(idle.communication, 0);
}

// ---- the summary

TEST(ReplaySummary, SaysWhereTheTimeWent) {
    ReplayPrediction prediction = computing({2, 4, 6, 4}, 10);
    prediction.base.critical_rank = 2;
    prediction.base.ranks[1].finish = Time::us(6'000'000);
    prediction.calls[1][CallKind::receive] = Time::us(2'000'000);
    prediction.efficiencies = efficiencies_of(prediction, Time::us(8'000'000));
    prediction.busiest = {{"up-1", 1e9, 0.83}, {"up-2", 1e9, 0.5}, {"up-3", 1e8, 0.25}, {"up-4", 1e7, 0.1}};
    const std::string text = summary(prediction, context());
    EXPECT_NE(text.find("lu.A.4: 4 ranks, 1,000 actions, 100 messages, 102.40 kB\n"), std::string::npos);
    EXPECT_EQ(line_with(text, "predicted time"),
              "  predicted time  10.000 s   (rank 2 ends last, the first ends at 6.000 s; no error known)");
    EXPECT_EQ(line_with(text, "where it went"),
              "  where it went   compute 40.0 %, receive 50.0 %, already finished 10.0 %");
    EXPECT_EQ(line_with(text, "efficiency"),
              "  efficiency      parallel 0.40 = load balance 0.67 x communication "
              "0.60 (serialisation 0.75 x transfer 0.80)");
    EXPECT_EQ(line_with(text, "busiest links"), "  busiest links   up-1 83.0 %, up-2 50.0 %, up-3 25.0 %");
    EXPECT_EQ(line_with(text, "message sizes"), "  message sizes   1 KiB to 2 KiB 60.0 %, 8 B to 16 B 40.0 %");
    EXPECT_EQ(line_with(text, "machine"), "  machine         graphene; 4 ranks on 4 hosts");
    EXPECT_EQ(line_with(text, "model"), "  model           flow; eager below 64 KiB; collectives as openmpi");
    EXPECT_EQ(line_with(text, "noise"), ""); // there is none
    EXPECT_EQ(line_with(text, "jobs"), "");  // only one
}

// Lines that go on from the one before begin with more blanks.
std::ptrdiff_t lines_of(const std::string& text) {
    std::istringstream all(text);
    std::ptrdiff_t count = 0;
    for (std::string each; std::getline(all, each);) {
        EXPECT_LE(each.size(), 120U) << each;
        if (!each.starts_with("                  ")) ++count;
    }
    return count;
}

TEST(ReplaySummary, HasAtMostFifteenLinesAndOneForEachWarning) {
    ReplayPrediction prediction = computing({2, 4, 6, 4}, 10);
    prediction.efficiencies = efficiencies_of(prediction, Time::us(8'000'000));
    prediction.busiest.assign(10, {"link", 1e9, 0.5});
    prediction.notes.assign(7, "something to know");
    prediction.jobs.assign(9, {0, 1, Time::us(1'000'000), Time::us(2)});
    prediction.calls[0][CallKind::other] = Time::us(100'000);
    for (std::size_t k = 0; k < 65; ++k) prediction.by_size[k] = k + 1;
    ReplayContext all = context();
    all.noise = "25 us each ms";
    all.ideal_option = "--ideal";
    const std::string text = summary(prediction, all);
    EXPECT_LE(lines_of(text), 15);
    EXPECT_NE(line_with(text, "where it went").find("other 0.2 %, not started 22.5 %"), std::string::npos)
        << text;
    EXPECT_NE(line_with(text, "message sizes").find("8 EiB to 16 EiB"), std::string::npos);
    prediction.base.warnings = {"one", std::string(40, 'w') + " " + std::string(80, 'x')};
    const std::string warned = summary(prediction, all);
    EXPECT_EQ(lines_of(warned), lines_of(text) + 2);
    EXPECT_NE(warned.find("\n  warning         one\n  warning         www"), std::string::npos) << warned;
    EXPECT_NE(warned.find("w\n                  xxx"), std::string::npos) << warned;
    all.all_links = true;
    EXPECT_EQ(lines_of(summary(prediction, all)), lines_of(warned) + 10);
}

TEST(ReplaySummary, TheErrorStandsBesideTheTime) {
    ReplayPrediction prediction = computing({2, 4}, 10);
    prediction.base.error = PredictionError{0.06, "largest error of 3 programs, validated 2026-11-18"};
    const std::string text = summary(prediction, context());
    EXPECT_EQ(line_with(text, "predicted time"),
              "  predicted time  10.000 s, +-6.0 %   (rank 0 ends last, the first ends at 10.000 s; 9.400 s to "
              "10.600 s: largest error");
    EXPECT_NE(text.find("\n                  of 3 programs, validated 2026-11-18)\n"), std::string::npos)
        << text;
}

TEST(ReplaySummary, ColourIsThereIfAskedFor) {
    ReplayPrediction prediction = computing({2, 4}, 10);
    prediction.base.warnings = {"doubtful"};
    ReplayContext plain = context();
    EXPECT_EQ(summary(prediction, plain).find('\x1b'), std::string::npos);
    plain.style.colour = true;
    const std::string text = summary(prediction, plain);
    EXPECT_NE(text.find("  \x1b[33mwarning         \x1b[0mdoubtful\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\x1b[1m10.000 s\x1b[0m   (rank"), std::string::npos) << text;
}

TEST(ReplaySummary, OfNothingIsAnswered) {
    ReplayPrediction nothing;
    const std::string text = summary(nothing, {});
    EXPECT_NE(text.find("not defined"), std::string::npos);
    EXPECT_EQ(text.find("nan"), std::string::npos);
    EXPECT_EQ(to_json(nothing, {})["ranks"], 0);
}

TEST(ReplayAdvice, NamesTheSmallestFactor) {
    const auto said = [](ReplayPrediction prediction, std::int64_t ideal) {
        prediction.efficiencies = efficiencies_of(prediction, Time::us(1'000'000 * ideal));
        ReplayContext all;
        all.ideal_option = "--ideal";
        return advice(prediction, all);
    };
    EXPECT_EQ(said(computing({97, 98, 99, 100}, 100), 100),
              "little to gain: ranks compute 98 % of the time; a faster network gains less than 1 %, a better "
              "balance "
              "at most 2 %");
    EXPECT_EQ(
        said(computing({1, 1, 1, 5}, 5), 5),
        "load balance 0.40: rank 3 computes 2.5 x the mean; an even share gains at most 60 %, a faster network "
        "less than 1 %");
    EXPECT_EQ(said(computing({4, 4}, 10), 10),
              "ranks wait for each other even on an ideal network (serialisation "
              "0.40): look at the order of work; a faster network gains less than 1 %");
    ReplayPrediction congested = computing({4, 4}, 10);
    congested.busiest = {{"backbone", 1e9, 0.9}};
    EXPECT_EQ(said(congested, 4), "a faster network gains at most 60 %; link backbone is 90 % busy: more "
                                  "bandwidth there or another mapping");
    congested.busiest[0].use = 0.02;
    EXPECT_EQ(said(congested, 4),
              "a faster network gains at most 60 %; no link is more than 2 % busy on average: "
              "latency, overheads or short bursts");
    std::swap(congested.by_size[4], congested.by_size[11]);
    EXPECT_EQ(said(congested, 0),
              "a faster network gains at most 60 %; most messages are below 1 KiB: latency and "
              "overheads count; --ideal separates its share from waiting");
    EXPECT_EQ(said(computing({0, 0}, 10), 10).substr(0, 46), "no rank computes, all is communication; lower ");
}

// ---- JSON

TEST(ReplayJson, HoldsWhatScriptsRelyOn) {
    ReplayPrediction prediction = computing({2, 4, 6, 4}, 10);
    prediction.efficiencies = efficiencies_of(prediction, Time::us(8'000'000));
    prediction.busiest = {{"up-1", 1e9, 0.83}};
    prediction.by_size[0] = 3;
    prediction.by_size[64] = 1;
    prediction.notes = {"a note"};
    ReplayContext all = context();
    nlohmann::json json = to_json(prediction, all);
    EXPECT_EQ(json["predicted_time_ps"], 10'000'000'000'000);
    EXPECT_EQ(json["ranks"], 4);
    EXPECT_EQ(json["messages"], 100);
    EXPECT_EQ(json["events"], 1'100);
    EXPECT_EQ(json["operations"], 1'000);
    EXPECT_EQ(json["bytes"], 102'400);
    EXPECT_EQ(json["simulation_seconds"], 0.001);
    EXPECT_GT(json["peak_rss_bytes"], 1'000'000);
    EXPECT_EQ(json["critical_rank"], 0);
    EXPECT_DOUBLE_EQ(json["efficiencies"]["transfer"], 0.8);
    EXPECT_EQ(json["links"][0]["name"], "up-1");
    EXPECT_EQ(json["messages_by_size"][0],
              (nlohmann::json{{"from_bytes", 0}, {"to_bytes", 0}, {"messages", 3}}));
    EXPECT_EQ(json["messages_by_size"][1],
              (nlohmann::json{{"from_bytes", 8}, {"to_bytes", 15}, {"messages", 40}}));
    EXPECT_EQ(json["messages_by_size"][3]["to_bytes"], 18'446'744'073'709'551'615U);
    EXPECT_EQ(json["jobs"][0]["finish_ps"], 10'000'000'000'000);
    EXPECT_EQ(json["notes"], nlohmann::json::array({"a note"}));
    EXPECT_EQ(json["model"]["network"], "flow");
    EXPECT_EQ(json["model"]["noise"], "");
    EXPECT_DOUBLE_EQ(json["rank_seconds"]["compute"], 16);
    EXPECT_EQ(json.count("finish_times_ps"), 0U);

    all.per_rank = true;
    json = to_json(prediction, all);
    ASSERT_EQ(json["finish_times_ps"].size(), 4U);
    std::int64_t sum = 0;
    for (const char* kind : {"compute", "send", "receive", "wait", "collective", "other"}) {
        ASSERT_EQ(json[std::string(kind) + "_times_ps"].size(), 4U) << kind;
        sum += json[std::string(kind) + "_times_ps"][2].get<std::int64_t>();
    }
    EXPECT_EQ(sum, json["finish_times_ps"][2]);
}

TEST(ReplayJson, LeavesOutWhatIsNotKnown) {
    const nlohmann::json json = to_json(computing({1}, 2), {});
    EXPECT_EQ(json["efficiencies"].count("transfer"), 0U);
    EXPECT_TRUE(json["links"].empty());
    EXPECT_EQ(json["model"].size(), 8U); // the keys of every workload
    for (const nlohmann::json& each : json["model"]) EXPECT_EQ(each, "");
}

// ---- packets

ReplayPrediction with_packets() {
    ReplayPrediction prediction = computing({1, 2}, 4);
    prediction.busiest = {{"s1 port 3", 1e6, 0.5, Time::us(7)}};
    PacketFigures packets;
    packets.segment_hops = 12345;
    packets.latency_histogram = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 90, 8, 1, 1}; // 512 to 1023 ns, ...
    packets.blocked = {{"s1 port 3", 1e6, 0.5, Time::us(7)}, {"s2 port 1", 1e6, 0.5, Time::ns(20)}};
    prediction.packets = packets;
    return prediction;
}

TEST(ReplayReport, PacketsHaveALineOfTheirOwn) {
    const std::string text = summary(with_packets(), context());
    EXPECT_NE(
        text.find(
            "  packets         half of the messages take less than 1.024 us, 99 % less than 4.096 us, all less "
            "than 8.192 us;\n                  head-of-line blocking behind s1 port 3 7.000 us, s2 port 1 "
            "20.000 ns\n"),
        std::string::npos)
        << text;
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 15);
    ReplayPrediction quiet = with_packets();
    quiet.packets->blocked.clear();
    quiet.packets->latency_histogram.clear();
    EXPECT_EQ(line_with(summary(quiet, context()), "packets"), "  packets         no head-of-line blocking");
    EXPECT_EQ(line_with(summary(computing({1}, 2), context()), "packets"), "");
}

TEST(ReplayReport, PacketsInJson) {
    const nlohmann::json json = to_json(with_packets(), context());
    EXPECT_EQ(json["packets"]["segment_hops"], 12345);
    ASSERT_EQ(json["packets"]["latency_histogram"].size(), 4U);
    EXPECT_EQ(json["packets"]["latency_histogram"][0]["from_ns"], 512);
    EXPECT_EQ(json["packets"]["latency_histogram"][0]["to_ns"], 1023);
    EXPECT_EQ(json["packets"]["latency_histogram"][0]["messages"], 90);
    EXPECT_EQ(json["packets"]["head_of_line_blocking"][1]["name"], "s2 port 1");
    EXPECT_EQ(json["packets"]["head_of_line_blocking"][1]["blocked_ps"], 20'000);
    EXPECT_EQ(json["links"][0]["blocked_ps"], 7'000'000);
    EXPECT_EQ(to_json(computing({1}, 2), {}).count("packets"), 0U);
}

// ---- CSV

TEST(ReplayCsv, WritesTheTableThatTheNameAsksFor) {
    ReplayPrediction prediction = computing({2, 4}, 10);
    prediction.calls[1][CallKind::compute] = Time::ps(4'000'000'000'001);
    prediction.busiest = {{"a \"b\", c", 12.5, 0.25}};
    prediction.jobs = {{0, 1, {}, {}}, {1, 1, {}, {}}};
    const std::string ranks = temporary_file("x.csv");
    const std::string links = temporary_file("x.links.csv");
    const std::string sizes = temporary_file("x.sizes.csv");
    for (const std::string& file : {ranks, links, sizes}) write_replay_csv(prediction, file);
    EXPECT_EQ(contents(ranks),
              "rank,job,finish_s,compute_s,send_s,receive_s,wait_s,collective_s,other_s\n"
              "0,0,10.000000000000,2.000000000000,0.000000000000,8.000000000000,0.000000000000,0.000000000000,"
              "0.000000000000\n"
              "1,1,10.000000000000,4.000000000001,0.000000000000,6.000000000000,0.000000000000,0.000000000000,"
              "0.000000000000\n");
    EXPECT_EQ(contents(links), "link,bytes,use,blocked_s\n\"a \"\"b\"\", c\",12.5,0.25,0.000000000000\n");
    EXPECT_EQ(contents(sizes), "from_bytes,to_bytes,messages\n8,15,40\n1024,2047,60\n");
    for (const std::string& file : {ranks, links, sizes}) std::filesystem::remove(file);
}

TEST(ReplayCsv, RefusesOtherNames) {
    EXPECT_THROW(write_replay_csv({}, "x.txt"), UsageError);
    EXPECT_THROW(check_replay_csv_name("csv"), UsageError);
    EXPECT_NO_THROW(check_replay_csv_name("x.csv"));
    EXPECT_THROW(write_replay_csv({}, temporary_file("no/such/folder/x.csv")), InputError);
}

// ---- calls

TEST(Calls, HaveANumberANameAndAKind) {
    Action action;
    EXPECT_EQ(call_name(call_number(action)), "compute");
    EXPECT_EQ(call_kind(action), CallKind::compute);
    action.kind = ActionKind::comm_free;
    EXPECT_EQ(call_name(call_number(action)), "comm_free");
    EXPECT_EQ(call_kind(action), CallKind::other);
    action.kind = ActionKind::wait_some;
    EXPECT_EQ(call_name(call_number(action)), "waitsome");
    EXPECT_EQ(call_kind(action), CallKind::wait);
    action.kind = ActionKind::collective;
    action.collective = Collective::neighbor_alltoallw;
    EXPECT_EQ(call_name(call_number(action)), "neighbor_alltoallw");
    action.nonblocking = true;
    EXPECT_EQ(call_name(call_number(action)), "ineighbor_alltoallw");
    EXPECT_EQ(call_number(action), first_window_call - 1);
    EXPECT_EQ(call_kind(action), CallKind::collective);
}

TEST(Calls, OfOneSidedCommunicationHaveNamesOfTheirOwn) {
    const auto window = [](WindowCall call) {
        Action action;
        action.kind = ActionKind::window;
        action.other = static_cast<std::uint32_t>(call);
        return action;
    };
    EXPECT_EQ(call_name(call_number(window(WindowCall::fence))), "win_fence");
    EXPECT_EQ(call_kind(window(WindowCall::fence)), CallKind::collective);
    EXPECT_EQ(call_name(call_number(window(WindowCall::lock))), "win_lock");
    EXPECT_EQ(call_kind(window(WindowCall::lock)), CallKind::wait);
    EXPECT_EQ(call_name(call_number(window(WindowCall::wait))), "win_wait");
    EXPECT_EQ(call_kind(window(WindowCall::wait)), CallKind::wait);
    Action action;
    action.kind = ActionKind::one_sided;
    EXPECT_EQ(call_name(call_number(action)), "rma");
    EXPECT_EQ(call_kind(action), CallKind::send);
    action.nonblocking = true;
    EXPECT_EQ(call_name(call_number(action)), "irma");
    EXPECT_EQ(call_kind(action), CallKind::send);
    action.kind = ActionKind::cancel;
    EXPECT_EQ(call_name(call_number(action)), "cancel");
    EXPECT_EQ(call_kind(action), CallKind::other);
    action.kind = ActionKind::aside;
    EXPECT_EQ(call_name(call_number(action)), "aside");
    EXPECT_EQ(call_kind(action), CallKind::collective);
}

TEST(Calls, ANumberGivesAnActionThatHasIt) {
    for (std::size_t number = 0; number < call_numbers; ++number) {
        const Action action = action_of_call(number);
        // Two kinds have numbers for each of their calls instead.
        if (number < action_kinds &&
            (action.kind == ActionKind::collective || action.kind == ActionKind::window))
            continue;
        EXPECT_EQ(call_number(action), number);
        EXPECT_FALSE(call_name(number).empty());
    }
}

} // namespace
} // namespace orrery::replay_report_test
