// The functions of MPI-1 for datatypes, which MPI-3 removed and older programs still call.
#include "functions.h"
#include "mpi_library/datatype/checks.h"
#include "mpi_library/datatype/datatype.h"

namespace orrery::emulate::mpi {

int Address(void* location, MPI_Aint* address) { return Get_address(location, address); }

int Type_extent(MPI_Datatype handle, MPI_Aint* extent) {
    check_results(extent);
    *extent = datatype(handle).extent();
    return MPI_SUCCESS;
}

int Type_lb(MPI_Datatype handle, MPI_Aint* displacement) {
    check_results(displacement);
    *displacement = datatype(handle).lb();
    return MPI_SUCCESS;
}

int Type_ub(MPI_Datatype handle, MPI_Aint* displacement) {
    check_results(displacement);
    *displacement = datatype(handle).shape().bounds.ub;
    return MPI_SUCCESS;
}

int Type_hindexed(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype oldtype,
                  MPI_Datatype* newtype) {
    return Type_create_hindexed(count, lengths, displacements, oldtype, newtype);
}

int Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}

int Type_struct(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype types[],
                MPI_Datatype* newtype) {
    return Type_create_struct(count, lengths, displacements, types, newtype);
}

} // namespace orrery::emulate::mpi
