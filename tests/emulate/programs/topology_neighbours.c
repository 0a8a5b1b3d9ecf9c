// Neighbourhood collectives on grids: what is beyond a border stays as it was; where the neighbours on both sides
// are the same process, what it sends forwards comes from before.
#include "check.h"

enum { untouched = -7, words = 3 };

// What `from` sends in direction 0 (down) or 1 (up), word by word.
static int value(int from, int direction, int word) { return 100 * from + 10 * direction + word; }

static void clear(int* all, int count) {
    for (int i = 0; i < count; ++i) all[i] = untouched;
}

static void check_received(const int* received, int before, int behind) {
    for (int i = 0; i < words; ++i) {
        CHECK(received[i] == (before == MPI_PROC_NULL ? untouched : value(before, 1, i)));
        CHECK(received[words + i] == (behind == MPI_PROC_NULL ? untouched : value(behind, 0, i)));
    }
}

static void on_line(MPI_Comm comm, int length, int periodic) {
    MPI_Comm line;
    MPI_Cart_create(comm, 1, &length, &periodic, 0, &line);
    if (line == MPI_COMM_NULL) return;
    int own;
    int before;
    int behind;
    MPI_Comm_rank(line, &own);
    MPI_Cart_shift(line, 0, 1, &before, &behind);
    int sent[2 * words];
    int received[2 * words];
    for (int i = 0; i < 2 * words; ++i) sent[i] = value(own, i / words, i % words);

    clear(received, 2 * words);
    MPI_Neighbor_alltoall(sent, words, MPI_INT, received, words, MPI_INT, line);
    check_received(received, before, behind);

    clear(received, 2 * words);
    MPI_Request request;
    MPI_Ineighbor_alltoall(sent, words, MPI_INT, received, words, MPI_INT, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_received(received, before, behind);

    const int counts[2] = {words, words};
    const int places[2] = {0, words};
    clear(received, 2 * words);
    MPI_Neighbor_alltoallv(sent, counts, places, MPI_INT, received, counts, places, MPI_INT, line);
    check_received(received, before, behind);

    const MPI_Aint offsets[2] = {0, words * sizeof(int)};
    const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    clear(received, 2 * words);
    MPI_Neighbor_alltoallw(sent, counts, offsets, types, received, counts, offsets, types, line);
    check_received(received, before, behind);

    clear(received, 2 * words);
    MPI_Neighbor_allgather(sent, words, MPI_INT, received, words, MPI_INT, line);
    for (int i = 0; i < words; ++i) {
        CHECK(received[i] == (before == MPI_PROC_NULL ? untouched : value(before, 0, i)));
        CHECK(received[words + i] == (behind == MPI_PROC_NULL ? untouched : value(behind, 0, i)));
    }
    // The other way round in the buffer.
    const int turned[2] = {words, 0};
    clear(received, 2 * words);
    MPI_Neighbor_allgatherv(sent, words, MPI_INT, received, counts, turned, MPI_INT, line);
    for (int i = 0; i < words; ++i) {
        CHECK(received[words + i] == (before == MPI_PROC_NULL ? untouched : value(before, 0, i)));
        CHECK(received[i] == (behind == MPI_PROC_NULL ? untouched : value(behind, 0, i)));
    }
    MPI_Comm_free(&line);
}

// Two dimensions, of which one is periodic and short.
static void on_plane(void) {
    if (size < 2) return;
    const int dims[2] = {2, size / 2};
    const int periods[2] = {1, 0};
    MPI_Comm plane;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &plane);
    if (plane == MPI_COMM_NULL) return;
    int own;
    int peers[4];
    MPI_Comm_rank(plane, &own);
    MPI_Cart_shift(plane, 0, 1, &peers[0], &peers[1]);
    MPI_Cart_shift(plane, 1, 1, &peers[2], &peers[3]);
    double sent[4];
    double received[4] = {untouched, untouched, untouched, untouched};
    for (int i = 0; i < 4; ++i) sent[i] = 10.0 * own + i;
    MPI_Neighbor_alltoall(sent, 1, MPI_DOUBLE, received, 1, MPI_DOUBLE, plane);
    for (int i = 0; i < 4; ++i) {
        const int other = i % 2 == 0 ? i + 1 : i - 1; // the opposite direction
        CHECK(received[i] == (peers[i] == MPI_PROC_NULL ? untouched : 10.0 * peers[i] + other));
    }
    MPI_Comm_free(&plane);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    for (int periodic = 0; periodic < 2; ++periodic) {
        on_line(MPI_COMM_WORLD, size, periodic);
        on_line(MPI_COMM_WORLD, 1, periodic);
        if (size >= 2) on_line(MPI_COMM_WORLD, 2, periodic);
    }
    on_plane();
    int received;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FAILS(MPI_Neighbor_allgather(&rank, 1, MPI_INT, &received, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TOPOLOGY);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    return end();
}
