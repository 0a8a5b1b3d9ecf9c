/* Nonblocking point-to-point calls and all ways to complete them, each at least once; 2 ranks. */
#include <mpi.h>
#include <stdlib.h>

static void zero(int* data) {
    int position, found, count, flag;
    int indices[2];
    MPI_Request requests[4];
    MPI_Status status;
    /* Sends that are done at once share a handle: waited for in another order than made. */
    for (int i = 0; i < 3; ++i) MPI_Isend(data, i + 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Isend(data, 9, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[0]); /* takes the free number */
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], &status);

    MPI_Issend(data, 2, MPI_INT, 1, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibsend(data, 3, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(data, 3, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, &requests[2]);
    MPI_Recv(NULL, 0, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irsend(data, 4, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[3]); /* its receive is there */
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE); /* nothing is left */

    /* One by one, so that what completes is known. */
    MPI_Irecv(data, 10, MPI_INT, 1, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(data, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(NULL, 0, MPI_INT, 1, 8, MPI_COMM_WORLD);
    MPI_Waitany(2, requests, &position, MPI_STATUS_IGNORE); /* the first */
    MPI_Send(NULL, 0, MPI_INT, 1, 9, MPI_COMM_WORLD);
    MPI_Waitany(2, requests, &position, &status);
    MPI_Waitany(2, requests, &position, &status); /* MPI_UNDEFINED */

    MPI_Irecv(data, 10, MPI_INT, 1, 10, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(data, 10, MPI_INT, 1, 11, MPI_COMM_WORLD, &requests[1]);
    MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE); /* cannot be done */
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    MPI_Testany(2, requests, &position, &flag, MPI_STATUS_IGNORE);
    MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
    MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_INT, 1, 10, MPI_COMM_WORLD);
    MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE); /* the second is sent first */
    MPI_Send(NULL, 0, MPI_INT, 1, 11, MPI_COMM_WORLD);
    for (found = 0; found == 0;) MPI_Test(&requests[0], &found, &status);
    MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE); /* MPI_UNDEFINED */

    MPI_Irecv(data, 1, MPI_INT, 1, 12, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(data, 1, MPI_INT, 1, 12, MPI_COMM_WORLD, &requests[1]);
    for (found = 0; found == 0;) MPI_Testall(2, requests, &found, MPI_STATUSES_IGNORE);
    MPI_Irecv(data, 1, MPI_INT, 1, 13, MPI_COMM_WORLD, &requests[1]);
    for (found = 0; found == 0;) MPI_Testany(2, requests, &position, &found, MPI_STATUS_IGNORE);
    MPI_Irecv(data, 1, MPI_INT, 1, 14, MPI_COMM_WORLD, &requests[0]);
    for (count = 0; count == 0;) MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);

    /* A receive that nobody answers, and one that somebody does. */
    MPI_Irecv(data, 10, MPI_INT, 1, 15, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(data, 10, MPI_INT, 1, 16, MPI_COMM_WORLD, &requests[1]);
    MPI_Cancel(&requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Irecv(data, 10, MPI_INT, 1, 17, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);

    MPI_Isend(data, 8, MPI_INT, 1, 18, MPI_COMM_WORLD, &requests[0]);
    MPI_Request_free(&requests[0]);
}

static void one(int* data) {
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Status status;
    int flag;
    for (int i = 0; i < 4; ++i) MPI_Recv(data, 16, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(data, 16, MPI_INT, &message, MPI_STATUS_IGNORE);
    for (flag = 0; flag == 0;)
        MPI_Improbe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(data, 16, MPI_INT, &message, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Irecv(data, 16, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Send(NULL, 0, MPI_INT, 0, 7, MPI_COMM_WORLD);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    MPI_Recv(NULL, 0, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);

    for (flag = 0; flag == 0;) MPI_Iprobe(0, 10, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(NULL, 0, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, MPI_INT, 0, 11, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, MPI_INT, 0, 10, MPI_COMM_WORLD);

    for (int i = 0; i < 2; ++i) MPI_Send(data, 1, MPI_INT, 0, 12, MPI_COMM_WORLD);
    MPI_Send(data, 1, MPI_INT, 0, 13, MPI_COMM_WORLD);
    MPI_Send(data, 1, MPI_INT, 0, 14, MPI_COMM_WORLD);
    MPI_Send(data, 1, MPI_INT, 0, 16, MPI_COMM_WORLD);
    MPI_Recv(data, 16, MPI_INT, 0, 18, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    int provided, rank, data[16] = {0};
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int bytes = 4096;
    char* buffer = malloc((size_t)bytes);
    MPI_Buffer_attach(buffer, bytes);
    if (rank == 0) {
        zero(data);
    } else {
        one(data);
    }
    MPI_Buffer_detach(&buffer, &(int){0});
    free(buffer);
    MPI_Finalize();
    return 0;
}
