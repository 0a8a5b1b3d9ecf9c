// The example applications, emulated: the same results as under Open MPI, over every network, and the replay of
// what they did takes exactly as long.
#include "emulate/mpi_programs.h"

#include <ostream>

namespace orrery::test::emulated_examples_test {
namespace {

struct Example {
    const char* name;
    const char* folder;
    const char* source;
    const char* build; // more for the compiler
    const char* arguments;
    const char* for_many; // arguments for 1,024 ranks, where there must be rows for all
    const char* of_many;  // and the result of Open MPI 4.1.4 with these: 1,024 processes take minutes to start
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.name; }

const Example examples[] = {
    {"heat", "heat", "heat.c", "", "--size 64 --steps 20", "--size 64 --steps 4",
     "heat: 64x64, 4 steps, last change 0.0e+00, error 4.4e-16 ok"},
    {"cg", "cg", "cg.cpp", "-std=c++17", sanitized ? "--size 64 --iterations 40" : "--size 64 --iterations 100",
     "--size 1024 --iterations 5", "cg: 1024x1024, 5 iterations, residual 1.6e+00, error 8.7e-01 WRONG"},
    {"wavefront", "wavefront", "wavefront.c", "", "--size 32 --sweeps 8", "--size 32 --sweeps 2",
     "wavefront: 32^3, 2 sweeps over 32x32 ranks, norm 1.332819223e+03, 0 points differ from serial ok"},
    {"fft", "fft", "fft.c", "", "--size 64 --rounds 1", "--size 1024 --rounds 1",
     "fft: 1024x1024, 1 rounds, error 8.7e-16 (sum of squares 1.3e-14) ok"},
    {"ep", "ep", "ep.c", "", "--pairs 200000", "--pairs 200000",
     "ep: 200000 pairs, 156965 in the circle, rings 73107 69791 13242 804 21, 1.1 standard deviations off ok"},
    {"farm", "farm", "farm.c", "", "--width 64 --height 64 --iterations 100",
     "--width 64 --height 64 --iterations 100",
     "farm: 64x64, 100 iterations, checksum bd0a2fb0494eb880, 0 rows wrong ok"},
    {"groups", "groups", "groups.c", "", "--size 100 --iterations 10 --keys 2000 --rounds 2",
     "--size 1024 --iterations 10 --keys 10 --rounds 1",
     "groups: 1 rounds, eigenvalue to 0.0e+00, 0 values wrong ok"},
    {"halo_mpif", "halo_fortran", "halo.F90", "-DMPI_HEADER", "--size 24 --steps 10", "--size 24 --steps 4",
     "halo (mpif.h): 24^3, 4 steps, highest 0.0000, error 2.4E-15 ok"},
    {"halo_mpi", "halo_fortran", "halo.F90", "-DMPI_MODULE", "--size 24 --steps 10", "--size 24 --steps 4",
     "halo (mpi): 24^3, 4 steps, highest 0.0000, error 2.4E-15 ok"},
    {"halo_f08", "halo_fortran", "halo.F90", "-DMPI_F08", "--size 24 --steps 10", "--size 24 --steps 4",
     "halo (mpi_f08): 24^3, 4 steps, highest 0.0000, error 2.4E-15 ok"},
};

const char* const networks[] = {"loggops", "flow", "packet", "kpacket"};

class EmulatedExamples : public EmulatedPrograms, public testing::WithParamInterface<Example> {
  protected:
    void SetUp() override {
        EmulatedPrograms::SetUp();
        if (fortran() && !installed("gfortran")) GTEST_SKIP() << "there is no gfortran";
        app_ = build(sources(), GetParam().name, GetParam().build);
    }

    static bool fortran() { return std::string(GetParam().source).find(".F90") != std::string::npos; }
    static std::string sources() {
        const std::string folder = project_folder() + "/examples/";
        return (fortran() ? folder + "common/count.f90 " : "") + folder + GetParam().folder + "/" +
               GetParam().source;
    }

