// Cancelling: each message is either received or cancelled, never both and never neither.
#include "check.h"

static int buffer[60000], other[60000], third[60000];

static MPI_Request start(int mode, int count, int to, int tag) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (mode == 0) MPI_Isend(buffer, count, MPI_INT, to, tag, MPI_COMM_WORLD, &request);
    if (mode == 1) MPI_Issend(buffer, count, MPI_INT, to, tag, MPI_COMM_WORLD, &request);
    if (mode == 2) MPI_Ibsend(buffer, count, MPI_INT, to, tag, MPI_COMM_WORLD, &request);
    if (mode == 3) MPI_Send_init(buffer, count, MPI_INT, to, tag, MPI_COMM_WORLD, &request);
    if (mode == 4) MPI_Bsend_init(buffer, count, MPI_INT, to, tag, MPI_COMM_WORLD, &request);
    if (mode >= 3) MPI_Start(&request);
    return request;
}

static int wait_cancelled(MPI_Request* request) {
    MPI_Status status;
    int flag = -1;
    MPI_Wait(request, &status);
    MPI_Test_cancelled(&status, &flag);
    if (*request != MPI_REQUEST_NULL) MPI_Request_free(request);
    CHECK(flag == 0 || flag == 1);
    return flag;
}

// Nobody receives it: the cancelled message is not found by the receive that comes then, the next one is.
static void unmatched(int mode, int count) {
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int i = 0; i < count; ++i) buffer[i] = -5;
    MPI_Request request = start(mode, count, to, mode);
    MPI_Cancel(&request);
    int gone = wait_cancelled(&request), came = -1, flag = -1;
    MPI_Sendrecv(&gone, 1, MPI_INT, to, 90, &came, 1, MPI_INT, from, 90, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!came) MPI_Recv(other, count, MPI_INT, from, mode, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iprobe(from, mode, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) {
        buffer[i] = rank + i;
        other[i] = -1;
    }
    request = start(mode, count, to, mode);
    MPI_Recv(other, count, MPI_INT, from, mode, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(other[0] == from && other[count - 1] == from + count - 1);
    MPI_Barrier(MPI_COMM_WORLD); // everybody has received
    MPI_Cancel(&request);        // too late
    CHECK(wait_cancelled(&request) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

// The receive may be there first; a message that a probe has taken is as good as received.
static void matched(int count) {
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request receive, send;
    MPI_Message message;
    MPI_Irecv(other, count, MPI_INT, from, 1, MPI_COMM_WORLD, &receive);
    MPI_Barrier(MPI_COMM_WORLD);
    send = start(0, count, to, 1);
    MPI_Cancel(&send);
    int gone = wait_cancelled(&send), came = -1;
    MPI_Sendrecv(&gone, 1, MPI_INT, to, 91, &came, 1, MPI_INT, from, 91, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (came) MPI_Cancel(&receive);
    CHECK(wait_cancelled(&receive) == came);
    send = start(0, count, to, 2);
    MPI_Mprobe(from, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Cancel(&send);
    MPI_Mrecv(other, count, MPI_INT, &message, MPI_STATUS_IGNORE);
    CHECK(wait_cancelled(&send) == 0);
}

// A receive that is cancelled while its message is on its way: whoever receives it gets all of it.
static void cancelled_receive(int count) {
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request receive, send;
    for (int i = 0; i < count; ++i) {
        buffer[i] = rank + i;
        other[i] = third[i] = -1;
    }
    MPI_Irecv(other, count, MPI_INT, from, 3, MPI_COMM_WORLD, &receive);
    MPI_Barrier(MPI_COMM_WORLD);
    send = start(0, count, to, 3);
    MPI_Cancel(&receive);
    const int gone = wait_cancelled(&receive);
    if (gone) MPI_Recv(third, count, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int* const came = gone ? third : other;
    CHECK(came[0] == from && came[count - 1] == from + count - 1);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    const int bytes = 4 * (60000 * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
    void* room = malloc((size_t)bytes);
    int length = 0;
    MPI_Buffer_attach(room, bytes);
    for (int count = 3; count <= 60000; count *= 20) {
        for (int mode = 0; mode < 5; ++mode) unmatched(mode, count);
        matched(count);
        cancelled_receive(count);
    }
    MPI_Buffer_detach(&room, &length);
    free(room);
    return end();
}
