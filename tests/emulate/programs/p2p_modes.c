// Sends of every mode, of short and long messages, in order, to others and to oneself; wildcards, truncation, no partner.
#include "check.h"

static const int lengths[] = {0, 1, 100, 4096, 30000, 300000}; // of ints: eager and rendezvous

static int partner(void) { return rank % 2 == 0 ? (rank + 1 < size ? rank + 1 : rank) : rank - 1; }

static void fill(int* data, int count, int from, int tag) {
    for (int i = 0; i < count; ++i) data[i] = from * 1000003 + tag * 101 + i;
}

static int same(const int* data, int count, int from, int tag) {
    for (int i = 0; i < count; ++i) {
        if (data[i] != from * 1000003 + tag * 101 + i) return 0;
    }
    return 1;
}

static void received(const MPI_Status* status, const int* data, int count, int from, int tag) {
    int got = -1;
    MPI_Get_count(status, MPI_INT, &got);
    CHECK(status->MPI_SOURCE == from && status->MPI_TAG == tag && got == count);
    CHECK(same(data, count, from, tag));
}

// Each mode, blocking and not; the receive is posted before, so that a message to oneself gets through.
static void modes(int count) {
    const int peer = partner(), room = (int)sizeof(int) * count + MPI_BSEND_OVERHEAD;
    int *out = malloc(sizeof(int) * (size_t)(count + 1)), *in = malloc(sizeof(int) * (size_t)(count + 1)), length = 0;
    void *buffer = malloc((size_t)room), *back = NULL;
    for (int mode = 0; mode < 8; ++mode) {
        MPI_Request receive, send = MPI_REQUEST_NULL;
        MPI_Status status;
        fill(out, count, rank, mode);
        memset(in, 0xff, sizeof(int) * (size_t)(count + 1));
        MPI_Irecv(in, count, MPI_INT, peer, mode, MPI_COMM_WORLD, &receive);
        MPI_Barrier(MPI_COMM_WORLD); // a ready send needs its receive
        if (mode == 2 || mode == 6) MPI_Buffer_attach(buffer, room);
        switch (mode) {
        case 0: MPI_Send(out, count, MPI_INT, peer, mode, MPI_COMM_WORLD); break;
        case 1: MPI_Ssend(out, count, MPI_INT, peer, mode, MPI_COMM_WORLD); break;
        case 2: MPI_Bsend(out, count, MPI_INT, peer, mode, MPI_COMM_WORLD); break;
        case 3: MPI_Rsend(out, count, MPI_INT, peer, mode, MPI_COMM_WORLD); break;
        case 4: MPI_Isend(out, count, MPI_INT, peer, mode, MPI_COMM_WORLD, &send); break;
        case 5: MPI_Issend(out, count, MPI_INT, peer, mode, MPI_COMM_WORLD, &send); break;
        case 6: MPI_Ibsend(out, count, MPI_INT, peer, mode, MPI_COMM_WORLD, &send); break;
        default: MPI_Irsend(out, count, MPI_INT, peer, mode, MPI_COMM_WORLD, &send); break;
        }
        if (mode == 2) memset(out, 0, sizeof(int) * (size_t)count); // it is in the buffer
        MPI_Wait(&receive, &status);
        received(&status, in, count, peer, mode);
        CHECK(in[count] == -1 && receive == MPI_REQUEST_NULL);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        CHECK(send == MPI_REQUEST_NULL);
        if (mode == 2 || mode == 6) {
            MPI_Buffer_detach(&back, &length);
            CHECK(back == buffer && length == room);
        }
    }
    free(out);
    free(in);
    free(buffer);
}

