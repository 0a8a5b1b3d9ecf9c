// Collectives that move data: broadcast, gather, scatter, allgather, alltoall, with counts, gaps, types, in place, nonblocking.
#include "check.h"

static const int lengths[] = {0, 1, 3, 64, 1000, 9000, 60000};

static int* room(size_t count) {
    int* data = malloc(sizeof(int) * (count + 1));
    memset(data, 0xff, sizeof(int) * (count + 1));
    return data;
}

static int word(int from, int to, int at) { return from * 1000003 + to * 10007 + at; }

static void finish(MPI_Request* request, int nonblocking) {
    if (nonblocking) MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void broadcast(int count, int root, int non) {
    int *data = room((size_t)count), good = 1;
    MPI_Request request;
    for (int i = 0; i < count && rank == root; ++i) data[i] = word(root, 5, i);
    if (non) MPI_Ibcast(data, count, MPI_INT, root, MPI_COMM_WORLD, &request);
    else MPI_Bcast(data, count, MPI_INT, root, MPI_COMM_WORLD);
    finish(&request, non);
    for (int i = 0; i < count; ++i) good &= data[i] == word(root, 5, i);
    CHECK(good && data[count] == -1);
    free(data);
}

static void gather_scatter(int count, int root, int non, int in_place) {
    int *own = room((size_t)count), *all = room((size_t)count * (size_t)size), good = 1;
    const void* give = own;
    MPI_Request request;
    for (int i = 0; i < count; ++i) own[i] = word(rank, root, i);
    if (in_place && rank == root) {
        memcpy(all + root * count, own, sizeof(int) * (size_t)count);
        give = MPI_IN_PLACE;
    }
    if (non) MPI_Igather(give, count, MPI_INT, all, count, MPI_INT, root, MPI_COMM_WORLD, &request);
    else MPI_Gather(give, count, MPI_INT, all, count, MPI_INT, root, MPI_COMM_WORLD);
    finish(&request, non);
    for (int r = 0; r < size && rank == root; ++r) {
        for (int i = 0; i < count; ++i) good &= all[r * count + i] == word(r, root, i);
    }
    CHECK(good && all[count * size] == -1);
    memset(own, 0, sizeof(int) * (size_t)count);
    void* take = in_place && rank == root ? MPI_IN_PLACE : own;
    if (non) MPI_Iscatter(all, count, MPI_INT, take, count, MPI_INT, root, MPI_COMM_WORLD, &request);
    else MPI_Scatter(all, count, MPI_INT, take, count, MPI_INT, root, MPI_COMM_WORLD);
    finish(&request, non);
    for (int i = 0; i < count; ++i) good &= take == MPI_IN_PLACE || own[i] == word(rank, root, i);
    CHECK(good && own[count] == -1);
    // To everyone.
    memset(all, 0xff, sizeof(int) * (size_t)(count * size));
    for (int i = 0; i < count; ++i) own[i] = word(rank, root, i);
    give = own;
    if (in_place) {
        memcpy(all + rank * count, own, sizeof(int) * (size_t)count);
        give = MPI_IN_PLACE;
    }
    if (non) MPI_Iallgather(give, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD, &request);
    else MPI_Allgather(give, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
    finish(&request, non);
    for (int r = 0; r < size; ++r) {
        for (int i = 0; i < count; ++i) good &= all[r * count + i] == word(r, root, i);
    }
    CHECK(good && all[count * size] == -1);
    free(own);
    free(all);
}

static void exchange(int count, int non, int in_place) {
    int *out = room((size_t)(count * size)), *in = room((size_t)(count * size)), good = 1;
    const void* give = in_place ? MPI_IN_PLACE : out;
    MPI_Request request;
    for (int r = 0; r < size; ++r) {
        for (int i = 0; i < count; ++i) (in_place ? in : out)[r * count + i] = word(rank, r, i);
    }
    if (non) MPI_Ialltoall(give, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD, &request);
    else MPI_Alltoall(give, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD);
    finish(&request, non);
    for (int r = 0; r < size; ++r) {
        for (int i = 0; i < count; ++i) good &= in[r * count + i] == word(r, rank, i);
    }
    CHECK(good && in[count * size] == -1);
    free(out);
    free(in);
}

// Rank r contributes r % 5 * scale items; between the places lie two items that stay as they are, and ranks lie backwards.
static void with_counts(int scale, int root, int non) {
    int *counts = malloc(sizeof(int) * (size_t)size), *places = malloc(sizeof(int) * (size_t)size), total = 0, good = 1;
    MPI_Request request;
    for (int r = size - 1; r >= 0; --r) {
        counts[r] = r % 5 * scale;
        places[r] = total + 2;
        total += counts[r] + 2;
    }
    int *own = room((size_t)counts[rank]), *all = room((size_t)total);
    for (int i = 0; i < counts[rank]; ++i) own[i] = word(rank, 1, i);
    for (int way = 0; way < 3; ++way) { // gatherv, allgatherv, allgatherv in place
        memset(all, 0xff, sizeof(int) * (size_t)total);
        if (way == 2) memcpy(all + places[rank], own, sizeof(int) * (size_t)counts[rank]);
        const void* give = way == 2 ? MPI_IN_PLACE : own;
        if (way == 0 && non) {
            MPI_Igatherv(give, counts[rank], MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD, &request);
        } else if (way == 0) {
            MPI_Gatherv(give, counts[rank], MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD);
        } else if (non) {
            MPI_Iallgatherv(give, counts[rank], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
        } else {
            MPI_Allgatherv(give, counts[rank], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
        }
        finish(&request, non);
        for (int r = 0; r < size && (way > 0 || rank == root); ++r) {
            for (int i = 0; i < counts[r]; ++i) good &= all[places[r] + i] == word(r, 1, i);
            good &= all[places[r] - 1] == -1 && all[places[r] - 2] == -1;
        }
        CHECK(good);
    }
    memset(own, 0, sizeof(int) * (size_t)counts[rank]);
    if (non) MPI_Iscatterv(all, counts, places, MPI_INT, own, counts[rank], MPI_INT, root, MPI_COMM_WORLD, &request);
    else MPI_Scatterv(all, counts, places, MPI_INT, own, counts[rank], MPI_INT, root, MPI_COMM_WORLD);
    finish(&request, non);
    for (int i = 0; i < counts[rank]; ++i) good &= own[i] == word(rank, 1, i);
    CHECK(good && own[counts[rank]] == -1);
    free(counts);
    free(places);
    free(own);
    free(all);
}

// alltoallv and alltoallw: (r + to) % 4 * scale items, with gaps or without; w with doubled extents at the receiver.
static void exchange_with_counts(int scale, int gap, int non, int in_place) {
    const size_t n = (size_t)size;
    int *counts = malloc(sizeof(int) * n), *places = malloc(sizeof(int) * n), *bytes = malloc(sizeof(int) * n),
        *wide = malloc(sizeof(int) * n), total = 0, good = 1;
    MPI_Datatype spread, *plain = malloc(sizeof(MPI_Datatype) * n), *every = malloc(sizeof(MPI_Datatype) * n);
    MPI_Request request;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    for (int r = 0; r < size; ++r) {
        counts[r] = (rank + r) % 4 * scale;
        places[r] = total + gap;
        total += counts[r] + gap;
        bytes[r] = places[r] * (int)sizeof(int);
        wide[r] = 2 * bytes[r];
        plain[r] = MPI_INT;
        every[r] = spread;
    }
    int *out = room((size_t)total), *in = room(2 * (size_t)total);
    for (int r = 0; r < size; ++r) {
        for (int i = 0; i < counts[r]; ++i) out[places[r] + i] = word(rank, r, i);
    }
    if (in_place) memcpy(in, out, sizeof(int) * (size_t)total);
    const void* give = in_place ? MPI_IN_PLACE : out;
    if (non) MPI_Ialltoallv(give, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
    else MPI_Alltoallv(give, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    finish(&request, non);
    for (int r = 0; r < size; ++r) {
        for (int i = 0; i < counts[r]; ++i) good &= in[places[r] + i] == word(r, rank, i);
        good &= gap == 0 || in[places[r] - 1] == -1;
    }
    good &= in[total] == -1;
    CHECK(good);
    memset(in, 0xff, 2 * sizeof(int) * (size_t)total);
    for (int i = 0; i < total && in_place; ++i) in[2 * i] = out[i];
    if (non) MPI_Ialltoallw(give, counts, bytes, plain, in, counts, wide, every, MPI_COMM_WORLD, &request);
    else MPI_Alltoallw(give, counts, bytes, plain, in, counts, wide, every, MPI_COMM_WORLD);
    finish(&request, non);
    for (int r = 0; r < size; ++r) {
        for (int i = 0; i < counts[r]; ++i) {
            good &= in[2 * (places[r] + i)] == word(r, rank, i) && in[2 * (places[r] + i) + 1] == -1;
        }
    }
    CHECK(good);
    MPI_Type_free(&spread);
    free(counts);
    free(places);
    free(bytes);
    free(wide);
    free(plain);
    free(every);
    free(out);
    free(in);
}

// Columns gathered into a matrix; a broadcast that is sent as one type and received as another.
static void types(int n) {
    int *column = room((size_t)n), *matrix = room((size_t)(n * size)), good = 1;
    MPI_Datatype raw, strided;
    MPI_Type_vector(n, 1, size, MPI_INT, &raw);
    MPI_Type_create_resized(raw, 0, sizeof(int), &strided);
    MPI_Type_commit(&strided);
    for (int i = 0; i < n; ++i) column[i] = word(rank, 2, i);
    MPI_Allgather(column, n, MPI_INT, matrix, 1, strided, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) {
        for (int r = 0; r < size; ++r) good &= matrix[i * size + r] == word(r, 2, i);
    }
    CHECK(good);
    memset(matrix, 0xff, sizeof(int) * (size_t)(n * size));
    if (rank == 0) MPI_Bcast(column, n, MPI_INT, 0, MPI_COMM_WORLD);
    else MPI_Bcast(matrix, 1, strided, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n && rank > 0; ++i) good &= matrix[i * size] == word(0, 2, i);
    CHECK(good);
    MPI_Type_free(&raw);
    MPI_Type_free(&strided);
    free(column);
    free(matrix);
}

// Nobody leaves a barrier before the last one has come: what that one sent before is there.
static void barriers(void) {
    for (int late = 0; late < size && late < 6; ++late) {
        MPI_Request request, *sends = malloc(sizeof(MPI_Request) * (size_t)size);
        int flag = 0, value = -1;
        if (rank == late) {
            for (int to = 0; to < size; ++to) MPI_Isend(&late, 1, MPI_INT, to, 30, MPI_COMM_WORLD, &sends[to]);
            for (int i = 0; i < 20; ++i) MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
        if (late % 2 == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
        } else {
            MPI_Ibarrier(MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Recv(&value, 1, MPI_INT, late, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(value == late);
        if (rank == late) MPI_Waitall(size, sends, MPI_STATUSES_IGNORE);
        free(sends);
    }
    // An open barrier is not complete while somebody is missing.
    MPI_Request request;
    int flag = 1, token = 0;
    if (rank == 0 && size > 1) {
        MPI_Recv(&token, 1, MPI_INT, size - 1, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(token == 0); // the others had not got through
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (rank == size - 1 && size > 1) {
        for (int i = 0; i < 30; ++i) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Send(&flag, 1, MPI_INT, 0, 31, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Several at once on one communicator, completed in another order, with messages between them.
static void several(void) {
    int *a = room(1000), *b = room((size_t)size), sum = 0, token = -1;
    MPI_Request requests[5];
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int i = 0; i < 1000 && rank == 0; ++i) a[i] = i;
    MPI_Ibcast(a, 1000, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&token, 1, MPI_INT, from, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Iallgather(&rank, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD, &requests[2]);
    MPI_Send(&rank, 1, MPI_INT, to, 7, MPI_COMM_WORLD);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[3]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[4]);
    MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
    CHECK(sum == size * (size - 1) / 2);
    int flag = 0;
    while (!flag) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    CHECK(a[999] == 999);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    CHECK(token == from);
    for (int r = 0; r < size; ++r) CHECK(b[r] == r);
    free(a);
    free(b);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l) {
        const int count = lengths[l], share = size > 16 && count > 1000 ? 1000 : count;
        for (int non = 0; non < 2; ++non) {
            broadcast(count, 0, non);
            broadcast(count, size / 2, non);
            for (int in_place = 0; in_place < 2; ++in_place) {
                gather_scatter(share, 0, non, in_place);
                gather_scatter(share, size - 1, non, in_place);
                exchange(share, non, in_place);
                exchange_with_counts(share / 2, 1, non, in_place);
                exchange_with_counts(share / 2, 0, non, in_place);
            }
            with_counts(share / 2, size / 2, non);
        }
    }
    types(1);
    types(3000);
    barriers();
    several();
    return end();
}
