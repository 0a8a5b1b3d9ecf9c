// The closed forms of the LogGOPS paper (section 3.3) hold to the picosecond, for the fast simulator at every
// size and for the reference simulator at the small ones. Per-byte costs are rounded once per message, so the
// formulas are written with the rounded values.
//
// Equations (1) and (2) are used in the form that the model really gives; the printed ones hold only where the
// same term wins both maxima (the paper's own figure 4 is an exception).
#include "drivers/graph/simulate.h"
#include "reference/schedules.h"
#include "reference/simulator.h"
#include "workload/patterns/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace orrery::equations_test {
namespace {

struct NamedSet {
    const char* name;
    LogGOPS parameters;
};

LogGOPS nanoseconds(int L, int o, int g, double G, double O, Bytes S) {
    LogGOPS p;
    p.L = Time::ns(L);
    p.o = Time::ns(o);
    p.g = Time::ns(g);
    p.G = 1000 * G;
    p.O = 1000 * O;
    p.S = S;
    return p;
}

const std::vector<NamedSet>& parameter_sets() {
    static const std::vector<NamedSet> sets{
        {"the paper's figures", nanoseconds(2500, 1500, 4000, 6, 8, 65535)},
        {"LogGOPSim's defaults", nanoseconds(2500, 1500, 1000, 6, 0, 65535)},
        {"Odin", nanoseconds(5300, 2300, 2000, 2.5, 1, 32768)},
        {"Big Red", nanoseconds(2900, 2400, 1700, 5, 2, 32768)},
        {"a GPU cluster", nanoseconds(3700, 200, 5, 0.04, 0, 0)},
        {"an HPC cluster", nanoseconds(3000, 8000, 0, 0.18, 0, 256000)},
        {"no round number", nanoseconds(1237, 311, 977, 1.0 / 3, 0.12345, 1000)},
        {"a gap longer than a round", nanoseconds(100, 50, 5000, 2, 1, 65535)},
        {"all zero", nanoseconds(0, 0, 0, 0, 0, 65535)},
    };
    return sets;
}

const std::initializer_list<Bytes> sizes{0, 1, 2, 8, 100, 1000, 1024, 16384, 65535, 65536, 131072};

// The terms that the formulas are made of, for messages of s bytes.
struct Terms {
    Time L, o, gap, cpu, byte; // gap: g + sG; cpu: o + sO; byte: max(sO, sG)
    Time round;                // one message from idle to idle: 2o + L + max(sO, sG)
    Time delta;                // equation (4)

