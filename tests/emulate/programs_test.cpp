// MPI programs, built with the wrappers and emulated: they say themselves whether MPI did what it promises.
#include "collectives/algorithms.h"
#include "emulate/mpi_programs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

namespace orrery::test::programs_test {
namespace {

const char* const machine = " --on ideal-fat-tree --map-by roundrobin --compute none ";

class MpiPrograms : public EmulatedPrograms {
  protected:
    // It says that it found nothing wrong.
    void expect_no_errors(const std::string& app, const std::string& ranks, const std::string& how = "") {
        const Answer answer = run("run -n " + ranks + machine + how + " " + app, true);
        EXPECT_EQ(answer.code, 0) << app << " on " << ranks << how << "\n" << answer.out;
        EXPECT_NE(answer.out.find("No Errors"), std::string::npos) << app << how << "\n" << answer.out;
    }
};

class SlowMpiPrograms : public MpiPrograms {};

std::string mpi_programs() { return project_folder() + "/tests/emulate/programs"; }

// One for each source in the folder.
std::vector<std::string> chapters() {
    std::vector<std::string> sources;
    for (const auto& entry : std::filesystem::directory_iterator(mpi_programs())) {
        const std::string ending = entry.path().extension().string();
        if (ending == ".c" || ending == ".cpp" || ending == ".f90") sources.push_back(entry.path().string());
    }
    std::sort(sources.begin(), sources.end());
    return sources;
}

class MpiChapters : public MpiPrograms, public testing::WithParamInterface<std::string> {};

// By one, few and an odd number of ranks, and by itself.
TEST_P(MpiChapters, FindNothingWrong) {
    const std::filesystem::path source = GetParam();
    if (source.extension() == ".f90" && !installed("gfortran")) GTEST_SKIP() << "there is no gfortran";
    const std::string app =
        build(source.string(), source.stem().string(), sanitized ? "-DORRERY_SANITIZED" : "");
    for (const char* const ranks : {"1", "4", "7"}) expect_no_errors(app, ranks);
    if (sanitized) return; // its library needs the sanitizer in the process
    const Answer alone = run_command("cd " + folder_.string() + " && " + app + " 2>&1");
    EXPECT_EQ(alone.code, 0) << app << " by itself\n" << alone.out;
    EXPECT_NE(alone.out.find("No Errors"), std::string::npos) << app << "\n" << alone.out;
}

INSTANTIATE_TEST_SUITE_P(All, MpiChapters, testing::ValuesIn(chapters()),
                         [](const auto& each) { return std::filesystem::path(each.param).stem().string(); });

// As MPICH chooses its algorithms, and by some that neither library chooses at these sizes.
TEST_F(MpiPrograms, CollectivesComputeRightByOtherAlgorithms) {
    const std::string folder = mpi_programs() + "/";
    const std::string moves = build(folder + "collectives_moves.c", "moves");
    const std::string reduce = build(folder + "collectives_reduce.c", "reduce");
    for (const std::string ranks : {"5", "8"}) {
        if (sanitized && ranks == "8") continue;
        expect_no_errors(moves, ranks, "--collective mpich");
        expect_no_errors(reduce, ranks, "--collective mpich");
        expect_no_errors(
            moves, ranks,
            "--collective bcast=scatter_allgather_ring --collective allgather=mesh_2d "
            "--collective alltoall=bruck --collective gather=linear_sync --collective barrier=tournament "
            "--collective allgatherv=ring_pipelined --collective alltoallv=pairwise_exchange");
        expect_no_errors(reduce, ranks,
                         "--collective allreduce=rabenseifner --collective reduce=rabenseifner "
                         "--collective reduce_scatter=butterfly --collective scan=to_all_higher");
    }
}

// The algorithms that `orrery collectives` lists for each operation.
std::map<std::string, std::vector<std::string>> algorithms_in(const std::string& listing) {
    std::map<std::string, std::vector<std::string>> found;
    std::istringstream lines(listing);
    std::string operation;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("    ", 0) != 0) {
            operation = line.substr(0, line.find(' '));
            continue;
        }
        if (operation.rfind("neighbor", 0) == 0) continue; // topology_neighbours.c
        std::istringstream words(line);
        for (std::string name; words >> name;) {
            const auto collective = find_collective(operation);
            if (!collective) continue; // the last line
            // Some move too little, as their descriptions say.
            if (find_algorithm(*collective, name)->moves_data) found[operation].push_back(name);
        }
    }
    return found;
}

