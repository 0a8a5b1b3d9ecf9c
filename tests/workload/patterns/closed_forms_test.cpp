// The closed forms that the table of patterns states, in the slow reference simulator, to the picosecond.
// (Those of the paper itself are tested with the fast simulator, for many more sizes.)
#include "reference/schedules.h"
#include "reference/simulator.h"
#include "workload/patterns/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace orrery::closed_forms_test {
namespace {

LogGOPS nanoseconds(int L, int o, int g, double G, double O) {
    LogGOPS p;
    p.L = Time::ns(L);
    p.o = Time::ns(o);
    p.g = Time::ns(g);
    p.G = 1000 * G;
    p.O = 1000 * O;
    p.S = unlimited;
    return p;
}

struct Terms {
    Time cpu;   // o + sO
    Time busy;  // o + m
    Time gap;   // g + sG
    Time round; // 2o + L + m
    Time delta; // d

    Terms(const LogGOPS& p, Bytes size) {
        const double bytes = size == 0 ? 0 : static_cast<double>(size - 1);
        const Time sO = Time::from_ps(bytes * p.O);
        const Time sG = Time::from_ps(bytes * p.G);
        const Time m = later(sO, sG);
        cpu = p.o + sO;
        busy = p.o + m;
        gap = p.g + sG;
        round = 2 * p.o + p.L + m;
        delta = later(Time::zero(), sO - p.L);
    }
};

Time predicted(const std::string& pattern, const PatternOptions& options, const LogGOPS& parameters) {
    reference::GraphCollector graphs;
    generate(*make_pattern(pattern, options), options.ranks, graphs);
    const auto result = reference::reference_simulate(graphs.ranks, parameters);
    EXPECT_FALSE(result.deadlock);
    return *std::max_element(result.finish.begin(), result.finish.end());
}

// Rounds outlast the gap in all of these, for the sizes below.
const std::vector<LogGOPS>& parameter_sets() {
    static const std::vector<LogGOPS> sets{
        nanoseconds(2500, 1500, 4000, 6, 8),      nanoseconds(2500, 1500, 1000, 6, 0),
        nanoseconds(5300, 2300, 2000, 2.5, 1),    nanoseconds(2900, 2400, 1700, 5, 2),
        nanoseconds(1237, 311, 977, 1.0 / 3, .1), nanoseconds(0, 0, 0, 0, 0),
    };
    return sets;
}

// `formula(terms, options)` for all parameter sets, sizes and `rank_counts`; `message` is the size of one
// message.
template <typename Formula>
void expect_formula(const std::string& pattern, const std::vector<std::uint32_t>& rank_counts,
                    PatternOptions options, Formula formula) {
    for (const LogGOPS& parameters : parameter_sets()) {
        for (const Bytes size : {0u, 1u, 8u, 1000u, 40'000u}) {
            for (const std::uint32_t ranks : rank_counts) {
                options.ranks = ranks;
                options.bytes = pattern == "ring-allreduce" ? size * ranks : size;
                const Terms terms(parameters, size);
                ASSERT_LE(terms.gap, terms.delta + terms.round);
                EXPECT_EQ(predicted(pattern, options, parameters).ps(), formula(terms, ranks).ps())
                    << pattern << " over " << ranks << " ranks, " << size << " bytes";
            }
        }
    }
}

const std::vector<std::uint32_t> powers{2, 4, 8, 16, 32};
const std::vector<std::uint32_t> any{2, 3, 5, 8, 13, 16, 21};

std::int64_t log2_of(std::uint32_t ranks) { return std::bit_width(ranks - 1); }

TEST(ClosedForms, BinomialReduction) {
    expect_formula("binomial-reduce", powers, {},
                   [](const Terms& t, std::uint32_t ranks) { return log2_of(ranks) * t.round; });
}

TEST(ClosedForms, RecursiveDoublingAllreduce) {
    expect_formula("recursive-doubling-allreduce", powers, {},
                   [](const Terms& t, std::uint32_t ranks) { return log2_of(ranks) * (t.delta + t.round); });
}

TEST(ClosedForms, Rings) {
    expect_formula(
        "ring", any, {.iterations = 3, .compute = Time::us(2)},
        [](const Terms& t, std::uint32_t ranks) { return 3 * std::int64_t{ranks} * (t.round + Time::us(2)); });
    expect_formula("ring-allgather", any, {}, [](const Terms& t, std::uint32_t ranks) {
        return std::int64_t{ranks - 1} * (t.delta + t.round);
    });
    expect_formula("ring-allreduce", any, {}, [](const Terms& t, std::uint32_t ranks) {
        return 2 * std::int64_t{ranks - 1} * (t.delta + t.round);
    });
}

TEST(ClosedForms, PingPong) {
    expect_formula("ping-pong", any, {.iterations = 10},
                   [](const Terms& t, std::uint32_t) { return 20 * t.round; });
}

TEST(ClosedForms, Stars) {
    expect_formula("outcast", {4, 9}, {.root = 2, .fan = 3, .iterations = 4},
                   [](const Terms& t, std::uint32_t) { return 11 * later(t.cpu, t.gap) + t.round; });
    expect_formula("incast", {4, 9}, {.root = 2, .fan = 3},
                   [](const Terms& t, std::uint32_t) { return 2 * later(t.busy, t.gap) + t.round; });
}

TEST(ClosedForms, RandomPairs) {
    expect_formula("random-bisection", any, {}, [](const Terms& t, std::uint32_t) { return t.round; });
    expect_formula("random-exchange", any, {}, [](const Terms& t, std::uint32_t) { return t.delta + t.round; });
}

// With free communication a sweep of one octant fills the pipeline once: X + Y - 2 steps, then the blocks.
TEST(ClosedForms, SweepOfOneCorner) {
    LogGOPS free = nanoseconds(0, 0, 0, 0, 0);
    for (const std::uint32_t octants : {1u, 2u}) {
        const PatternOptions options{
            .ranks = 20, .compute = Time::us(7), .dims = {5, 4, 0}, .blocks = 6, .octants = octants};
        EXPECT_EQ(predicted("sweep", options, free), std::int64_t{5 + 4 - 2 + 6 * octants} * Time::us(7));
    }
}

// Iterations of a stencil follow one another: computation adds up, and no rank runs ahead.
TEST(ClosedForms, StencilWithFreeCommunication) {
    for (const char* pattern : {"stencil-2d", "stencil-3d"}) {
        for (const bool periodic : {false, true}) {
            const PatternOptions options{
                .ranks = 24, .iterations = 5, .compute = Time::us(7), .periodic = periodic};
            EXPECT_EQ(predicted(pattern, options, nanoseconds(0, 0, 0, 0, 0)), Time::us(35));
        }
    }
}

// Reducing takes its time on the way: once per step of a recursive doubling.
TEST(ClosedForms, ReductionCost) {
    const LogGOPS free = nanoseconds(0, 0, 0, 0, 0);
    const auto time = [&](const char* pattern, std::uint32_t ranks) {
        return predicted(pattern, {.ranks = ranks, .bytes = 1600, .reduce_cost = 500}, free);
    };
    const Time whole = Time::ns(800);
    EXPECT_EQ(time("recursive-doubling-allreduce", 16), 4 * whole);
    EXPECT_EQ(time("recursive-doubling-allreduce", 17), 5 * whole);
    EXPECT_EQ(time("dissemination", 16), 4 * whole);
    EXPECT_EQ(time("binomial-reduce", 16), 4 * whole);
    EXPECT_EQ(time("rabenseifner-allreduce", 16), Time::ns(750)); // 1/2 + 1/4 + 1/8 + 1/16 of it
    EXPECT_EQ(time("halving-doubling-allreduce", 16), Time::ns(750));
    EXPECT_EQ(time("ring-allreduce", 16), Time::ns(750));
}

} // namespace
} // namespace orrery::closed_forms_test
