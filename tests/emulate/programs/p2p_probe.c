// Probes: what is there before it is received, and messages taken out by matching.
#include "check.h"

static void probes(int count) {
    int *out = malloc(sizeof(int) * (size_t)count), *in = malloc(sizeof(int) * (size_t)count), got = 0, flag = 0;
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request request;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    CHECK(!flag);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) out[i] = rank - i;
    MPI_Isend(out, count, MPI_INT, to, 8, MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &got);
    CHECK(status.MPI_SOURCE == from && status.MPI_TAG == 8 && got == count);
    MPI_Iprobe(from, 9, MPI_COMM_WORLD, &flag, &status);
    CHECK(!flag);
    MPI_Iprobe(from, 8, MPI_COMM_WORLD, &flag, &status);
    CHECK(flag);
    MPI_Recv(in, got, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int good = 1;
    for (int i = 0; i < count; ++i) good &= in[i] == from - i;
    CHECK(good);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);

    // A matched message is out of sight: a receive takes the next one.
    MPI_Message message = MPI_MESSAGE_NULL, second;
    MPI_Request sends[3];
    for (int i = 0; i < 3; ++i) MPI_Isend(out + i, count - 3, MPI_INT, to, 20, MPI_COMM_WORLD, &sends[i]);
    MPI_Mprobe(from, 20, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_INT, &got);
    CHECK(message != MPI_MESSAGE_NULL && got == count - 3 && status.MPI_SOURCE == from);
    for (flag = 0; !flag;) MPI_Improbe(MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, &flag, &second, &status);
    MPI_Recv(in, count, MPI_INT, from, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in[0] == from - 2);
    MPI_Imrecv(in, count, MPI_INT, &second, &request);
    CHECK(second == MPI_MESSAGE_NULL);
    MPI_Wait(&request, &status);
    CHECK(in[0] == from - 1 && status.MPI_TAG == 20);
    MPI_Mrecv(in, count, MPI_INT, &message, &status);
    MPI_Get_count(&status, MPI_INT, &got);
    CHECK(in[0] == from && got == count - 3 && message == MPI_MESSAGE_NULL);
    MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
    MPI_Improbe(MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, &flag, &second, &status);
    CHECK(!flag);
    MPI_Barrier(MPI_COMM_WORLD);
    free(out);
    free(in);
}

static void nobody(void) {
    MPI_Message message;
    MPI_Status status;
    int flag = 0, count = -1, value = 3;
    MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(message == MPI_MESSAGE_NULL && count == 0 && value == 3);
    MPI_Improbe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &message, &status);
    CHECK(flag && message == MPI_MESSAGE_NO_PROC);
    MPI_Request request;
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &status);
    CHECK(flag && status.MPI_SOURCE == MPI_PROC_NULL);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    probes(10);
    probes(100000);
    nobody();
    return end();
}
