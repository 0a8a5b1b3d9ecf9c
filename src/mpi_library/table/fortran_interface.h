// What Fortran programs include and use, made from mpi.h and the table.
#pragma once

#include "mpi_library/table/constants.h"
#include "mpi_library/table/table.h"

#include <ostream>
#include <vector>

namespace orrery::mpi_api {

// mpif.h, which can be read in fixed and in free form.
void write_mpif(std::ostream& out, const std::vector<Constant>& constants);
// The source of module mpi, which includes it.
void write_module(std::ostream& out, const std::vector<Function>& functions);
// The source of module mpi_f08.
void write_f08_module(std::ostream& out, const std::vector<Constant>& constants,
                      const std::vector<Function>& functions);

// Interfaces of all functions as one of the modules has them. Both mean the same procedures: everything is
// passed by address, and handles and statuses of mpi_f08 are laid out as the integers of module mpi.
enum class Dialect { module_mpi, module_f08 };
void write_interfaces(std::ostream& out, const std::vector<Function>& functions, Dialect dialect);

// What a parameter is in Fortran.
enum class FortranKind { choice, integer, address, logical, status, text, procedure };
FortranKind fortran_kind(const Function& function, const Parameter& parameter);

} // namespace orrery::mpi_api
