// Many operations of random kinds, lengths, layouts and targets at the same time, against sums that every rank
// works out by itself; and the order of accumulates of different lengths.
#include "check.h"

enum { cells = 4096, rounds = 6, operations = 40 };

static unsigned state;

static unsigned next_random(unsigned below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

// One accumulate: `count` elements every `stride` cells from `begin` on.
struct Choice {
    int target, begin, count, stride, kind;
    long value;
};

static struct Choice choose(void) {
    struct Choice c;
    c.target = (int)next_random((unsigned)size);
    c.stride = 1 + (int)next_random(4);
    c.count = 1 + (int)next_random(next_random(8) == 0 ? 900 : 20);
    c.begin = (int)next_random((unsigned)(cells - c.count * c.stride));
    c.kind = (int)next_random(3);
    c.value = 1 + (long)next_random(1000);
    return c;
}

static void apply(const struct Choice* c, MPI_Win win, long* own, long* result) {
    MPI_Datatype strided;
    MPI_Type_vector(c->count, 1, c->stride, MPI_LONG, &strided);
    MPI_Type_commit(&strided);
    for (int i = 0; i < c->count; ++i) own[i] = c->value + i;
    if (c->kind == 0) {
        MPI_Accumulate(own, c->count, MPI_LONG, c->target, c->begin, 1, strided, MPI_SUM, win);
    } else if (c->kind == 1) {
        MPI_Get_accumulate(own, c->count, MPI_LONG, result, c->count, MPI_LONG, c->target, c->begin, 1, strided,
                           MPI_SUM, win);
    } else {
        MPI_Fetch_and_op(own, result, MPI_LONG, c->target, c->begin, MPI_SUM, win);
    }
    MPI_Type_free(&strided);
}

static void sums(int passive) {
    long *memory, *expected = calloc(cells, sizeof(long)), *buffers = malloc(sizeof(long) * 2 * operations * 1000);
    MPI_Win win;
    MPI_Win_allocate(cells * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memset(memory, 0, cells * sizeof(long));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < rounds; ++round) {
        if (!passive) {
            MPI_Win_fence(0, win);
        } else if (round % 2 == 0) {
            MPI_Win_lock_all(0, win);
        }
        for (int from = 0; from < size; ++from) { // what every rank does
            state = (unsigned)(1 + from + 1000 * round);
            for (int k = 0; k < operations; ++k) {
                const struct Choice c = choose();
                if (from == rank) {
                    if (passive && round % 2 == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, c.target, 0, win);
                    const unsigned kept = state;
                    apply(&c, win, buffers + 2000 * k, buffers + 2000 * k + 1000);
                    state = kept;
                    if (passive && round % 2 == 1) MPI_Win_unlock(c.target, win);
                    if (passive && round % 2 == 0 && k % 7 == 0) MPI_Win_flush(c.target, win);
                }
                if (c.target != rank) continue;
                const int count = c.kind == 2 ? 1 : c.count;
                for (int i = 0; i < count; ++i) expected[c.begin + i * c.stride] += c.value + i;
            }
        }
        if (!passive) {
            MPI_Win_fence(0, win);
        } else {
            if (round % 2 == 0) MPI_Win_unlock_all(win);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
        }
        for (int i = 0; i < cells; ++i) CHECK(memory[i] == expected[i]);
        if (passive) {
            MPI_Win_unlock(rank, win);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    MPI_Win_free(&win);
    free(expected);
    free(buffers);
}

// The short one must not overtake the long one.
static void order(void) {
    enum { many = 200000 };
    int *memory, *out = malloc(many * sizeof(int)), last = 77, seen = 0;
    const int next = (rank + 1) % size;
    MPI_Win win;
    MPI_Win_allocate(many * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < many; ++i) out[i] = i;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Accumulate(out, many, MPI_INT, next, 0, many, MPI_INT, MPI_REPLACE, win);
    MPI_Accumulate(&last, 1, MPI_INT, next, 5, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT, &seen, 1, MPI_INT, next, 5, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Win_flush(next, win);
    CHECK(seen == 77);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(memory[4] == 4 && memory[5] == 77 && memory[many - 1] == many - 1);
    // Until another rank has written: nothing but flushes in between.
    if (rank == 0) {
        const int flag = -1;
        for (int to = 1; to < size; ++to) MPI_Put(&flag, 1, MPI_INT, to, 0, 1, MPI_INT, win);
        MPI_Win_flush_all(win);
    } else {
        while (*(volatile int*)memory != -1) MPI_Win_flush_all(win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(out);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    sums(0);
    sums(1);
    order();
    return end();
}
