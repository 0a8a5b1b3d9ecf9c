/* Prints what the library says of itself and the ring of ranks that MPI_Sendrecv makes. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank = -1, size = 0, from = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d of %d heard from %d\n", rank, size, from);
    MPI_Finalize();
    return 0;
}
