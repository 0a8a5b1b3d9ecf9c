// The cost formulas against the steps, run on a little LogGP machine.
#include "collectives/cost.h"
#include "collectives/symbolic.h"
#include "reference/loggp_collectives.h"

#include <bit>
#include <gtest/gtest.h>

namespace orrery::test::cost_test {
namespace {

// Odd numbers, so that no two terms are alike by chance. The gap is not larger than what a round takes anyway.
constexpr LogGp model{1000.0, 37.0, 41.0, 0.5, 0.0625};

Shape shape_of(Collective operation, std::uint32_t size, Bytes bytes) {
    Shape shape;
    shape.operation = operation;
    shape.size = size;
    shape.bytes = bytes;
    shape.element = 1;
    return shape;
}

std::vector<Collective> with_formulas() {
    return {Collective::barrier, Collective::bcast,     Collective::gather,
            Collective::scatter, Collective::allgather, Collective::alltoall,
            Collective::reduce,  Collective::allreduce, Collective::reduce_scatter_block,
            Collective::scan,    Collective::exscan};
}

TEST(CollectiveCost, FormulasAreExactWhereTheySaySo) {
    std::size_t checked = 0;
    std::size_t algorithms_with_one = 0;
    for (const Collective operation : with_formulas()) {
        for (const Algorithm& algorithm : algorithms(operation)) {
            bool any = false;
            for (const std::uint32_t size : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 12U, 15U, 16U, 31U, 32U, 64U}) {
                for (const Bytes each : {Bytes{0}, Bytes{64}, Bytes{4096}}) {
                    const Shape shape = shape_of(operation, size, each * size);
                    const CollectiveTuning tuning{algorithm.name == "pipeline" ? 256U : 0U, 0};
                    const Calls calls(shape);
                    const auto formula = cost_formula(algorithm, calls[0], tuning, model);
                    if (!formula || !algorithm.applies(calls[0])) continue;
                    if (formula->exact == Exactness::powers_of_two && !std::has_single_bit(size)) continue;
                    // Rounds must outlast the gap, and nothing must be skipped for want of data.
                    if (each == 0 && operation != Collective::barrier && algorithm.name != "recursive_doubling")
                        continue;
                    any = true;
                    ++checked;
                    const double time = loggp_time(algorithm, tuning, shape, model);
                    EXPECT_NEAR(time, formula->time, 1e-9 * formula->time + 1e-9)
                        << algorithm.name << ": " << shape.words();
                }
            }
            algorithms_with_one += any ? 1 : 0;
        }
    }
    EXPECT_GE(algorithms_with_one, 30U);
    EXPECT_GE(checked, 500U);
}

TEST(CollectiveCost, EstimatesAreNearForOtherSizes) {
    // Thakur et al.: rounds are counted up; a tree that is not full may be quicker, but not than the next
    // smaller full one.
    for (const auto& [operation, name] : {std::pair{Collective::bcast, "binomial_blocking"},
                                          std::pair{Collective::reduce, "binomial_blocking"}}) {
        const Algorithm* const algorithm = find_algorithm(operation, name);
        ASSERT_NE(algorithm, nullptr);
        for (std::uint32_t size = 3; size < 40; ++size) {
            const Shape shape = shape_of(operation, size, 4096);
            const Shape smaller = shape_of(operation, std::bit_floor(size), 4096);
            const double time = loggp_time(*algorithm, {}, shape, model);
            EXPECT_LE(time, cost_formula(*algorithm, Calls(shape)[0], {}, model)->time + 1e-9);
            EXPECT_GE(time, cost_formula(*algorithm, Calls(smaller)[0], {}, model)->time - 1e-9);
        }
    }
}

TEST(CollectiveCost, LongMessagesMakeRabenseifnerBetterThanRecursiveDoubling) {
    const Algorithm* const doubling = find_algorithm(Collective::allreduce, "recursive_doubling");
    const Algorithm* const halving = find_algorithm(Collective::allreduce, "rabenseifner");
    const auto time = [&](const Algorithm* algorithm, Bytes bytes) {
        return loggp_time(*algorithm, {}, shape_of(Collective::allreduce, 64, bytes), model);
    };
    EXPECT_LT(time(doubling, 64), time(halving, 64));
    EXPECT_GT(time(doubling, 1 << 20), 2 * time(halving, 1 << 20));
}

TEST(CollectiveCost, ThereIsNoFormulaForWhatNobodyHasWrittenDown) {
    const Algorithm* const mesh = find_algorithm(Collective::alltoall, "mesh_3d");
    ASSERT_NE(mesh, nullptr);
    EXPECT_FALSE(cost_formula(*mesh, CollectiveCall{}, {}, model).has_value());
}

} // namespace
} // namespace orrery::test::cost_test
