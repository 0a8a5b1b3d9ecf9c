// Symmetric Gauss-Seidel sweeps for the Laplace equation on a cube, as a wavefront: the pattern of NAS LU.
//
// The cube is cut into columns over a grid of ranks (x to the east, y to the south); each plane z is done as a
// whole. In the forward sweep a point needs the new values of its western, northern and lower neighbours, so a
// rank waits for the edge of the rank to its west and of that to its north, computes its part of the plane, and
// passes its own edges on to the east and to the south: small blocking messages, two in and two out for each
// plane. The backward sweep runs the other way. The ranks work on different planes at a time, like a pipeline
// that fills and drains.
#include "../common/count.h"
#include "../common/options.h"

#include <math.h>

enum { checked_sweeps = 2 }; // compared with a serial sweep over the whole cube

typedef struct {
    int nx, ny, nz;               // points of this part
    int x0, y0;                   // its first point
    int north, south, west, east; // neighbours, or MPI_PROC_NULL
    double* u;                    // with a frame of one point
    double* edge;                 // for messages
} Part;

static size_t at(const Part* p, int x, int y, int z) {
    return ((size_t)z * (size_t)(p->ny + 2) + (size_t)y) * (size_t)(p->nx + 2) + (size_t)x;
}

static Part make_part(int nx, int ny, int nz, int x0, int y0) {
    Part p = {nx, ny, nz, x0, y0, MPI_PROC_NULL, MPI_PROC_NULL, MPI_PROC_NULL, MPI_PROC_NULL, NULL, NULL};
    p.u = calloc(at(&p, 0, 0, nz + 2), sizeof(double));
    p.edge = malloc((size_t)(nx > ny ? nx : ny) * sizeof(double));
    return p;
}

static double source(int x, int y, int z) { return 1 + (x * 7 + y * 5 + z * 3) % 11; }

