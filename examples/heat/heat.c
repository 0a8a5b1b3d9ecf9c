// Heat in a square plate whose edges are kept at zero: explicit time steps on an N x N grid, cut into blocks.
//
// In each step a rank exchanges the edges of its block with its four neighbours (rows as they lie in memory,
// columns by a derived datatype), then computes. Every few steps all ranks find out how much the temperature
// still changes. The start is an eigenfunction of the difference scheme, so the exact solution is known at any
// step.
#include "../common/count.h"
#include "../common/options.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const double ratio = 0.2; // time step / (grid spacing)^2; the scheme is stable up to 0.25

typedef struct {
    int size;                     // inner points of the plate in each direction
    int first[2], count[2];       // of this rank: the first point and their number, by row and column
    int north, south, west, east; // neighbours, or MPI_PROC_NULL
    MPI_Comm comm;
    MPI_Datatype column;
} Block;

// The block is stored with a frame of one point.
static size_t at(const Block* b, int row, int column) {
    return (size_t)row * (size_t)(b->count[1] + 2) + (size_t)column;
}

static Block make_block(int size) {
    Block b = {.size = size};
    int ranks, rank, dims[2] = {0, 0}, periodic[2] = {0, 0}, coords[2];
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    if (dims[0] > size || dims[1] > size) {
        stop("heat: %d x %d ranks are too many for %d x %d points", dims[0], dims[1], size, size);
    }
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &b.comm);
    MPI_Comm_rank(b.comm, &rank);
    MPI_Cart_coords(b.comm, rank, 2, coords);
    for (int d = 0; d < 2; ++d) { // ranks differ by at most one point
        b.first[d] = (int)((long long)size * coords[d] / dims[d]);
        b.count[d] = (int)((long long)size * (coords[d] + 1) / dims[d]) - b.first[d];
    }
    MPI_Cart_shift(b.comm, 0, 1, &b.north, &b.south);
    MPI_Cart_shift(b.comm, 1, 1, &b.west, &b.east);
    MPI_Type_vector(b.count[0], 1, b.count[1] + 2, MPI_DOUBLE, &b.column);
    MPI_Type_commit(&b.column);
    return b;
}

// Fills the frame of `u` with the edges of the neighbours.
static void exchange(const Block* b, double* u) {
    const int rows = b->count[0], columns = b->count[1];
    const size_t row_bytes = (size_t)columns * sizeof(double), column_bytes = (size_t)rows * sizeof(double);
    MPI_Request requests[8];
    MPI_Irecv(&u[at(b, 0, 1)], columns, MPI_DOUBLE, b->north, 1, b->comm, &requests[0]);
    MPI_Irecv(&u[at(b, rows + 1, 1)], columns, MPI_DOUBLE, b->south, 0, b->comm, &requests[1]);
    MPI_Irecv(&u[at(b, 1, 0)], 1, b->column, b->west, 3, b->comm, &requests[2]);
    MPI_Irecv(&u[at(b, 1, columns + 1)], 1, b->column, b->east, 2, b->comm, &requests[3]);
    count_receive(b->north, row_bytes);
    count_receive(b->south, row_bytes);
    count_receive(b->west, column_bytes);
    count_receive(b->east, column_bytes);

    MPI_Isend(&u[at(b, 1, 1)], columns, MPI_DOUBLE, b->north, 0, b->comm, &requests[4]);
    MPI_Isend(&u[at(b, rows, 1)], columns, MPI_DOUBLE, b->south, 1, b->comm, &requests[5]);
    MPI_Isend(&u[at(b, 1, 1)], 1, b->column, b->west, 2, b->comm, &requests[6]);
    MPI_Isend(&u[at(b, 1, columns)], 1, b->column, b->east, 3, b->comm, &requests[7]);
    count_send(b->north, row_bytes);
    count_send(b->south, row_bytes);
    count_send(b->west, column_bytes);
    count_send(b->east, column_bytes);

    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static void step(const Block* b, const double* restrict u, double* restrict next) {
    const size_t width = (size_t)b->count[1] + 2;
    for (int row = 1; row <= b->count[0]; ++row) {
        for (size_t i = at(b, row, 1); i <= at(b, row, b->count[1]); ++i) {
            next[i] = u[i] + ratio * (u[i - width] + u[i + width] + u[i - 1] + u[i + 1] - 4 * u[i]);
        }
    }
}

static double maximum(const Block* b, double mine) {
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, b->comm);
    count_collective("allreduce", sizeof mine);
    return all;
}

static double largest_change(const Block* b, const double* u, const double* next) {
    double change = 0;
    for (int row = 1; row <= b->count[0]; ++row) {
        for (size_t i = at(b, row, 1); i <= at(b, row, b->count[1]); ++i) {
            change = fmax(change, fabs(next[i] - u[i]));
        }
    }
    return maximum(b, change);
}

// Half a wave from north to south, a whole one from west to east: each step multiplies it by the same factor.
static double exact(const Block* b, int row, int column, int steps) {
    const double h = 1.0 / (b->size + 1);
    const double s1 = sin(pi * h / 2), s2 = sin(pi * h);
    const double factor = 1 - 4 * ratio * (s1 * s1 + s2 * s2);
    return pow(factor, steps) * sin(pi * h * (b->first[0] + row)) * sin(2 * pi * h * (b->first[1] + column));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    check_options(argc, argv, "--size --steps --every --count");
    const int size = number_option(argc, argv, "--size", 1024, 1);
    const int steps = number_option(argc, argv, "--steps", 3000, 1);
    const int every =
        number_option(argc, argv, "--every", 20, 1); // steps from one look at the change to the next
    const char* count_file = text_option(argc, argv, "--count", NULL);

    Block b = make_block(size);
    const size_t points = at(&b, b.count[0] + 1, b.count[1] + 2);
    double* u = calloc(points, sizeof(double));
    double* next = calloc(points, sizeof(double));
    for (int row = 1; row <= b.count[0]; ++row) {
        for (int column = 1; column <= b.count[1]; ++column) u[at(&b, row, column)] = exact(&b, row, column, 0);
    }

    const double start = MPI_Wtime();
    double change = 0;
    for (int s = 1; s <= steps; ++s) {
        exchange(&b, u);
        step(&b, u, next);
        if (s % every == 0) change = largest_change(&b, u, next);
        double* const old = u;
        u = next;
        next = old;
    }
    const double seconds = MPI_Wtime() - start;

    double error = 0;
    for (int row = 1; row <= b.count[0]; ++row) {
        for (int column = 1; column <= b.count[1]; ++column) {
            error = fmax(error, fabs(u[at(&b, row, column)] - exact(&b, row, column, steps)));
        }
    }
    error = maximum(&b, error);
    int good = error < 1e-10;

    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("heat: %dx%d, %d steps, last change %.1e, error %.1e %s, %.2f s\n", size, size, steps, change,
               error, good ? "ok" : "WRONG", seconds);
    }
    if (count_write(count_file, rank) != 0) good = 0;
    free(u);
    free(next);
    MPI_Type_free(&b.column);
    MPI_Comm_free(&b.comm);
    MPI_Finalize();
    return good ? 0 : 1;
}
