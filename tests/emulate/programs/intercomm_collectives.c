// Collectives between two groups of different sizes, blocking and not. What one group gives the other one gets.
// Fewer than 3 ranks have nothing to do.
#include "check.h"

static MPI_Comm inter;
static int front; // whether this rank is in the first group
static int own;   // its rank there
static int local;
static int remote;
static int nonblocking;

// Runs it one way or the other.
#define DO(call, started, ...)                                                                                 \
    do {                                                                                                       \
        if (nonblocking) {                                                                                     \
            MPI_Request request_;                                                                              \
            MPI_##started(__VA_ARGS__, inter, &request_);                                                      \
            MPI_Wait(&request_, MPI_STATUS_IGNORE);                                                            \
        } else {                                                                                               \
            MPI_##call(__VA_ARGS__, inter);                                                                    \
        }                                                                                                      \
    } while (0)

#ifndef WORDS // more, for messages that are not eager
#define WORDS 5
#endif
enum { words = WORDS };

// What rank `from` of a group gives to `to` of the other one.
static int value(int is_front, int from, int to, int word) {
    return 1000 * is_front + 100 * from + 10 * to + word;
}

// The root argument, when `root` of the first group is it.
static int root_for(int root) { return !front ? root : own == root ? MPI_ROOT : MPI_PROC_NULL; }

static void from_root(int root) {
    int data[words];
    for (int i = 0; i < words; ++i) data[i] = front ? value(1, own, 0, i) : -1;
    DO(Bcast, Ibcast, data, words, MPI_INT, root_for(root));
    for (int i = 0; i < words; ++i) CHECK(data[i] == value(1, front ? own : root, 0, i));

    int* all = malloc(sizeof(int) * words * (size_t)size);
    int* counts = malloc(sizeof(int) * (size_t)size);
    int* places = malloc(sizeof(int) * (size_t)size);
    for (int peer = 0; peer < remote; ++peer) {
        counts[peer] = peer % words;
        places[peer] = peer * words;
        for (int i = 0; i < words; ++i) all[peer * words + i] = value(front, own, peer, i);
    }
    DO(Scatter, Iscatter, all, words, MPI_INT, data, words, MPI_INT, root_for(root));
    for (int i = 0; i < words; ++i) CHECK(data[i] == (front ? value(1, own, 0, i) : value(1, root, own, i)));
    for (int i = 0; i < words; ++i) data[i] = -1;
    DO(Scatterv, Iscatterv, all, counts, places, MPI_INT, data, own % words, MPI_INT, root_for(root));
    if (!front)
        for (int i = 0; i < words; ++i) CHECK(data[i] == (i < own % words ? value(1, root, own, i) : -1));
    free(all);
    free(counts);
    free(places);
}

static void to_root(int root) {
    int data[words];
    int* all = malloc(sizeof(int) * words * (size_t)size);
    int* counts = malloc(sizeof(int) * (size_t)size);
    int* places = malloc(sizeof(int) * (size_t)size);
    const int is_root = front && own == root;
    for (int i = 0; i < words; ++i) data[i] = value(front, own, 0, i);
    for (int i = 0; i < words * size; ++i) all[i] = -1;
    DO(Gather, Igather, data, words, MPI_INT, all, words, MPI_INT, root_for(root));
    for (int peer = 0; peer < remote; ++peer) {
        for (int i = 0; i < words; ++i)
            CHECK(all[peer * words + i] == (is_root ? value(0, peer, 0, i) : -1));
        counts[peer] = peer % words;
        places[peer] = (remote - 1 - peer) * words; // the other way round
    }
    for (int i = 0; i < words * size; ++i) all[i] = -1;
    DO(Gatherv, Igatherv, data, own % words, MPI_INT, all, counts, places, MPI_INT, root_for(root));
    for (int peer = 0; peer < remote; ++peer) {
        for (int i = 0; i < words; ++i)
            CHECK(all[places[peer] + i] == (is_root && i < counts[peer] ? value(0, peer, 0, i) : -1));
    }
    int sum[words];
    for (int i = 0; i < words; ++i) sum[i] = -1;
    DO(Reduce, Ireduce, data, sum, words, MPI_INT, MPI_SUM, root_for(root));
    for (int i = 0; i < words; ++i)
        CHECK(sum[i] == (is_root ? remote * i + 100 * (remote * (remote - 1) / 2) : -1));
    free(all);
    free(counts);
    free(places);
}

