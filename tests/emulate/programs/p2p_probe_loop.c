// A rank that asks for a message in a loop finds it when it comes, however long that takes, and is not asked
// millions of times.
#include "check.h"

#include <orrery/emulate.h>

#include <time.h>

static void wait_for_late_message(double seconds) {
    double sent = 0;
    if (rank == 0) {
        orrery_execute(seconds);
        for (int to = 1; to < size; ++to) {
            sent = MPI_Wtime();
            MPI_Send(&sent, 1, MPI_DOUBLE, to, 3, MPI_COMM_WORLD);
        }
        return;
    }
    long looks = 0;
    for (int flag = 0; !flag; ++looks) MPI_Iprobe(0, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    const double found = MPI_Wtime();
    MPI_Recv(&sent, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(found >= sent && found < sent + 1e-4);
    CHECK(looks < 2000);
}

static long asked; // not where the loop's own variables are

static int there(void) {
    int flag;
    ++asked;
    MPI_Iprobe(0, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return flag;
}

// A loop that changes none of its variables is asked a few times.
static void wait_idly(double seconds) {
    double sent = 0;
    if (rank == 0) {
        orrery_execute(seconds);
        for (int to = 1; to < size; ++to) {
            sent = MPI_Wtime();
            MPI_Send(&sent, 1, MPI_DOUBLE, to, 4, MPI_COMM_WORLD);
        }
        return;
    }
    asked = 0;
    while (!there()) continue;
    const double found = MPI_Wtime();
    MPI_Recv(&sent, 1, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(found >= sent && found < sent + 1e-4);
#ifndef ORRERY_SANITIZED // which keeps variables where the emulator does not see that they are the same
    CHECK(asked <= 6);
#endif
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A loop that looks at the clock, too, ends when it says.
static void give_up(double after) {
    const double deadline = seconds() + after;
    int flag = 0;
    while (!flag && seconds() < deadline) MPI_Iprobe(0, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    // By itself the program has real clocks, which go on while others compute.
    CHECK(!flag && seconds() >= deadline && (size == 1 || seconds() < deadline + 0.02));
}

static volatile double shown; // in a window

// What comes is not a message.
static void wait_for_put(double after) {
    MPI_Win window;
    shown = 0;
    MPI_Win_create((void*)&shown, sizeof shown, sizeof shown, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0) {
        orrery_execute(after);
        for (int to = 1; to < size; ++to) {
            const double now = MPI_Wtime();
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, window);
            MPI_Put(&now, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, window);
            MPI_Win_unlock(to, window);
        }
    } else {
        int flag = 0;
        while (shown == 0) MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag && MPI_Wtime() >= shown && MPI_Wtime() < shown + 1e-3);
    }
    MPI_Win_free(&window);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    for (int i = 0; i < 3; ++i)
        wait_for_late_message(1.0); // the timed waits of the first must not end those of the next
    wait_for_late_message(1e-6);
    for (int i = 0; i < 3; ++i) wait_idly(3.0);
    give_up(0.7);
    wait_for_put(2.7);
    return end();
}
