#include "mpi_library/table/fortran_interface.h"

namespace orrery::mpi_api {

namespace {

// In both forms: statements begin in column 7 and end before column 73.
void write_parameter(std::ostream& out, const std::string& type, const std::string& name,
                     const std::string& value) {
    out << "      " << type << " " << name << "\n      parameter (" << name << "=" << value << ")\n";
}

} // namespace

void write_mpif(std::ostream& out, const std::vector<Constant>& constants) {
    out << "! The MPI of Orrery's emulator: mpif.h, for fixed and free form.\n"
           "! Generated from mpi.h.\n";
    for (const char* const kind : {"MPI_ADDRESS_KIND", "MPI_OFFSET_KIND", "MPI_COUNT_KIND"})
        write_parameter(out, "integer", kind, "8");
    write_parameter(out, "integer", "MPI_INTEGER_KIND", "4");
    write_parameter(out, "integer", "MPI_SOURCE", "1");
    write_parameter(out, "integer", "MPI_TAG", "2");
    write_parameter(out, "integer", "MPI_ERROR", "3");
    write_parameter(out, "logical", "MPI_SUBARRAYS_SUPPORTED", ".false.");
    write_parameter(out, "logical", "MPI_ASYNC_PROTECTS_NONBLOCKING", ".false.");
    for (const Constant& each : constants) {
        const bool offset = each.name == "MPI_DISPLACEMENT_CURRENT";
        write_parameter(out, offset ? "integer(kind=MPI_OFFSET_KIND)" : "integer", each.name,
                        std::to_string(each.value));
    }
    out << "! Recognised by their addresses (src/mpi_library/fortran/sentinels.h).\n"
           "      integer MPI_BOTTOM, MPI_IN_PLACE\n"
           "      integer MPI_STATUS_IGNORE(MPI_STATUS_SIZE)\n"
           "      integer MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)\n"
           "      integer MPI_ERRCODES_IGNORE(1)\n"
           "      integer MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)\n"
           "      character*1 MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1,1)\n";
    const char* first = "      common /orrery_mpi_sentinels/ ";
    for (const char* const name :
         {"MPI_BOTTOM", "MPI_IN_PLACE", "MPI_STATUS_IGNORE", "MPI_STATUSES_IGNORE", "MPI_ERRCODES_IGNORE",
          "MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY", "MPI_ARGV_NULL", "MPI_ARGVS_NULL"})
        out << first << name << "\n";
    out << "      save /orrery_mpi_sentinels/\n";
    for (const char* const prefix : {"", "P"}) {
        out << "      double precision " << prefix << "MPI_WTIME, " << prefix << "MPI_WTICK\n"
            << "      external " << prefix << "MPI_WTIME, " << prefix << "MPI_WTICK\n"
            << "      integer(kind=MPI_ADDRESS_KIND) " << prefix << "MPI_AINT_ADD\n"
            << "      integer(kind=MPI_ADDRESS_KIND) " << prefix << "MPI_AINT_DIFF\n"
            << "      external " << prefix << "MPI_AINT_ADD, " << prefix << "MPI_AINT_DIFF\n";
    }
    for (const char* const prefix : {"MPI_", "MPI_COMM_", "MPI_TYPE_", "MPI_WIN_"}) {
        for (const char* const action : {"NULL_COPY_FN", "NULL_DELETE_FN", "DUP_FN"})
            out << "      external " << prefix << action << "\n";
    }
    out << "      external MPI_CONVERSION_FN_NULL\n";
}

} // namespace orrery::mpi_api
