// Which algorithm is taken: as the libraries choose, and as the user says.
#include "collectives/selection.h"
#include "collectives/symbolic.h"
#include "engine/error.h"

#include <gtest/gtest.h>
#include <string>

namespace orrery::test::selection_test {
namespace {

CollectiveCall call_of(Collective operation, std::uint32_t size, Bytes bytes, bool commutative = true) {
    CollectiveCall call;
    call.operation = operation;
    call.size = size;
    call.bytes = bytes;
    call.commutative = commutative;
    return call;
}

std::string_view chosen(Selector selector, const CollectiveCall& call) {
    return select(selector, call).algorithm->name;
}

template <typename Do> std::string complaint(Do what) {
    try {
        what();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(CollectiveSelection, OpenMpiDecidesAsItsFixedRulesSay) {
    // coll_tuned_decision_fixed.c of Open MPI 4.1, read row by row.
    const auto openmpi = [](Collective operation, std::uint32_t size, Bytes bytes, bool commutative = true) {
        return chosen(Selector::openmpi, call_of(operation, size, bytes, commutative));
    };
    EXPECT_EQ(openmpi(Collective::allreduce, 2, 4), "ring");
    EXPECT_EQ(openmpi(Collective::allreduce, 2, 8), "recursive_doubling");
    EXPECT_EQ(openmpi(Collective::allreduce, 8, 8191), "recursive_doubling");
    EXPECT_EQ(openmpi(Collective::allreduce, 8, 8192), "rabenseifner");
    EXPECT_EQ(openmpi(Collective::allreduce, 200, 1024), "nonoverlapping");
    EXPECT_EQ(openmpi(Collective::allreduce, 4096, 20000), "recursive_doubling");
    EXPECT_EQ(openmpi(Collective::allreduce, 3, 200000, false), "linear");
    EXPECT_EQ(openmpi(Collective::bcast, 16, 4095), "knomial");
    EXPECT_EQ(openmpi(Collective::bcast, 16, 4096), "binomial");
    EXPECT_EQ(openmpi(Collective::bcast, 16, 1 << 20), "scatter_allgather");
    EXPECT_EQ(openmpi(Collective::bcast, 512, 20000), "split_binary");
    EXPECT_EQ(openmpi(Collective::barrier, 5, 0), "linear");
    EXPECT_EQ(openmpi(Collective::barrier, 100, 0), "dissemination");
    EXPECT_EQ(openmpi(Collective::barrier, 300, 0), "tree");
    EXPECT_EQ(openmpi(Collective::alltoall, 20, 100), "bruck");
    EXPECT_EQ(openmpi(Collective::alltoall, 2, 3), "two_proc");
    EXPECT_EQ(openmpi(Collective::allgather, 2, 100), "two_proc");
    EXPECT_EQ(openmpi(Collective::allgather, 16, 100), "recursive_doubling");
    EXPECT_EQ(openmpi(Collective::allgather, 17, 100), "bruck"); // what recursive doubling does there
    EXPECT_EQ(openmpi(Collective::allgather, 64, 4096), "neighbor_exchange");
    EXPECT_EQ(openmpi(Collective::reduce, 6, 5000), "chain");
    EXPECT_EQ(openmpi(Collective::reduce, 6, 5000, false), "linear");
    EXPECT_EQ(openmpi(Collective::reduce, 64, 5000, false), "in_order_binary");
    EXPECT_EQ(openmpi(Collective::gather, 100, 5000), "binomial");
    EXPECT_EQ(openmpi(Collective::scatter, 100, 5000), "linear_batched");
    EXPECT_EQ(openmpi(Collective::reduce_scatter_block, 10, 100), "butterfly");
    EXPECT_EQ(openmpi(Collective::scan, 100, 5000), "linear");
    EXPECT_EQ(select(Selector::openmpi, call_of(Collective::reduce, 6, 5000)).tuning.fanout,
              1U); // a chain of fanout 0
}

TEST(CollectiveSelection, MpichDecidesAsItsTablesSay) {
    const auto mpich = [](Collective operation, std::uint32_t size, Bytes bytes, bool commutative = true) {
        return chosen(Selector::mpich, call_of(operation, size, bytes, commutative));
    };
    EXPECT_EQ(mpich(Collective::bcast, 7, 1 << 20), "binomial_blocking");
    EXPECT_EQ(mpich(Collective::bcast, 8, 12288), "binomial_blocking");
    EXPECT_EQ(mpich(Collective::bcast, 8, 12289), "scatter_doubling_bytes");
    EXPECT_EQ(mpich(Collective::bcast, 8, 524289), "scatter_ring_bytes");
    EXPECT_EQ(mpich(Collective::bcast, 9, 12289), "scatter_ring_bytes");
    EXPECT_EQ(mpich(Collective::allreduce, 64, 8), "recursive_doubling");
    EXPECT_EQ(mpich(Collective::allreduce, 64, 1 << 20), "reduce_scatter_allgather");
    EXPECT_EQ(mpich(Collective::allreduce, 64, 1 << 20, false), "recursive_doubling");
    EXPECT_EQ(mpich(Collective::reduce, 64, 2048), "binomial_blocking");
    EXPECT_EQ(mpich(Collective::reduce, 64, 2049), "reduce_scatter_gather");
    EXPECT_EQ(mpich(Collective::allgather, 64, 8191), "recursive_doubling");
    EXPECT_EQ(mpich(Collective::allgather, 64, 8192), "ring");
    EXPECT_EQ(mpich(Collective::allgather, 60, 1000), "bruck");
    EXPECT_EQ(mpich(Collective::alltoall, 8, 256), "bruck");
    EXPECT_EQ(mpich(Collective::alltoall, 7, 256), "scattered");
    EXPECT_EQ(mpich(Collective::alltoall, 8, 32769), "pairwise_exchange");
    EXPECT_EQ(mpich(Collective::reduce_scatter_block, 8, 100, false), "noncommutative");
    EXPECT_EQ(mpich(Collective::barrier, 8, 0), "dissemination");
}

TEST(CollectiveSelection, MpichLooksAtTheNodes) {
    const std::vector<std::uint32_t> nodes{0, 0, 0, 0, 1, 1, 1, 1};
    CollectiveCall call = call_of(Collective::allreduce, 8, 100'000);
    call.node_of = nodes;
    EXPECT_EQ(chosen(Selector::mpich, call), "two_level");
    call.commutative = false;
    EXPECT_NE(chosen(Selector::mpich, call), "two_level");
    call = call_of(Collective::bcast, 8, 100'000);
    call.node_of = nodes;
    EXPECT_EQ(chosen(Selector::mpich, call), "two_level_local_first");
    const std::vector<std::uint32_t> apart{0, 1, 2, 3, 4, 5, 6, 7};
    call.node_of = apart;
    EXPECT_EQ(chosen(Selector::mpich, call), "scatter_doubling_bytes");
    const std::vector<std::uint32_t> together(8, 3);
    call.node_of = together;
    EXPECT_EQ(chosen(Selector::mpich, call), "scatter_doubling_bytes");
}

TEST(CollectiveSelection, SimGridsSelectorsAreNotTheLibraries) {
    const auto simgrid = [](Selector selector, Collective operation, std::uint32_t size, Bytes bytes) {
        return chosen(selector, call_of(operation, size, bytes));
    };
    EXPECT_EQ(simgrid(Selector::smpi_default, Collective::bcast, 64, 1 << 20), "binomial_blocking");
    EXPECT_EQ(simgrid(Selector::smpi_default, Collective::allreduce, 64, 8), "reduce_bcast");
    EXPECT_EQ(simgrid(Selector::smpi_default, Collective::alltoall, 20, 100), "bruck");
    EXPECT_EQ(simgrid(Selector::smpi_ompi, Collective::bcast, 6, 100'000),
              "pipeline_by_zero"); // linear in Open MPI
    EXPECT_EQ(simgrid(Selector::smpi_ompi, Collective::allreduce, 2, 4), "logical_ring");
    EXPECT_EQ(simgrid(Selector::smpi_mpich, Collective::allgather, 60, 100'000), "spread");
    EXPECT_EQ(simgrid(Selector::smpi_mvapich2, Collective::barrier, 60, 0), "recursive_doubling");
    EXPECT_NE(
        complaint([&] { simgrid(Selector::smpi_impi, Collective::bcast, 8, 8); }).find("no decision for bcast"),
        std::string::npos);
}

TEST(CollectiveSelection, EverySelectorHasAnAnswerOfTheSameOperation) {
    for (const Selector selector : {Selector::openmpi, Selector::mpich, Selector::smpi_default,
                                    Selector::smpi_ompi, Selector::smpi_mpich}) {
        for (std::size_t i = 0; i < collective_count; ++i) {
            const auto operation = static_cast<Collective>(i);
            for (const std::uint32_t size : {1U, 2U, 3U, 8U, 33U, 100U, 700U, 5000U}) {
                for (const Bytes bytes : {Bytes{0}, Bytes{1}, Bytes{500}, Bytes{20'000}, Bytes{1} << 24}) {
                    for (const bool commutative : {true, false}) {
                        CollectiveCall call = call_of(operation, size, bytes, commutative);
                        const std::vector<Bytes> counts(size, bytes);
                        call.send_counts = counts;
                        call.receive_counts = counts;
                        ASSERT_NE(select(selector, call).algorithm, nullptr);
                        EXPECT_EQ(select(selector, call).algorithm->operation, operation);
                        EXPECT_EQ(select_nonblocking(selector, call).algorithm->operation, operation);
                        EXPECT_FALSE(reason_of(selector, call).empty());
                    }
                }
            }
        }
    }
}

TEST(CollectiveSelection, ReasonsQuoteTheRule) {
    const std::string reason = reason_of(Selector::openmpi, call_of(Collective::allreduce, 64, 1024));
    EXPECT_NE(reason.find("fewer than 128 ranks, fewer than 262,144 bytes: algorithm 3"), std::string::npos)
        << reason;
}

TEST(CollectivePolicy, ForcesAlgorithmsWithTheirTuning) {
    const CollectivePolicy policy =
        CollectivePolicy::parse("mpich, allreduce=ring bcast=chain:segment=64KiB:fanout=4");
    EXPECT_EQ(policy.selector(), Selector::mpich);
    EXPECT_EQ(policy.choose(call_of(Collective::allreduce, 8, 8)).algorithm->name, "ring");
    EXPECT_EQ(policy.choose_nonblocking(call_of(Collective::allreduce, 8, 8)).algorithm->name, "ring");
    const Choice bcast = policy.choose(call_of(Collective::bcast, 8, 8));
    EXPECT_EQ(bcast.algorithm->name, "chain");
    EXPECT_EQ(bcast.tuning.segment, 65536U);
    EXPECT_EQ(bcast.tuning.fanout, 4U);
    EXPECT_EQ(policy.choose(call_of(Collective::barrier, 8, 0)).algorithm->name, "dissemination");
}

TEST(CollectivePolicy, ANameThatIsNoneIsRefusedWhereverItsColonsAre) {
    for (const char* const word : {"bcast=:", "bcast=::x", "bcast=:segment=1KiB", "bcast=", "bcast=a:b:c"})
        EXPECT_THROW((void)CollectivePolicy::parse(word), UsageError) << word;
}

TEST(CollectivePolicy, KnowsTheNamesOfOtherPrograms) {
    const auto name = [](std::string_view word, Collective operation) {
        return CollectivePolicy::parse(word).choose(call_of(operation, 8, 8)).algorithm->name;
    };
    EXPECT_EQ(name("bcast=simgrid:NTSL", Collective::bcast), "pipeline_by_zero");
    EXPECT_EQ(name("bcast=NTSL:segment=4KiB", Collective::bcast), "pipeline_by_zero");
    EXPECT_EQ(name("bcast=openmpi:split_binary_tree:segment=1KiB", Collective::bcast), "split_binary");
    EXPECT_EQ(name("allgather=ring", Collective::allgather), "ring");
    EXPECT_EQ(name("allgather=simgrid:ring", Collective::allgather), "spread"); // another thing there
    EXPECT_EQ(name("reduce-scatter=recursive-halving", Collective::reduce_scatter), "recursive_halving");
    EXPECT_EQ(name("reduce=in-order_binary", Collective::reduce), "in_order_binary");
}

TEST(CollectivePolicy, ComplainsAboutWhatItDoesNotKnow) {
    const auto words = [](std::string_view text) { return complaint([&] { CollectivePolicy::parse(text); }); };
    EXPECT_NE(words("openmip").find("did you mean 'openmpi'?"), std::string::npos);
    EXPECT_NE(words("allreduc=ring").find("did you mean 'allreduce'?"), std::string::npos);
    EXPECT_NE(words("allreduce=rnig").find("did you mean 'ring'?"), std::string::npos);
    EXPECT_NE(words("allreduce=zzzzzzzz").find("There are: linear"), std::string::npos);
    EXPECT_NE(words("bcast=chain:fanuot=3").find("did you mean 'fanout'?"), std::string::npos);
    EXPECT_NE(words("bcast=chain:segment=lots"), "");
    EXPECT_NE(words("bcast=chain:fanout=0"), "");
    EXPECT_NE(words("bcast="), "");
    EXPECT_NE(words("=ring"), "");
}

TEST(CollectiveRegistry, NamesAndAliasesAreUnambiguous) {
    std::size_t total = 0;
    for (std::size_t i = 0; i < collective_count; ++i) {
        const auto operation = static_cast<Collective>(i);
        EXPECT_EQ(find_collective(name_of(operation)), operation);
        std::vector<std::string> seen;
        for (const Algorithm& each : algorithms(operation)) {
            ++total;
            EXPECT_EQ(each.operation, operation) << each.name;
            EXPECT_NE(each.run, nullptr) << each.name;
            EXPECT_NE(each.applies, nullptr) << each.name;
            EXPECT_FALSE(each.summary.empty()) << each.name;
            EXPECT_FALSE(each.cost.empty()) << each.name;
            EXPECT_FALSE(programs_of(each).empty()) << each.name;
            EXPECT_EQ(find_algorithm(operation, each.name), &each);
            std::string_view rest = each.aliases;
            while (!rest.empty()) {
                const std::string_view alias = rest.substr(0, rest.find(' '));
                EXPECT_NE(alias.find(':'), std::string_view::npos) << alias;
                EXPECT_EQ(find_algorithm(operation, alias), &each) << name_of(operation) << ' ' << alias;
                rest.remove_prefix(std::min(alias.size() + 1, rest.size()));
            }
        }
    }
    EXPECT_GE(total, 150U);
    EXPECT_EQ(find_algorithm(Collective::bcast, "no such thing"), nullptr);
    EXPECT_FALSE(find_collective("no such thing").has_value());
}

} // namespace
} // namespace orrery::test::selection_test
