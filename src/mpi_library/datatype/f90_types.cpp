// Types for Fortran's KIND parameters, and types found by their size.
#include "functions.h"
#include "mpi_library/datatype/make.h"

#include <map>
#include <string>
#include <tuple>

namespace orrery::emulate::mpi {

namespace {

// The same precision and range always give the same handle; the types are never freed.
MPI_Datatype once(int combiner, int precision, int range, MPI_Datatype basic) {
    static auto& made = *new std::map<std::tuple<int, int, int>, MPI_Datatype>;
    if (basic == MPI_DATATYPE_NULL) {
        throw Failure(MPI_ERR_ARG, "there is no Fortran type of precision " + std::to_string(precision) +
                                       " and range " + std::to_string(range));
    }
    const auto [entry, is_new] = made.try_emplace({combiner, precision, range}, MPI_DATATYPE_NULL);
    if (is_new) {
        Recipe recipe{combiner, {precision, range}, {}, {}};
        if (combiner == MPI_COMBINER_F90_INTEGER) recipe.integers = {range};
        entry->second =
            open_handle(own_types(), *new Datatype(datatype(basic).shape(), std::move(recipe), basic));
    }
    return entry->second;
}

// Which of four kinds has the digits and the exponent range: 0 to 3, or -1.
int real_kind(int precision, int range) {
    constexpr int digits[] = {6, 15, 18, 33};
    constexpr int exponents[] = {37, 307, 4931, 4931};
    if (precision == MPI_UNDEFINED && range == MPI_UNDEFINED) {
        throw Failure(MPI_ERR_ARG, "neither precision nor range is given");
    }
    for (int kind = 0; kind < 4; ++kind) {
        if ((precision == MPI_UNDEFINED || precision <= digits[kind]) &&
            (range == MPI_UNDEFINED || range <= exponents[kind])) {
            return kind;
        }
    }
    return -1;
}

} // namespace

MPI_Datatype type_of_size(int type_class, int size) {
    switch (type_class) {
    case MPI_TYPECLASS_INTEGER:
        switch (size) {
        case 1: return MPI_INTEGER1;
        case 2: return MPI_INTEGER2;
        case 4: return MPI_INTEGER4;
        case 8: return MPI_INTEGER8;
        case 16: return MPI_INTEGER16;
        default: return MPI_DATATYPE_NULL;
        }
    case MPI_TYPECLASS_REAL:
        return size == 4 ? MPI_REAL4 : size == 8 ? MPI_REAL8 : size == 16 ? MPI_REAL16 : MPI_DATATYPE_NULL;
    case MPI_TYPECLASS_COMPLEX:
        return size == 8    ? MPI_COMPLEX8
               : size == 16 ? MPI_COMPLEX16
               : size == 32 ? MPI_COMPLEX32
                            : MPI_DATATYPE_NULL;
    default: return MPI_DATATYPE_NULL;
    }
}

int Type_match_size(int typeclass, int size, MPI_Datatype* type) {
    *type = type_of_size(typeclass, size);
    if (*type == MPI_DATATYPE_NULL) {
        throw Failure(MPI_ERR_ARG, "there is no such type of " + std::to_string(size) + " bytes");
    }
    return MPI_SUCCESS;
}

int Type_create_f90_integer(int r, MPI_Datatype* newtype) {
    const int size = r <= 2 ? 1 : r <= 4 ? 2 : r <= 9 ? 4 : r <= 18 ? 8 : r <= 38 ? 16 : 0;
    *newtype = once(MPI_COMBINER_F90_INTEGER, 0, r, type_of_size(MPI_TYPECLASS_INTEGER, size));
    return MPI_SUCCESS;
}

int Type_create_f90_real(int p, int r, MPI_Datatype* newtype) {
    constexpr MPI_Datatype types[] = {MPI_REAL4, MPI_REAL8, MPI_LONG_DOUBLE, MPI_REAL16};
    const int kind = real_kind(p, r);
    *newtype = once(MPI_COMBINER_F90_REAL, p, r, kind < 0 ? MPI_DATATYPE_NULL : types[kind]);
    return MPI_SUCCESS;
}

int Type_create_f90_complex(int p, int r, MPI_Datatype* newtype) {
    constexpr MPI_Datatype types[] = {MPI_COMPLEX8, MPI_COMPLEX16, MPI_C_LONG_DOUBLE_COMPLEX, MPI_COMPLEX32};
    const int kind = real_kind(p, r);
    *newtype = once(MPI_COMBINER_F90_COMPLEX, p, r, kind < 0 ? MPI_DATATYPE_NULL : types[kind]);
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
