// What the tracing library makes of each call of MPI: programs that make them all, under each MPI and from C
// and Fortran, must leave the actions that are written down in programs/*.expected.
#include "trace/action_text.h"

#include "formats/ort/recorded_trace.h"
#include "mpi_library/table/table.h"
#include "places.h"
#include "tools/acquire/launch.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace orrery::api_test {

namespace {

struct TracedProgram {
    const char* name;
    const char* expected; // without its ending
    std::uint32_t ranks;
};

void PrintTo(const TracedProgram& program, std::ostream* out) { *out << program.name; }

std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// All but the computing, which differs from run to run; behind it the calls that are not replayed.
std::string text_of(const RecordedTrace& trace) {
    const std::unique_ptr<ActionSource> source = trace.source();
    std::string text;
    for (RankId rank{0}; rank.value < trace.ranks(); ++rank.value) {
        text += fmt::format("rank {}\n", rank.value);
        for (auto window = source->next(rank); !window.empty(); window = source->next(rank)) {
            for (const Action& action : window) {
                if (action.kind != ActionKind::compute)
                    text += test::action_text(action, source->counts(rank, action)) + "\n";
            }
        }
        for (const RecordedCall& call : trace.rank(rank).end.calls) {
            if (!call.replayed) text += fmt::format("not replayed: {} {}\n", call.calls, call.name);
        }
    }
    return text;
}

class TracedCalls : public testing::TestWithParam<std::tuple<MpiKind, TracedProgram>> {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  fmt::format("orrery-calls-{}-{}", ::getpid(), std::get<1>(GetParam()).name);
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path folder_;
};

std::string case_name(const testing::TestParamInfo<TracedCalls::ParamType>& info) {
    return fmt::format("{}_{}", suffix_of(std::get<0>(info.param)), std::get<1>(info.param).name);
}

std::string library_name(const testing::TestParamInfo<MpiKind>& info) {
    return std::string(suffix_of(info.param));
}

std::string library(std::string_view mpi) {
    return fmt::format("{}/liborrery-trace-{}.so", build_folder(), mpi);
}

} // namespace

TEST_P(TracedCalls, LeaveTheActionsThatTheyStandFor) {
    const auto& [mpi, program] = GetParam();
    Launch launched;
    launched.command = {fmt::format("{}/programs/{}/{}", build_folder(), suffix_of(mpi), program.name),
                        (folder_ / "written").string()};
    if (!std::filesystem::exists(launched.command[0]))
        GTEST_SKIP() << program.name << " is not built for " << name_of(mpi);
    launched.preload = library(suffix_of(mpi));
    if (!std::filesystem::exists(launched.preload)) GTEST_SKIP() << "no tracing library for " << name_of(mpi);
    launched.ranks = program.ranks;
    launched.environment = {{"ORRERY_TRACE_DIR", (folder_ / "trace").string()},
                            {"ORRERY_TRACE_RUN", "0123456789abcdef"}};
    launched.output = (folder_ / "output").string();
    launched.timeout_seconds = 60;
    std::filesystem::create_directories(folder_ / "trace");
    const Launched result = launch(launched, mpi);
    ASSERT_EQ(result.exit_code, 0) << text_of(launched.output);
    const RecordedTrace trace = RecordedTrace::open((folder_ / "trace").string());
    EXPECT_EQ(trace.ranks(), program.ranks);
    EXPECT_EQ(text_of(trace),
              text_of(fmt::format("{}/tests/trace/programs/{}.expected", project_folder(), program.expected)));
}

INSTANTIATE_TEST_SUITE_P(Of, TracedCalls,
                         testing::Combine(testing::Values(MpiKind::openmpi, MpiKind::mpich),
                                          testing::Values(TracedProgram{"blocking", "blocking", 2},
                                                          TracedProgram{"nonblocking", "nonblocking", 2},
                                                          TracedProgram{"persistent", "persistent", 2},
                                                          TracedProgram{"collectives", "collectives", 3},
                                                          TracedProgram{"icollectives", "icollectives", 3},
                                                          TracedProgram{"communicators", "communicators", 5},
                                                          TracedProgram{"topologies", "topologies", 4},
                                                          TracedProgram{"counted", "counted", 2},
                                                          TracedProgram{"fortran_mpif", "fortran", 2},
                                                          TracedProgram{"fortran_mpi", "fortran", 2},
                                                          TracedProgram{"fortran_f08", "fortran", 2})),
                         case_name);

// What nm says of the library: "T MPI_Send", "U free", "w PMPI_Send", ...
class TracingLibrary : public testing::TestWithParam<MpiKind> {
  protected:
    void SetUp() override {
        const std::string path = library(suffix_of(GetParam()));
        if (!std::filesystem::exists(path)) GTEST_SKIP() << "no tracing library for " << name_of(GetParam());
        std::FILE* const pipe = ::popen(fmt::format("nm -D {}", path).c_str(), "r");
        ASSERT_NE(pipe, nullptr);
        std::array<char, 512> line{};
        while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
            std::istringstream words(line.data());
            std::vector<std::string> parts;
            for (std::string word; words >> word;) parts.push_back(word);
            if (parts.size() >= 2) symbols_.emplace(parts[parts.size() - 2], parts.back());
        }
        ASSERT_EQ(::pclose(pipe), 0);
    }
    std::set<std::pair<std::string, std::string>> symbols_; // kind and name
};

TEST_P(TracingLibrary, WrapsWhatTheTableSays) {
    std::set<std::string> wrapped;
    for (const mpi_api::Function& function :
         mpi_api::read_table(text_of(project_folder() + "/src/mpi_library/table/functions.table"))) {
        EXPECT_EQ(symbols_.contains({"T", function.name}), function.wrapped) << function.name;
        if (!function.wrapped) continue;
        wrapped.insert(function.name);
        std::string small = function.name;
        for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        EXPECT_TRUE(symbols_.contains({"T", small + "_f08_"})) << small;
        wrapped.insert(small + "_f08_");
        if (GetParam() == MpiKind::openmpi) {
            EXPECT_TRUE(symbols_.contains({"T", small + "_"})) << small;
            wrapped.insert(small + "_");
        }
    }
    // And shows nothing else to the program.
    for (const auto& [kind, name] : symbols_) {
        const bool shown = std::string("TDBRuVW").find(kind) != std::string::npos;
        EXPECT_TRUE(!shown || wrapped.contains(name)) << kind << " " << name;
    }
}

// It is loaded into shells too, where there is no MPI.
TEST_P(TracingLibrary, NeedsNothingOfMpiToBeLoaded) {
    for (const auto& [kind, name] : symbols_) {
        const bool of_mpi = name.find("mpi") != std::string::npos || name.find("MPI") != std::string::npos;
        EXPECT_FALSE(kind == "U" && of_mpi) << name;
    }
    EXPECT_EQ(
        std::system(
            fmt::format("LD_BIND_NOW=1 LD_PRELOAD={} sh -c 'exit 0'", library(suffix_of(GetParam()))).c_str()),
        0);
}

INSTANTIATE_TEST_SUITE_P(Of, TracingLibrary, testing::Values(MpiKind::openmpi, MpiKind::mpich), library_name);

} // namespace orrery::api_test
