// The fast simulator against the slow one on random schedules: every finish time, to the picosecond.
//
// ORRERY_RANDOM_SCHEDULES sets how many (3,000 unless told), ORRERY_RANDOM_SEED the first seed. A failure
// prints its seed and a schedule that was made as small as possible.
#include "drivers/graph/simulate.h"
#include "engine/error.h"
#include "reference/failing_case.h"
#include "reference/random_schedule.h"
#include "reference/schedules.h"
#include "reference/simulator.h"
#include "workload/patterns/pattern.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace orrery::random_schedules_test {
namespace {

using reference::RandomCase;
using reference::ReferenceResult;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

// Empty if the recording agrees with the reference: each operation once, at its time.
std::string recording_difference(const Recording& recording, const RandomCase& random,
                                 const ReferenceResult& slow) {
    if (recording.finish != slow.finish) return "recorded finish times";
    std::string wrong;
    const auto expect = [&](const Activity& a, const char* what, Time fast, Time reference) {
        if (fast == reference || !wrong.empty()) return;
        wrong = "recorded " + std::string(what) + " of rank " + std::to_string(a.rank) + " operation " +
                std::to_string(a.op) + ": " + std::to_string(fast.ps()) + " instead of " +
                std::to_string(reference.ps()) + " ps";
    };
    std::array<std::size_t, 4> recorded{}; // by ActivityKind; without control messages
    std::vector<Time> compute(recording.ranks);
    std::vector<Time> overhead(recording.ranks);
    Time latest;
    for (const Activity& a : recording.activities) {
        if (a.start < latest) return "the recording is not in order of time";
        latest = a.start;
        const Op* op = a.op < random.ranks[a.rank].ops.size() ? &random.ranks[a.rank].ops[a.op] : nullptr;
        if (op == nullptr) return "recorded an operation that does not exist";
        (a.kind == ActivityKind::calc ? compute : overhead)[a.rank] += a.end - a.start;
        if (!a.control) ++recorded.at(static_cast<std::size_t>(a.kind));
        switch (a.kind) {
        case ActivityKind::calc:
        case ActivityKind::post:
            expect(a, "start", a.start, slow.start[a.rank][a.op]);
            if (a.kind == ActivityKind::calc) expect(a, "end", a.end, slow.end[a.rank][a.op]);
            break;
        case ActivityKind::send: {
            const bool request = a.control && op->kind == OpKind::send;
            const bool handshake =
                op->size > random.parameters.S && random.parameters.rendezvous == Rendezvous::handshake;
            if (request || (!a.control && !handshake)) expect(a, "start", a.start, slow.start[a.rank][a.op]);
            break;
        }
        case ActivityKind::recv: break;
        }
    }
    std::array<std::size_t, 3> operations{}; // by OpKind
    for (const RankGraph& rank : random.ranks) {
        for (const Op& op : rank.ops) ++operations.at(static_cast<std::size_t>(op.kind));
    }
    const auto [calcs, sends, receptions, posts] = recorded;
    if (calcs != operations[2]) return "number of recorded computations";
    if (sends != operations[0] || receptions != operations[0]) return "number of recorded messages";
    if (posts > operations[1]) return "number of recorded receives"; // those that start at 0 may be left out
    if (compute != slow.compute || overhead != slow.overhead) return "recorded CPU time";
    return wrong;
}

// Empty if the two agree; otherwise, where they do not.
std::string difference(const RandomCase& random) {
    const ReferenceResult slow = reference::reference_simulate(random.ranks, random.parameters);
    SimulationOptions options;
    options.loggops = random.parameters;
    Recording recording;
    Prediction fast;
    Prediction recorded;
    try {
        const Schedule schedule = reference::build_schedule(random.ranks);
        fast = simulate(schedule, options);
        options.recording = &recording;
        recorded = simulate(schedule, options);
    } catch (const SimulationError& error) {
        return slow.deadlock ? "" : std::string("only the fast one says: ") + error.what();
    } catch (const std::exception& error) {
        return std::string("unexpected error: ") + error.what();
    }
    if (slow.deadlock) return "only the reference says that it deadlocks";

    if (fast.ranks.size() != slow.finish.size()) return "number of ranks";
    std::uint64_t messages = 0;
    Time last;
    for (std::size_t r = 0; r < slow.finish.size(); ++r) {
        const auto compare = [&](const char* what, Time ours, Time reference) {
            if (ours == reference) return std::string();
            return std::string(what) + " of rank " + std::to_string(r) + ": " + std::to_string(ours.ps()) +
                   " instead of " + std::to_string(reference.ps()) + " ps";
        };
        std::string wrong = compare("finish", fast.ranks[r].finish, slow.finish[r]);
        if (wrong.empty()) wrong = compare("compute", fast.ranks[r].compute, slow.compute[r]);
        if (wrong.empty()) wrong = compare("overhead", fast.ranks[r].overhead, slow.overhead[r]);
        if (wrong.empty()) wrong = compare("finish, when recorded,", recorded.ranks[r].finish, slow.finish[r]);
        if (!wrong.empty()) return wrong;
        for (const Op& op : random.ranks[r].ops) messages += op.kind == OpKind::send ? 1 : 0;
        last = later(last, slow.finish[r]);
    }
    if (fast.events != slow.events) return "number of events";
    if (fast.messages != messages) return "number of messages";
    if (fast.time != last) return "the predicted time is not the latest finish";
    if (fast.ranks[fast.critical_rank].finish != last) return "the critical rank is not the last";
    return recording_difference(recording, random, slow);
}

// Empty if each recorded activity started exactly when its recorded cause says.
std::string unexplained(const RandomCase& random) {
    Recording recording;
    SimulationOptions options;
    options.loggops = random.parameters;
    options.recording = &recording;
    try {
        simulate(reference::build_schedule(random.ranks), options);
    } catch (const SimulationError&) { // a deadlock has no recording
        return {};
    }
    for (std::size_t i = 0; i < recording.activities.size(); ++i) {
        const Activity& a = recording.activities[i];
        const std::string name = "activity " + std::to_string(i) + " of rank " + std::to_string(a.rank) +
                                 " at " + std::to_string(a.start.ps()) + " ps ";
        if (a.how == Cause::none) {
            if (a.start != Time::zero()) return name + "has no cause";
            continue;
        }
        if (a.cause >= i) return name + "was caused by a later one";
        const Activity& cause = recording.activities[a.cause];
        Time moment = cause.start;
        if (a.how == Cause::end) moment = cause.end;
        if (a.how == Cause::port) moment = cause.port_end;
        if (a.how == Cause::arrival) moment = cause.start + random.parameters.o + random.parameters.L;
        if (a.start != moment) {
            return name + "does not fit its cause " + std::to_string(a.cause) + " (" +
                   std::to_string(static_cast<int>(a.how)) + ") at " + std::to_string(moment.ps()) + " ps";
        }
    }
    for (std::size_t r = 0; r < recording.ranks; ++r) {
        if (recording.finish[r] == Time::zero()) continue;
        if (recording.last[r] >= recording.activities.size())
            return "rank " + std::to_string(r) + " has no last activity";
        const Activity& last = recording.activities[recording.last[r]];
        const Time end = recording.last_how[r] == Cause::partner ? last.start : last.end;
        if (end != recording.finish[r]) return "the last activity of rank " + std::to_string(r);
    }
    return {};
}

// Calls `wrong` for a range of seeds; where it answers, shows a small case of that.
template <typename Wrong> void expect_nothing_wrong(std::uint64_t first, std::uint64_t count, Wrong wrong) {
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        RandomCase random = reference::random_case(seed);
        if (seed % 3 == 0) random.parameters.ties = Ties::loggopsim;
        const std::string words = wrong(random);
        if (words.empty()) continue;
        const RandomCase small =
            reference::minimise(random, [&](const RandomCase& c) { return !wrong(c).empty(); });
        const bool handshake = small.parameters.rendezvous == Rendezvous::handshake;
        FAIL() << "seed " << seed << ": " << words << "\nminimised: " << wrong(small) << "\n"
               << to_string(small.parameters) << (handshake ? ", handshake" : ", sender-waits") << "\n"
               << reference::to_goal(small.ranks);
    }
}

