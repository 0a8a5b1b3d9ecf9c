// Each application of examples/ under each MPI: its own check passes, its trace holds what it counted itself,
// the replay carries the same messages, and both MPIs (and any way of running it) give the same trace.
#include "places.h"
#include "trace/traced_example.h"

#include <cmath>
#include <fmt/ranges.h>
#include <optional>
#include <tuple>

namespace orrery::examples_test {

namespace {

using namespace orrery;
using orrery::test::Answer;
using orrery::test::RankCounts;
using orrery::test::Recorded;

// What another run has in common with it.
enum class Same : std::uint8_t {
    actions, // all but the volumes
    counts,  // ranks do the same, in an order that depends on which message comes first
    totals,  // who does what depends on that, too
};

struct Example {
    const char* name;
    const char* arguments;
    Same same = Same::actions;
};
void PrintTo(const Example& example, std::ostream* out) { *out << example.name << " " << example.arguments; }

constexpr Example heat{"heat", "--size 48 --steps 30 --every 5"};
constexpr Example cg{"cg", "--size 12"};
constexpr Example wavefront{"wavefront", "--size 12 --sweeps 3"};
constexpr Example fft{"fft", "--size 64 --rounds 3"};
constexpr Example ep{"ep", "--pairs 200000"};
constexpr Example farm{"farm", "--width 64 --height 48 --iterations 200", Same::totals};
constexpr Example groups{"groups", "--size 40 --iterations 12 --keys 300 --rounds 2", Same::counts};
constexpr Example halo_mpif{"halo_mpif", "--size 12 --steps 20"};
constexpr Example halo_mpi{"halo_mpi", "--size 12 --steps 20"};
constexpr Example halo_f08{"halo_f08", "--size 12 --steps 20"};

constexpr std::array<const char*, 2> mpis{"openmpi", "mpich"};

RankCounts total(const std::vector<RankCounts>& ranks) {
    RankCounts sum;
    const auto add = [](test::Tally& to, const test::Tally& from) {
        to.calls += from.calls;
        to.bytes += from.bytes;
    };
    for (const RankCounts& rank : ranks) {
        add(sum.sent, rank.sent);
        add(sum.received, rank.received);
        for (const auto& [name, tally] : rank.collectives) add(sum.collectives[name], tally);
    }
    return sum;
}

// Names the first difference; whole traces are too long to print.
void expect_equal(const Recorded& a, const Recorded& b) {
    ASSERT_EQ(a.communication.size(), b.communication.size());
    for (std::size_t rank = 0; rank < a.communication.size(); ++rank) {
        const auto& left = a.communication[rank];
        const auto& right = b.communication[rank];
        EXPECT_EQ(left.size(), right.size()) << "actions of rank " << rank;
        const auto [at, other] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
        if (at == left.end() || other == right.end()) continue;
        FAIL() << "rank " << rank << ", action " << at - left.begin() << ":\n" << *at << "\n" << *other;
    }
}

class ExampleTest : public test::ProgramTest {
  protected:
    static std::string program(const Example& example, const std::string& mpi) {
        return fmt::format("{}/examples/{}/{}", build_folder(), mpi, example.name);
    }
    static bool built(const Example& example, const std::string& mpi) {
        return std::filesystem::exists(program(example, mpi));
    }
    // Runs it under `orrery trace` with more `options`, which `before` may precede (taskset). The trace is
    // `label`.trace, what the program counted `label`.<rank>.json.
    std::optional<Recorded> trace(const Example& example, const std::string& mpi, std::uint32_t ranks,
                                  const std::string& label, const std::string& before = "",
                                  const std::string& options = "") {
        const Answer answer = test::run_command(
            fmt::format("cd {} && {} {} trace -n {} -o {}.trace {} --timeout 120s -- {} {} --count {} 2>&1",
                        folder_.string(), before, orrery_program(), ranks, label, options,
                        program(example, mpi), example.arguments, label));
        EXPECT_EQ(answer.code, 0) << answer.out;
        EXPECT_NE(answer.out.find(" ok, "), std::string::npos) << answer.out;
        if (answer.code != 0) return std::nullopt;
        return test::read_recorded(folder_ / (label + ".trace"));
    }
    // Traces it, and compares with what it counted, per rank, and with what the replay carries.
    std::optional<Recorded> trace_and_check(const Example& example, const std::string& mpi,
                                            std::uint32_t ranks) {
        const std::optional<Recorded> recorded = trace(example, mpi, ranks, mpi);
        if (!recorded) return recorded;
        const std::vector<RankCounts> counted = test::own_counts(folder_ / mpi, ranks);
        EXPECT_EQ(recorded->counts.size(), ranks);
        for (std::uint32_t rank = 0; rank < ranks && rank < recorded->counts.size(); ++rank)
            EXPECT_EQ(recorded->counts[rank], counted[rank]) << mpi << ", rank " << rank;
        expect_replayed(mpi + ".trace", total(counted));
        return recorded;
    }
    // `more`: the trace may have other messages as well.
    void expect_replayed(const std::string& trace, const RankCounts& counted, bool more = false) {
        const Answer answer = run("replay " + trace + " --on ideal-fat-tree --json", true);
        ASSERT_EQ(answer.code, 0) << answer.out;
        const auto json = nlohmann::json::parse(answer.out);
        EXPECT_GT(json["predicted_time_ps"].get<std::int64_t>(), 0) << trace;
        const auto messages = json["point_to_point"]["messages"].get<std::uint64_t>();
        const auto bytes = json["point_to_point"]["bytes"].get<std::uint64_t>();
        EXPECT_GE(messages, counted.sent.calls) << trace;
        EXPECT_GE(bytes, counted.sent.bytes) << trace;
        if (more) return;
        EXPECT_EQ(messages, counted.sent.calls) << trace;
        EXPECT_EQ(bytes, counted.sent.bytes) << trace;
    }
};

// --- each example, at several numbers of ranks, under both MPIs

class TracedExamples : public ExampleTest,
                       public testing::WithParamInterface<std::tuple<Example, std::uint32_t>> {
  protected:
    void check() {
        const auto& [example, ranks] = GetParam();
        std::vector<Recorded> runs;
        for (const char* const mpi : mpis) {
            if (!built(example, mpi)) continue;
            const std::optional<Recorded> recorded = trace_and_check(example, mpi, ranks);
            ASSERT_TRUE(recorded.has_value()) << mpi;
            runs.push_back(*recorded);
        }
        if (runs.empty()) GTEST_SKIP() << "the examples are not built: no MPI, or a build with sanitizers";
        if (runs.size() < 2) return;
        if (example.same == Same::actions) expect_equal(runs[0], runs[1]);
        if (example.same != Same::totals) {
            EXPECT_EQ(runs[0].counts, runs[1].counts);
        }
        EXPECT_EQ(total(runs[0].counts), total(runs[1].counts));
    }
};
class SlowTracedExamples : public TracedExamples {};

std::string name_of_case(const testing::TestParamInfo<std::tuple<Example, std::uint32_t>>& info) {
    return fmt::format("{}_{}", std::get<0>(info.param).name, std::get<1>(info.param));
}

TEST_P(TracedExamples, HoldWhatTheProgramCounted) { check(); }
TEST_P(SlowTracedExamples, HoldWhatTheProgramCounted) { check(); }

INSTANTIATE_TEST_SUITE_P(Few, TracedExamples,
                         testing::Combine(testing::Values(heat, farm, groups, halo_f08), testing::Values(3U)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(All, SlowTracedExamples,
                         testing::Combine(testing::Values(heat, cg, wavefront, fft, ep, farm, groups, halo_f08),
                                          testing::Values(1U, 2U, 4U)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Fortran, SlowTracedExamples,
                         testing::Combine(testing::Values(halo_mpif, halo_mpi), testing::Values(3U)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Nine, SlowTracedExamples,
                         testing::Combine(testing::Values(heat, cg, wavefront, ep, farm, groups, halo_f08),
                                          testing::Values(9U)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Sixteen, SlowTracedExamples,
                         testing::Combine(testing::Values(fft), testing::Values(16U)), name_of_case);

// --- without the tracer

std::string name_of_example(const testing::TestParamInfo<Example>& info) { return info.param.name; }

class SlowExamples : public ExampleTest, public testing::WithParamInterface<Example> {};

TEST_P(SlowExamples, TracingChangesNothing) {
    const Example& example = GetParam();
    if (!built(example, "openmpi")) GTEST_SKIP() << "the examples are not built for Open MPI";
    const Answer alone = test::run_command(
        fmt::format("cd {} && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi "
                    "--oversubscribe -n 2 {} {} --count alone 2>&1",
                    folder_.string(), program(example, "openmpi"), example.arguments));
    ASSERT_EQ(alone.code, 0) << alone.out;
    EXPECT_NE(alone.out.find(" ok, "), std::string::npos) << alone.out;
    const std::optional<Recorded> traced = trace(example, "openmpi", 2, "traced");
    ASSERT_TRUE(traced.has_value());
    EXPECT_EQ(test::own_counts(folder_ / "alone", 2), test::own_counts(folder_ / "traced", 2));
}

TEST_P(SlowExamples, AWrongOptionIsRefused) {
    const Example& example = GetParam();
    if (!built(example, "mpich")) GTEST_SKIP() << "the examples are not built for MPICH";
    const Answer answer =
        test::run_command(fmt::format("mpirun.mpich -n 1 {} --sise 3 2>&1", program(example, "mpich")));
    EXPECT_EQ(answer.code, 2) << answer.out;
    EXPECT_NE(answer.out.find("unknown option --sise"), std::string::npos) << answer.out;
}

INSTANTIATE_TEST_SUITE_P(All, SlowExamples,
                         testing::Values(heat, cg, wavefront, fft, ep, farm, groups, halo_f08),
                         name_of_example);

// --- however it is run

class SlowFoldedExamples : public ExampleTest {
  protected:
    // How the computation of sixteen ranks on all cores compares with that of the same ranks on one of them.
    // Their communication must be equal.
    std::optional<double> compare(const Example& example) {
        const auto folded = trace(example, "openmpi", 16, "folded", "", "--force");
        const auto sequential = trace(example, "openmpi", 16, "sequential", "taskset -c 0", "--force");
        if (!folded || !sequential) return std::nullopt;
        expect_equal(*folded, *sequential);
        const auto sum = [](const std::vector<double>& volumes) {
            return std::accumulate(volumes.begin(), volumes.end(), 0.0);
        };
        return sum(folded->volumes) / sum(sequential->volumes);
    }
};

TEST_F(SlowFoldedExamples, CommunicateAlike) {
    if (!built(heat, "openmpi")) GTEST_SKIP() << "the examples are not built for Open MPI";
    for (const Example& example : {heat, wavefront}) {
        SCOPED_TRACE(example.name);
        const auto ratio = compare(example);
        ASSERT_TRUE(ratio.has_value());
        // Short computations between messages: in CPU time these depend on what is left in the caches.
        EXPECT_GT(*ratio, 0.2);
        EXPECT_LT(*ratio, 5);
    }
}

// Computation that caches have no part in: what differs is the error of the counter. If that is CPU time, other
// programs on the machine disturb it, hence several attempts.
TEST_F(SlowFoldedExamples, ComputeAlike) {
    const Example long_ep{"ep", "--pairs 8000000"};
    if (!built(ep, "openmpi")) GTEST_SKIP() << "the examples are not built for Open MPI";
    double ratio = 0;
    for (int attempt = 0; attempt < 4 && std::fabs(ratio - 1) > 0.1; ++attempt) {
        const auto found = compare(long_ep);
        ASSERT_TRUE(found.has_value());
        ratio = *found;
    }
    EXPECT_NEAR(ratio, 1, 0.1);
}

// --- exports

class SlowExportedExamples : public ExampleTest, public testing::WithParamInterface<Example> {
  protected:
    // The folder `text` in the words of SimGrid's replay.
    void export_text() {
        if (!built(GetParam(), "openmpi")) GTEST_SKIP() << "the examples are not built for Open MPI";
        ASSERT_TRUE(trace(GetParam(), "openmpi", 4, "traced").has_value());
        const Answer converted = run("convert traced.trace text/ --to simgrid", true);
        ASSERT_EQ(converted.code, 0) << converted.out;
    }
};

TEST_P(SlowExportedExamples, ReplayAsText) {
    export_text();
    if (IsSkipped() || HasFatalFailure()) return;
    // There are no communicators but that of all ranks in it: collectives of others become messages.
    const bool more = std::string_view(GetParam().name) == "groups";
    expect_replayed("text", total(test::own_counts(folder_ / "traced", 4)), more);
}

TEST_P(SlowExportedExamples, TakeTheSameTimeInSimGrid) {
    if (test::run_command("command -v smpirun").code != 0) GTEST_SKIP() << "SimGrid is not installed";
    export_text();
    if (IsSkipped() || HasFatalFailure()) return;
    write("text/cluster.xml", "<?xml version='1.0'?><!DOCTYPE platform SYSTEM "
                              "\"https://simgrid.org/simgrid.dtd\"><platform version=\"4.1\"><cluster id=\"c\" "
                              "prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"10GBps\" "
                              "lat=\"1us\"/></platform>\n");
    write("text/hosts", "n0\nn1\nn2\nn3\n");
    const Answer theirs =
        test::run_command("cd " + (folder_ / "text").string() +
                          " && smpirun -replay LIST -np 4 -platform cluster.xml -hostfile hosts "
                          "--cfg=smpi/host-speed:1Gf 2>&1");
    ASSERT_EQ(theirs.code, 0) << theirs.out;
    const std::string words = "Simulation time ";
    const std::size_t at = theirs.out.rfind(words); // of the last rank
    ASSERT_NE(at, std::string::npos) << theirs.out;
    const Answer ours =
        run("replay text --on text/cluster.xml --hostfile text/hosts --model smpi-compat --json", true);
    ASSERT_EQ(ours.code, 0) << ours.out;
    const double seconds = 1e-12 * nlohmann::json::parse(ours.out)["predicted_time_ps"].get<double>();
    EXPECT_NEAR(seconds, std::stod(theirs.out.substr(at + words.size())), 1e-6); // it prints six digits
}

INSTANTIATE_TEST_SUITE_P(All, SlowExportedExamples,
                         testing::Values(heat, cg, wavefront, fft, ep, farm, groups, halo_f08),
                         name_of_example);

} // namespace

} // namespace orrery::examples_test
