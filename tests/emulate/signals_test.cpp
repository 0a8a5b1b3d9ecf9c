// Signals that a rank sends itself, and timers in simulated time.
#include "emulate/four_ranks.h"

namespace orrery::test::signals_test {
namespace {

const char* const headers =
    "#define _GNU_SOURCE\n#include <errno.h>\n#include <pthread.h>\n#include <setjmp.h>\n"
    "#include <signal.h>\n#include <sys/time.h>\n#include <time.h>\n#include <unistd.h>\n"
    "static volatile int got, times;\nstatic void h(int s) { got = s; ++times; }\n"
    "static sigjmp_buf back;\nstatic void leap(int s) { siglongjmp(back, s); }\n";

class Signals : public FourRanks {
  protected:
    // What each rank prints comes from the rank alone.
    void expect_all(const std::string& body, const std::string& line, std::size_t ranks = 4) {
        const Answer answer = expect_end(build_text(program(body, headers)), 0, line);
        EXPECT_EQ(count(answer.out, line + "\n"), ranks) << body << "\n" << answer.out;
    }
    void expect_code(const std::string& body, int code, const std::string& words) {
        expect_end(build_text(program("if (r == 1) {" + body + "}", headers)), code, words);
    }
};

const char* const show = "printf(\"got %d\\n\", got);";

TEST_F(Signals, ReachTheRankThatRaisesThem) {
    const std::string here = std::string("signal(SIGUSR1, h); if (r == 1) ");
    expect_all(here + "raise(SIGUSR1);" + show, "got 10", 1);
    expect_all(here + "kill(getpid(), SIGUSR1);" + show, "got 10", 1);
    expect_all(here + "pthread_kill(pthread_self(), SIGUSR1);" + show, "got 10", 1);
    expect_all(here + "raise(SIGUSR1);" + show, "got 0", 3);
    expect_all("signal(SIGUSR2, SIG_IGN); raise(SIGUSR2); raise(SIGCHLD); puts(\"alive\");", "alive");
}

TEST_F(Signals, WithoutHandlerEndTheRun) {
    expect_code("raise(SIGSEGV);", 139,
                "rank 1: ended by SIGSEGV (Segmentation fault), for which it has no handler");
    expect_code("raise(SIGUSR1);", 138, "rank 1: ended by SIGUSR1");
    expect_code("kill(getpid(), SIGKILL);", 137, "rank 1: ended by SIGKILL");
    expect_code("signal(SIGTERM, h); signal(SIGTERM, SIG_DFL); raise(SIGTERM);", 143,
                "rank 1: ended by SIGTERM");
    expect_code("alarm(1); sleep(2);", 142, "rank 1: ended by SIGALRM");
    expect_code("kill(0, SIGTERM);", 1, "rank 1 calls kill(0, 15): that would reach the simulator");
    expect_code("raise(SIGSTOP);", 1, "rank 1 stops itself with SIGSTOP");
}

TEST_F(Signals, AreHandledAsPosixHasIt) {
    expect_all("sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR1); signal(SIGUSR1, h);"
               "sigprocmask(SIG_BLOCK, &s, 0); raise(SIGUSR1); int before = got;"
               "sigprocmask(SIG_UNBLOCK, &s, 0); printf(\"%d then %d\\n\", before, got);",
               "0 then 10");
    expect_all(
        "struct sigaction a = {0}, b; a.sa_handler = h; a.sa_flags = SA_RESETHAND; sigaction(SIGUSR1, &a, 0);"
        "raise(SIGUSR1); sigaction(SIGUSR1, 0, &b); printf(\"%d %d\\n\", got, b.sa_handler == SIG_DFL);",
        "10 1");
    expect_all("signal(SIGUSR1, leap); for (volatile int i = 0; i < 3; ++i) if (sigsetjmp(back, 1) == 0) "
               "raise(SIGUSR1); else ++times; printf(\"%d times\\n\", times);",
               "3 times");
    expect_all("sigset_t s; int n0; sigemptyset(&s); sigaddset(&s, SIGUSR1); sigprocmask(SIG_BLOCK, &s, 0);"
               "raise(SIGUSR1); sigwait(&s, &n0); printf(\"waited %d\\n\", n0);",
               "waited 10");
    expect_end(build_text(program("signal(SIGABRT, h2); if (r == 2) abort();",
                                  std::string(headers) +
                                      "static void h2(int s) { puts(\"handled\"); fflush(stdout); }")),
               134, "handled");
}

// A program may catch its own faults.
TEST_F(Signals, OfFaultsReachTheHandler) {
    expect_all(
        "signal(SIGSEGV, leap); if (sigsetjmp(back, 1) == 0) *(volatile int*)8 = 1; else puts(\"caught\");",
        "caught");
    expect_all("volatile int zero = 0; signal(SIGFPE, leap); if (sigsetjmp(back, 1) == 0) x = 5 / zero; else "
               "puts(\"caught\"); if (x) puts(\"\");",
               "caught");
}

// A signal of the system that is meant for who writes.
TEST_F(Signals, OfBrokenPipesReachTheWriter) {
    const std::string pipe_broken = "int p[2]; pipe(p); close(p[0]); int wrote = write(p[1], \"x\", 1);";
    expect_all("signal(SIGPIPE, SIG_IGN);" + pipe_broken + "printf(\"wrote %d\\n\", wrote);", "wrote -1");
    expect_all("signal(SIGPIPE, h);" + pipe_broken + show, "got 13");
}

TEST_F(Signals, OfTimersComeInSimulatedTime) {
    const std::string start = "double t = MPI_Wtime(); signal(SIGALRM, h);";
    expect_all(
        start + "alarm(1000); int left = sleep(3000); printf(\"%.0f s, %d left, got %d\\n\", MPI_Wtime() - t, "
                "left, got);",
        "1000 s, 2000 left, got 14");
    expect_all(start + "alarm(5); pause(); printf(\"%.0f s\\n\", MPI_Wtime() - t);", "5 s");
    expect_all(start + "struct itimerval i = {{2, 0}, {1, 0}}; setitimer(ITIMER_REAL, &i, 0);"
                       "struct timespec p = {100, 0}; while (times < 4) nanosleep(&p, 0);"
                       "printf(\"%.0f s\\n\", MPI_Wtime() - t);",
               "7 s");
    expect_all(
        "signal(SIGUSR1, h); timer_t m; struct sigevent e = {0}; e.sigev_notify = SIGEV_SIGNAL; e.sigev_signo "
        "= SIGUSR1; timer_create(CLOCK_REALTIME, &e, &m); struct itimerspec i = {{0, 0}, {3, 0}};"
        "timer_settime(m, 0, &i, 0); MPI_Barrier(MPI_COMM_WORLD); int left = sleep(10); timer_delete(m);"
        "printf(\"%d left, got %d\\n\", left, got);",
        "7 left, got 10");
    expect_code("timerfd_create(0, 0);", 1, "rank 1 calls timerfd_create (clock 0), which runs in real time");
    expect_code("pause();", 1, "pause");
}

// Measured computation passes simulated time, so that a timer ends it.
TEST_F(Signals, OfTimersInterruptComputation) {
    const std::string app = build_text(
        program("signal(SIGALRM, h); ualarm(50000, 0); while (!got); printf(\"got %d\\n\", got);", headers));
    const Answer answer = run("run -n 2 --on ideal-fat-tree --map-by roundrobin " + app, true);
    EXPECT_EQ(answer.code, 0) << answer.out;
    EXPECT_EQ(count(answer.out, "got 14"), 2U) << answer.out;
}

} // namespace
} // namespace orrery::test::signals_test
