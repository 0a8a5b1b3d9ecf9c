// Every algorithm, for every number of ranks: each rank gets what it must, whether sends are buffered or not.
#include "collectives/algorithms.h"
#include "collectives/symbolic.h"

#include <gtest/gtest.h>
#include <set>

namespace orrery::test::algorithms_test {
namespace {

// Counts that differ, some of them zero.
std::vector<Bytes> uneven(std::uint32_t size, Bytes bytes, Bytes element, std::uint32_t salt) {
    std::vector<Bytes> counts;
    for (std::uint32_t i = 0; i < size; ++i) {
        const std::uint32_t odd = (i + salt) % 5;
        counts.push_back(odd == 3 ? 0 : (bytes / element + odd) * element);
    }
    return counts;
}

Shape make_shape(Collective operation, std::uint32_t size, std::uint32_t root, Bytes bytes, Bytes element) {
    Shape shape;
    shape.operation = operation;
    shape.size = size;
    shape.root = root;
    shape.bytes = bytes;
    shape.element = element;
    shape.counts = uneven(size, bytes, element, 0);
    for (std::uint32_t r = 0; r < size; ++r) {
        shape.matrix.push_back(uneven(size, bytes, element, r));
        // A ring with both neighbours, itself now and then, and one neighbour twice.
        std::vector<std::uint32_t> edges{(r + 1) % size, (r + size - 1) % size};
        if (r % 3 == 0) edges.push_back(r);
        if (r % 4 == 1) edges.push_back((r + 1) % size);
        shape.edges.push_back(edges);
    }
    return shape;
}

bool reduces(Collective operation) {
    switch (operation) {
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
    case Collective::scan:
    case Collective::exscan: return true;
    default: return false;
    }
}

bool may_be_in_place(Collective operation) {
    switch (operation) {
    case Collective::barrier:
    case Collective::bcast:
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw: return false;
    default: return true;
    }
}

std::set<std::uint32_t> roots_of(Collective operation, std::uint32_t size) {
    if (!has_root(operation)) return {0};
    return {0, size / 2, size - 1};
}

// No algorithm here needs buffering. SimGrid's barrier that is none has no cycle either.
void expect_fine(const Algorithm& algorithm, const Shape& shape, CollectiveTuning tuning = {}) {
    if (!algorithm.moves_data) return; // not what MPI prescribes, on purpose
    for (const Sending sending : {Sending::buffered, Sending::synchronous}) {
        const Outcome outcome = run_symbolically(algorithm, tuning, shape, sending);
        ASSERT_EQ(outcome.problem, "")
            << algorithm.name << ": " << shape.words() << ", segment " << tuning.segment << ", fanout "
            << tuning.fanout << (sending == Sending::buffered ? ", buffered" : ", synchronous");
    }
}

class EveryAlgorithm : public testing::TestWithParam<Collective> {};

TEST_P(EveryAlgorithm, GivesEachRankWhatItMust) {
    for (const Algorithm& algorithm : algorithms(GetParam())) {
        for (const std::uint32_t size : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 12U, 16U, 17U}) {
            for (const std::uint32_t root : roots_of(GetParam(), size)) {
                for (const Bytes bytes : {Bytes{0}, Bytes{8}, Bytes{1000}, Bytes{40000}}) {
                    if (HasFatalFailure()) return;
                    expect_fine(algorithm, make_shape(GetParam(), size, root, bytes, 4));
                }
            }
        }
    }
}

class EveryReduction : public testing::TestWithParam<Collective> {};

TEST_P(EveryReduction, KeepsTheOrderOfOperandsIfTheyDoNotCommute) {
    for (const Algorithm& algorithm : algorithms(GetParam())) {
        for (const std::uint32_t size : {1U, 2U, 3U, 4U, 6U, 7U, 8U, 13U}) {
            for (const std::uint32_t root : roots_of(GetParam(), size)) {
                if (HasFatalFailure()) return;
                Shape shape = make_shape(GetParam(), size, root, 1000, 8);
                shape.commutative = false;
                expect_fine(algorithm, shape);
            }
        }
    }
}

class EveryAlgorithmInPlace : public testing::TestWithParam<Collective> {};

TEST_P(EveryAlgorithmInPlace, GivesEachRankWhatItMust) {
    for (const Algorithm& algorithm : algorithms(GetParam())) {
        for (const std::uint32_t size : {1U, 2U, 5U, 7U, 8U}) {
            for (const std::uint32_t root : roots_of(GetParam(), size)) {
                if (HasFatalFailure()) return;
                Shape shape = make_shape(GetParam(), size, root, 1000, 4);
                // In place, what goes is what comes: the matrix must be symmetric.
                for (std::uint32_t r = 0; r < size; ++r) {
                    for (std::uint32_t s = 0; s < r; ++s) shape.matrix[r][s] = shape.matrix[s][r];
                }
                shape.in_place = true;
                expect_fine(algorithm, shape);
            }
        }
    }
}

TEST_P(EveryAlgorithm, WorksWithSegmentsAndFanouts) {
    for (const Algorithm& algorithm : algorithms(GetParam())) {
        for (const std::uint32_t size : {2U, 5U, 8U, 11U}) {
            for (const CollectiveTuning tuning : {CollectiveTuning{512, 1}, CollectiveTuning{100, 3},
                                                  CollectiveTuning{1, 8}, CollectiveTuning{~Bytes{0}, 1000}}) {
                if (HasFatalFailure()) return;
                expect_fine(algorithm,
                            make_shape(GetParam(), size, has_root(GetParam()) ? size / 2 : 0, 1024, 8), tuning);
            }
        }
    }
}

TEST_P(EveryAlgorithm, WorksHoweverTheRanksLieOnTheNodes) {
    for (const Algorithm& algorithm : algorithms(GetParam())) {
        for (const std::uint32_t size : {1U, 4U, 7U, 12U}) {
            for (const std::uint32_t root : roots_of(GetParam(), size)) {
                for (const std::uint32_t mapping : {0U, 1U, 2U, 3U}) {
                    if (HasFatalFailure()) return;
                    Shape shape = make_shape(GetParam(), size, root, 3000, 4);
                    for (std::uint32_t r = 0; r < size; ++r) {
                        // Blocks of four; round robin over three; all on one; uneven.
                        const std::uint32_t node = mapping == 0   ? r / 4
                                                   : mapping == 1 ? r % 3
                                                   : mapping == 2 ? 7
                                                                  : r * r / 9;
                        shape.node_of.push_back(node);
                    }
                    expect_fine(algorithm, shape);
                }
            }
        }
    }
}

std::string operation_name(const testing::TestParamInfo<Collective>& info) {
    return std::string(name_of(info.param));
}

std::vector<Collective> operations(bool (*which)(Collective)) {
    std::vector<Collective> all;
    for (std::size_t i = 0; i < collective_count; ++i) {
        if (which(static_cast<Collective>(i))) all.push_back(static_cast<Collective>(i));
    }
    return all;
}
std::vector<Collective> all_operations() {
    return operations([](Collective) { return true; });
}

INSTANTIATE_TEST_SUITE_P(Collectives, EveryAlgorithm, testing::ValuesIn(all_operations()), operation_name);
INSTANTIATE_TEST_SUITE_P(Collectives, EveryReduction, testing::ValuesIn(operations(reduces)), operation_name);
INSTANTIATE_TEST_SUITE_P(Collectives, EveryAlgorithmInPlace, testing::ValuesIn(operations(may_be_in_place)),
                         operation_name);

TEST(EveryBarrier, LetsNobodyGoBeforeAllHaveCome) {
    for (const Algorithm& algorithm : algorithms(Collective::barrier)) {
        if (algorithm.name == "linear_nonblocking") continue; // SimGrid's nonblocking one, which is none
        for (std::uint32_t size = 1; size < 70; ++size) {
            for (const std::uint32_t fanout : {0U, 3U, 5U}) {
                Shape shape = make_shape(Collective::barrier, size, 0, 0, 1);
                for (std::uint32_t r = 0; r < size; ++r) shape.node_of.push_back(r / 3);
                const Outcome outcome = run_symbolically(algorithm, {0, fanout}, shape, Sending::synchronous);
                EXPECT_EQ(outcome.problem, "") << algorithm.name << " of " << size;
                EXPECT_TRUE(outcome.synchronised) << algorithm.name << " of " << size << ", fanout " << fanout;
            }
        }
    }
    // The proof can fail.
    const Algorithm* const none = find_algorithm(Collective::barrier, "linear_nonblocking");
    EXPECT_FALSE(run_symbolically(*none, {}, make_shape(Collective::barrier, 4, 0, 0, 1), Sending::synchronous)
                     .synchronised);
}

// What moves too little, or combines operands twice, says so; LogGOPSim's dissemination does neither for powers
// of two.
TEST(AlgorithmsOfSchedules, SayIfTheyDoNotDoWhatMpiSays) {
    for (std::size_t i = 0; i < collective_count; ++i) {
        for (const Algorithm& algorithm : algorithms(static_cast<Collective>(i))) {
            if (algorithm.moves_data) continue;
            Shape shape = make_shape(algorithm.operation, 7, 0, 1000, 8);
            EXPECT_NE(run_symbolically(algorithm, {}, shape, Sending::buffered).problem, "") << algorithm.name;
        }
    }
    const Algorithm* const dissemination = find_algorithm(Collective::allreduce, "loggopsim:dissemination");
    for (const std::uint32_t size : {1U, 2U, 4U, 8U, 32U}) {
        const Shape shape = make_shape(Collective::allreduce, size, 0, 1000, 8);
        for (const Sending sending : {Sending::buffered, Sending::synchronous})
            EXPECT_EQ(run_symbolically(*dissemination, {}, shape, sending).problem, "") << size;
    }
}

// The same over all sizes up to 33 and some beyond, and more amounts of data.
class SlowEveryAlgorithm : public testing::TestWithParam<Collective> {};

TEST_P(SlowEveryAlgorithm, GivesEachRankWhatItMustForEverySize) {
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t size = 1; size <= 33; ++size) sizes.push_back(size);
    sizes.insert(sizes.end(), {64, 100});
    for (const Algorithm& algorithm : algorithms(GetParam())) {
        for (const std::uint32_t size : sizes) {
            for (const std::uint32_t root : roots_of(GetParam(), size)) {
                for (const auto& [bytes, element] :
                     {std::pair<Bytes, Bytes>{0, 1}, {1, 1}, {7, 1}, {1000, 4}, {100000, 8}}) {
                    for (const bool commutative : {true, false}) {
                        if (!commutative && !reduces(GetParam())) continue;
                        if (HasFatalFailure()) return;
                        Shape shape = make_shape(GetParam(), size, root, bytes, element);
                        shape.commutative = commutative;
                        expect_fine(algorithm, shape);
                    }
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Collectives, SlowEveryAlgorithm, testing::ValuesIn(all_operations()), operation_name);

} // namespace
} // namespace orrery::test::algorithms_test