    // What it says of its result: without the time at the end of the line.
    static std::string result(const std::string& output) {
        std::size_t end = output.find(" ok,");
        if (end == std::string::npos) end = output.find(" WRONG,"); // such as a solver that was stopped early
        if (end == std::string::npos) return "no result: " + output;
        const std::size_t begin = output.rfind('\n', end);
        return output.substr(begin + 1, output.find(',', end) - (begin + 1)); // npos + 1 is 0
    }
    std::string emulated(const std::string& ranks, const std::string& network, const std::string& more) {
        return result(run("run -n " + ranks + " --on ideal-fat-tree --map-by roundrobin --network " + network +
                              " " + more + " " + app_ + " " +
                              (ranks == "1024" ? GetParam().for_many : GetParam().arguments),
                          true)
                          .out);
    }
    // Empty where there is no Open MPI.
    std::string under_open_mpi(const std::string& ranks) {
        const std::string compiler = std::string(fortran()                                     ? "mpif90"
                                                 : sources().find(".cpp") != std::string::npos ? "mpicxx"
                                                                                               : "mpicc") +
                                     ".openmpi";
        if (!installed("mpirun.openmpi") || !installed(compiler)) return "";
        const std::string program = build_with(compiler, sources(), std::string(GetParam().name) + "_openmpi",
                                               std::string(GetParam().build) + " -DOMPI_SKIP_MPICXX");
        return result(
            run_command("cd " + folder_.string() +
                        " && echo 1000000 > /proc/self/timerslack_ns" // as in tools/acquire/launch.cpp
                        " && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi "
                        "--oversubscribe --mca odls_base_num_threads 0 " // as in tools/acquire/mpirun.cpp
                        "-n " +
                        ranks + " " + program + " " + GetParam().arguments + " 2>&1")
                .out);
    }
    // Over every network, with computation measured and not; measured only over one where there are many ranks.
    void compare(const std::string& ranks, const std::string& expected) {
        for (const std::string network : networks) {
            for (const std::string compute : {"none", "measured"}) {
                const bool many = ranks == "1024" || (sanitized && ranks != "4");
                if (many && compute == "measured" && network != "loggops") continue;
                const std::string got = emulated(ranks, network, "--compute " + compute);
                EXPECT_EQ(got, expected) << GetParam().name << " on " << ranks << " over " << network;
                EXPECT_EQ(got.find("no result"), std::string::npos);
            }
        }
    }

    std::string app_;
};

TEST_P(EmulatedExamples, GiveTheResultsOfOpenMpi) {
    const std::string expected = under_open_mpi("4");
    compare("4", expected.empty() ? emulated("4", "flow", "--compute none") : expected);
}

TEST_P(EmulatedExamples, ReplayExactly) {
    for (const char* const network : networks) {
        const std::string how =
            std::string(" --on ideal-fat-tree --map-by roundrobin --network ") + network + " ";
        const std::string command =
            "run -n 16 --compute none --json --trace t.ort" + how + app_ + " " + GetParam().arguments;
        const std::int64_t emulated_time = predicted(command); // writes the trace
        EXPECT_EQ(emulated_time, predicted("replay t.ort --json" + how)) << command;
    }
}

// Each MPI adds in the same order here, so that also the rounding is the same.
TEST_P(EmulatedExamples, On64RanksTheSameOverEveryNetwork) {
    compare("64", emulated("64", "loggops", "--compute none"));
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedExamples, testing::ValuesIn(examples),
                         [](const auto& each) { return std::string(each.param.name); });

class SlowEmulatedExamples : public EmulatedExamples {};

TEST_P(SlowEmulatedExamples, On64RanksGiveTheResultsOfOpenMpi) {
    const std::string expected = under_open_mpi("64");
    if (expected.empty()) GTEST_SKIP() << "Open MPI is not installed";
    EXPECT_EQ(emulated("64", "flow", "--compute none"), expected);
}

TEST_P(SlowEmulatedExamples, On1024RanksGiveTheResultsOfOpenMpi) { compare("1024", GetParam().of_many); }

INSTANTIATE_TEST_SUITE_P(All, SlowEmulatedExamples, testing::ValuesIn(examples),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace orrery::test::emulated_examples_test
