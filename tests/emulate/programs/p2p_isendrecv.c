// MPI-4: sending and receiving at once without waiting. The one request is done when both are.
#include "check.h"

#if MPI_VERSION >= 4 || defined ORRERY_MPI

static int out[60000], in[60000];

static void ring(int count, int replace, int how) {
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request request;
    MPI_Status status;
    int flag = 0, index = -1, got = -1, indices[1] = {-1};
    for (int i = 0; i < count; ++i) {
        out[i] = in[i] = rank + i;
        if (!replace) in[i] = -1;
    }
    if (replace)
        MPI_Isendrecv_replace(in, count, MPI_INT, to, 4, from, 4, MPI_COMM_WORLD, &request);
    else
        MPI_Isendrecv(out, count, MPI_INT, to, 4, in, count, MPI_INT, from, 4, MPI_COMM_WORLD, &request);
    if (how == 0) MPI_Wait(&request, &status);
    if (how == 1) MPI_Waitall(1, &request, &status);
    if (how == 2) MPI_Waitany(1, &request, &index, &status);
    if (how == 3) MPI_Waitsome(1, &request, &index, indices, &status);
    while (how == 4 && !flag) MPI_Test(&request, &flag, &status);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK(status.MPI_SOURCE == from && status.MPI_TAG == 4);
    MPI_Get_count(&status, MPI_INT, &got);
    CHECK(got == count && in[0] == from && in[count - 1] == from + count - 1);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    for (int how = 0; how < 5; ++how) {
        ring(5, how % 2, how);
        ring(60000, how % 2, how);
        ring(60000, !(how % 2), how);
    }
    MPI_Request request;
    MPI_Isendrecv(out, 1, MPI_INT, MPI_PROC_NULL, 0, in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                  &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return end();
}

#else

int main(int argc, char** argv) {
    begin(&argc, &argv);
    return end();
}

#endif
