// Passive targets: locks, flushes, atomic counters, requests, dynamic and shared windows.
#include "check.h"

static void exclusive(void) {
    int* memory;
    MPI_Win win;
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 20; ++i) { // read, change and write what others change, too
        int values[2];
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(values, 2, MPI_INT, 0, 0, 2, MPI_INT, win);
        MPI_Win_flush(0, win);
        CHECK(values[1] == 2 * values[0]);
        values[0] += 1;
        values[1] += 2;
        MPI_Put(values, 2, MPI_INT, 0, 0, 2, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        CHECK(memory[0] == 20 * size && memory[1] == 40 * size);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
}

static void counters(void) {
    long *memory, seen[50], one = 1;
    MPI_Win win;
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 50; ++i) {
        MPI_Fetch_and_op(&one, &seen[i], MPI_LONG, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
        CHECK(i == 0 || seen[i] > seen[i - 1]);
    }
    MPI_Win_unlock_all(win);
    // Every value was given out once.
    char* given = calloc(50 * (size_t)size, 1);
    for (int i = 0; i < 50; ++i) {
        CHECK(seen[i] >= 0 && seen[i] < 50L * size);
        given[seen[i]] = 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, given, 50 * size, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 50 * size; ++i) CHECK(given[i] == 1);
    free(given);

    // A spin lock made of compare and swap.
    MPI_Barrier(MPI_COMM_WORLD);
    *memory = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    long free_value = -1, own = rank, found = -2;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    do {
        MPI_Compare_and_swap(&own, &free_value, &found, MPI_LONG, 0, 0, win);
        MPI_Win_flush(0, win);
    } while (found != free_value);
    MPI_Compare_and_swap(&free_value, &own, &found, MPI_LONG, 0, 0, win);
    MPI_Win_flush_all(win);
    CHECK(found == own);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void requests(int count) {
    int *memory, *out = malloc(sizeof(int) * (size_t)count), *in = malloc(sizeof(int) * (size_t)count);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request request;
    MPI_Win win;
    MPI_Win_allocate((MPI_Aint)sizeof(int) * count, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < count; ++i) {
        memory[i] = 0;
        out[i] = rank + i;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Rput(out, count, MPI_INT, next, 0, count, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    memset(out, 0, sizeof(int) * (size_t)count); // it is ours again
    MPI_Win_flush(next, win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) CHECK(memory[i] == before + i);
    MPI_Rget(in, count, MPI_INT, next, 0, count, MPI_INT, win, &request);
    int done = 0;
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) CHECK(in[i] == rank + i);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) out[i] = 1;
    MPI_Raccumulate(out, count, MPI_INT, next, 0, count, MPI_INT, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget_accumulate(out, count, MPI_INT, in, count, MPI_INT, next, 0, count, MPI_INT, MPI_PROD, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) CHECK(in[i] == rank + i + 1);
    MPI_Rput(out, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(out);
    free(in);
}

static void dynamic(void) {
    int *memory = malloc(4 * sizeof(int)), seen[4] = {0};
    MPI_Aint own, *all = malloc(sizeof(MPI_Aint) * (size_t)size);
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < 4; ++i) memory[i] = 10 * rank + i;
    MPI_Win_attach(win, memory, 4 * sizeof(int));
    MPI_Get_address(memory, &own);
    MPI_Allgather(&own, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
    const int next = (rank + 1) % size;
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    MPI_Get(seen, 3, MPI_INT, next, MPI_Aint_add(all[next], sizeof(int)), 3, MPI_INT, win);
    MPI_Win_unlock(next, win);
    for (int i = 0; i < 3; ++i) CHECK(seen[i] == 10 * next + i + 1);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    FAILS(MPI_Get(seen, 4, MPI_INT, next, MPI_Aint_add(all[next], sizeof(int)), 4, MPI_INT, win), MPI_ERR_RMA_RANGE);
    MPI_Win_unlock(next, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, memory);
    FAILS(MPI_Win_detach(win, memory), MPI_ERR_RMA_ATTACH);
    MPI_Win_free(&win);
    free(memory);
    free(all);
}

static void shared(void) {
    MPI_Comm node;
    int node_rank, node_size, unit;
    int *memory, *first;
    MPI_Aint bytes;
    MPI_Win win;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, &node_size);
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &memory, &win);
    MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &first);
    CHECK(bytes == sizeof(int) && unit == sizeof(int) && first + node_rank == memory);
    MPI_Win_lock_all(0, win);
    *memory = node_rank + 1;
    MPI_Win_sync(win);
    MPI_Barrier(node);
    MPI_Win_sync(win);
    for (int i = 0; i < node_size; ++i) CHECK(first[i] == i + 1);
    MPI_Barrier(node);
    // A token goes round, in memory alone.
    volatile int* token = first;
    if (node_rank == 0) *token = 0;
    MPI_Barrier(node);
    while (*token != node_rank) MPI_Win_sync(win);
    *token = node_rank + 1;
    MPI_Win_unlock_all(win);
    MPI_Barrier(node);
    CHECK(*token == node_size);
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    exclusive();
    counters();
    requests(3);
    requests(50000);
    dynamic();
    shared();
    return end();
}
