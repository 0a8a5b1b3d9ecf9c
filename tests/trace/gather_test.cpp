// The gather under real MPIs: rank 0's file is byte by byte what the ranks had written, one after the other.
#include "formats/ort/recorded_trace.h"
#include "places.h"
#include "tools/acquire/launch.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ORRERY_SANITIZED 1
#endif
#endif

namespace orrery::gather_test {
namespace {

namespace fs = std::filesystem;

// The gather removes the files of the ranks; a second name keeps what was in them.
constexpr const char* program_text = R"(
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double in = rank, out;
    for (int i = 0; i < atoi(words[1]) * (rank + 1); ++i) {
        volatile double sum = 0;
        for (int k = 0; k < i * 2654435761U >> 22; ++k) sum += k;
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    }
    char own[512], other[512];
    snprintf(own, sizeof own, "%s/rank-%d.ort", getenv("ORRERY_TRACE_DIR"), rank);
    snprintf(other, sizeof other, "%s/kept-%d", getenv("ORRERY_TRACE_DIR"), rank);
    if (link(own, other) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
)";

std::string contents(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class SlowTraceGather : public testing::TestWithParam<MpiKind> {
  protected:
    void SetUp() override {
#ifdef ORRERY_SANITIZED
        GTEST_SKIP() << "the tracing library is not preloaded into programs under a sanitizer";
#endif
        setenv("ORRERY_LIBRARY_DIR", build_folder().c_str(), 1);
        if (!has_tracer_library(GetParam())) {
            GTEST_SKIP() << "this build has no tracing library for " << name_of(GetParam());
        }
        char name[] = "/tmp/orrery-gather-XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        folder_ = name;
        std::ofstream(folder_ / "program.c") << program_text;
        const char* const compiler = GetParam() == MpiKind::openmpi ? "mpicc.openmpi" : "mpicc.mpich";
        ASSERT_EQ(std::system(fmt::format("{0} -o {1}/program {1}/program.c", compiler, name).c_str()), 0);
    }
    void TearDown() override {
        unsetenv("ORRERY_LIBRARY_DIR");
        if (!folder_.empty()) {
            fs::remove_all(folder_);
        }
    }
    void gather(std::uint32_t ranks, std::uint32_t k, std::uint32_t rounds) {
        const fs::path trace = folder_ / "trace";
        fs::remove_all(trace);
        fs::create_directory(trace);
        Launch launch;
        launch.command = {(folder_ / "program").string(), std::to_string(rounds)};
        launch.ranks = ranks;
        launch.environment = {{"ORRERY_TRACE_DIR", trace.string()},
                              {"ORRERY_TRACE_RUN", "00000000000000ab"},
                              {"ORRERY_TRACE_TIMED", "1"}, // more bytes
                              {"ORRERY_TRACE_GATHER", std::to_string(k)}};
        launch.preload = tracer_library(GetParam());
        launch.timeout_seconds = 120;
        ASSERT_EQ(orrery::launch(launch, GetParam()).exit_code, 0);
        std::string expected;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            expected += contents(trace / fmt::format("kept-{}", rank));
            EXPECT_FALSE(fs::exists(trace / fmt::format("rank-{}.ort", rank)));
        }
        EXPECT_TRUE(expected == contents(trace / "trace.ort")) << ranks << " ranks, k = " << k;
        const RecordedTrace opened = RecordedTrace::open((trace / "trace.ort").string());
        ASSERT_EQ(opened.ranks(), ranks);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            EXPECT_TRUE(opened.rank(RankId{rank}).complete);
            EXPECT_GE(opened.rank(RankId{rank}).actions, rounds * (rank + 1));
        }
    }

    fs::path folder_;
};

TEST_P(SlowTraceGather, HoldsTheBlocksOfAllRanks) {
    for (const auto& [ranks, k] :
         {std::pair{1U, 1U}, {2U, 1U}, {5U, 1U}, {3U, 2U}, {9U, 2U}, {10U, 3U}, {11U, 8U}}) {
        gather(ranks, k, 20);
    }
}

// Files of several pieces, through a rank in between.
TEST_P(SlowTraceGather, LargeFilesTravelInPieces) { gather(4, 1, 400'000); }

INSTANTIATE_TEST_SUITE_P(Mpi, SlowTraceGather, testing::Values(MpiKind::openmpi, MpiKind::mpich),
                         [](const auto& tested) {
                             return tested.param == MpiKind::openmpi ? "openmpi" : "mpich";
                         });

} // namespace
} // namespace orrery::gather_test
