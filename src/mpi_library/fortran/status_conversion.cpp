// A status is the same six integers in C, in mpif.h and in mpi_f08.
#include "functions.h"

#include <cstring>

namespace orrery::emulate::mpi {

namespace {

template <typename From, typename To> int copied(const From* from, To* to) {
    std::memcpy(to, from, sizeof(MPI_Status));
    return MPI_SUCCESS;
}
static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint));
static_assert(sizeof(MPI_Status) == sizeof(MPI_F08_status));

} // namespace

int Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) { return copied(c_status, f_status); }
int Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) { return copied(f_status, c_status); }
int Status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status) {
    return copied(c_status, f08_status);
}
int Status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status) {
    return copied(f08_status, c_status);
}
int Status_f082f(const MPI_F08_status* f08_status, MPI_Fint* f_status) { return copied(f08_status, f_status); }
int Status_f2f08(const MPI_Fint* f_status, MPI_F08_status* f08_status) { return copied(f_status, f08_status); }

} // namespace orrery::emulate::mpi
