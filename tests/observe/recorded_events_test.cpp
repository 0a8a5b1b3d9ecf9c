// Recordings as event logs, on random schedules: the path that the log leads back on is the critical path of
// the recording, part by part. And the table of events: what it says is enough to walk that path.
//
// ORRERY_RANDOM_SCHEDULES sets how many (2,000 unless told), ORRERY_RANDOM_SEED the first seed.
#include "observe/recorded_events.h"

#include "drivers/crossbar.h"
#include "drivers/graph/simulate.h"
#include "engine/error.h"
#include "engine/units.h"
#include "observe/critical_path.h"
#include "observe/event_path.h"
#include "observe/event_table.h"
#include "observe/temporary_file.h"
#include "reference/random_schedule.h"
#include "reference/schedules.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>

namespace orrery::recorded_events_test {
namespace {

using observe_test::contents;
using observe_test::temporary_file;

std::uint64_t told(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

struct RecordedCase {
    Recording recording;
    LogGOPS parameters;
};

// Nothing if it deadlocks.
std::optional<RecordedCase> recorded_case(std::uint64_t seed, const char* skew = "") {
    const reference::RandomCase random = reference::random_case(seed);
    RecordedCase out;
    out.parameters = random.parameters;
    const std::unique_ptr<Noise> noise =
        seed % 3 == 0 ? noise_from_distribution("period=1us duration=90ns", {}) : nullptr;
    SimulationOptions options;
    options.loggops = random.parameters;
    options.noise = noise.get();
    options.recording = &out.recording;
    options.skew = StartSkew::parse(skew, seed);
    try {
        (void)simulate(reference::build_schedule(random.ranks), options);
    } catch (const SimulationError&) {
        return std::nullopt;
    }
    return out;
}

TEST(RecordedEvents, HaveTheCriticalPathOfTheRecording) {
    const std::uint64_t first = told("ORRERY_RANDOM_SEED", 0);
    std::uint64_t ran = 0;
    for (std::uint64_t seed = first; seed < first + told("ORRERY_RANDOM_SCHEDULES", 2000); ++seed) {
        const std::optional<RecordedCase> made = recorded_case(seed);
        if (!made) continue;
        ++ran;
        EventLog log;
        log_events(made->recording, made->parameters, log);
        const EventPath path = event_path(log, {nullptr, &made->parameters, {}, nullptr});
        const CriticalPath expected = critical_path(made->recording, made->parameters);
        ASSERT_TRUE(path.consistent) << "seed " << seed;
        ASSERT_EQ(path.time, expected.time) << "seed " << seed;
        ASSERT_EQ(path.rank, expected.rank) << "seed " << seed;
        ASSERT_TRUE(*path.loggops == expected.parts) << "seed " << seed;
        ASSERT_EQ(path.in_flight, expected.in_flight) << "seed " << seed;
    }
    EXPECT_GT(ran, told("ORRERY_RANDOM_SCHEDULES", 2000) / 2);
}

// --- the table

struct Row {
    std::string kind;
    std::string how;
    std::uint64_t rank = 0;
    Time start;
    Time end;
    std::optional<std::size_t> cause;
    bool early = false;
};

Time time_of(const std::string& seconds) {
    const std::size_t dot = seconds.find('.');
    EXPECT_EQ(seconds.size() - dot, 13U) << seconds;
    return Time::ps(std::stoll(seconds.substr(0, dot) + seconds.substr(dot + 1)));
}

std::vector<Row> read_table(const EventLog& log) {
    const std::string file = temporary_file("x.events.csv");
    write_events(log, file);
    std::istringstream in(contents(file));
    std::filesystem::remove(file);
    std::vector<Row> rows;
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line, "event,kind,rank,peer,bytes,start_s,end_s,cause,how,early");
    while (std::getline(in, line)) {
        std::vector<std::string> fields;
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');) fields.push_back(cell);
        EXPECT_EQ(fields.size(), 10U) << line;
        if (fields.size() != 10) break;
        EXPECT_EQ(fields[0], std::to_string(rows.size()));
        Row row;
        row.kind = fields[1];
        row.rank = std::stoull(fields[2]);
        const bool message =
            row.kind == "send" || row.kind == "receive" || row.kind == "transfer" || row.kind == "control";
        EXPECT_EQ(fields[3].empty(), !message) << line;
        EXPECT_EQ(fields[4].empty(), !message) << line;
        row.start = time_of(fields[5]);
        row.end = time_of(fields[6]);
        if (!fields[7].empty()) row.cause = std::stoull(fields[7]);
        row.how = fields[8];
        row.early = fields[9] == "1";
        EXPECT_EQ(row.how == "none", !row.cause) << line;
        rows.push_back(row);
    }
    return rows;
}

// What is wrong with the table of a run that took `time`; empty if nothing is. As the manual tells to walk it.
std::string fault(const std::vector<Row>& rows, std::uint32_t ranks, Time time) {
    if (rows.size() < ranks) return "a rank has no end";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].cause && *rows[i].cause >= i) return fmt::format("row {} was caused by a later one", i);
        if (rows[i].end < rows[i].start) return fmt::format("row {} ends before it starts", i);
        if ((rows[i].kind == "finish") != (i + ranks >= rows.size())) return "the ends are not at the end";
    }
    const auto last = std::max_element(rows.end() - ranks, rows.end(),
                                       [](const Row& a, const Row& b) { return a.end < b.end; });
    if (last->end != time) return "nobody ends at the end";
    Time at = time;
    for (const Row* row = &*last; row->cause;) {
        const Row& cause = rows[*row->cause];
        if (!row->early && row->start == at && cause.end != at)
            return fmt::format("a gap before {} ps: {} ends at {} ps", at.ps(), cause.kind, cause.end.ps());
        at = std::min(at, cause.start);
        row = &cause;
    }
    return at == Time::zero() ? "" : fmt::format("the chain begins at {} ps", at.ps());
}

