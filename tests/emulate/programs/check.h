// What the programs for windows and files have in common: counts what went wrong on all ranks.
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong, rank, size;

#define CHECK(condition)                                                                                       \
    do {                                                                                                       \
        if (!(condition) && wrong++ < 5) printf("rank %d, line %d: not so: %s\n", rank, __LINE__, #condition); \
    } while (0)

#define FAILS(call, expected)                                                                                  \
    do {                                                                                                       \
        int code_ = (call), class_ = -1;                                                                       \
        if (code_ != MPI_SUCCESS) MPI_Error_class(code_, &class_);                                             \
        if (class_ != (expected) && wrong++ < 5)                                                               \
            printf("rank %d, line %d: %s gives class %d\n", rank, __LINE__, #call, class_);                    \
    } while (0)

static void begin(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static int end(void) {
    int all = 0;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0) printf("No Errors\n");
    MPI_Finalize();
    return all != 0;
}

#endif