std::uint64_t how_many() { return from_environment("ORRERY_RANDOM_SCHEDULES", 3000); }
std::uint64_t first_seed() { return from_environment("ORRERY_RANDOM_SEED", 0); }

TEST(RandomSchedules, FastEqualsReference) { expect_nothing_wrong(first_seed(), how_many(), difference); }

TEST(RandomSchedules, RecordingExplainsEveryStart) {
    expect_nothing_wrong(first_seed(), how_many(), unexplained);
}

TEST(SlowRandomSchedules, FastEqualsReference) { expect_nothing_wrong(1'000'000, 100'000, difference); }

// Every pattern that we can generate, at all small sizes and some parameters.
TEST(Patterns, FastEqualsReference) {
    for (const PatternInfo& info : patterns()) {
        std::size_t ran = 0;
        for (std::uint32_t ranks = 1; ranks <= 20; ++ranks) {
            RandomCase made;
            made.parameters = reference::random_case(ranks).parameters; // both protocols, sizes around S
            PatternOptions options = info.defaults;
            options.ranks = ranks;
            options.bytes = 8;
            reference::GraphCollector graphs;
            try {
                generate(*make_pattern(info.name, options), ranks, graphs);
            } catch (const UsageError&) { // not every pattern exists for every number of ranks
                continue;
            }
            ++ran;
            made.ranks = graphs.ranks;
            EXPECT_EQ(difference(made), "")
                << info.name << " with " << ranks << " ranks, " << to_string(made.parameters);
            EXPECT_FALSE(reference::reference_simulate(made.ranks, made.parameters).deadlock)
                << info.name << " with " << ranks << " ranks, " << to_string(made.parameters);
        }
        EXPECT_GT(ran, 0U) << info.name;
    }
}

// Hundreds of ranks that act alike: at each instant more happens than the event queue puts in order of ranks.
TEST(Patterns, LargeOnesEqualTheReference) {
    for (const char* name : {"dissemination", "recursive-doubling-allreduce", "gather", "scatter",
                             "binomial-bcast", "random-exchange", "shift-exchange"}) {
        RandomCase made;
        made.parameters.O = 500;
        PatternOptions options = find_pattern(name).defaults;
        options.ranks = 256;
        options.bytes = 8;
        reference::GraphCollector graphs;
        generate(*make_pattern(name, options), options.ranks, graphs);
        made.ranks = graphs.ranks;
        for (const Ties ties : {Ties::by_rank, Ties::loggopsim}) {
            made.parameters.ties = ties;
            EXPECT_EQ(difference(made), "") << name;
        }
    }
}

// Random cases are worth something only if most run to the end, some deadlock, and everything that the model
// knows occurs.
TEST(RandomSchedules, CoverTheModel) {
    std::uint64_t deadlocks = 0;
    std::uint64_t handshakes = 0;
    std::uint64_t any_sources = 0;
    std::uint64_t many_cpus = 0;
    std::uint64_t self_messages = 0;
    std::uint64_t on_start = 0;
    const std::uint64_t cases = 500;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        const RandomCase random = reference::random_case(seed);
        deadlocks += reference::reference_simulate(random.ranks, random.parameters).deadlock ? 1 : 0;
        for (std::uint32_t r = 0; r < random.ranks.size(); ++r) {
            for (const Op& op : random.ranks[r].ops) {
                const bool send = op.kind == OpKind::send;
                handshakes += send && op.size > random.parameters.S &&
                              random.parameters.rendezvous == Rendezvous::handshake;
                any_sources += op.kind == OpKind::recv && op.peer == any_source;
                many_cpus += op.cpu > 255;
                self_messages += send && op.peer == r;
            }
            for (const Dependency& d : random.ranks[r].dependencies) on_start += d.on_start;
        }
    }
    EXPECT_GT(deadlocks, cases / 20);
    EXPECT_LT(deadlocks, cases / 4);
    for (const std::uint64_t count : {handshakes, any_sources, many_cpus, self_messages, on_start}) {
        EXPECT_GT(count, 100U);
    }
}

} // namespace
} // namespace orrery::random_schedules_test
