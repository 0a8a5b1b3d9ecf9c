// A standard output that cannot be written: every verb says so and ends with 3.
#include "cli/program_test.h"

#include <csignal>

namespace orrery::test::lost_output_test {
namespace {

using namespace std::string_literals;

const std::string stencil = test_data() + "/../../examples/stencil/stencil-64.oti";

class LostOutput : public ProgramTest {
  protected:
    // `redirection` of the standard output; the answer holds the standard error.
    Answer run_into(const std::string& arguments, const std::string& redirection) {
        return run_command("cd " + folder_.string() + " && " + orrery_program() + " " + arguments + " 2>&1 " +
                           redirection);
    }
    void expect_named(const std::string& arguments, const std::string& redirection, const std::string& reason) {
        const Answer answer = run_into(arguments, redirection);
        EXPECT_EQ(answer.code, 3) << arguments << redirection << "\n" << answer.out;
        EXPECT_NE(answer.out.find("cannot be written: " + reason), std::string::npos)
            << arguments << redirection << "\n"
            << answer.out;
    }
    void expect_named(const std::string& arguments) {
        expect_named(arguments, ">/dev/full", "No space left on device");
        expect_named(arguments, ">&-", "Bad file descriptor");
    }
};

TEST_F(LostOutput, IsAnErrorOfEveryVerb) {
    write("study.toml", "[base]\nmachine = 'odin'\npattern = 'ring'\nranks = 4\n");
    write("small.toml",
          "[link]\nbandwidth = '1 GB/s'\nlatency = '50 ns'\n[topology]\ntype = 'crossbar'\nhosts = 4\n");
    write("program.c",
          "#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n");
    const std::string compiler = orrery_program() + "-mpicc";
    ASSERT_EQ(run_command("cd " + folder_.string() + " && " + compiler + " program.c -o program").code, 0);
    write("two.goal", "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n");
    const std::string trace = stencil;
    for (const std::string& arguments : {
             "replay " + trace + " --on stampede",
             "replay " + trace + " --on stampede --json",
             "replay two.goal --on odin --per-rank"s,
             "generate ring -n 4 --on odin"s,
             "generate ring -n 4 --on odin --json"s,
             "generate --list"s,
             "generate ring -n 4 -o -"s,
             "generate ring -n 4 -o ring.goal"s,
             "convert two.goal two.orr"s,
             "convert two.goal - --to goal"s,
             "extrapolate " + trace + " -n 128 -o more.oti",
             "info " + trace,
             "info " + trace + " --json",
             "machine list"s,
             "machine show odin"s,
             "machine check odin"s,
             "machine route stampede n0 n1"s,
             "map near-neighbour -n 4 --on small.toml --random 1"s,
             "collectives"s,
             "collectives bcast --compare --on odin -n 4 --bytes 8 --json"s,
             "traffic --on small.toml --load 0.1 --messages 4"s,
             "run -n 2 --on small.toml ./program"s,
             "run -n 2 --on small.toml --json ./program"s,
             "sweep study.toml --dry-run"s,
             "sweep study.toml"s,
             "doctor"s,
             "doctor --json"s,
             "help replay"s,
             "completion bash"s,
             "--version"s,
             ""s,
         })
        expect_named(arguments);
    for (const char* const verb : {"run", "trace", "validate", "calibrate", "sweep", "serve"})
        expect_named(std::string(verb) + " --help");
}

// Both ends of the summary: what was asked for in a file is there all the same.
TEST_F(LostOutput, DoesNotTakeAnotherFileAlong) {
    expect_named("replay " + stencil + " --on stampede --csv ranks.csv", ">&-", "Bad file descriptor");
    std::ifstream table(folder_ / "ranks.csv");
    std::string first;
    std::getline(table, first);
    EXPECT_TRUE(first.starts_with("rank")) << first; // and not the summary, as the next file that was opened
}

// A shell's `| head -1` ends the writer by SIGPIPE, without words; a parent that ignores the signal gets an
// error.
TEST_F(LostOutput, AClosedPipeIsQuietUnlessItsSignalIsIgnored) {
    const std::string much = "generate ring -n 20000 --on odin --per-rank";
    const Answer quiet =
        run_command("bash -c 'set -o pipefail; " + orrery_program() + " " + much + " 2>&1 | head -1'");
    EXPECT_EQ(quiet.code, 128 + SIGPIPE);
    EXPECT_EQ(std::count(quiet.out.begin(), quiet.out.end(), '\n'), 1) << quiet.out;
    const Answer said = run_command("bash -c 'trap \"\" PIPE; set -o pipefail; { " + orrery_program() + " " +
                                    much + " | head -1 >/dev/null; } 2>&1'");
    EXPECT_EQ(said.code, 3);
    EXPECT_NE(said.out.find("cannot be written: Broken pipe"), std::string::npos) << said.out;
}

// The exit code tells, even if nothing else can.
TEST_F(LostOutput, OfErrorsLeavesTheExitCode) {
    for (const char* const redirection : {"2>&-", "2>/dev/full"}) {
        const std::string command = orrery_program() + " replay nosuch --on odin ";
        EXPECT_EQ(run_command(command + redirection).code, 3) << redirection;
    }
}

// Output that nobody asked for cannot be lost.
TEST_F(LostOutput, ConcernsOnlyVerbsThatPrint) {
    EXPECT_EQ(run_into("generate ring -n 4 -o ring.goal -q", ">&-").code, 0);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "ring.goal"));
}

} // namespace
} // namespace orrery::test::lost_output_test
