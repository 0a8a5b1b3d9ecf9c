/* Persistent requests; 2 ranks. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, data[16] = {0}, in[4] = {0};
    MPI_Request requests[6];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int bytes = 4096;
    char* buffer = malloc((size_t)bytes);
    MPI_Buffer_attach(buffer, bytes);
    if (rank == 0) {
        MPI_Send_init(data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Ssend_init(data, 2, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Bsend_init(data, 3, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[2]);
        MPI_Rsend_init(data, 4, MPI_INT, 1, 4, MPI_COMM_WORLD, &requests[3]);
        MPI_Send_init(data, 4, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &requests[4]);
    } else {
        for (int i = 0; i < 4; ++i)
            MPI_Recv_init(&in[i], 1, MPI_INT, i == 0 ? MPI_ANY_SOURCE : 0, i + 1, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < 4; ++i) {
            MPI_Request_free(&requests[i]); /* never started */
            MPI_Recv_init(data, 16, MPI_INT, i == 0 ? MPI_ANY_SOURCE : 0, i + 1, MPI_COMM_WORLD, &requests[i]);
        }
    }
    const int count = rank == 0 ? 5 : 4;
    for (int turn = 0; turn < 2; ++turn) {
        if (rank == 1) MPI_Startall(count, requests);
        MPI_Barrier(MPI_COMM_WORLD); /* all receives are there */
        if (rank == 0) {
            MPI_Start(&requests[0]);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* it is not active */
            MPI_Startall(count - 1, requests + 1);
        }
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < count; ++i) MPI_Request_free(&requests[i]);

    /* Started, and freed before it is done. */
    if (rank == 0) {
        MPI_Send_init(data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[0]);
        MPI_Start(&requests[0]);
        MPI_Request_free(&requests[0]);
    } else {
        MPI_Recv_init(data, 4, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[0]);
        MPI_Start(&requests[0]);
        MPI_Cancel(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Request_free(&requests[0]);
        MPI_Recv(data, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Buffer_detach(&buffer, &(int){0});
    free(buffer);
    MPI_Finalize();
    return 0;
}