// Every algorithm there is: one of each operation in every run.
TEST_F(SlowMpiPrograms, CollectivesComputeRightByAllAlgorithms) {
    const std::string folder = mpi_programs() + "/";
    const std::string moves = build(folder + "collectives_moves.c", "moves");
    const std::string reduce = build(folder + "collectives_reduce.c", "reduce");
    std::vector<std::string> how_to_move, how_to_reduce; // the options of each run
    std::size_t algorithms = 0;
    for (const auto& [operation, names] : algorithms_in(run("collectives").out)) {
        const bool reduces =
            operation.find("reduce") != std::string::npos || operation.find("scan") != std::string::npos;
        std::vector<std::string>& how = reduces ? how_to_reduce : how_to_move;
        how.resize(std::max(how.size(), names.size()));
        for (std::size_t i = 0; i < names.size(); ++i) how[i] += " --collective " + operation + "=" + names[i];
        algorithms += names.size();
    }
    for (const char* const ranks : {"5", "8"}) {
        for (const std::string& how : how_to_move) expect_no_errors(moves, ranks, how);
        for (const std::string& how : how_to_reduce) expect_no_errors(reduce, ranks, how);
    }
    EXPECT_GT(algorithms, 150U);
}

// What does not do what MPI says is for traces and schedules.
TEST_F(MpiPrograms, AlgorithmsThatComputeWrongAreRefused) {
    const std::string reduce = build(mpi_programs() + "/collectives_reduce.c", "reduce");
    for (const char* const how : {"--collective loggopsim", "--collective allreduce=loggopsim:dissemination",
                                  "--collective allgatherv=simgrid-replay:GB"}) {
        const Answer answer = run("run -n 3" + std::string(machine) + how + " " + reduce, true);
        EXPECT_EQ(answer.code, 2) << answer.out;
        EXPECT_NE(answer.out.find("does not give every rank what MPI says"), std::string::npos) << answer.out;
    }
    expect_no_errors(reduce, "3", "--collective loggopsim --collective allreduce=ring");
}

