// A picture of the Mandelbrot set, painted by a master and its workers.
//
// Rank 0 hands out rows, one at a time; whoever is done with one gets the next. The master takes results from
// any source with any tag: the tag says which row it is. Rows differ a hundredfold in their work, and their
// results, run lengths of equal pixels, differ in size. With one rank the master paints alone.
#include "../common/count.h"
#include "../common/options.h"

#include <stdint.h>

enum { no_more_rows = 0 }; // as a tag; row r has tag r + 1

typedef struct {
    int width, height, iterations;
} Picture;

// One row as pairs (length, value) of equal pixels; returns the number of integers.
static int paint_row(const Picture* p, int row, int* runs) {
    const double scale = 2.4 / p->height, cy = (row + 0.5 - p->height / 2.0) * scale; // exactly symmetric
    int used = 0;
    for (int column = 0; column < p->width; ++column) {
        const double cx = (column + 0.5 - p->width / 2.0) * scale - 0.7;
        double x = 0, y = 0;
        int n = 0;
        while (n < p->iterations && x * x + y * y < 4) {
            const double next = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = next;
            ++n;
        }
        if (used == 0 || runs[used - 1] != n) {
            runs[used++] = 0;
            runs[used++] = n;
        }
        ++runs[used - 2];
    }
    return used;
}

// The workers' side: rows until there are no more.
static void work(const Picture* p, int* runs) {
    for (;;) {
        MPI_Status status;
        MPI_Recv(NULL, 0, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        count_receive(0, 0);
        if (status.MPI_TAG == no_more_rows) return;
        const int used = paint_row(p, status.MPI_TAG - 1, runs);
        MPI_Send(runs, used, MPI_INT, 0, status.MPI_TAG, MPI_COMM_WORLD);
        count_send(0, (size_t)used * sizeof(int));
    }
}

static void send_order(int worker, int tag) {
    MPI_Send(NULL, 0, MPI_INT, worker, tag, MPI_COMM_WORLD);
    count_send(worker, 0);
}

// Keeps a row as a number that depends on all of its pixels.
static uint64_t digest(const int* runs, int used) {
    uint64_t sum = 14695981039346656037U; // FNV-1a over the integers
    for (int i = 0; i < used; ++i) sum = (sum ^ (uint64_t)runs[i]) * 1099511628211U;
    return sum;
}

// The master's side: `rows` gets the digest of each row.
static void direct(const Picture* p, int ranks, int* runs, uint64_t* rows) {
    int next = 0, busy = 0;
    for (int worker = 1; worker < ranks; ++worker) {
        if (next < p->height) {
            send_order(worker, ++next);
            ++busy;
        } else {
            send_order(worker, no_more_rows);
        }
    }
    while (busy > 0) {
        MPI_Status status;
        int used;
        MPI_Recv(runs, 2 * p->width, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &used);
        count_receive(status.MPI_SOURCE, (size_t)used * sizeof(int));
        rows[status.MPI_TAG - 1] = digest(runs, used);
        if (next < p->height) {
            send_order(status.MPI_SOURCE, ++next);
        } else {
            send_order(status.MPI_SOURCE, no_more_rows);
            --busy;
        }
    }
}

// The set is symmetric, so each row equals its mirror image, which another worker has painted as a rule; and
// every hundredth row must be what the master gets itself.
static int check(const Picture* p, int* runs, const uint64_t* rows) {
    int wrong = 0;
    for (int row = 0; row < p->height; ++row) {
        wrong += rows[row] != rows[p->height - 1 - row];
        if (row % 100 == 0) {
            const int used = paint_row(p, row, runs);
            wrong += rows[row] != digest(runs, used);
        }
    }
    return wrong;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    check_options(argc, argv, "--width --height --iterations --count");
    const Picture p = {number_option(argc, argv, "--width", 1024, 1),
                       number_option(argc, argv, "--height", 768, 1),
                       number_option(argc, argv, "--iterations", 2000, 1)};
    const char* count_file = text_option(argc, argv, "--count", NULL);
    if (p.height > 32766) stop("farm: %d rows are more than MPI grants tags", p.height);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int* runs = malloc(2 * (size_t)p.width * sizeof(int));

    int good = 1;
    if (rank > 0) {
        work(&p, runs);
    } else {
        uint64_t* rows = malloc((size_t)p.height * sizeof(uint64_t));
        const double start = MPI_Wtime();
        if (ranks > 1) {
            direct(&p, ranks, runs, rows);
        } else {
            for (int row = 0; row < p.height; ++row) {
                const int used = paint_row(&p, row, runs);
                rows[row] = digest(runs, used);
            }
        }
        const double seconds = MPI_Wtime() - start;
        const int wrong = check(&p, runs, rows);
        uint64_t sum = 0;
        for (int row = 0; row < p.height; ++row) sum = sum * 31 + rows[row];
        good = wrong == 0;
        printf("farm: %dx%d, %d iterations, checksum %016llx, %d rows wrong %s, %.2f s\n", p.width, p.height,
               p.iterations, (unsigned long long)sum, wrong, good ? "ok" : "WRONG", seconds);
        free(rows);
    }
    if (count_write(count_file, rank) != 0) good = 0;
    free(runs);
    MPI_Finalize();
    return good ? 0 : 1;
}
