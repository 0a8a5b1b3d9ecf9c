#include "mpi_library/fortran/sentinels.h"

namespace orrery::emulate::fortran {

__attribute__((visibility("default"))) Sentinels orrery_mpi_sentinels_;

} // namespace orrery::emulate::fortran

using orrery::emulate::fortran::orrery_mpi_sentinels_;

extern "C" {

__attribute__((visibility("default"))) MPI_Fint* orrery_mpi_f_status_ignore(void) {
    return orrery_mpi_sentinels_.status_ignore;
}
__attribute__((visibility("default"))) MPI_Fint* orrery_mpi_f_statuses_ignore(void) {
    return orrery_mpi_sentinels_.statuses_ignore;
}
}

namespace orrery::emulate::fortran {

std::span<const Symbol> fortran_data_symbols() {
    static const Symbol all[]{{"orrery_mpi_sentinels_", &orrery_mpi_sentinels_}};
    return all;
}

} // namespace orrery::emulate::fortran
