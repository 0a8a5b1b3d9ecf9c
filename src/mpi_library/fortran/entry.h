// Declares and defines an entry point for Fortran by hand: pmpi_name_, and mpi_name_ as its weak alias.
//   ORRERY_FORTRAN(void, waitany, (MPI_Fint* count, ...)) { ... }
//   ORRERY_OPTIONAL(ierror);     at the beginning: it may be left out with module mpi_f08
#pragma once

#define ORRERY_FORTRAN(result, name, parameters)                                                               \
    extern "C" __attribute__((visibility("default"))) result pmpi_##name##_ parameters;                        \
    extern "C" __attribute__((visibility("default"), weak, alias("pmpi_" #name "_")))                          \
    result mpi_##name##_ parameters;                                                                           \
    extern "C" result pmpi_##name##_ parameters

#define ORRERY_OPTIONAL(ierror)                                                                                \
    MPI_Fint unused_error = MPI_SUCCESS;                                                                       \
    if ((ierror) == nullptr) (ierror) = &unused_error
