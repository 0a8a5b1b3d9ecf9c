// Requests: completion of one, any, some and all; persistent ones; status without completion; cancelled; of the program's own.
#include "check.h"

static const int many = 12;

static void post(int* values, MPI_Request* requests, int peer) {
    for (int i = 0; i < many; ++i) {
        values[i] = -1;
        MPI_Irecv(&values[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[i]);
    }
}

static void supply(int peer) {
    for (int i = many - 1; i >= 0; --i) {
        const int value = rank * 100 + i;
        MPI_Send(&value, 1, MPI_INT, peer, i, MPI_COMM_WORLD);
    }
}

static void completions(void) {
    int values[12], indices[12], done = 0, flag = 0, index = 0;
    MPI_Request requests[12];
    MPI_Status statuses[12], status;
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;

    post(values, requests, from);
    supply(to);
    for (int i = 0; i < many; ++i) {
        MPI_Waitany(many, requests, &index, &status);
        CHECK(index >= 0 && index < many && status.MPI_TAG == index && requests[index] == MPI_REQUEST_NULL);
        CHECK(values[index] == from * 100 + index);
    }
    MPI_Waitany(many, requests, &index, &status);
    CHECK(index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Testany(many, requests, &index, &flag, &status);
    CHECK(flag && index == MPI_UNDEFINED);

    post(values, requests, from);
    supply(to);
    while (done < many) {
        int some = 0;
        MPI_Waitsome(many, requests, &some, indices, statuses);
        CHECK(some > 0);
        for (int i = 0; i < some; ++i) {
            CHECK(statuses[i].MPI_TAG == indices[i] && values[indices[i]] == from * 100 + indices[i]);
        }
        done += some;
    }
    MPI_Waitsome(many, requests, &done, indices, statuses);
    CHECK(done == MPI_UNDEFINED);

    post(values, requests, from);
    supply(to);
    for (done = 0; done < many;) {
        int some = 0;
        MPI_Testsome(many, requests, &some, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; i < some; ++i) CHECK(values[indices[i]] == from * 100 + indices[i]);
        done += some;
    }
    post(values, requests, from);
    supply(to);
    // Where unsuccessful looks cost more and more, a test of nothing is no look.
    for (int i = 0; i < 3; ++i) {
        MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, &status);
        CHECK(!flag);
        MPI_Testall(0, requests, &flag, statuses);
        CHECK(flag);
    }
    for (flag = 0; !flag;) MPI_Testall(many, requests, &flag, statuses);
    for (int i = 0; i < many; ++i) CHECK(statuses[i].MPI_TAG == i && values[i] == from * 100 + i);
    post(values, requests, from);
    supply(to);
    for (done = 0; done < many;) {
        MPI_Testany(many, requests, &index, &flag, &status);
        if (flag) CHECK(values[index] == from * 100 + index);
        done += flag;
    }
    // The status does not complete; the test does.
    int value = -1;
    MPI_Irecv(&value, 1, MPI_INT, from, 50, MPI_COMM_WORLD, &requests[0]);
    MPI_Request_get_status(requests[0], &flag, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, to, 50, MPI_COMM_WORLD);
    for (flag = 0; !flag;) MPI_Request_get_status(requests[0], &flag, &status);
    CHECK(requests[0] != MPI_REQUEST_NULL && status.MPI_SOURCE == from && status.MPI_TAG == 50 && value == from);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    CHECK(flag && requests[0] == MPI_REQUEST_NULL);
    MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &status);
    CHECK(flag && status.MPI_SOURCE == MPI_ANY_SOURCE);
    // Freed while under way: it still arrives.
    static int gone = 4;
    MPI_Isend(&gone, 1, MPI_INT, to, 51, MPI_COMM_WORLD, &requests[0]);
    MPI_Request_free(&requests[0]);
    CHECK(requests[0] == MPI_REQUEST_NULL);
    MPI_Recv(&value, 1, MPI_INT, from, 51, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value == 4);
}

