// C++ types that stand for the predefined datatypes of predefined.h.
#pragma once

#include <complex>
#include <cstdint>

namespace orrery::emulate::mpi {

__extension__ typedef __int128 Int128;
__extension__ typedef __float128 Float128;
struct Complex256 {
    Float128 real, imaginary;
};

// For MPI_MINLOC and MPI_MAXLOC: C programs have a value and an int, Fortran programs two of the same type.
template <typename T> struct Pair {
    T value;
    int index;
};
template <typename T> struct Twin {
    T value;
    T index;
};

struct Nothing {};

} // namespace orrery::emulate::mpi
