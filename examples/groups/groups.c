// Many communicators, and collective operations that go on while the ranks compute: five small tasks in each
// round.
//
//   eigenvalue  the largest one of a matrix laid over a grid of ranks: communicators of its rows and columns,
//               nonblocking sums overlapped with the product
//   sort        each rank has random keys and sends them to their owners: nonblocking all-to-all of varying
//   sizes discover    each rank writes to some others, who do not know of it: synchronous sends, probes, and a
//   nonblocking
//               barrier that tells when all has arrived (Hoefler, Siebert, Lumsdaine, PPoPP 2010)
//   graph       the pairs so found become a graph topology, whose neighbours exchange values
//   leaders     the even ranks form a group of their own; the odd ones send them a buffered message
#include "../common/count.h"
#include "../common/options.h"

#include <math.h>
#include <stdint.h>

static int rank, ranks; // in MPI_COMM_WORLD

static void* array(size_t count, size_t size) {
    void* const memory = calloc(count + 1, size); // never empty
    if (!memory) MPI_Abort(MPI_COMM_WORLD, 3);
    return memory;
}

// Where part `i` of `parts` of `total` things begins.
static int start_of(int i, int parts, int total) { return (int)((long long)total * i / parts); }

static uint64_t mix(uint64_t n) { // the finalizer of SplitMix64
    n = (n + 1) * 0x9E3779B97F4A7C15U;
    n = (n ^ (n >> 30)) * 0xBF58476D1CE4E5B9U;
    n = (n ^ (n >> 27)) * 0x94D049BB133111EBU;
    return n ^ (n >> 31);
}

static void sum_nonblocking(const double* mine, double* all, int count, MPI_Comm comm, MPI_Request* request) {
    MPI_Iallreduce(mine, all, count, MPI_DOUBLE, MPI_SUM, comm, request);
    count_collective("iallreduce", (size_t)count * sizeof(double));
}

// y[from..to) = A x for the rows from..to of this rank's block.
static void multiply(const double* a, const double* x, double* y, int from, int to, int columns) {
    for (int i = from; i < to; ++i) {
        double sum = 0;
        for (int j = 0; j < columns; ++j) sum += a[(size_t)i * (size_t)columns + (size_t)j] * x[j];
        y[i] = sum;
    }
}

// The largest eigenvalue of A[i][j] = min(i, j), i and j from 1 to n, by the power method; returns its relative
// error.
static double eigenvalue(int n, int iterations) {
    int dims[2] = {0, 0};
    MPI_Dims_create(ranks, 2, dims);
    MPI_Comm row, column,
        norms; // norms: the same ranks as column, for sums that are under way at the same time
    MPI_Comm_split(MPI_COMM_WORLD, rank / dims[1], rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % dims[1], rank, &column);
    MPI_Comm_dup(column, &norms);
    const int i0 = start_of(rank / dims[1], dims[0], n), rows = start_of(rank / dims[1] + 1, dims[0], n) - i0;
    const int j0 = start_of(rank % dims[1], dims[1], n),
              columns = start_of(rank % dims[1] + 1, dims[1], n) - j0;
    double* const a = array((size_t)rows * (size_t)columns, sizeof(double));
    double* const x = array((size_t)n, sizeof(double)); // whole
    double* const part = array((size_t)rows, sizeof(double));
    double* const y = array((size_t)rows, sizeof(double));
    int* const counts = array((size_t)dims[0], sizeof(int));
    int* const starts = array((size_t)dims[0], sizeof(int));
    for (int r = 0; r < dims[0]; ++r) {
        starts[r] = start_of(r, dims[0], n);
        counts[r] = start_of(r + 1, dims[0], n) - starts[r];
    }

    // The matrix is made while the start vector is on its way.
    MPI_Request requests[2];
    if (rank == 0) {
        for (int j = 0; j < n; ++j) x[j] = 1 / sqrt(n);
    }
    MPI_Ibcast(x, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &requests[0]);
    count_collective("ibcast", (size_t)n * sizeof(double));
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            a[(size_t)i * (size_t)columns + (size_t)j] = (i0 + i < j0 + j ? i0 + i : j0 + j) + 1;
        }
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    double norm = 0;
    for (int k = 0; k < iterations; ++k) {
        const int half = rows / 2; // the first half is summed up while the second is computed
        multiply(a, &x[j0], part, 0, half, columns);
        sum_nonblocking(part, y, half, row, &requests[0]);
        multiply(a, &x[j0], part, half, rows, columns);
        sum_nonblocking(&part[half], &y[half], rows - half, row, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        double mine = 0, square;
        for (int i = 0; i < rows; ++i) mine += y[i] * y[i];
        sum_nonblocking(&mine, &square, 1, norms, &requests[0]);
        MPI_Iallgatherv(y, rows, MPI_DOUBLE, x, counts, starts, MPI_DOUBLE, column, &requests[1]);
        count_collective("iallgatherv", (size_t)rows * sizeof(double));
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        norm = sqrt(square);
        for (int j = 0; j < n; ++j) x[j] /= norm;
    }
    free(a);
    free(x);
    free(part);
    free(y);
    free(counts);
    free(starts);
    MPI_Comm_free(&norms);
    MPI_Comm_free(&column);
    MPI_Comm_free(&row);
    const double s = 2 * sin(3.14159265358979323846 / (4 * n + 2)); // the eigenvalue is 1 / s^2
    return fabs(norm * s * s - 1);
}

