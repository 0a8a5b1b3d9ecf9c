// Fortran's MPI_BOTTOM, MPI_IN_PLACE and the like: variables that are recognised by where they are.
//
// They stand in one COMMON block of mpif.h. A program holds a copy of it as of all its COMMON blocks, but it is
// a shared object and refers to it by name: under `orrery run` the loader binds that name to the block of the
// emulator, one for all ranks; in a program that is started by itself the dynamic linker binds the reference
// here to the program's copy. Either way both sides mean the same variables. The generated module and mpif.h
// declare them in this order.
#pragma once

#include "emulate/program/symbol.h"

#include <functional>
#include <mpi.h>
#include <span>

namespace orrery::emulate::fortran {

struct Sentinels {
    MPI_Fint bottom;
    MPI_Fint in_place;
    MPI_Fint status_ignore[MPI_F_STATUS_SIZE];
    MPI_Fint statuses_ignore[MPI_F_STATUS_SIZE];
    MPI_Fint errcodes_ignore;
    MPI_Fint unweighted;
    MPI_Fint weights_empty;
    char argv_null;
    char argvs_null;
};

extern "C" __attribute__((visibility("default"))) Sentinels orrery_mpi_sentinels_;

// The block: programs are to be bound to it even though they define it themselves.
std::span<const Symbol> fortran_data_symbols();

inline bool is_sentinel(const void* address) {
    const auto* const first = reinterpret_cast<const char*>(&orrery_mpi_sentinels_);
    const auto* const asked = static_cast<const char*>(address);
    return std::greater_equal<>()(asked, first) && std::less<>()(asked, first + sizeof(Sentinels));
}

// What C has in their place.
inline void* c_buffer(void* address) {
    if (!is_sentinel(address)) return address;
    if (address == &orrery_mpi_sentinels_.bottom) return MPI_BOTTOM;
    if (address == &orrery_mpi_sentinels_.in_place) return MPI_IN_PLACE;
    return address;
}
inline MPI_Status* c_status(MPI_Fint* address) {
    return is_sentinel(address) ? MPI_STATUS_IGNORE : reinterpret_cast<MPI_Status*>(address);
}
inline int* c_weights(MPI_Fint* address) {
    if (address == &orrery_mpi_sentinels_.unweighted) return MPI_UNWEIGHTED;
    if (address == &orrery_mpi_sentinels_.weights_empty) return MPI_WEIGHTS_EMPTY;
    return address;
}
inline int* c_error_codes(MPI_Fint* address) { return is_sentinel(address) ? MPI_ERRCODES_IGNORE : address; }

} // namespace orrery::emulate::fortran
