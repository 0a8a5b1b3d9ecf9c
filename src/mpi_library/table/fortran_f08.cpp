#include "mpi_library/table/fortran_interface.h"

namespace orrery::mpi_api {

namespace {

constexpr const char* f08_handles[]{"MPI_Comm", "MPI_Datatype", "MPI_Errhandler", "MPI_File",    "MPI_Group",
                                    "MPI_Info", "MPI_Message",  "MPI_Op",         "MPI_Request", "MPI_Win"};

void write_types(std::ostream& out) {
    for (const char* const each : f08_handles)
        out << "\n  type, bind(C) :: " << each << "\n    integer :: MPI_VAL = 0\n  end type\n";
    out << "\n  type, bind(C) :: MPI_Status\n    integer :: MPI_SOURCE\n    integer :: MPI_TAG\n"
           "    integer :: MPI_ERROR\n    integer, private :: internal(3)\n  end type\n";
}

// What mpif.h has, with types; its COMMON block holds the same variables in the same places.
void write_constants(std::ostream& out, const std::vector<Constant>& constants) {
    for (const Constant& each : constants) {
        if (each.type.empty() || each.name == "MPI_STATUS_SIZE") continue;
        out << "  type(" << each.type << "), parameter :: " << each.name << " = " << each.type << "("
            << each.value << ")\n";
    }
    out << "\n  integer :: MPI_BOTTOM, MPI_IN_PLACE\n  type(MPI_Status) :: MPI_STATUS_IGNORE, "
           "MPI_STATUSES_IGNORE(1)\n"
           "  integer :: MPI_ERRCODES_IGNORE(1), MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)\n"
           "  character(len=1) :: MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1,1)\n"
           "  common /orrery_mpi_sentinels/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE, "
           "&\n"
           "    MPI_ERRCODES_IGNORE, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY, MPI_ARGV_NULL, MPI_ARGVS_NULL\n\n";
}

void write_comparisons(std::ostream& out) {
    for (const char* const sign : {"==", "/="}) {
        const std::string word = std::string(sign) == "==" ? "same_" : "other_";
        out << "\n  interface operator(" << sign << ")\n";
        for (const char* const each : f08_handles) out << "    module procedure " << word << each << "\n";
        out << "  end interface\n";
    }
}

void write_comparing(std::ostream& out) {
    for (const char* const sign : {"==", "/="}) {
        const std::string word = std::string(sign) == "==" ? "same_" : "other_";
        for (const char* const each : f08_handles)
            out << "\n  elemental logical function " << word << each << "(a, b)\n    type(" << each
                << "), intent(in) :: a, b\n    " << word << each << " = a%MPI_VAL " << sign
                << " b%MPI_VAL\n  end function\n";
    }
}

} // namespace

void write_f08_module(std::ostream& out, const std::vector<Constant>& constants,
                      const std::vector<Function>& functions) {
    out << "! The MPI of Orrery's emulator: module mpi_f08. Generated from mpi.h and functions.table.\n"
           "module mpi_f08\n"
           "  ! Numbers, functions and names of callbacks are those of module mpi.\n";
    const char* separator = "  use mpi, only: ";
    for (const Constant& each : constants) {
        if (!each.type.empty()) continue;
        out << separator << each.name;
        separator = ", &\n    ";
    }
    for (const char* const name :
         {"MPI_ADDRESS_KIND", "MPI_OFFSET_KIND", "MPI_COUNT_KIND", "MPI_INTEGER_KIND",
          "MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING", "MPI_Sizeof", "MPI_WTIME", "MPI_WTICK",
          "PMPI_WTIME", "PMPI_WTICK", "MPI_AINT_ADD", "MPI_AINT_DIFF", "MPI_CONVERSION_FN_NULL"})
        out << separator << name;
    for (const char* const prefix : {"MPI_COMM_", "MPI_TYPE_", "MPI_WIN_"}) {
        for (const char* const action : {"NULL_COPY_FN", "NULL_DELETE_FN", "DUP_FN"})
            out << separator << prefix << action;
    }
    out << "\n  implicit none\n  public\n";
    write_types(out);
    out << "\n";
    write_constants(out, constants);
    write_interfaces(out, functions, Dialect::module_f08);
    write_comparisons(out);
    out << "\ncontains\n";
    write_comparing(out);
    out << "\nend module\n";
}

} // namespace orrery::mpi_api
