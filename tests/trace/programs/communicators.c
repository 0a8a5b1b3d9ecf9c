/* Communicators in all the ways they are made; 5 ranks. */
#include <mpi.h>

/* A message round the communicator shows which one it is. */
static void ring(MPI_Comm comm, int tag) {
    int rank, size, out = 0, in = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, tag, &in, 1, MPI_INT, (rank + size - 1) % size, tag, comm,
                 MPI_STATUS_IGNORE);
}

static void intercommunicators(int rank) {
    MPI_Comm half, between, copy, merged, part;
    int in = 0, out = rank;
    /* The group of rank 0 is {3, 1, 0}, so it comes first: {3, 1, 0, 4, 2}. */
    const int low = rank == 0 || rank == 1 || rank == 3;
    MPI_Comm_split(MPI_COMM_WORLD, low, -rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? 4 : 3, 1, &between);
    int here;
    MPI_Comm_rank(half, &here);
    if (here < 2) { /* of each group, to the rank of the same number in the other */
        MPI_Sendrecv(&out, 1, MPI_INT, here, 2, &in, 1, MPI_INT, here, 2, between, MPI_STATUS_IGNORE);
    } else { /* world rank 0 has no partner */
        MPI_Send(&out, 1, MPI_INT, 1, 3, between);
    }
    if (!low && here == 1) {
        MPI_Status status;
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, between, &status);
    }
    MPI_Comm_dup(between, &copy);
    if (here == 0) MPI_Sendrecv(&out, 1, MPI_INT, 0, 4, &in, 1, MPI_INT, 0, 4, copy, MPI_STATUS_IGNORE);
    MPI_Comm_split(between, here == 0, 0, &part); /* two intercommunicators: {3, 4} and {1, 0, 2} */
    if (here == 0) MPI_Sendrecv(&out, 1, MPI_INT, 0, 5, &in, 1, MPI_INT, 0, 5, part, MPI_STATUS_IGNORE);
    /* Collectives between two groups are counted, but not replayed. */
    MPI_Barrier(between);
    MPI_Request request;
    MPI_Ibarrier(between, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(&out, 1, MPI_INT, low ? (here == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, between);
    MPI_Intercomm_merge(between, low, &merged);
    ring(merged, 6);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&part);
    MPI_Comm_disconnect(&copy);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
    int rank;
    MPI_Comm copy, again, later, odd, created, grouped, shared;
    MPI_Group world, some;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    ring(copy, 1);
    MPI_Comm_dup_with_info(copy, MPI_INFO_NULL, &again);
    ring(again, 2);
    MPI_Comm_idup(again, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ring(later, 3);

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 1 ? 7 : MPI_UNDEFINED, -rank, &odd); /* {3, 1} */
    if (odd != MPI_COMM_NULL) ring(odd, 4);
    const int chosen[3] = {4, 0, 2};
    MPI_Group_incl(world, 3, chosen, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &created);
    if (created != MPI_COMM_NULL) {
        ring(created, 5);
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 9, &grouped);
        ring(grouped, 6);
        MPI_Comm_free(&grouped);
    }
    MPI_Comm_free(&again); /* its number is taken by the next */
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    ring(shared, 7);
    ring(MPI_COMM_SELF, 8);
    intercommunicators(rank);

    MPI_Comm_free(&shared);
    MPI_Comm_free(&later);
    MPI_Comm_free(&copy);
    if (odd != MPI_COMM_NULL) MPI_Comm_free(&odd);
    if (created != MPI_COMM_NULL) MPI_Comm_free(&created);
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