// The edges of plane z: a row of nx points (north, south) or a column of ny points (west, east).
static void receive_row(Part* p, int y, int z, int from) {
    if (from == MPI_PROC_NULL) return;
    MPI_Recv(&p->u[at(p, 1, y, z)], p->nx, MPI_DOUBLE, from, z, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    count_receive(from, (size_t)p->nx * sizeof(double));
}
static void send_row(Part* p, int y, int z, int to) {
    if (to == MPI_PROC_NULL) return;
    MPI_Send(&p->u[at(p, 1, y, z)], p->nx, MPI_DOUBLE, to, z, MPI_COMM_WORLD);
    count_send(to, (size_t)p->nx * sizeof(double));
}
static void receive_column(Part* p, int x, int z, int from) {
    if (from == MPI_PROC_NULL) return;
    MPI_Recv(p->edge, p->ny, MPI_DOUBLE, from, z, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    count_receive(from, (size_t)p->ny * sizeof(double));
    for (int y = 1; y <= p->ny; ++y) p->u[at(p, x, y, z)] = p->edge[y - 1];
}
static void send_column(Part* p, int x, int z, int to) {
    if (to == MPI_PROC_NULL) return;
    for (int y = 1; y <= p->ny; ++y) p->edge[y - 1] = p->u[at(p, x, y, z)];
    MPI_Send(p->edge, p->ny, MPI_DOUBLE, to, z, MPI_COMM_WORLD);
    count_send(to, (size_t)p->ny * sizeof(double));
}

static void relax(Part* p, int x, int y, int z) {
    const size_t i = at(p, x, y, z), row = (size_t)p->nx + 2, plane = row * (size_t)(p->ny + 2);
    double* const u = p->u;
    u[i] = (source(p->x0 + x, p->y0 + y, z) + ((u[i - 1] + u[i + 1]) + (u[i - row] + u[i + row])) +
            (u[i - plane] + u[i + plane])) /
           6;
}

static void forward(Part* p) {
    for (int z = 1; z <= p->nz; ++z) {
        receive_row(p, 0, z, p->north);
        receive_column(p, 0, z, p->west);
        for (int y = 1; y <= p->ny; ++y) {
            for (int x = 1; x <= p->nx; ++x) relax(p, x, y, z);
        }
        send_row(p, p->ny, z, p->south);
        send_column(p, p->nx, z, p->east);
    }
}

// The frame keeps what it has got: before this sweep the values of the forward sweep from north and west, after
// it those of the backward sweep from south and east, which is what the next forward sweep needs.
static void backward(Part* p) {
    for (int z = p->nz; z >= 1; --z) {
        receive_row(p, p->ny + 1, z, p->south);
        receive_column(p, p->nx + 1, z, p->east);
        for (int y = p->ny; y >= 1; --y) {
            for (int x = p->nx; x >= 1; --x) relax(p, x, y, z);
        }
        send_row(p, 1, z, p->north);
        send_column(p, 1, z, p->west);
    }
}

// How many points of this part differ, in any bit, from the same sweeps done by one rank alone.
static long long differences(const Part* p, const double* after, int size) {
    Part whole = make_part(size, size, p->nz, 0, 0);
    for (int s = 0; s < checked_sweeps; ++s) {
        forward(&whole); // has no neighbours: sends nothing
        backward(&whole);
    }
    long long found = 0;
    for (int z = 1; z <= p->nz; ++z) {
        for (int y = 1; y <= p->ny; ++y) {
            for (int x = 1; x <= p->nx; ++x) {
                found += after[at(p, x, y, z)] != whole.u[at(&whole, p->x0 + x, p->y0 + y, z)];
            }
        }
    }
    free(whole.u);
    free(whole.edge);
    return found;
}

static double sum_of_squares(const Part* p) {
    double sum = 0;
    for (int z = 1; z <= p->nz; ++z) {
        for (int y = 1; y <= p->ny; ++y) {
            for (int x = 1; x <= p->nx; ++x) sum += p->u[at(p, x, y, z)] * p->u[at(p, x, y, z)];
        }
    }
    return sum;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    check_options(argc, argv, "--size --sweeps --count");
    const int size = number_option(argc, argv, "--size", 96, 1);
    const int sweeps = number_option(argc, argv, "--sweeps", 160, checked_sweeps);
    const char* count_file = text_option(argc, argv, "--count", NULL);

    int rank, ranks, dims[2] = {0, 0}; // rows (y) and columns (x) of ranks, numbered row by row
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    if (dims[0] > size) stop("wavefront: %d x %d ranks are too many for %d points", dims[0], dims[1], size);
    const int row = rank / dims[1], column = rank % dims[1];
    const int y0 = size * row / dims[0], x0 = size * column / dims[1];
    Part part = make_part(size * (column + 1) / dims[1] - x0, size * (row + 1) / dims[0] - y0, size, x0, y0);
    if (row > 0) part.north = rank - dims[1];
    if (row + 1 < dims[0]) part.south = rank + dims[1];
    if (column > 0) part.west = rank - 1;
    if (column + 1 < dims[1]) part.east = rank + 1;

    const size_t points = at(&part, 0, 0, size + 2);
    double* after = malloc(points * sizeof(double)); // the first sweeps
    const double start = MPI_Wtime();
    for (int s = 1; s <= sweeps; ++s) {
        forward(&part);
        backward(&part);
        if (s == checked_sweeps) memcpy(after, part.u, points * sizeof(double));
    }
    const double seconds = MPI_Wtime() - start;

    const double mine[2] = {(double)differences(&part, after, size), sum_of_squares(&part)};
    double all[2];
    MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    count_collective("allreduce", sizeof mine);
    int good = all[0] == 0;
    if (rank == 0) {
        printf("wavefront: %d^3, %d sweeps over %dx%d ranks, norm %.9e, %.0f points differ from serial %s, "
               "%.2f s\n",
               size, sweeps, dims[1], dims[0], sqrt(all[1]), all[0], good ? "ok" : "WRONG", seconds);
    }
    if (count_write(count_file, rank) != 0) good = 0;
    free(after);
    free(part.u);
    free(part.edge);
    MPI_Finalize();
    return good ? 0 : 1;
}
