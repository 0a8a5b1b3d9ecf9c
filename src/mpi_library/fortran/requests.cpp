// Completion of one or some of several requests: Fortran counts them from 1.
#include "mpi_library/fortran/entry.h"
#include "mpi_library/fortran/sentinels.h"

using namespace orrery::emulate::fortran;

namespace {

void count_from_one(MPI_Fint* indices, int count) {
    for (int i = 0; i < count; ++i) ++indices[i];
}

} // namespace

ORRERY_FORTRAN(void, waitany,
               (MPI_Fint * count, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* status, MPI_Fint* ierror)) {
    ORRERY_OPTIONAL(ierror);
    *ierror = PMPI_Waitany(*count, requests, index, c_status(status));
    if (*ierror == MPI_SUCCESS && *index != MPI_UNDEFINED) count_from_one(index, 1);
}

ORRERY_FORTRAN(void, testany,
               (MPI_Fint * count, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* flag, MPI_Fint* status,
                MPI_Fint* ierror)) {
    ORRERY_OPTIONAL(ierror);
    *ierror = PMPI_Testany(*count, requests, index, flag, c_status(status));
    if (*ierror == MPI_SUCCESS && *flag != 0 && *index != MPI_UNDEFINED) count_from_one(index, 1);
}

ORRERY_FORTRAN(void, waitsome,
               (MPI_Fint * incount, MPI_Fint* requests, MPI_Fint* outcount, MPI_Fint* indices,
                MPI_Fint* statuses, MPI_Fint* ierror)) {
    ORRERY_OPTIONAL(ierror);
    *ierror = PMPI_Waitsome(*incount, requests, outcount, indices, c_status(statuses));
    // With MPI_ERR_IN_STATUS some have completed too.
    if ((*ierror == MPI_SUCCESS || *ierror == MPI_ERR_IN_STATUS) && *outcount != MPI_UNDEFINED)
        count_from_one(indices, *outcount);
}

ORRERY_FORTRAN(void, testsome,
               (MPI_Fint * incount, MPI_Fint* requests, MPI_Fint* outcount, MPI_Fint* indices,
                MPI_Fint* statuses, MPI_Fint* ierror)) {
    ORRERY_OPTIONAL(ierror);
    *ierror = PMPI_Testsome(*incount, requests, outcount, indices, c_status(statuses));
    if ((*ierror == MPI_SUCCESS || *ierror == MPI_ERR_IN_STATUS) && *outcount != MPI_UNDEFINED)
        count_from_one(indices, *outcount);
}
