// Attributes of datatypes: those of predefined ones are kept per rank.
#pragma once

#include "mpi_library/attribute.h"
#include "mpi_library/datatype/datatype.h"

namespace orrery::emulate::mpi {

AttributeSet& attributes_of_type(MPI_Datatype handle);

} // namespace orrery::emulate::mpi
