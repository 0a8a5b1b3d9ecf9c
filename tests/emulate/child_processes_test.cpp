// Programs that fork: the child is a child, never a second simulator.
#include "emulate/four_ranks.h"

namespace orrery::test::child_processes_test {
namespace {

const char* const headers =
    "#define _GNU_SOURCE\n#include <spawn.h>\n#include <sys/wait.h>\n#include <time.h>\n"
    "#include <unistd.h>\n";
const char* const wait_for_it =
    "int s = 0; waitpid(p, &s, 0);"
    "printf(\"rank %d: child %d\\n\", r, WIFEXITED(s) ? WEXITSTATUS(s) : -WTERMSIG(s));";

class ChildProcesses : public FourRanks {
  protected:
    // Each rank has one child, which ends so, and the run goes on as without.
    std::string expect_children(const std::string& child, int status, const std::string& fork = "fork()") {
        const std::string app = build_text(
            program("printf(\"before\\n\"); pid_t p = " + fork + "; if (p == 0) {" + child + "}" + wait_for_it,
                    headers));
        const Answer answer = expect_end(app, 0, "rank 3: child " + std::to_string(status));
        EXPECT_EQ(count(answer.out, ": child " + std::to_string(status)), 4U) << answer.out;
        EXPECT_EQ(count(answer.out, "before"), 4U) << answer.out; // written once, though both have it buffered
        return answer.out;
    }
};

TEST_F(ChildProcesses, EndByThemselves) {
    expect_children("_exit(5);", 5);
    expect_children("exit(6);", 6);
    expect_children("printf(\"child\\n\"); return 7;", 7);
    expect_children("abort();", -6);
    expect_children("*(volatile int*)0 = 1;", -11);
    EXPECT_EQ(count(expect_children("printf(\"child\\n\"); exit(0);", 0), "child\n"), 4U);
}

TEST_F(ChildProcesses, ExecuteOrFailTo) {
    EXPECT_EQ(count(expect_children("execlp(\"echo\", \"echo\", \"executed\", (char*)0);", 0), "executed"), 4U);
    expect_children("execlp(\"/nonexistent\", \"x\", (char*)0); _exit(127);", 127);
    expect_children("setenv(\"OWN\", r == 2 ? \"3\" : \"4\", 1); execlp(\"sh\", \"sh\", \"-c\", \"exit 4\", "
                    "(char*)0);",
                    4);
}

TEST_F(ChildProcesses, OfVforkComeFirst) {
    expect_children("_exit(9);", 9, "vfork()");
    expect_children("execlp(\"/nonexistent\", \"x\", (char*)0); _exit(127);", 127, "vfork()");
}

TEST_F(ChildProcesses, OfTheLibraryWork) {
    expect_end(build_text(program("printf(\"system %d\\n\", WEXITSTATUS(system(\"exit 3\")));", headers)), 0,
               "system 3");
    expect_end(build_text(program("FILE* f = popen(\"exit 4\", \"r\"); printf(\"popen %d\\n\", "
                                  "WEXITSTATUS(pclose(f)));",
                                  headers)),
               0, "popen 4");
    expect_end(build_text(program("char* a[] = {\"sh\", \"-c\", \"exit 5\", 0}; pid_t p; extern char** environ;"
                                  "posix_spawnp(&p, \"sh\", 0, 0, a, environ);" +
                                      std::string(wait_for_it),
                                  headers)),
               0, "rank 3: child 5");
}

TEST_F(ChildProcesses, HaveRealTimeAndTheEnvironmentOfTheRank) {
    expect_children("struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); usleep(20000);"
                    "clock_gettime(CLOCK_MONOTONIC, &b);"
                    "exit(b.tv_sec - a.tv_sec + 1e-9 * (b.tv_nsec - a.tv_nsec) < 0.02);",
                    0);
    const std::string app = build_text(program("setenv(\"OWN\", r == 2 ? \"3\" : \"4\", 1); pid_t p = fork();"
                                               "if (!p) { execlp(\"sh\", \"sh\", \"-c\", \"exit $OWN\", "
                                               "(char*)0); }" +
                                                   std::string(wait_for_it),
                                               headers));
    const std::string out = expect_end(app, 0, "rank 2: child 3").out;
    EXPECT_NE(out.find("rank 1: child 4"), std::string::npos) << out;
}

TEST_F(ChildProcesses, MayNotCallMpi) {
    const std::string out = expect_children("MPI_Barrier(MPI_COMM_WORLD); _exit(0);", 1);
    EXPECT_EQ(count(out, "MPI_Barrier was called by a child process"), 4U) << out;
}

TEST_F(ChildProcesses, LeaveOurFilesAlone) {
    const std::string app = build_text(
        program("pid_t p = fork(); if (!p) { kill(getpid(), 15); exit(1); }" + std::string(wait_for_it),
                std::string(headers) + "#include <signal.h>\n"));
    expect_end(app, 0, "rank 3: child -15", "--timeline t.paje --tag-output");
    EXPECT_NE(text_of("t.paje"), "");
}

// All ranks are in the one process.
TEST_F(ChildProcesses, ExecInARankIsRefused) {
    const std::string here = "if (r == 1) ";
    expect_end(build_text(program(here + "execlp(\"echo\", \"echo\", \"x\", (char*)0);", headers)), 1,
               "rank 1 calls execlp: all ranks share one process");
    expect_end(build_text(program(here + "{ char* a[] = {\"echo\", 0}; execv(\"/bin/echo\", a); }", headers)),
               1, "rank 1 calls execv: ");
    expect_end(build_text(program(here + "daemon(0, 0);", headers)), 1, "rank 1 calls daemon: ");
}

} // namespace
} // namespace orrery::test::child_processes_test