TEST(EventTable, OfRecordingsLeadsFromTheEndToTheBeginning) {
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        const std::optional<RecordedCase> made = recorded_case(seed, seed % 2 == 0 ? "uniform:50ns" : "");
        if (!made) continue;
        EventLog log;
        log_events(made->recording, made->parameters, log);
        const auto& finish = made->recording.finish;
        const Time time = *std::max_element(finish.begin(), finish.end());
        ASSERT_EQ(fault(read_table(log), made->recording.ranks, time), "") << "seed " << seed;
    }
}

TEST(EventTable, OfATraceHasAllKindsAndCauses) {
    test::ActionScript script(3);
    script.compute(0, 5000).message(0, ActionKind::send, 1, 30'000).message(0, ActionKind::send, 2, 100);
    script.compute(1, 100).message(1, ActionKind::recv, 0, 30'000).message(1, ActionKind::send, 2, 100);
    script.message(2, ActionKind::recv, 0, 100).message(2, ActionKind::recv, 1, 100).compute(2, 700);
    Settings settings;
    settings.set("endpoint.eager_limit", "1000 B", "test");
    settings.set("endpoint.send_overhead", "50ns", "test");
    settings.set("endpoint.recv_overhead", "120ns", "test");
    const std::unique_ptr<Noise> noise = noise_from_distribution("period=1us duration=90ns", {});
    EventLog log(0); // spilled
    ReplayOptions options;
    options.endpoint = read_endpoint_parameters(settings);
    options.noise = noise.get();
    options.events = &log;
    options.skew = StartSkew::parse("uniform:1us", 1);
    const ReplayPrediction prediction = test::run_on_crossbar(script, options);
    const std::vector<Row> rows = read_table(log);
    EXPECT_EQ(fault(rows, 3, prediction.base.time), "");
    std::map<std::string, int> kinds;
    std::map<std::string, int> causes;
    for (const Row& row : rows) {
        ++kinds[row.kind];
        ++causes[row.how];
    }
    EXPECT_EQ(kinds["finish"], 3);
    EXPECT_EQ(kinds["transfer"], 3);
    EXPECT_EQ(kinds["compute"], 3);
    EXPECT_EQ(kinds["receive"], 3);
    for (const char* kind : {"noise", "send", "control", "idle"}) EXPECT_GT(kinds[kind], 0) << kind;
    for (const char* how : {"none", "before", "arrival"}) EXPECT_GT(causes[how], 0) << how;
    for (std::uint32_t rank = 0; rank < 3; ++rank)
        EXPECT_EQ(rows[rows.size() - 3 + rank].end, prediction.base.ranks[rank].finish);
}

TEST(EventTable, SaysWhatCannotBeWritten) {
    EXPECT_TRUE(is_event_table("a/x.events.csv"));
    EXPECT_FALSE(is_event_table("x.csv"));
    EXPECT_THROW(write_events(EventLog(), temporary_file("no/such/folder.events.csv")), InputError);
}

} // namespace
} // namespace orrery::recorded_events_test
