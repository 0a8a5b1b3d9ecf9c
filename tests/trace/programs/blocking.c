/* Blocking point-to-point calls, each at least once; 2 ranks. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int other = 1 - rank;
    double data[32] = {0};
    double more[32] = {0};
    MPI_Status status;

    /* A derived type counts with its size, not with what it spans: 3 of 2 blocks of 8 bytes. */
    MPI_Datatype strided;
    MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &strided);
    MPI_Type_commit(&strided);

    const int bytes = 4096;
    char* buffer = malloc((size_t)bytes);
    MPI_Buffer_attach(buffer, bytes);
    if (rank == 0) {
        MPI_Send(data, 4, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        MPI_Ssend(data, 3, strided, 1, 2, MPI_COMM_WORLD);
        MPI_Bsend(data, 5, MPI_INT, 1, 3, MPI_COMM_WORLD);
        MPI_Recv(data, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(data, 2, MPI_INT, 1, 4, MPI_COMM_WORLD); /* its receive is there */
        MPI_Send(data, 7, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
        MPI_Send(data, 0, MPI_BYTE, MPI_PROC_NULL, 6, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, 32, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* 32 of the 256 bytes */
        MPI_Recv(data, 3, strided, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(data, 8, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
        MPI_Request request;
        MPI_Irecv(data, 8, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
        MPI_Send(data, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(data, 32, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(data, 1, MPI_BYTE, MPI_PROC_NULL, 6, MPI_COMM_WORLD, &status);
    }
    MPI_Buffer_detach(&buffer, &(int){0});
    free(buffer);

    MPI_Sendrecv(data, 4 + rank, MPI_DOUBLE, other, 7, more, 32, MPI_DOUBLE, other, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(data, 1, MPI_INT, other, 8 + rank, more, 32, MPI_INT, other, 8 + other, MPI_COMM_WORLD,
                 &status);
    MPI_Sendrecv(data, 1, MPI_INT, other, 9, more, 32, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 &status);
    MPI_Sendrecv_replace(data, 6, MPI_INT, other, 10, other, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* Along a chain: the ends have no neighbour. */
    MPI_Sendrecv(data, 2, MPI_INT, rank == 0 ? 1 : MPI_PROC_NULL, 11, more, 32, MPI_INT,
                 rank == 0 ? MPI_PROC_NULL : 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&strided);
    MPI_Finalize();
    return 0;
}
