// Attributes by handle, for the functions of C and those of Fortran.
#pragma once

#include "mpi_library/attribute.h"
#include "orrery/mpi/mpi.h"

namespace orrery::emulate::mpi {

// Of communicators and windows: with those objects. Both throw Failure if there is no such object.
AttributeSet& attributes_of_comm(MPI_Comm handle);
AttributeSet& attributes_of_win(MPI_Win handle);

// `kind` is comm, datatype or win. A Fortran value is the integer; a C value the pointer as an integer.
void set_attribute(Kind kind, int object, int keyval, AttributeLanguage language, std::int64_t value);
bool get_attribute(Kind kind, int object, int keyval, AttributeLanguage language, std::int64_t& value);

} // namespace orrery::emulate::mpi
