/* A program annotated for SMPI, as it would be for SimGrid: times that are said, sampled loops, shared memory. To be run
 * with --compute none on any number of ranks; without emulation it must work too. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

static int failures = 0;
static void check(int right, const char* what) {
    if (right) return;
    ++failures;
    printf("wrong: %s\n", what);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(smpi_global_size() == size, "smpi_global_size");

    const double start = MPI_Wtime();
    smpi_execute(0.25);
    smpi_execute_benched(0.5);
    int delayed = 0;
    SMPI_SAMPLE_DELAY(1.0) ++delayed;
    const double passed = MPI_Wtime() - start;
    if (orrery_emulated()) check(passed > 1.7499 && passed < 1.7501 && delayed == 0, "times that are said");
    else check(delayed == 1, "a delayed piece is run");

    int turns = 0;
    for (int round = 0; round < 3; ++round) {
        SMPI_SAMPLE_LOCAL(int i = 0, i < 20, i++, 5, 0) ++turns;
    }
    check(turns == (orrery_emulated() ? 5 : 60), "sampled loop");

    const size_t bytes = 1 << 20;
    const size_t shared[] = {0, 500000, 500064, bytes};
    char* const panel = (char*)SMPI_PARTIAL_SHARED_MALLOC(bytes, shared, 2);
    double* const matrix = (double*)SMPI_SHARED_MALLOC(bytes);
    matrix[0] = rank;
    panel[0] = (char)rank;
    panel[500000] = (char)rank;
    panel[500063] = (char)(rank + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    check(panel[500000] == (char)rank && panel[500063] == (char)(rank + 1), "the private range");
    /* The private range goes with the panel. */
    MPI_Bcast(panel, (int)bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    check(panel[500000] == 0 && panel[500063] == 1, "the private range of a broadcast");
    SMPI_SHARED_FREE(panel);
    free(matrix);
    int all = failures;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0) printf("No Errors\n");
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