TEST_F(MpiPrograms, ADeadlockIsNamed) {
    const std::string app = build_text("int main(int c, char** v) { int r, x; MPI_Init(&c, &v);"
                                       "MPI_Comm_rank(MPI_COMM_WORLD, &r);"
                                       "MPI_Recv(&x, 1, MPI_INT, 1 - r, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
                                       "MPI_Finalize(); return 0; }");
    const Answer answer = run("run -n 2" + std::string(machine) + app, true);
    EXPECT_EQ(answer.code, 1);
    EXPECT_NE(answer.out.find("deadlock: 2 ranks wait for each other"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("rank 0 in MPI_Recv, for a message from rank 1 with tag 5"), std::string::npos)
        << answer.out;
}

TEST_F(MpiPrograms, AbortEndsTheRun) {
    const std::string app = build_text("int main(int c, char** v) { int r; MPI_Init(&c, &v);"
                                       "MPI_Comm_rank(MPI_COMM_WORLD, &r);"
                                       "if (r == 2) MPI_Abort(MPI_COMM_WORLD, 9);"
                                       "MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }");
    const Answer answer = run("run -n 4" + std::string(machine) + app, true);
    EXPECT_EQ(answer.code, 9);
    EXPECT_NE(answer.out.find("rank 2 calls MPI_Abort with code 9"), std::string::npos) << answer.out;
}

TEST_F(MpiPrograms, WrongArgumentsAreNamed) {
    struct Case {
        const char* call;
        const char* words;
    };
    for (const Case& each :
         {Case{"MPI_Send(&x, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);", "rank 7 is not in a communicator of 2 ranks"},
          Case{"MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);", "the count is -1"},
          Case{"MPI_Send(&x, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);", "the tag is -5"},
          Case{"MPI_Bcast(&x, 1, MPI_INT, 9, MPI_COMM_WORLD);", "root 9"},
          Case{"MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);", "MPI_Send"},
          Case{"if (r == 0) MPI_Send(y, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);"
               "else MPI_Recv(y, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
               "longer than the 8 bytes"},
          Case{"if (r == 0) MPI_Barrier(MPI_COMM_WORLD); else MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);",
               "call different collectives"},
          Case{"MPI_Finalize(); MPI_Barrier(MPI_COMM_WORLD);", "calls MPI_Barrier after MPI_Finalize"}}) {
        const std::string app =
            build_text("int main(int c, char** v) { int r, x = 0, y[4] = {0}; MPI_Init(&c, &v);"
                       "MPI_Comm_rank(MPI_COMM_WORLD, &r);" +
                       std::string(each.call) + "MPI_Finalize(); return y[0] + x; }");
        const Answer answer = run("run -n 2" + std::string(machine) + app, true);
        EXPECT_EQ(answer.code, 1) << each.call << "\n" << answer.out;
        EXPECT_NE(answer.out.find(each.words), std::string::npos) << each.call << "\n" << answer.out;
    }
}

TEST_F(MpiPrograms, VariablesArePrivateAndTimeIsSimulated) {
    const std::string app =
        build_text("#include <unistd.h>\n#include <time.h>\nstatic int own = 5; int other;\n"
                   "int main(int c, char** v) { int r; struct timespec t; MPI_Init(&c, &v);"
                   "MPI_Comm_rank(MPI_COMM_WORLD, &r); own += r; other -= r; MPI_Barrier(MPI_COMM_WORLD);"
                   "double a = MPI_Wtime(); sleep(3600); clock_gettime(CLOCK_MONOTONIC, &t);"
                   "if (own != 5 + r || other != -r) printf(\"shared\\n\");"
                   "if (MPI_Wtime() - a < 3599.9 || t.tv_sec < 3600) printf(\"%g\\n\", MPI_Wtime() - a);"
                   "MPI_Finalize(); return 0; }");
    for (const std::string how : {"segments", "copy"}) {
        const Answer answer = run("run -n 50 --json --privatize " + how + machine + app);
        EXPECT_EQ(answer.code, 0) << how;
        EXPECT_EQ(answer.out.find('{'), 0U) << how << "\n" << answer.out;
    }
}

TEST_F(MpiPrograms, ClocksCountWhatWasComputed) {
    const std::string app = build_text(
        "#include <time.h>\nstatic double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);"
        "return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }\n"
        "int main(int c, char** v) { MPI_Init(&c, &v); volatile double x = 0; double a = now(), b = "
        "MPI_Wtime();"
        "for (int i = 0; i < 5000000; ++i) x += i;"
        "double by_clock = now() - a, by_mpi = MPI_Wtime() - b;"
        "printf(by_clock > 1e-4 && by_mpi > 1e-4 && by_clock < by_mpi * 1.5 && by_mpi < by_clock * 1.5 ?"
        "\"No Errors\\n\" : \"%g %g\\n\", by_clock, by_mpi); MPI_Finalize(); return 0; }");
    const Answer answer = run("run -n 2 --on ideal-fat-tree --map-by roundrobin " + app, true);
    EXPECT_NE(answer.out.find("No Errors\nNo Errors"), std::string::npos) << answer.out;
}

TEST_F(MpiPrograms, ALoopUntilAMomentEndsThoughComputingTakesNoTime) {
    const std::string app =
        build_text("#include <sys/time.h>\nstatic double now(void) { struct timeval t; gettimeofday(&t, NULL);"
                   "return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }\n"
                   "int main(int c, char** v) { MPI_Init(&c, &v); double a = now(), b = MPI_Wtime();"
                   "while (now() < a + 1e-3) {} while (MPI_Wtime() < b + 2e-3) {}"
                   "MPI_Finalize(); puts(\"No Errors\"); return 0; }");
    expect_no_errors(app, "2");
}

TEST_F(MpiPrograms, ThreadsThatMayNotCallMpiAreNamed) {
    for (const bool first : {true, false}) {
        const std::string app = build_text("#include <omp.h>\nint main(int c, char** v) { MPI_Init(&c, "
                                           "&v);\n#pragma omp parallel num_threads(2)\n"
                                           "{ if (omp_get_thread_num() == " +
                                               std::string(first ? "0" : "1") +
                                               ") MPI_Barrier(MPI_COMM_WORLD); }\n MPI_Finalize(); return 0; }",
                                           "-fopenmp");
        const Answer answer = run("run -n 2" + std::string(machine) + app, true);
        EXPECT_EQ(answer.code, 1);
        EXPECT_NE(answer.out.find(first ? "MPI_Barrier was called within a parallel region"
                                        : "MPI_Barrier was called by a thread of OpenMP"),
                  std::string::npos)
            << answer.out;
    }
}

TEST_F(MpiPrograms, ADeadlockOfThreadsIsNamed) {
    const std::string app = build_text(
        "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"
        "static void* lock(void* x) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return x; }\n"
        "int main(int c, char** v) { pthread_t t; MPI_Init(&c, &v); pthread_create(&t, NULL, lock, NULL);"
        "pthread_join(t, NULL); MPI_Finalize(); return 0; }");
    const Answer answer = run("run -n 2" + std::string(machine) + app, true);
    EXPECT_EQ(answer.code, 1);
    EXPECT_NE(answer.out.find("rank 0 in pthread_mutex_lock"), std::string::npos) << answer.out;
}

// Every buffer that the program gives to MPI lies in a variable of its own: MPI has to find it while another
// rank runs.
TEST_F(MpiPrograms, BuffersMayBeVariables) {
    std::vector<std::string> names = {"collectives_moves", "collectives_reduce", "rma_lock"};
    if (!sanitized)
        names.insert(names.end(),
                     {"intercomm_collectives", "p2p_isendrecv", "p2p_modes", "p2p_requests", "rma_fence",
                      "rma_random", "topology_neighbours", "types_messages", "io_views"});
    const std::string folder = mpi_programs() + "/";
    for (const std::string& name : names) {
        const std::string app =
            build(folder + name + ".c", name + "_arena", "-Wno-unused-function -include " + folder + "arena.h");
        for (const std::string how : {"segments", "copy"}) expect_no_errors(app, "4", "--privatize " + how);
    }
}

// The same figure to the picosecond, whatever the programs call.
TEST_F(MpiPrograms, TheReplayOfATraceTakesAsLong) {
    for (const std::string name :
         {"collectives_moves", "communicators", "intercomm_collectives", "intercomm_groups", "io_views",
          "p2p_cancel", "p2p_isendrecv", "p2p_modes", "p2p_probe", "p2p_requests", "rma_fence", "rma_lock",
          "rma_pscw", "rma_random", "topology_neighbours"}) {
        const std::string app = build(mpi_programs() + "/" + name + ".c", name);
        for (const std::string on : {"ideal-fat-tree --map-by roundrobin", "ideal-fat-tree --network packet",
                                     "odin", "stampede --model smpi-compat"}) {
            const std::int64_t run =
                predicted("run -n 5 --compute none --json --trace own.ort --on " + on + " " + app);
            EXPECT_GT(run, 0) << name;
            EXPECT_EQ(predicted("replay own.ort --json --on " + on), run) << name << " on " << on;
        }
    }
}

// So do its other forms.
TEST_F(MpiPrograms, TheReplayOfAConvertedTraceTakesAsLong) {
    const std::string how = " --json --on ideal-fat-tree --map-by roundrobin ";
    for (const std::string name :
         {"collectives_moves", "collectives_reduce", "communicators", "intercomm_collectives",
          "intercomm_groups", "p2p_cancel", "p2p_requests", "rma_fence", "rma_lock", "rma_pscw", "rma_random",
          "topology_neighbours", "types_messages"}) {
        const std::string app = build(mpi_programs() + "/" + name + ".c", name);
        const std::int64_t emulated = predicted("run -n 4 --compute none --trace own.ort" + how + app);
        for (const std::string form : {"own.oti", "own.txt"}) {
            const Answer converted = run("convert own.ort " + form, true);
            EXPECT_EQ(converted.code, 0) << converted.out;
            EXPECT_EQ(predicted("replay " + form + how), emulated) << name << " as " << form;
        }
    }
}

} // namespace
} // namespace orrery::test::programs_test
