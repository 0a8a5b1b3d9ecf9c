/* Topologies and neighbourhood collectives; 4 ranks. */
#include <mpi.h>

static void gather_and_exchange(MPI_Comm comm, const int* sent, const int* received) {
    int out[64] = {0}, in[64] = {0};
    MPI_Datatype types[8];
    int starts[8];
    MPI_Aint addresses[8];
    MPI_Request request;
    for (int i = 0; i < 8; ++i) {
        types[i] = MPI_INT;
        starts[i] = 8 * i;
        addresses[i] = (MPI_Aint)sizeof(int) * 8 * i;
    }
    int rank, same[8];
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < 8; ++i) same[i] = 3;
    MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm);
    MPI_Neighbor_allgatherv(out, 3, MPI_INT, in, same, starts, MPI_INT, comm);
    MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm);
    MPI_Neighbor_alltoallv(out, sent, starts, MPI_INT, in, received, starts, MPI_INT, comm);
    MPI_Neighbor_alltoallw(out, sent, addresses, types, in, received, addresses, types, comm);
    MPI_Ineighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ineighbor_allgatherv(out, 3, MPI_INT, in, same, starts, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ineighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ineighbor_alltoallv(out, sent, starts, MPI_INT, in, received, starts, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ineighbor_alltoallw(out, sent, addresses, types, in, received, addresses, types, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    int rank;
    MPI_Comm grid, row, copy, line, graph, adjacent, general;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    /* Two rows of two: open in the first dimension, closed in the second. Down and up 1 and 2 ints, to both
       sides 3: at the place of the missing neighbour stands what must not be recorded. */
    const int dims[2] = {2, 2}, periods[2] = {0, 1}, remain[2] = {0, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    const int upper = rank < 2;
    const int sent[4] = {upper ? 50 : 1, upper ? 2 : 50, 3, 3};
    const int received[4] = {upper ? 60 : 2, upper ? 1 : 60, 3, 3};
    gather_and_exchange(grid, sent, received);
    MPI_Cart_sub(grid, remain, &row);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, (int[2]){0}, 1, MPI_INT, row);
    MPI_Comm_dup(grid, &copy); /* has the topology too */
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, (int[4]){0}, 1, MPI_INT, copy);

    const int three = 3, open = 0; /* rank 3 has no part in it */
    MPI_Cart_create(MPI_COMM_WORLD, 1, &three, &open, 0, &line);
    if (line != MPI_COMM_NULL) MPI_Neighbor_alltoall((int[2]){0}, 1, MPI_INT, (int[2]){0}, 1, MPI_INT, line);

    /* A star: 0 knows all others, they know it. */
    const int ends[4] = {3, 4, 5, 6}, edges[6] = {1, 2, 3, 0, 0, 0};
    MPI_Graph_create(MPI_COMM_WORLD, 4, ends, edges, 0, &graph);
    const int ones[4] = {1, 1, 1, 1};
    gather_and_exchange(graph, ones, ones);

    /* Directed: each gets from the one before and the one two before, and gives to those after. */
    const int sources[2] = {(rank + 3) % 4, (rank + 2) % 4}, destinations[2] = {(rank + 1) % 4, (rank + 2) % 4};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &adjacent);
    const int steps[2] = {1, 2};
    gather_and_exchange(adjacent, steps, steps);

    /* Each says one edge, with a weight: to the next one. */
    const int degree = 1, weight = 5;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, destinations, &weight, MPI_INFO_NULL, 0, &general);
    gather_and_exchange(general, ones, ones);

    MPI_Comm_free(&general);
    MPI_Comm_free(&adjacent);
    MPI_Comm_free(&graph);
    if (line != MPI_COMM_NULL) MPI_Comm_free(&line);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
