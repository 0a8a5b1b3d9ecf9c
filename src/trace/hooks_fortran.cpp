#include "trace/fortran.h"

namespace orrery::trace {

namespace {

// Asks the library itself: one request of two, the second, is done.
int ask_for_base() {
    using Waitany = void(MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
    RealFunction<Waitany> waitany("mpi_waitany_f08_");
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Fint requests[2]{PMPI_Request_c2f(request), 0};
    PMPI_Irecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    requests[1] = PMPI_Request_c2f(request);
    MPI_Fint count = 2;
    MPI_Fint index = 2;
    MPI_Fint error = MPI_SUCCESS;
    MPI_Status status;
    waitany()(&count, requests, &index, reinterpret_cast<MPI_Fint*>(&status), &error);
    return error == MPI_SUCCESS && index == 1 ? 0 : 1;
}

} // namespace

int f08_base() {
    static const int base = ask_for_base();
    return base;
}

} // namespace orrery::trace
