// Two-dimensional Fourier transforms of an N x N field, there and back again.
//
// Each rank holds N/ranks whole rows. A transform over the rows needs no communication; for the columns the
// field is transposed, for which every rank sends a block to every other (MPI_Alltoall). This is the pattern
// that needs most from a network: all of the data crosses it in each transposition.
#include "../common/count.h"
#include "../common/options.h"

#include <complex.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

typedef double complex Number;

typedef struct {
    int size, rows; // points in each direction; rows of this rank
    int first;      // row of the field that this rank begins with
    int ranks;
    Number* roots; // exp(-2 pi i k / N) for k < N/2
    Number* send;
    Number* receive;
} Plan;

// In place, radix 2. sign +1: the transform, -1: its inverse times N.
static void transform_row(const Plan* p, Number* row, int sign) {
    const int n = p->size;
    for (int i = 1, j = 0; i < n; ++i) { // j is i with its bits in reverse order
        int bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            const Number swapped = row[i];
            row[i] = row[j];
            row[j] = swapped;
        }
    }
    for (int half = 1; half < n; half *= 2) {
        const int stride = n / (2 * half);
        for (int start = 0; start < n; start += 2 * half) {
            for (int k = 0; k < half; ++k) {
                const Number root = p->roots[k * stride];
                const double re = creal(root), im = sign * cimag(root);
                const Number odd = row[start + k + half];
                const Number turned =
                    CMPLX(re * creal(odd) - im * cimag(odd), re * cimag(odd) + im * creal(odd));
                row[start + k + half] = row[start + k] - turned;
                row[start + k] += turned;
            }
        }
    }
}

static void transform_rows(const Plan* p, Number* field, int sign) {
    for (int r = 0; r < p->rows; ++r) transform_row(p, &field[(size_t)r * (size_t)p->size], sign);
}

// Rows become columns. The block for rank b is transposed while it is packed, so that it can be copied row by
// row.
static void transpose(const Plan* p, Number* field) {
    const size_t rows = (size_t)p->rows, size = (size_t)p->size, block = rows * rows;
    for (size_t b = 0; b < (size_t)p->ranks; ++b) {
        for (size_t r = 0; r < rows; ++r) {
            for (size_t c = 0; c < rows; ++c)
                p->send[b * block + c * rows + r] = field[r * size + b * rows + c];
        }
    }
    MPI_Alltoall(p->send, (int)block, MPI_C_DOUBLE_COMPLEX, p->receive, (int)block, MPI_C_DOUBLE_COMPLEX,
                 MPI_COMM_WORLD);
    count_collective("alltoall", block * sizeof(Number));
    for (size_t b = 0; b < (size_t)p->ranks; ++b) {
        for (size_t r = 0; r < rows; ++r) {
            memcpy(&field[r * size + b * rows], &p->receive[b * block + r * rows], rows * sizeof(Number));
        }
    }
}

// The spectrum is left transposed, as is usual: the way back begins with it.
static void transform(const Plan* p, Number* field) {
    transform_rows(p, field, 1);
    transpose(p, field);
    transform_rows(p, field, 1);
}

static void transform_back(const Plan* p, Number* spectrum) {
    const double scale = 1.0 / p->size / p->size;
    transform_rows(p, spectrum, -1);
    transpose(p, spectrum);
    transform_rows(p, spectrum, -1);
    for (size_t i = 0; i < (size_t)p->rows * (size_t)p->size; ++i) spectrum[i] *= scale;
}

// Some value for each point of the field, the same for any number of ranks.
static Number value(const Plan* p, size_t i) {
    const unsigned long long point = (unsigned long long)p->first * (unsigned long long)p->size + i;
    const unsigned long long mixed = (point + 1) * 0x9E3779B97F4A7C15ULL;
    return CMPLX((double)(mixed >> 40) / 16777216.0 - 0.5, (double)(mixed >> 20 & 0xFFFFF) / 1048576.0 - 0.5);
}

static double sum_of_squares(const Plan* p, const Number* field) {
    double mine = 0, all;
    for (size_t i = 0; i < (size_t)p->rows * (size_t)p->size; ++i) {
        mine += creal(field[i]) * creal(field[i]) + cimag(field[i]) * cimag(field[i]);
    }
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    count_collective("allreduce", sizeof mine);
    return all;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    check_options(argc, argv, "--size --rounds --count");
    Plan p = {.size = number_option(argc, argv, "--size", 1024, 2)};
    const int rounds = number_option(argc, argv, "--rounds", 30, 1);
    const char* count_file = text_option(argc, argv, "--count", NULL);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
    if (p.size & (p.size - 1)) stop("fft: the size must be a power of two, not %d", p.size);
    if (p.size % p.ranks) stop("fft: %d rows cannot be shared evenly by %d ranks", p.size, p.ranks);
    p.rows = p.size / p.ranks;
    p.first = rank * p.rows;
    const size_t points = (size_t)p.rows * (size_t)p.size;
    p.roots = malloc((size_t)p.size / 2 * sizeof(Number));
    p.send = malloc(points * sizeof(Number));
    p.receive = malloc(points * sizeof(Number));
    Number* field = malloc(points * sizeof(Number));
    for (int k = 0; k < p.size / 2; ++k) p.roots[k] = cexp(-2 * pi * I * k / p.size);
    for (size_t i = 0; i < points; ++i) field[i] = value(&p, i);

    const double start = MPI_Wtime();
    const double before = sum_of_squares(&p, field);
    double after = 0;
    for (int r = 0; r < rounds; ++r) {
        transform(&p, field);
        if (r == 0) after = sum_of_squares(&p, field) / p.size / p.size;
        transform_back(&p, field);
    }
    const double seconds = MPI_Wtime() - start;

    // Parseval: the spectrum has the same sum of squares. And the field must be what it was.
    const double parseval = fabs(after / before - 1);
    double mine = 0, error;
    for (size_t i = 0; i < points; ++i) mine = fmax(mine, cabs(field[i] - value(&p, i)));
    MPI_Allreduce(&mine, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    count_collective("allreduce", sizeof mine);
    int good = parseval < 1e-12 && error < 1e-12;
    if (rank == 0) {
        printf("fft: %dx%d, %d rounds, error %.1e (sum of squares %.1e) %s, %.2f s\n", p.size, p.size, rounds,
               error, parseval, good ? "ok" : "WRONG", seconds);
    }
    if (count_write(count_file, rank) != 0) good = 0;
    free(field);
    free(p.roots);
    free(p.send);
    free(p.receive);
    MPI_Finalize();
    return good ? 0 : 1;
}