// Messages of one sender overtake each other neither among short nor among long ones, nor when they are mixed.
static void order(void) {
    enum { many = 40 };
    static int out[many][20000], in[20000];
    MPI_Request requests[many];
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < many; ++i) {
        const int count = i % 3 == 0 ? 20000 : i + 1;
        fill(out[i], count, rank, i);
        MPI_Isend(out[i], count, MPI_INT, next, i % 2, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 1; i < many; i += 2) { // the odd ones first
        MPI_Status status;
        MPI_Recv(in, 20000, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        CHECK(status.MPI_SOURCE == before && same(in, i % 3 == 0 ? 20000 : i + 1, before, i));
    }
    for (int i = 0; i < many; i += 2) {
        MPI_Recv(in, 20000, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(same(in, i % 3 == 0 ? 20000 : i + 1, before, i));
    }
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
}

// From everyone with any tag; messages of another communicator are not taken.
static void wildcards(void) {
    MPI_Comm other;
    MPI_Request noise, request;
    int value = rank, seen = 0, last = -1, get = -1;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Isend(&value, 1, MPI_INT, 0, 77, other, &noise);
    for (int i = 0; i < 3; ++i) {
        int pair[2] = {rank, i};
        MPI_Isend(pair, 2, MPI_INT, 0, 10 + i, MPI_COMM_WORLD, &request);
        if (rank == 0) { // else nobody would receive it
            int own[2];
            MPI_Status status;
            MPI_Recv(own, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            CHECK(own[0] == status.MPI_SOURCE && own[1] + 10 == status.MPI_TAG);
            ++seen;
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (; rank == 0 && seen < 3 * size; ++seen) {
        int pair[2];
        MPI_Status status;
        MPI_Recv(pair, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        CHECK(pair[0] == status.MPI_SOURCE && pair[1] + 10 == status.MPI_TAG);
        if (status.MPI_SOURCE != size - 1) continue;
        CHECK(pair[1] > last);
        last = pair[1];
    }
    for (int i = 0; rank == 0 && i < size; ++i) {
        MPI_Recv(&get, 1, MPI_INT, i, 77, other, MPI_STATUS_IGNORE);
        CHECK(get == i);
    }
    MPI_Wait(&noise, MPI_STATUS_IGNORE);
    MPI_Comm_free(&other);
    MPI_Barrier(MPI_COMM_WORLD); // what follows is not for these receives
}

// A message that is too long is an error of the receive, and its first part may be there; the next message is not touched.
static void truncation(void) {
    static int out[40000], in[40000];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int count = 20; count <= 40000; count *= 2000) {
        MPI_Request requests[2], receive;
        MPI_Status status;
        const int peer = partner();
        fill(out, count, rank, 3);
        MPI_Isend(out, count, MPI_INT, peer, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 5, MPI_INT, peer, 3, MPI_COMM_WORLD, &requests[1]);
        memset(in, 0xff, sizeof in);
        FAILS(MPI_Recv(in, 10, MPI_INT, peer, 3, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE);
        CHECK(in[10] == -1);
        CHECK(MPI_Recv(in, 5, MPI_INT, peer, 3, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
        received(&status, in, 5, peer, 3);
        CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        // In a list the status says which one it was.
        MPI_Status both[2];
        int error = MPI_SUCCESS;
        MPI_Irecv(in, 2, MPI_INT, peer, 4, MPI_COMM_WORLD, &receive);
        requests[0] = receive;
        MPI_Irecv(in + 10, 9, MPI_INT, peer, 5, MPI_COMM_WORLD, &requests[1]);
        MPI_Send(out, 9, MPI_INT, peer, 4, MPI_COMM_WORLD);
        MPI_Send(out, 9, MPI_INT, peer, 5, MPI_COMM_WORLD);
        FAILS(MPI_Waitall(2, requests, both), MPI_ERR_IN_STATUS);
        MPI_Error_class(both[0].MPI_ERROR, &error);
        CHECK(error == MPI_ERR_TRUNCATE);
        CHECK(both[1].MPI_ERROR == MPI_SUCCESS || both[1].MPI_ERROR == MPI_ERR_PENDING);
        if (both[1].MPI_ERROR == MPI_ERR_PENDING) MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void nobody(void) {
    int value = 5, count = -1;
    MPI_Status status;
    MPI_Request request;
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(value == 5 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0);
    status.MPI_SOURCE = 0;
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    // The ends of a chain have no neighbours.
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, from = -7;
    MPI_Sendrecv(&rank, 1, MPI_INT, right, 1, &from, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
    CHECK(from == (rank > 0 ? rank - 1 : -7));
    CHECK(status.MPI_SOURCE == left);
}

static void exchanges(void) {
    static int data[100000], other[100000];
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int count = 1; count <= 100000; count *= 100) {
        MPI_Status status;
        fill(data, count, rank, count % 97);
        MPI_Sendrecv(data, count, MPI_INT, next, 1, other, 100000, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        CHECK(status.MPI_TAG == 1 && same(other, count, before, count % 97));
        MPI_Sendrecv_replace(data, count, MPI_INT, next, 2, before, 2, MPI_COMM_WORLD, &status);
        CHECK(status.MPI_SOURCE == before && status.MPI_TAG == 2 && same(data, count, before, count % 97));
    }
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) modes(lengths[i]);
    order();
    wildcards();
    truncation();
    nobody();
    exchanges();
    return end();
}