// Returns how many keys went wrong.
static long long sort(int keys, int round) {
    int* const counts =
        array(4 * (size_t)ranks, sizeof(int)); // to each rank, its start; from each rank, its start
    int *const to = counts, *const to_start = to + ranks, *const from = to_start + ranks,
               *const from_start = from + ranks;
    uint64_t* const mine = array((size_t)keys, sizeof(uint64_t));
    uint64_t* const packed = array((size_t)keys, sizeof(uint64_t));
    uint64_t sums[2] = {0, 0}, all[2]; // of all keys before and after
    for (int i = 0; i < keys; ++i) {
        mine[i] = mix((uint64_t)((round * ranks + rank) * (long long)keys + i));
        ++to[mine[i] % (uint64_t)ranks]; // its owner
    }
    for (int r = 1; r < ranks; ++r) to_start[r] = to_start[r - 1] + to[r - 1];
    for (int i = 0; i < keys; ++i) packed[to_start[mine[i] % (uint64_t)ranks]++] = mine[i];
    for (int r = 0; r < ranks; ++r) to_start[r] -= to[r];
    MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, MPI_COMM_WORLD);
    count_collective("alltoall", sizeof(int));
    for (int r = 1; r < ranks; ++r) from_start[r] = from_start[r - 1] + from[r - 1];
    const int arriving = from_start[ranks - 1] + from[ranks - 1];
    uint64_t* const owned = array((size_t)arriving, sizeof(uint64_t));

    MPI_Request request;
    MPI_Ialltoallv(packed, to, to_start, MPI_UINT64_T, owned, from, from_start, MPI_UINT64_T, MPI_COMM_WORLD,
                   &request);
    count_collective("ialltoallv", (size_t)keys * sizeof(uint64_t));
    for (int i = 0; i < keys; ++i) sums[0] += mix(mine[i]); // meanwhile
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    long long wrong = 0, place = 0; // of this rank's first key among all
    for (int i = 0; i < arriving; ++i) {
        sums[1] += mix(owned[i]);
        wrong += owned[i] % (uint64_t)ranks != (uint64_t)rank;
    }
    const long long mine_now = arriving;
    MPI_Exscan(&mine_now, &place, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    count_collective("exscan", sizeof place);
    if (rank == ranks - 1) wrong += place + arriving != (long long)keys * ranks;
    MPI_Allreduce(sums, all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    count_collective("allreduce", sizeof sums);
    free(counts);
    free(mine);
    free(packed);
    free(owned);
    return wrong + (all[0] != all[1]);
}

// Whether rank a writes to rank b in task discover.
static int writes(int a, int b) {
    return b == (a + 1) % ranks || mix((uint64_t)a * 1000003 + (uint64_t)b) % 4 == 0;
}

// Marks in `sources` who has written to this rank.
static long long discover(int* sources) {
    enum { letter = 7 };
    MPI_Request* const sends = array((size_t)ranks, sizeof(MPI_Request));
    int sent = 0, done = 0;
    for (int r = 0; r < ranks; ++r) {
        if (!writes(rank, r)) continue;
        MPI_Issend(&rank, 1, MPI_INT, r, letter, MPI_COMM_WORLD, &sends[sent++]);
        count_send(r, sizeof rank);
    }
    MPI_Request barrier = MPI_REQUEST_NULL; // begun as soon as all that this rank wrote is received
    while (!done) {
        MPI_Status status;
        int found, from;
        MPI_Iprobe(MPI_ANY_SOURCE, letter, MPI_COMM_WORLD, &found, &status);
        if (found) {
            MPI_Recv(&from, 1, MPI_INT, status.MPI_SOURCE, letter, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            count_receive(from, sizeof from);
            ++sources[from];
        }
        if (barrier != MPI_REQUEST_NULL) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        } else {
            int received;
            MPI_Testall(sent, sends, &received, MPI_STATUSES_IGNORE);
            if (received) {
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
                count_collective("ibarrier", 0);
            }
        }
    }
    free(sends);
    long long wrong = 0;
    for (int r = 0; r < ranks; ++r) wrong += sources[r] != writes(r, rank);
    return wrong;
}

// Each rank gives each neighbour as many numbers as the neighbour's rank + 1, and gets rank + 1 from each.
static long long graph(const int* is_source) {
    int* const sources = array(2 * (size_t)ranks, sizeof(int));
    int* const targets = sources + ranks;
    int in = 0, out = 0, total = 0;
    for (int r = 0; r < ranks; ++r) {
        if (is_source[r]) sources[in++] = r;
        if (writes(rank, r)) targets[out++] = r;
    }
    MPI_Comm comm;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, MPI_UNWEIGHTED, out, targets, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
    int* const counts = array(4 * (size_t)ranks, sizeof(int));
    int *const give = counts, *const give_at = give + ranks, *const get = give_at + ranks,
               *const get_at = get + ranks;
    for (int i = 0; i < out; ++i) {
        give_at[i] = total;
        total += give[i] = targets[i] + 1;
    }
    for (int i = 0; i < in; ++i) {
        get_at[i] = i * (rank + 1);
        get[i] = rank + 1;
    }
    double* const mine = array((size_t)total, sizeof(double));
    double* const theirs = array((size_t)in * (size_t)(rank + 1), sizeof(double));
    for (int i = 0; i < total; ++i) mine[i] = rank;
    MPI_Neighbor_alltoallv(mine, give, give_at, MPI_DOUBLE, theirs, get, get_at, MPI_DOUBLE, comm);
    count_collective("neighbor_alltoallv", (size_t)total * sizeof(double));
    long long wrong = 0;
    for (int i = 0; i < in * (rank + 1); ++i) wrong += theirs[i] != sources[i / (rank + 1)];
    MPI_Comm_free(&comm);
    free(sources);
    free(counts);
    free(mine);
    free(theirs);
    return wrong;
}

// Rank 2k gathers k + 1 numbers from each member and its own odd neighbour's message, and gets them back from
// the first.
static long long leaders(MPI_Comm even, int members) {
    long long wrong = 0;
    if (rank % 2 == 1) {
        char* buffer = array(sizeof rank + MPI_BSEND_OVERHEAD, 1);
        int size = (int)sizeof rank + MPI_BSEND_OVERHEAD;
        MPI_Buffer_attach(buffer, size);
        MPI_Bsend(&rank, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD);
        count_send(rank - 1, sizeof rank);
        MPI_Buffer_detach(&buffer, &size); // waits until it has left
        free(buffer);
        return 0;
    }
    const int right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, mine = rank / 2 + 1;
    int neighbour = rank + 1, total = 0;
    MPI_Recv(&neighbour, 1, MPI_INT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    count_receive(right, sizeof neighbour);
    wrong += neighbour != rank + 1;
    int* const counts = array(2 * (size_t)members, sizeof(int));
    int* const starts = counts + members;
    for (int m = 0; m < members; ++m) {
        starts[m] = total;
        total += counts[m] = m + 1;
    }
    int* const values = array((size_t)mine, sizeof(int));
    int* const all = array((size_t)total, sizeof(int));
    for (int i = 0; i < mine; ++i) values[i] = neighbour * 1000 + i;
    MPI_Gatherv(values, mine, MPI_INT, all, counts, starts, MPI_INT, 0, even);
    count_collective("gatherv", (size_t)mine * sizeof(int));
    for (int i = 0; i < total; ++i) ++all[i]; // only the first member has something to change
    MPI_Scatterv(all, counts, starts, MPI_INT, values, mine, MPI_INT, 0, even);
    count_collective("scatterv", (size_t)mine * sizeof(int));
    for (int i = 0; i < mine; ++i) wrong += values[i] != neighbour * 1000 + i + 1;
    free(counts);
    free(values);
    free(all);
    return wrong;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check_options(argc, argv, "--size --iterations --keys --rounds --count");
    const int size = number_option(argc, argv, "--size", 2000, 1);
    const int iterations = number_option(argc, argv, "--iterations", 20, 10);
    const int keys = number_option(argc, argv, "--keys", 200000, 0);
    const int rounds = number_option(argc, argv, "--rounds", 16, 1);
    const char* count_file = text_option(argc, argv, "--count", NULL);
    if (ranks > size) stop("groups: %d ranks are too many for a matrix of %d rows", ranks, size);

    // The communicator of the even ranks is made by them alone.
    const int members = (ranks + 1) / 2;
    int range[1][3] = {{0, 2 * (members - 1), 2}};
    MPI_Group world, group;
    MPI_Comm even = MPI_COMM_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &group);
    if (rank % 2 == 0) MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &even);

    const double start = MPI_Wtime();
    int* const sources = array((size_t)ranks, sizeof(int));
    double error = 0;
    long long mine = 0, wrong = 0;
    for (int round = 0; round < rounds; ++round) {
        error = fmax(error, eigenvalue(size, iterations));
        mine += sort(keys, round);
        memset(sources, 0, (size_t)ranks * sizeof(int));
        mine += discover(sources);
        mine += graph(sources);
        mine += leaders(even, members);
    }
    const double seconds = MPI_Wtime() - start;

    MPI_Allreduce(&mine, &wrong, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    count_collective("allreduce", sizeof mine);
    int good = wrong == 0 && error < 1e-9;
    if (rank == 0) {
        printf("groups: %d rounds, eigenvalue to %.1e, %lld values wrong %s, %.2f s\n", rounds, error, wrong,
               good ? "ok" : "WRONG", seconds);
    }
    if (count_write(count_file, rank) != 0) good = 0;
    free(sources);
    if (even != MPI_COMM_NULL) MPI_Comm_free(&even);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Finalize();
    return good ? 0 : 1;
}
