// As hello.c, with what C++ adds: a constructor before main, an exception.
#include <iostream>
#include <mpi.h>
#include <stdexcept>

namespace {
struct Start {
    int value = 42;
} start;
} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = -1, size = 0, sum = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(MPI_IN_PLACE, &start.value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception& error) {
        std::cout << "rank " << rank << " of " << size << ": sum " << sum << ", " << start.value << ", "
                  << error.what() << std::endl;
    }
    MPI_Finalize();
}
