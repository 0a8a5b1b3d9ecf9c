// Attributes of datatypes: those of predefined ones are kept per rank.
#pragma once

#include "emulate/mpi/attribute.h"
#include "emulate/mpi/datatype/datatype.h"

namespace orrery::emulate::mpi {

AttributeSet& attributes_of_type(MPI_Datatype handle);

} // namespace orrery::emulate::mpi
