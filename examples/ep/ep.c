// Embarrassingly parallel: pairs of normally distributed numbers, counted by their size.
//
// As NAS EP: points in a square are thrown at random; those in the unit circle become two independent normal
// deviates (the polar method), which are counted in rings by the larger of the two. Each rank does its share of
// the pairs, and only the counts are added up at the end. The n-th pair is made from n alone, so any number of
// ranks throws the same pairs and counts the same.
#include "../common/count.h"
#include "../common/options.h"

#include <math.h>
#include <stdint.h>

enum { rings = 10 };

typedef struct {
    long long inside;      // pairs in the circle
    long long ring[rings]; // by the larger of the two deviates: 0 to 1, 1 to 2, ...
} Counts;

// A good mix of all bits of n (the finalizer of SplitMix64), as a number between -1 and 1.
static double random_number(uint64_t n) {
    uint64_t z = (n + 1) * 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return (double)((z ^ (z >> 31)) >> 11) / 4503599627370496.0 - 1; // 2^52
}

static void throw_pairs(long long first, long long last, Counts* counts) {
    for (long long n = first; n < last; ++n) {
        const double x = random_number(2 * (uint64_t)n), y = random_number(2 * (uint64_t)n + 1);
        const double square = x * x + y * y;
        if (square > 1 || square == 0) continue;
        const double scale = sqrt(-2 * log(square) / square);
        const int ring = (int)fmax(fabs(x * scale), fabs(y * scale));
        ++counts->inside;
        if (ring < rings) ++counts->ring[ring];
    }
}

// How far a count is from what probability theory wants, in standard deviations.
static double deviation(long long count, long long pairs, double probability) {
    const double mean = (double)pairs * probability;
    return fabs((double)count - mean) / sqrt(mean * (1 - probability) + 1);
}

// The largest of these deviations.
static double worst_deviation(const Counts* counts, long long pairs) {
    const double circle = atan(1.0); // pi / 4, of the square
    double worst = deviation(counts->inside, pairs, circle);
    for (int r = 0; r < rings; ++r) { // both below r + 1, but not both below r
        const double below = erf((r + 1) / sqrt(2.0)), lower = erf(r / sqrt(2.0));
        worst = fmax(worst, deviation(counts->ring[r], pairs, circle * (below * below - lower * lower)));
    }
    return worst;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    check_options(argc, argv, "--pairs --count");
    const long long pairs = number_option(argc, argv, "--pairs", 150000000, 1);
    const char* count_file = text_option(argc, argv, "--count", NULL);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    const double start = MPI_Wtime();
    Counts mine = {0}, all = {0};
    throw_pairs(pairs * rank / ranks, pairs * (rank + 1) / ranks, &mine);
    MPI_Reduce(&mine.inside, &all.inside, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    count_collective("reduce", sizeof mine.inside);
    MPI_Reduce(mine.ring, all.ring, rings, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    count_collective("reduce", sizeof mine.ring);
    const double seconds = MPI_Wtime() - start;

    int good = 0;
    if (rank == 0) {
        const double worst = worst_deviation(&all, pairs);
        good = worst < 5;
        printf("ep: %lld pairs, %lld in the circle, rings", pairs, all.inside);
        for (int r = 0; r < rings && all.ring[r] > 0; ++r) printf(" %lld", all.ring[r]);
        printf(", %.1f standard deviations off %s, %.2f s\n", worst, good ? "ok" : "WRONG", seconds);
    }
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    count_collective("bcast", sizeof good);
    if (count_write(count_file, rank) != 0) good = 0;
    MPI_Finalize();
    return good ? 0 : 1;
}
