// Cartesian grids: coordinates, shifts, parts of grids, Dims_create, errors.
#include "check.h"

static void line(int periodic) {
    MPI_Comm grid;
    int dims[1] = {size};
    int periods[1] = {periodic};
    int at[1] = {-1};
    int source;
    int dest;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 1, &grid);
    dims[0] = periods[0] = -1;
    MPI_Cart_get(grid, 1, dims, periods, at);
    CHECK(dims[0] == size && periods[0] == periodic && at[0] == rank);
    MPI_Cart_shift(grid, 0, 1, &source, &dest);
    CHECK(source == (rank > 0 ? rank - 1 : periodic ? size - 1 : MPI_PROC_NULL));
    CHECK(dest == (rank < size - 1 ? rank + 1 : periodic ? 0 : MPI_PROC_NULL));
    MPI_Cart_shift(grid, 0, 3 * size + 1, &source, &dest);
    CHECK(dest == (periodic ? (rank + 1) % size : MPI_PROC_NULL));
    MPI_Cart_shift(grid, 0, 0, &source, &dest);
    CHECK(source == rank && dest == rank);
    at[0] = -1;
    if (periodic) {
        int found;
        MPI_Cart_rank(grid, at, &found);
        CHECK(found == size - 1);
    }
    int status;
    MPI_Topo_test(grid, &status);
    CHECK(status == MPI_CART);
    MPI_Comm copy;
    MPI_Comm_dup(grid, &copy);
    MPI_Topo_test(copy, &status);
    CHECK(status == MPI_CART);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&grid);
    MPI_Topo_test(MPI_COMM_WORLD, &status);
    CHECK(status == MPI_UNDEFINED);
}

// Two rows, and a rank that is left over if their number is odd.
static void rows(void) {
    MPI_Comm grid;
    MPI_Comm row;
    MPI_Comm column;
    int dims[2] = {2, size / 2};
    const int periods[2] = {0, 1};
    const int keep_row[2] = {0, 1};
    const int keep_column[2] = {1, 0};
    int mapped;
    MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &mapped);
    CHECK(mapped == (rank < 2 * dims[1] ? rank : MPI_UNDEFINED));
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    CHECK((grid == MPI_COMM_NULL) == (rank >= 2 * dims[1]));
    if (grid == MPI_COMM_NULL) return;
    int own;
    int found;
    int at[2];
    MPI_Comm_rank(grid, &own);
    MPI_Cart_coords(grid, own, 2, at);
    CHECK(own == at[0] * dims[1] + at[1]);
    MPI_Cart_rank(grid, at, &found);
    CHECK(found == own);
    MPI_Cart_sub(grid, keep_row, &row);
    MPI_Cart_sub(grid, keep_column, &column);
    int count;
    MPI_Comm_size(row, &count);
    CHECK(count == dims[1]);
    MPI_Comm_rank(row, &found);
    CHECK(found == at[1]);
    MPI_Comm_size(column, &count);
    CHECK(count == 2);
    MPI_Comm_rank(column, &found);
    CHECK(found == at[0]);
    int sub_dims[1];
    int sub_periods[1];
    int sub_at[1];
    MPI_Cartdim_get(row, &count);
    CHECK(count == 1);
    MPI_Cart_get(row, 1, sub_dims, sub_periods, sub_at);
    CHECK(sub_dims[0] == dims[1] && sub_periods[0] == 1 && sub_at[0] == at[1]);
    // The sum over a row is that of its ranks in the grid.
    int sum;
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, row);
    CHECK(sum == at[0] * dims[1] * dims[1] + dims[1] * (dims[1] - 1) / 2);
    // A communicator with another topology, or none.
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    FAILS(MPI_Graphdims_get(grid, &found, &count), MPI_ERR_TOPOLOGY);
    at[0] = 2;
    FAILS(MPI_Cart_rank(grid, at, &found), MPI_ERR_ARG);
    FAILS(MPI_Cart_coords(grid, 2 * dims[1], 2, at), MPI_ERR_RANK);
    FAILS(MPI_Cart_shift(grid, 2, 1, &found, &count), MPI_ERR_ARG);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Comm_free(&grid);
}

static void without_dimensions(void) {
    MPI_Comm grid;
    int count = -1;
    MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &grid);
    CHECK((grid != MPI_COMM_NULL) == (rank == 0));
    if (rank != 0) return;
    MPI_Cartdim_get(grid, &count);
    CHECK(count == 0);
    MPI_Comm_free(&grid);
}

static void dims_are(int nodes, int count, int a, int b, int c, int fixed) {
    int dims[3] = {0, 0, 0};
    const int wanted[3] = {a, b, c};
    if (fixed >= 0) dims[fixed] = wanted[fixed];
    MPI_Dims_create(nodes, count, dims);
    for (int i = 0; i < count; ++i) CHECK(dims[i] == wanted[i]);
}

static void dims(void) {
    dims_are(1, 3, 1, 1, 1, -1);
    dims_are(6, 2, 3, 2, 0, -1);
    dims_are(7, 2, 7, 1, 0, -1);
    dims_are(6, 3, 2, 3, 1, 1);
    dims_are(72, 2, 9, 8, 0, -1);
    dims_are(1024, 3, 16, 8, 8, -1);
    dims_are(1000000000, 3, 1000, 1000, 1000, -1);
    dims_are(34425, 3, 51, 27, 25, -1);
    int given[2] = {4, 0};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FAILS(MPI_Dims_create(6, 2, given), MPI_ERR_DIMS);
    given[0] = -1;
    FAILS(MPI_Dims_create(6, 2, given), MPI_ERR_DIMS);
    const int large[2] = {size, 2};
    const int periods[2] = {0, 0};
    MPI_Comm grid = MPI_COMM_WORLD;
    FAILS(MPI_Cart_create(MPI_COMM_WORLD, 2, large, periods, 0, &grid), MPI_ERR_DIMS);
    CHECK(grid == MPI_COMM_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    line(0);
    line(1);
    if (size > 1) rows();
    without_dimensions();
    dims();
    return end();
}
