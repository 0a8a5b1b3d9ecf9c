// Functions that MPI-3.0 removed: addresses are default integers in Fortran, which hold 32 bits. One that does
// not fit is an error of the call, as in other MPIs.
#include "mpi_library/fortran/entry.h"
#include "mpi_library/fortran/sentinels.h"

#include <limits>
#include <vector>

using namespace orrery::emulate::fortran;

namespace {

void give_back(MPI_Aint wide, MPI_Fint* address, MPI_Fint* ierror) {
    *address = static_cast<MPI_Fint>(wide);
    if (*ierror == MPI_SUCCESS && *address != wide)
        *ierror = PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_ARG);
}

std::vector<MPI_Aint> widened(const MPI_Fint* displacements, int count) {
    return {displacements, displacements + (count < 0 ? 0 : count)};
}

} // namespace

ORRERY_FORTRAN(void, address, (void* location, MPI_Fint* address, MPI_Fint* ierror)) {
    ORRERY_OPTIONAL(ierror);
    MPI_Aint wide = 0;
    *ierror = PMPI_Address(c_buffer(location), &wide);
    give_back(wide, address, ierror);
}

ORRERY_FORTRAN(void, type_extent, (MPI_Fint * datatype, MPI_Fint* extent, MPI_Fint* ierror)) {
    ORRERY_OPTIONAL(ierror);
    MPI_Aint wide = 0;
    *ierror = PMPI_Type_extent(*datatype, &wide);
    give_back(wide, extent, ierror);
}

ORRERY_FORTRAN(void, type_lb, (MPI_Fint * datatype, MPI_Fint* displacement, MPI_Fint* ierror)) {
    ORRERY_OPTIONAL(ierror);
    MPI_Aint wide = 0;
    *ierror = PMPI_Type_lb(*datatype, &wide);
    give_back(wide, displacement, ierror);
}

ORRERY_FORTRAN(void, type_ub, (MPI_Fint * datatype, MPI_Fint* displacement, MPI_Fint* ierror)) {
    ORRERY_OPTIONAL(ierror);
    MPI_Aint wide = 0;
    *ierror = PMPI_Type_ub(*datatype, &wide);
    give_back(wide, displacement, ierror);
}

ORRERY_FORTRAN(void, type_hvector,
               (MPI_Fint * count, MPI_Fint* blocklength, MPI_Fint* stride, MPI_Fint* oldtype, MPI_Fint* newtype,
                MPI_Fint* ierror)) {
    ORRERY_OPTIONAL(ierror);
    *ierror = PMPI_Type_hvector(*count, *blocklength, *stride, *oldtype, newtype);
}

ORRERY_FORTRAN(void, type_hindexed,
               (MPI_Fint * count, MPI_Fint* blocklengths, MPI_Fint* displacements, MPI_Fint* oldtype,
                MPI_Fint* newtype, MPI_Fint* ierror)) {
    ORRERY_OPTIONAL(ierror);
    *ierror =
        PMPI_Type_hindexed(*count, blocklengths, widened(displacements, *count).data(), *oldtype, newtype);
}

ORRERY_FORTRAN(void, type_struct,
               (MPI_Fint * count, MPI_Fint* blocklengths, MPI_Fint* displacements, MPI_Fint* types,
                MPI_Fint* newtype, MPI_Fint* ierror)) {
    ORRERY_OPTIONAL(ierror);
    *ierror = PMPI_Type_struct(*count, blocklengths, widened(displacements, *count).data(), types, newtype);
}
