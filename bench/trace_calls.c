/* The traced side of bench/trace: cheap MPI calls by the million, or a program that calls at a given rate.
 *
 *   trace_calls each COUNT            ns per call of each kind, one rank with itself
 *   trace_calls rate ROUNDS WORK      ROUNDS exchanges of two ranks, or of one with itself (four calls each),
 * with WORK turns of a loop between; WORK 0: prints how many turns take 400 us trace_calls ring ROUNDS an
 * exchange with both neighbours and an allreduce in ten, any number of ranks
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static volatile double sink;

/* Nothing that depends on memory: the same time in every run. */
static void work(long turns) {
    double x = 1.0;
    for (long i = 0; i < turns; ++i) x = x * 1.0000001 + 1e-9;
    sink = x;
}

/* Of all threads, the tracer's too. */
static double cpu_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The fastest of a few: what the others had on top is somebody else's. */
#define MEASURE(name, calls, ...)                                                                              \
    do {                                                                                                       \
        double best = 1e30;                                                                                    \
        for (int part = 0; part < 10; ++part) {                                                                \
            const double begin = MPI_Wtime();                                                                  \
            for (long i = 0; i < count / 10; ++i) {                                                            \
                __VA_ARGS__                                                                                    \
            }                                                                                                  \
            const double seconds = MPI_Wtime() - begin;                                                        \
            if (seconds < best) best = seconds;                                                                \
        }                                                                                                      \
        printf("%s %d %.2f\n", name, calls, best / (double)(count / 10) / calls * 1e9);                        \
    } while (0)

static void each(long count) {
    double in = 1, out = 0;
    int flag;
    MPI_Request requests[2];
    MPI_Status status;
    const MPI_Comm self = MPI_COMM_SELF;
    MEASURE("Iprobe", 1, { MPI_Iprobe(0, 7, self, &flag, &status); });
    MEASURE("Irecv+Isend+Wait+Wait", 4, {
        MPI_Irecv(&out, 1, MPI_DOUBLE, 0, 1, self, &requests[0]);
        MPI_Isend(&in, 1, MPI_DOUBLE, 0, 1, self, &requests[1]);
        MPI_Wait(&requests[0], &status);
        MPI_Wait(&requests[1], &status);
    });
    MEASURE("Sendrecv", 1,
            { MPI_Sendrecv(&in, 1, MPI_DOUBLE, 0, 2, &out, 1, MPI_DOUBLE, 0, 2, self, &status); });
    MEASURE("Allreduce", 1, { MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, self); });
    MEASURE("Barrier", 1, { MPI_Barrier(self); });
}

static void rate(long rounds, long turns) {
    int rank, ranks;
    double in = 1, out = 0;
    MPI_Request requests[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int peer = ranks - 1 - rank;
    if (turns == 0) {
        const long probe = 10000000;
        double best = 1e30;
        for (int part = 0; part < 10; ++part) {
            const double begin = MPI_Wtime();
            work(probe);
            const double seconds = MPI_Wtime() - begin;
            if (seconds < best) best = seconds;
        }
        if (rank == 0) printf("turns 1 %ld\n", (long)(400e-6 / best * (double)probe));
        return;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime(), cpu_begin = cpu_seconds();
    for (long i = 0; i < rounds; ++i) {
        work(turns);
        MPI_Irecv(&out, 1, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&in, 1, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
    const double seconds = MPI_Wtime() - begin;
    if (rank == 0) printf("seconds 1 %.9f\ncpu 1 %.9f\n", seconds, cpu_seconds() - cpu_begin);
}

static void ring(long rounds) {
    int rank, ranks;
    double in = 1, out[2] = {0, 0}, sum;
    MPI_Request requests[4];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    for (long i = 0; i < rounds; ++i) {
        work(1000 + (i * 2654435761L >> 7) % 100);
        MPI_Irecv(&out[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&out[1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&in, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&in, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        if (i % 10 == 0) MPI_Allreduce(&in, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const double mine = (double)usage.ru_maxrss / 1024;
    double most, all;
    PMPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    PMPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("memory 1 %.3f\nmost 1 %.3f\n", all / ranks, most);
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    const char* const mode = count > 2 ? words[1] : "";
    if (strcmp(mode, "each") == 0) {
        each(atol(words[2]));
    } else if (strcmp(mode, "rate") == 0 && count > 3) {
        rate(atol(words[2]), atol(words[3]));
    } else if (strcmp(mode, "ring") == 0) {
        ring(atol(words[2]));
    } else {
        fprintf(stderr, "trace_calls each COUNT | rate ROUNDS WORK | ring ROUNDS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    return 0;
}
