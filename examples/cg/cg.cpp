// Conjugate gradients for the Laplace equation on an N x N grid: A x = b, A the five-point stencil.
//
// The lines of the grid are dealt out to the ranks in blocks. The product with A needs one line of each of the
// two neighbours (two MPI_Sendrecv); each iteration also needs two scalar products (two MPI_Allreduce of 8
// bytes), which is what makes the method sensitive to latency. The right-hand side is made from a known x.
#include "../common/count.h"
#include "../common/options.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

// The lines of this rank.
struct Lines {
    int size;  // points of a line, and lines of the grid
    int first; // the first line of this rank
    int count;
    int above; // neighbours, or MPI_PROC_NULL
    int below;
};

// Values on these lines, with one more line on either side for those of the neighbours.
class Field {
  public:
    explicit Field(const Lines& lines)
        : width_(static_cast<std::size_t>(lines.size)),
          values_((static_cast<std::size_t>(lines.count) + 2) * width_, 0.0) {}

    // Line 0 and line count + 1 are the neighbours'.
    double* line(int number) { return values_.data() + static_cast<std::size_t>(number) * width_; }
    const double* line(int number) const { return values_.data() + static_cast<std::size_t>(number) * width_; }
    double* begin() { return line(1); }
    const double* begin() const { return line(1); }
    std::size_t size() const { return values_.size() - 2 * width_; }

  private:
    std::size_t width_;
    std::vector<double> values_;
};

Lines make_lines(int size, int rank, int ranks) {
    const auto start = [&](int r) { return static_cast<int>(static_cast<std::int64_t>(size) * r / ranks); };
    return {size, start(rank), start(rank + 1) - start(rank), rank > 0 ? rank - 1 : MPI_PROC_NULL,
            rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL};
}

// `mine` to `to`, that of `from` to `theirs`.
void shift_line(const Lines& lines, const double* mine, int to, double* theirs, int from, int tag) {
    MPI_Sendrecv(mine, lines.size, MPI_DOUBLE, to, tag, theirs, lines.size, MPI_DOUBLE, from, tag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    count_send(to, static_cast<std::size_t>(lines.size) * sizeof(double));
    count_receive(from, static_cast<std::size_t>(lines.size) * sizeof(double));
}

// y = A x
void multiply(const Lines& lines, Field& x, Field& y) {
    shift_line(lines, x.line(1), lines.above, x.line(lines.count + 1), lines.below, 0);
    shift_line(lines, x.line(lines.count), lines.below, x.line(0), lines.above, 1);
    const int last = lines.size - 1;
    for (int number = 1; number <= lines.count; ++number) {
        const double* const here = x.line(number);
        const double* const before = x.line(number - 1);
        const double* const after = x.line(number + 1);
        double* const out = y.line(number);
        for (int i = 1; i < last; ++i) out[i] = 4 * here[i] - here[i - 1] - here[i + 1] - before[i] - after[i];
        for (const int i : {0, last}) { // beyond the edges of the grid all is zero
            out[i] = 4 * here[i] - before[i] - after[i];
            if (i > 0) out[i] -= here[i - 1];
            if (i < last) out[i] -= here[i + 1];
        }
    }
}

double dot(const Field& a, const Field& b) {
    double mine = 0;
    for (std::size_t i = 0; i < a.size(); ++i) mine += a.begin()[i] * b.begin()[i];
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    count_collective("allreduce", sizeof mine);
    return all;
}

// y += factor x
void add(double factor, const Field& x, Field& y) {
    for (std::size_t i = 0; i < y.size(); ++i) y.begin()[i] += factor * x.begin()[i];
}

// Conjugate gradients from x = 0; returns |b - A x| / |b|, computed anew at the end.
double solve(const Lines& lines, const Field& b, Field& x, int iterations) {
    Field residual = b;
    Field direction = b;
    Field product(lines);
    const double start = dot(residual, residual);
    double square = start;
    for (int i = 0; i < iterations && square > 0; ++i) {
        multiply(lines, direction, product);
        const double length = square / dot(direction, product);
        add(length, direction, x);
        add(-length, product, residual);
        const double next = dot(residual, residual);
        for (std::size_t k = 0; k < direction.size(); ++k) {
            direction.begin()[k] = residual.begin()[k] + next / square * direction.begin()[k];
        }
        square = next;
    }
    multiply(lines, x, product);
    residual = b;
    add(-1, product, residual);
    return std::sqrt(dot(residual, residual) / start);
}

// The largest difference of two fields over all ranks.
double difference(const Field& a, const Field& b) {
    double mine = 0;
    for (std::size_t i = 0; i < a.size(); ++i) mine = std::fmax(mine, std::fabs(a.begin()[i] - b.begin()[i]));
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    count_collective("allreduce", sizeof mine);
    return all;
}

// A smooth bump with some structure on it, between 0 and about 1.
void fill(const Lines& lines, Field& x) {
    const double h = 1.0 / (lines.size + 1);
    for (int number = 1; number <= lines.count; ++number) {
        const double v = h * (lines.first + number);
        for (int i = 0; i < lines.size; ++i) {
            const double u = h * (i + 1);
            x.line(number)[i] = 16 * u * (1 - u) * v * (1 - v) * (0.8 + 0.2 * std::sin(20 * u + 30 * v * v));
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check_options(argc, argv, "--size --iterations --count");
    const int size = number_option(argc, argv, "--size", 512, 1);
    // The error shrinks by exp(-pi / N) or more in an iteration; in practice 4 N of them take it to 1e-10.
    const int iterations = number_option(argc, argv, "--iterations", 4 * size, 1);
    const char* const count_file = text_option(argc, argv, "--count", nullptr);
    if (ranks > size) stop("cg: %d ranks are too many for %d lines", ranks, size);

    const Lines lines = make_lines(size, rank, ranks);
    Field known(lines);
    fill(lines, known);
    Field b(lines);
    multiply(lines, known, b);

    const double start = MPI_Wtime();
    Field x(lines);
    const double residual = solve(lines, b, x, iterations);
    const double seconds = MPI_Wtime() - start;

    const double error = difference(x, known);
    bool good = residual < 1e-7 && error < 1e-6;
    if (rank == 0) {
        std::printf("cg: %dx%d, %d iterations, residual %.1e, error %.1e %s, %.2f s\n", size, size, iterations,
                    residual, error, good ? "ok" : "WRONG", seconds);
    }
    if (count_write(count_file, rank) != 0) good = false;
    MPI_Finalize();
    return good ? 0 : 1;
}
