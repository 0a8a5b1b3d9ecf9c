/* MPI_THREAD_MULTIPLE: two threads of each rank pass messages round a ring at the same time, each with tags of
 * its own. Usage: threads STEPS; prints how many messages each rank sent, or that MPI grants no such level. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, steps;

static void* pass(void* which) {
    const int tag = *(int*)which;
    for (int step = 0; step < steps; ++step) {
        char out[64] = {0};
        char in[64];
        MPI_Request request;
        MPI_Isend(out, 1 + step % 64, MPI_CHAR, (rank + 1) % ranks, tag, MPI_COMM_WORLD, &request);
        MPI_Recv(in, sizeof in, MPI_CHAR, (rank + ranks - 1) % ranks, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(int argc, char** argv) {
    int granted = 0;
    int tags[2] = {1, 2};
    pthread_t other;
    steps = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (granted < MPI_THREAD_MULTIPLE) {
        printf("no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return 0;
    }
    pthread_create(&other, NULL, pass, &tags[1]);
    pass(&tags[0]);
    pthread_join(other, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("%d messages of each rank\n", 2 * steps);
    MPI_Finalize();
    return 0;
}