static void among_all(void) {
    int* given = malloc(sizeof(int) * words * (size_t)size);
    int* got = malloc(sizeof(int) * words * (size_t)size);
    int* counts = malloc(sizeof(int) * (size_t)size);
    int* sent_counts = malloc(sizeof(int) * (size_t)size);
    int* places = malloc(sizeof(int) * (size_t)size);
    int* offsets = malloc(sizeof(int) * (size_t)size);
    MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * (size_t)size);
    if (nonblocking) {
        MPI_Request request;
        MPI_Ibarrier(inter, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(inter);
    }
    for (int peer = 0; peer < remote; ++peer) {
        for (int i = 0; i < words; ++i) given[peer * words + i] = value(front, own, peer, i);
        counts[peer] = (own + peer) % words;
        sent_counts[peer] = (own + peer) % words;
        places[peer] = peer * words;
        offsets[peer] = peer * words * (int)sizeof(int);
        types[peer] = MPI_INT;
    }
    DO(Alltoall, Ialltoall, given, words, MPI_INT, got, words, MPI_INT);
    for (int peer = 0; peer < remote; ++peer)
        for (int i = 0; i < words; ++i) CHECK(got[peer * words + i] == value(!front, peer, own, i));
    for (int i = 0; i < words * size; ++i) got[i] = -1;
    DO(Alltoallv, Ialltoallv, given, sent_counts, places, MPI_INT, got, counts, places, MPI_INT);
    for (int peer = 0; peer < remote; ++peer)
        for (int i = 0; i < words; ++i)
            CHECK(got[peer * words + i] == (i < counts[peer] ? value(!front, peer, own, i) : -1));
    for (int i = 0; i < words * size; ++i) got[i] = -1;
    DO(Alltoallw, Ialltoallw, given, sent_counts, offsets, types, got, counts, offsets, types);
    for (int peer = 0; peer < remote; ++peer)
        for (int i = 0; i < words; ++i)
            CHECK(got[peer * words + i] == (i < counts[peer] ? value(!front, peer, own, i) : -1));
    DO(Allgather, Iallgather, given, words, MPI_INT, got, words, MPI_INT);
    for (int peer = 0; peer < remote; ++peer)
        for (int i = 0; i < words; ++i) CHECK(got[peer * words + i] == value(!front, peer, 0, i));
    for (int i = 0; i < words * size; ++i) got[i] = -1;
    for (int peer = 0; peer < remote; ++peer) counts[peer] = peer % words;
    DO(Allgatherv, Iallgatherv, given, own % words, MPI_INT, got, counts, places, MPI_INT);
    for (int peer = 0; peer < remote; ++peer)
        for (int i = 0; i < words; ++i)
            CHECK(got[peer * words + i] == (i < counts[peer] ? value(!front, peer, 0, i) : -1));
    free(given);
    free(got);
    free(counts);
    free(sent_counts);
    free(places);
    free(offsets);
    free(types);
}

// Elements two apart.
static void spread(void) {
    MPI_Datatype every_other;
    MPI_Type_vector(words, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    int data[2 * words];
    for (int i = 0; i < 2 * words; ++i) data[i] = front ? i : -i;
    DO(Bcast, Ibcast, data, 1, every_other, root_for(0));
    for (int i = 0; i < 2 * words; ++i) CHECK(data[i] == (front ? i : i % 2 == 0 ? i : -i));
    MPI_Type_free(&every_other);
}

// Functions of the form a x + b, one after the other: does not commute.
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    const int* first = in;
    int* second = inout;
    for (int i = 0; i < *count; i += 1) {
        const int a = first[2 * i] * second[2 * i] % 1009;
        const int b = (first[2 * i + 1] * second[2 * i] + second[2 * i + 1]) % 1009;
        second[2 * i] = a;
        second[2 * i + 1] = b;
    }
}

