/* A ring of messages with a barrier now and then, and an end as it is asked for. Usage: outcome HOW STEPS
 *
 *   finalize  as it should be              abort  rank 1 calls MPI_Abort with code 3 half way
 *   exit      exit(0) without MPI_Finalize return main returns 7 after MPI_Finalize, on rank 1
 *   kill      rank 1 is killed half way    segv   rank 1 touches what is not there half way
 *   killall   all are killed half way      term   rank 1 gets SIGTERM half way
 *   full      rank 1 may write no more to files, half way
 *   fork      each rank has a child, half way, that exits
 *   hang      never ends, after saying so  noinit never calls MPI_Init
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double work;

static void compute(int amount) {
    for (int i = 0; i < amount; ++i) work += 1.0 / (1.0 + i);
}

/* Sizes that do not repeat, so that the trace has something to store. */
static int bytes_of(int step) { return 1 + (int)((unsigned)step * 2654435761U >> 23); }

/* The ranks wait for each other once in a batch, not once in a message: where they share a core with others, every such
 * wait may take as long as the others are let run. */
enum { batch = 50 };
static void exchange(int rank, int ranks, int first, int messages) {
    static char out[512];
    static char in[batch][512];
    MPI_Request requests[batch];
    for (int i = 0; i < messages; ++i)
        MPI_Irecv(in[i], sizeof in[i], MPI_CHAR, (rank + ranks - 1) % ranks, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < messages; ++i) {
        compute(200);
        MPI_Send(out, bytes_of(first + i), MPI_CHAR, (rank + 1) % ranks, i, MPI_COMM_WORLD);
    }
    for (int i = 0; i < messages; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void half_way(const char* how, int rank) {
    if (strcmp(how, "killall") == 0) raise(SIGKILL);
    if (strcmp(how, "fork") == 0) {
        const pid_t child = fork();
        if (child == 0) exit(0); /* with all that is registered to run at the end */
        waitpid(child, NULL, 0);
    }
    if (rank != 1) return;
    if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(how, "kill") == 0) raise(SIGKILL);
    if (strcmp(how, "term") == 0) raise(SIGTERM);
    if (strcmp(how, "segv") == 0) *(volatile int*)8 = 1;
    if (strcmp(how, "full") == 0) {
        /* A write beyond it fails as on a full disk. */
        const struct rlimit limit = {4096, 4096};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
    }
}

int main(int argc, char** argv) {
    const char* const how = argc > 1 ? argv[1] : "finalize";
    const int steps = argc > 2 ? atoi(argv[2]) : 100;
    int rank = 0;
    int ranks = 0;
    if (strcmp(how, "noinit") == 0) {
        usleep(300000); /* see no_mpi.c */
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int hang = strcmp(how, "hang") == 0;
    for (int step = 0; step < steps; step += batch) {
        const int messages = steps - step < batch ? steps - step : batch;
        exchange(rank, ranks, step, messages);
        if (step % 500 == 0) MPI_Barrier(MPI_COMM_WORLD);
        if (steps / 2 >= step && steps / 2 < step + messages) half_way(how, rank);
    }
    if (rank == 0) printf("ring of %d, %d steps\n", ranks, steps);
    fflush(stdout);
    if (hang)
        for (;;) sleep(1);
    if (strcmp(how, "exit") == 0) exit(0);
    MPI_Finalize();
    return strcmp(how, "return") == 0 && rank == 1 ? 7 : 0;
}
