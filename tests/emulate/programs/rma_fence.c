// Fences: puts, gets and accumulates of short and long data, contiguous and with gaps.
#include "check.h"

static int global[64]; // private to each rank, and reached by the others

static void ring(int count) {
    double* memory = malloc(sizeof(double) * (size_t)count);
    double* out = malloc(sizeof(double) * (size_t)count);
    double* in = malloc(sizeof(double) * (size_t)count);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Win win;
    for (int i = 0; i < count; ++i) {
        memory[i] = -1;
        out[i] = rank * 1000.0 + i;
        in[i] = -2;
    }
    MPI_Win_create(memory, (MPI_Aint)sizeof(double) * count, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(out, count, MPI_DOUBLE, next, 0, count, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < count; ++i) CHECK(memory[i] == before * 1000.0 + i);
    MPI_Win_fence(0, win);
    MPI_Get(in, count, MPI_DOUBLE, next, 0, count, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < count; ++i) CHECK(in[i] == rank * 1000.0 + i);
    MPI_Win_fence(0, win);
    for (int to = 0; to < size; ++to) MPI_Accumulate(out, count, MPI_DOUBLE, to, 0, count, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    const double ranks = size * (size - 1) / 2 * 1000.0;
    for (int i = 0; i < count; ++i) CHECK(memory[i] == before * 1000.0 + i + ranks + size * (double)i);
    MPI_Win_free(&win);
    CHECK(win == MPI_WIN_NULL);
    free(memory);
    free(out);
    free(in);
}

// A column of the target's matrix from a row of the origin's.
static void columns(void) {
    enum { n = 8 };
    int matrix[n][n], row[n];
    MPI_Datatype column;
    MPI_Win win;
    memset(matrix, 0, sizeof matrix);
    for (int i = 0; i < n; ++i) row[i] = 100 * rank + i;
    MPI_Type_vector(n, 1, n, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Win_create(matrix, sizeof matrix, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank < n) {
        MPI_Put(row, n, MPI_INT, 0, rank, 1, column, win);
        MPI_Accumulate(row, n, MPI_INT, size - 1, rank, 1, column, MPI_SUM, win);
    }
    MPI_Type_free(&column); // is still needed
    MPI_Win_fence(0, win);
    const int times = size == 1 ? 2 : 1;
    if (rank == 0 || rank == size - 1) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) CHECK(matrix[i][j] == (j < size ? times * (100 * j + i) : 0));
        }
    }
    MPI_Win_free(&win);
}

static void globals(void) {
    MPI_Win win;
    MPI_Win_create(global, sizeof global, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (int to = 0; to < size && rank < 64; ++to) {
        const int value = rank + 10 * to;
        MPI_Put(&value, 1, MPI_INT, to, rank, 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    for (int from = 0; from < size && from < 64; ++from) CHECK(global[from] == from + 10 * rank);
    int seen[64] = {0};
    MPI_Get(seen, 64, MPI_INT, (rank + 1) % size, 0, 64, MPI_INT, win);
    MPI_Win_fence(0, win);
    for (int from = 0; from < size && from < 64; ++from) CHECK(seen[from] == from + 10 * ((rank + 1) % size));
    MPI_Win_free(&win);
}

static void operations(void) {
    struct {
        double value;
        int place;
    } best = {0.0, -1}, own = {100.0 - rank, rank};
    int bits = 0, replaced = -1;
    MPI_Win pairs, win;
    MPI_Win_create(&best, sizeof best, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &pairs);
    MPI_Win_create(&bits, sizeof bits, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, pairs);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&own, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, pairs);
    const int bit = 1 << (rank % 30);
    MPI_Accumulate(&bit, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_BOR, win);
    MPI_Win_fence(0, pairs);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        CHECK(best.value == 100.0 && best.place == 0);
        CHECK(bits == (size < 30 ? (1 << size) - 1 : (1 << 30) - 1));
    }
    // In the order of the calls, however long they are.
    for (int i = 0; i < 10; ++i) MPI_Accumulate(&i, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT, &replaced, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Win_fence(0, win);
    CHECK(replaced == 9 && bits == 9);
    MPI_Put(&bit, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Win_free(&pairs);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    ring(1);
    ring(1000);
    ring(100000);
    columns();
    globals();
    operations();
    return end();
}
