// The profiling interface: the program's own MPI functions are called, and call the library's by their other names.
#include "check.h"

static int sends, sums, controls;

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    ++sends;
    return PMPI_Send(buffer, count, type, to, tag, comm);
}
int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    ++sums;
    return PMPI_Allreduce(in, out, count, type, op, comm);
}
int MPI_Pcontrol(const int level, ...) {
    controls += level;
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    int value = rank, got = -1, sum = 0, count = 0;
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &request);
    MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(got == (rank + size - 1) % size);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Pcontrol(2);
    PMPI_Pcontrol(1);
    PMPI_Comm_size(MPI_COMM_WORLD, &count);
    CHECK(count == size);
    CHECK(sends == 1 && sums == 1 && controls == 2);
    PMPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(sum == size - 1 && sums == 1);
    return end();
}