static void reductions(void) {
    int given[words];
    int got[words];
    for (int i = 0; i < words; ++i) given[i] = value(front, own, 0, i);
    const int from_there = remote * (remote - 1) / 2 * 100 + (front ? 0 : 1000 * remote);
    DO(Allreduce, Iallreduce, given, got, words, MPI_INT, MPI_SUM);
    for (int i = 0; i < words; ++i) CHECK(got[i] == from_there + remote * i);

    MPI_Op op;
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(compose, 0, &op);
    const int line[2] = {own + 2, own + 3};
    int all[2];
    DO(Allreduce, Iallreduce, line, all, 1, pair, op);
    int wanted[2] = {2, 3};
    for (int peer = 1; peer < remote; ++peer) {
        int next[2] = {peer + 2, peer + 3};
        int one = 1;
        compose(wanted, next, &one, &pair);
        wanted[0] = next[0];
        wanted[1] = next[1];
    }
    CHECK(all[0] == wanted[0] && all[1] == wanted[1]);
    MPI_Op_free(&op);
    MPI_Type_free(&pair);

    // Vectors of local * remote elements: the same on both sides.
    const int length = local * remote;
    int* vector = malloc(sizeof(int) * (size_t)length);
    int* part = malloc(sizeof(int) * (size_t)length);
    int* counts = malloc(sizeof(int) * (size_t)local);
    for (int i = 0; i < length; ++i) vector[i] = own + i;
    DO(Reduce_scatter_block, Ireduce_scatter_block, vector, part, remote, MPI_INT, MPI_SUM);
    for (int i = 0; i < remote; ++i)
        CHECK(part[i] == remote * (remote - 1) / 2 + remote * (own * remote + i));
    for (int i = 0; i < local; ++i) counts[i] = i + 1 < local ? remote - 1 : remote - 1 + local;
    DO(Reduce_scatter, Ireduce_scatter, vector, part, counts, MPI_INT, MPI_SUM);
    for (int i = 0; i < counts[own]; ++i)
        CHECK(part[i] == remote * (remote - 1) / 2 + remote * (own * (remote - 1) + i));
    free(vector);
    free(part);
    free(counts);
}

// A broadcast that nobody waits for before the other one has been started, the other way.
static void crossing(void) {
    int there = front && own == 0 ? 41 : -1;
    int back = !front && own == 0 ? 42 : -1;
    MPI_Request both[2];
    const int second = front ? 0 : own == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Ibcast(&there, 1, MPI_INT, root_for(0), inter, &both[0]);
    MPI_Ibcast(&back, 1, MPI_INT, second, inter, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    CHECK(there == (!front || own == 0 ? 41 : -1) && back == (front || own == 0 ? 42 : -1));
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    if (size < 3) return end();
    const int cut = size / 3;
    MPI_Comm group;
    front = rank < cut;
    MPI_Comm_split(MPI_COMM_WORLD, front, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, front ? cut : 0, 1, &inter);
    MPI_Comm_rank(group, &own);
    MPI_Comm_size(group, &local);
    remote = size - local;
    for (nonblocking = 0; nonblocking < 2; ++nonblocking) {
        for (int root = 0; root < cut; ++root) {
            from_root(root);
            to_root(root);
        }
        among_all();
        spread();
        reductions();
    }
    crossing();
    // The local group's own collectives go on beside.
    int sum;
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, group);
    CHECK(sum == local * (local - 1) / 2);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    FAILS(MPI_Bcast(&sum, 1, MPI_INT, remote, inter), MPI_ERR_ROOT);
    FAILS(MPI_Scan(&own, &sum, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_COMM);
    FAILS(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_BUFFER);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&group);
    return end();
}
