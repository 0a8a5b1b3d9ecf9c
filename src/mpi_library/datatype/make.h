// Making datatypes. All constructors of MPI come down to placing copies of other types: assemble().
//
// Arguments have been checked by the functions of the application's interface, type_functions.cpp.
#pragma once

#include "mpi_library/datatype/datatype.h"

#include <cstdint>
#include <span>

namespace orrery::emulate::mpi {

struct Placed {
    const Datatype* type;
    LayoutBuilder::Place place;
};

// Where the copies come in the type map is where they stand in the list. With `pad`, the extent is rounded up
// to the strictest alignment of what is inside, as a C compiler does for a struct.
Datatype::Shape assemble(std::span<const Placed> placed, bool pad = false);
// The same data with marked bounds.
Datatype::Shape with_bounds(Datatype::Shape shape, std::int64_t lb, std::int64_t extent);

struct ArrayPart { // of one dimension, for subarrays and distributed arrays
    int size;      // of the whole array
    int first;     // subarray: index where it begins
    int subsize;   // subarray: how many
};
Datatype::Shape subarray(std::span<const ArrayPart> dimensions, int order, const Datatype& element);

struct Distributed { // one dimension of a distributed array
    int size;        // of the whole array
    int kind;        // MPI_DISTRIBUTE_BLOCK, _CYCLIC, _NONE
    int argument;    // block size, or MPI_DISTRIBUTE_DFLT_DARG
    int processes;   // along this dimension
    int coordinate;  // of the process
};
Datatype::Shape distributed_array(std::span<const Distributed> dimensions, int order, const Datatype& element);

// The type that MPI_Type_create_f90_* and MPI_Type_match_size mean, or MPI_DATATYPE_NULL.
MPI_Datatype type_of_size(int type_class, int size);

} // namespace orrery::emulate::mpi