static void persistent(int count) {
    int *out = malloc(sizeof(int) * (size_t)count), *in = malloc(sizeof(int) * (size_t)count);
    const int to = (rank + 1) % size, from = (rank + size - 1) % size, room = 6 * (4 * count + MPI_BSEND_OVERHEAD);
    MPI_Request requests[2];
    void* buffer = malloc((size_t)room);
    int length = 0, flag = 0;
    MPI_Buffer_attach(buffer, room);
    for (int mode = 0; mode < 4; ++mode) {
        MPI_Recv_init(in, count, MPI_INT, from, mode, MPI_COMM_WORLD, &requests[0]);
        if (mode == 0) MPI_Send_init(out, count, MPI_INT, to, mode, MPI_COMM_WORLD, &requests[1]);
        if (mode == 1) MPI_Ssend_init(out, count, MPI_INT, to, mode, MPI_COMM_WORLD, &requests[1]);
        if (mode == 2) MPI_Bsend_init(out, count, MPI_INT, to, mode, MPI_COMM_WORLD, &requests[1]);
        if (mode == 3) MPI_Rsend_init(out, count, MPI_INT, to, mode, MPI_COMM_WORLD, &requests[1]);
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        CHECK(flag && requests[0] != MPI_REQUEST_NULL); // not active
        for (int round = 0; round < 5; ++round) {
            for (int i = 0; i < count; ++i) {
                out[i] = rank + i * 10 + round;
                in[i] = -1;
            }
            MPI_Start(&requests[0]);
            if (mode == 3) MPI_Barrier(MPI_COMM_WORLD);
            if (round % 2 == 0 || mode == 3) MPI_Start(&requests[1]);
            else MPI_Startall(1, &requests[1]);
            MPI_Status statuses[2];
            MPI_Waitall(2, requests, statuses);
            CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
            CHECK(statuses[0].MPI_SOURCE == from && statuses[0].MPI_TAG == mode);
            int good = 1;
            for (int i = 0; i < count; ++i) good &= in[i] == from + i * 10 + round;
            CHECK(good);
        }
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
        CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    }
    MPI_Buffer_detach(&buffer, &length);
    free(buffer);
    free(out);
    free(in);
}

static void cancelled(void) {
    int value = -1, flag = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag && request == MPI_REQUEST_NULL);
    // The message that comes then is for the next receive.
    MPI_Request send;
    MPI_Isend(&rank, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, &send);
    MPI_Recv(&value, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, &status);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Test_cancelled(&status, &flag);
    CHECK(value == rank && !flag);
    // Too late: it has its message, which came before the empty one.
    MPI_Irecv(&value, 1, MPI_INT, rank, 98, MPI_COMM_WORLD, &request);
    MPI_Send(&flag, 1, MPI_INT, rank, 98, MPI_COMM_WORLD);
    MPI_Sendrecv(NULL, 0, MPI_INT, rank, 96, NULL, 0, MPI_INT, rank, 96, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(!flag && value == 0);
    // A persistent one can be started again.
    MPI_Recv_init(&value, 1, MPI_INT, rank, 97, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag && request != MPI_REQUEST_NULL);
    MPI_Start(&request);
    flag = 6;
    MPI_Send(&flag, 1, MPI_INT, rank, 97, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    CHECK(value == 6);
    MPI_Request_free(&request);
}

struct Own {
    int queried, freed, cancelled;
};

static int query(void* state, MPI_Status* status) {
    ((struct Own*)state)->queried++;
    MPI_Status_set_elements(status, MPI_INT, 7);
    MPI_Status_set_cancelled(status, ((struct Own*)state)->cancelled != 0);
    status->MPI_SOURCE = 3;
    status->MPI_TAG = 4;
    return MPI_SUCCESS;
}

static int release(void* state) {
    ((struct Own*)state)->freed++;
    return MPI_SUCCESS;
}

static int stop(void* state, int complete) {
    ((struct Own*)state)->cancelled = complete ? 1 : 2;
    return MPI_SUCCESS;
}

static void general(void) {
    struct Own own = {0, 0, 0};
    MPI_Request requests[2];
    MPI_Status status, statuses[2];
    int flag = 1, count = 0, value = -1;
    MPI_Grequest_start(query, release, stop, &own, &requests[0]);
    MPI_Test(&requests[0], &flag, &status);
    CHECK(!flag && own.queried == 0);
    MPI_Grequest_complete(requests[0]);
    MPI_Request_get_status(requests[0], &flag, &status);
    CHECK(flag && own.queried == 1 && own.freed == 0);
    MPI_Wait(&requests[0], &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(own.queried == 2 && own.freed == 1 && count == 7 && status.MPI_SOURCE == 3 && status.MPI_TAG == 4);
    CHECK(requests[0] == MPI_REQUEST_NULL);
    // Among others, and cancelled before.
    memset(&own, 0, sizeof own);
    MPI_Grequest_start(query, release, stop, &own, &requests[0]);
    MPI_Irecv(&value, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&count, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
    MPI_Cancel(&requests[0]);
    CHECK(own.cancelled == 2);
    MPI_Grequest_complete(requests[0]);
    MPI_Waitall(2, requests, statuses);
    MPI_Test_cancelled(&statuses[0], &flag);
    CHECK(flag && own.freed == 1 && value == 7 && statuses[1].MPI_TAG == 5);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    completions();
    persistent(1);
    persistent(50000);
    cancelled();
    general();
    return end();
}
