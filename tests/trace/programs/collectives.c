/* All collectives: blocking, or with -DNONBLOCKING each with a wait behind it; 3 ranks. */
#include <mpi.h>
#include <stddef.h>

#ifdef NONBLOCKING
#define CALL(blocking, nonblocking, ...)                                                                       \
    (MPI_I##nonblocking(__VA_ARGS__, &request), MPI_Wait(&request, MPI_STATUS_IGNORE))
#else
#define CALL(blocking, nonblocking, ...) MPI_##blocking(__VA_ARGS__)
#endif

static void subtract(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((double*)inout)[i] = ((double*)in)[i] - ((double*)inout)[i];
}

int main(int argc, char** argv) {
    enum { ranks = 3 };
    int rank;
    double out[64] = {0}, in[64] = {0};
    MPI_Request request = MPI_REQUEST_NULL;
    (void)request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const MPI_Comm comm = MPI_COMM_WORLD;
    const int counts[ranks] = {1, 2, 3}, starts[ranks] = {0, 1, 3};
    const int same[ranks] = {2, 2, 2}, same_starts[ranks] = {0, 2, 4}, same_bytes[ranks] = {0, 16, 32};
    MPI_Datatype types[ranks] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE}, into[ranks];
    const int sent[ranks] = {2, 4, 2}; /* 16 bytes, of either type */
    for (int i = 0; i < ranks; ++i) into[i] = types[rank];
    const int got[ranks] = {sent[rank], sent[rank], sent[rank]};
    MPI_Op ordered;
    MPI_Op_create(subtract, 0, &ordered);

    CALL(Barrier, barrier, comm);
    CALL(Bcast, bcast, out, 3, MPI_DOUBLE, 2, comm);
    CALL(Gather, gather, out, 2, MPI_DOUBLE, in, 4, MPI_INT, 1, comm);
    CALL(Gatherv, gatherv, out, rank + 1, MPI_DOUBLE, in, counts, starts, MPI_DOUBLE, 0, comm);
    CALL(Scatter, scatter, out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, 1, comm);
    CALL(Scatterv, scatterv, out, counts, starts, MPI_DOUBLE, in, rank + 1, MPI_DOUBLE, 2, comm);
    CALL(Allgather, allgather, out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, comm);
    CALL(Allgatherv, allgatherv, out, rank + 1, MPI_DOUBLE, in, counts, starts, MPI_DOUBLE, comm);
    CALL(Alltoall, alltoall, out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, comm);
    const int all[ranks] = {rank + 1, rank + 1, rank + 1}, all_starts[ranks] = {0, 3, 6};
    CALL(Alltoallv, alltoallv, out, counts, starts, MPI_DOUBLE, in, all, all_starts, MPI_DOUBLE, comm);
    CALL(Alltoallw, alltoallw, out, sent, same_bytes, types, in, got, same_bytes, into, comm);
    CALL(Reduce, reduce, out, in, 3, MPI_DOUBLE, MPI_SUM, 1, comm);
    CALL(Allreduce, allreduce, out, in, 3, MPI_INT, MPI_MAX, comm);
    CALL(Allreduce, allreduce, out, in, 3, MPI_DOUBLE, ordered, comm);
    CALL(Reduce_scatter, reduce_scatter, out, in, counts, MPI_DOUBLE, MPI_SUM, comm);
    CALL(Reduce_scatter_block, reduce_scatter_block, out, in, 2, MPI_DOUBLE, ordered, comm);
    CALL(Scan, scan, out, in, 3, MPI_DOUBLE, MPI_SUM, comm);
    CALL(Exscan, exscan, out, in, 3, MPI_DOUBLE, MPI_SUM, comm);

    /* In place. */
    CALL(Gather, gather, rank == 1 ? MPI_IN_PLACE : out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, 1, comm);
    CALL(Gatherv, gatherv, rank == 1 ? MPI_IN_PLACE : out, rank + 1, MPI_DOUBLE, in, counts, starts, MPI_DOUBLE,
         1, comm);
    CALL(Scatter, scatter, out, 2, MPI_DOUBLE, rank == 1 ? MPI_IN_PLACE : in, 2, MPI_DOUBLE, 1, comm);
    CALL(Scatterv, scatterv, out, counts, starts, MPI_DOUBLE, rank == 1 ? MPI_IN_PLACE : in, rank + 1,
         MPI_DOUBLE, 1, comm);
    CALL(Allgather, allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_DOUBLE, comm);
    CALL(Allgatherv, allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, starts, MPI_DOUBLE, comm);
    CALL(Alltoall, alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_DOUBLE, comm);
    CALL(Alltoallv, alltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, same, same_starts, MPI_DOUBLE,
         comm);
    for (int i = 0; i < ranks; ++i) types[i] = MPI_DOUBLE;
    CALL(Alltoallw, alltoallw, MPI_IN_PLACE, NULL, NULL, NULL, in, same, same_bytes, types, comm);
    CALL(Allreduce, allreduce, MPI_IN_PLACE, in, 3, MPI_INT, MPI_MAX, comm);
    MPI_Op_free(&ordered);
    MPI_Finalize();
    return 0;
}