    Terms(const LogGOPS& p, Bytes s) {
        const double bytes = s == 0 ? 0 : static_cast<double>(s - 1);
        const Time sO = Time::from_ps(bytes * p.O);
        const Time sG = Time::from_ps(bytes * p.G);
        L = p.L;
        o = p.o;
        gap = p.g + sG;
        cpu = p.o + sO;
        byte = later(sO, sG);
        round = 2 * o + L + byte;
        delta = later(Time::zero(), sO - L);
    }
};

PatternOptions options_of(const std::string& pattern, std::uint32_t ranks, Bytes bytes) {
    PatternOptions options = find_pattern(pattern).defaults;
    options.ranks = ranks;
    options.bytes = bytes;
    return options;
}

Prediction predict(const std::string& pattern, std::uint32_t ranks, Bytes bytes, const LogGOPS& parameters) {
    ScheduleBuilder builder;
    generate(*make_pattern(pattern, options_of(pattern, ranks, bytes)), ranks, builder);
    SimulationOptions options;
    options.loggops = parameters;
    return simulate(builder.take(), options);
}

Time predict_slowly(const std::string& pattern, std::uint32_t ranks, Bytes bytes, const LogGOPS& parameters) {
    reference::GraphCollector graphs;
    generate(*make_pattern(pattern, options_of(pattern, ranks, bytes)), ranks, graphs);
    const auto result = reference::reference_simulate(graphs.ranks, parameters);
    EXPECT_FALSE(result.deadlock);
    return *std::max_element(result.finish.begin(), result.finish.end());
}

// Compares `expected(ranks, terms)` with both simulators for all parameter sets and sizes.
template <typename Formula>
void expect_formula(const std::string& pattern, const std::vector<std::uint32_t>& rank_counts,
                    Formula expected) {
    for (const NamedSet& set : parameter_sets()) {
        for (const Bytes size : sizes) {
            for (const std::uint32_t ranks : rank_counts) {
                SCOPED_TRACE(pattern + ", " + set.name + ", P=" + std::to_string(ranks) +
                             ", s=" + std::to_string(size));
                const Time time = expected(ranks, Terms(set.parameters, size));
                EXPECT_EQ(predict(pattern, ranks, size, set.parameters).time.ps(), time.ps());
                if (ranks > 40) continue;
                EXPECT_EQ(predict_slowly(pattern, ranks, size, set.parameters).ps(), time.ps());
            }
        }
    }
}

std::vector<std::uint32_t> up_to(std::uint32_t last, std::initializer_list<std::uint32_t> and_more) {
    std::vector<std::uint32_t> counts;
    for (std::uint32_t p = 2; p <= last; ++p) counts.push_back(p);
    counts.insert(counts.end(), and_more);
    return counts;
}

std::int64_t ceil_log2(std::uint32_t n) {
    std::int64_t rounds = 0;
    while ((std::uint64_t{1} << rounds) < n) ++rounds;
    return rounds;
}

// (1), as the model gives it: the root sends without a pause, the last one sent to ends last.
Time scatter_time(std::uint32_t ranks, const Terms& t) {
    return std::int64_t{ranks - 2} * later(t.cpu, t.gap) + t.round;
}
// (2): all messages arrive together and the root's CPU (or NIC) takes one after the other.
Time gather_time(std::uint32_t ranks, const Terms& t) {
    return std::int64_t{ranks - 2} * later(t.o + t.byte, t.gap) + t.round;
}
// (3) where a round outlasts the gap; otherwise the root's last message, which waits for all gaps before it.
Time binomial_time(std::uint32_t power_of_two, const Terms& t) {
    const std::int64_t rounds = ceil_log2(power_of_two);
    return t.gap <= t.round ? rounds * t.round : (rounds - 1) * t.gap + t.round;
}
// (5), with the delta of (4), and the same for a gap that outlasts a round.
Time dissemination_time(std::uint32_t ranks, const Terms& t) {
    return (ceil_log2(ranks) - 1) * later(t.gap, t.delta + t.round) + t.delta + t.round;
}

TEST(Equations, Scatter) { expect_formula("scatter", up_to(17, {40, 64, 1000}), scatter_time); }

TEST(Equations, Gather) { expect_formula("gather", up_to(17, {40, 64, 1000}), gather_time); }

TEST(Equations, BinomialOfPowersOfTwo) {
    expect_formula("binomial-bcast", {2, 4, 8, 16, 32, 64, 128, 1024, 8192}, binomial_time);
}

// With any other number of ranks (3) is an upper bound; the exact time follows the tree: rank r sends to
// r + 2^j for each 2^j > r, one message after the other.
TEST(Equations, BinomialOfAnyNumber) {
    const auto time = [](std::uint32_t ranks, const Terms& t) {
        std::vector<Time> ready(ranks);
        Time last;
        for (std::uint32_t r = 0; r < ranks; ++r) {
            Time send = ready[r];
            last = later(last, ready[r]);
            for (std::uint64_t bit = 1; r + bit < ranks; bit *= 2) {
                if (bit <= r) continue;
                ready[r + bit] = send + t.round;
                send += later(t.cpu, t.gap);
            }
        }
        if (t.gap <= t.round) {
            EXPECT_LE(last, ceil_log2(ranks) * t.round);
        }
        return last;
    };
    expect_formula("binomial-bcast", up_to(40, {63, 65, 127, 1000}), time);
}

TEST(Equations, Dissemination) {
    expect_formula("dissemination", up_to(18, {40, 64, 100, 1000}), dissemination_time);
}

// The numbers of the paper's figures 4 to 7 (P = 8); figure 4's printed formula would give 72466 ns.
TEST(Equations, Figures) {
    const LogGOPS paper = parameter_sets().front().parameters;
    EXPECT_EQ(predict("scatter", 8, 1024, paper).time, Time::ns(74512));
    EXPECT_EQ(predict("gather", 8, 1024, paper).time, Time::ns(74512));
    EXPECT_EQ(predict("binomial-bcast", 8, 1, paper).time, Time::ns(16500));
    EXPECT_EQ(predict("dissemination", 8, 1, paper).time, Time::ns(16500));
}

// The older models are special cases of the same formulas.
TEST(Equations, OlderModels) {
    for (const NamedSet& set : parameter_sets()) {
        for (const char* model : {"logp", "loggp", "loggps", "loggops"}) {
            const LogGOPS p = restrict_to_model(set.parameters, model);
            for (const Bytes size : {Bytes{1}, Bytes{1024}}) {
                SCOPED_TRACE(std::string(set.name) + ", " + model + ", s=" + std::to_string(size));
                EXPECT_EQ(predict("scatter", 16, size, p).time, scatter_time(16, Terms(p, size)));
                EXPECT_EQ(predict("binomial-bcast", 16, size, p).time, binomial_time(16, Terms(p, size)));
            }
        }
        const LogGOPS logp = restrict_to_model(set.parameters, "logp");
        EXPECT_EQ(predict("scatter", 10, 5000, logp).time,
                  2 * logp.o + logp.L + 8 * later(logp.o, logp.g)); // LogP knows no bytes
    }
}

// Rank count, messages and events of the prediction itself.
TEST(Equations, Counts) {
    const Prediction p = predict("dissemination", 100, 64, parameter_sets().front().parameters);
    EXPECT_EQ(p.ranks.size(), 100U);
    EXPECT_EQ(p.messages, 700U);
    EXPECT_EQ(p.operations, 1400U);
    EXPECT_EQ(p.events, 2100U);
    EXPECT_EQ(p.bytes, 700U * 64U);
}

// At the size of the largest machines. The original ends the 8 Mi broadcast at 240977 ns, because it sends in
// a scrambled order.
TEST(SlowEquations, EightMillionRanks) {
    const LogGOPS p = nanoseconds(2500, 1500, 1000, 6, 1, 65535);
    const Prediction prediction = predict("binomial-bcast", 8U << 20U, 8, p);
    EXPECT_EQ(prediction.time, Time::ns(127'466));
    EXPECT_EQ(prediction.events, 3 * ((8ULL << 20U) - 1));
}

TEST(SlowEquations, OneMillionRanks) {
    const LogGOPS p = nanoseconds(2500, 1500, 1000, 6, 1, 65535);
    const Terms t(p, 8);
    const std::uint32_t ranks = 1U << 20U;
    EXPECT_EQ(predict("binomial-bcast", ranks, 8, p).time, Time::ns(110'840));
    EXPECT_EQ(predict("scatter", ranks, 8, p).time, scatter_time(ranks, t));
    EXPECT_EQ(predict("gather", ranks, 8, p).time, gather_time(ranks, t));
    EXPECT_EQ(predict("dissemination", ranks, 8, p).time, dissemination_time(ranks, t));
}

TEST(SlowEquations, BinomialOfAllPowersOfTwo) {
    for (std::uint32_t ranks = 2; ranks <= 1U << 18U; ranks *= 2) {
        for (const NamedSet& set : parameter_sets()) {
            const Terms t(set.parameters, 1024);
            EXPECT_EQ(predict("binomial-bcast", ranks, 1024, set.parameters).time, binomial_time(ranks, t))
                << set.name << ", P=" << ranks;
        }
    }
}

} // namespace
} // namespace orrery::equations_test
