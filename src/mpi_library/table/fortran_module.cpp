#include "mpi_library/table/emulator.h"
#include "mpi_library/table/fortran_interface.h"
#include "mpi_library/table/prototypes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace orrery::mpi_api {

namespace {

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* each) { return name == each; });
}

// Functions of MPI-1 have default integers where others have addresses.
bool has_small_values(const Function& function) {
    return is_one_of(function.name, {"MPI_Attr_get", "MPI_Attr_put", "MPI_Keyval_create"});
}

// Not in the module: results are declared by mpif.h; removed functions and statuses of mpi_f08 have no
// interface.
bool is_left_out(const Function& function) {
    return only_in_c(function) || function.emulated || function.result != "int";
}

std::string shape(const Function& function, const Parameter& parameter, FortranKind kind, Dialect dialect) {
    if (parameter.name == "ranges") return "(3,*)";
    if (parameter.name == "array_of_argv") return "(count,*)";
    if (kind == FortranKind::status && dialect == Dialect::module_mpi) return parameter.array ? "(6,*)" : "(6)";
    if (kind == FortranKind::text && (function.name == "MPI_Comm_spawn_multiple" || parameter.name == "argv"))
        return "(*)";
    return parameter.array && kind != FortranKind::text ? "(*)" : "";
}

// mpi_f08 has a type for each kind of handle and for statuses; each is laid out as the integers that it stands
// for.
std::string integer_type(const Parameter& parameter, FortranKind kind, Dialect dialect) {
    if (dialect == Dialect::module_mpi) return "integer";
    if (kind == FortranKind::status) return "type(MPI_Status)";
    if (parameter.type == "MPIO_Request") return "type(MPI_Request)";
    const bool handle =
        parameter.kind == ParameterKind::handle || parameter.kind == ParameterKind::handle_address;
    return handle ? "type(" + parameter.type + ")" : "integer";
}

// With MPI_IN_PLACE these mean nothing, and programs give a number where an array stands.
bool means_nothing_in_place(const Function& function, const Parameter& parameter) {
    const std::string_view name = function.name;
    return (name == "MPI_Alltoallv" || name == "MPI_Alltoallw" || name == "MPI_Ialltoallv" ||
            name == "MPI_Ialltoallw") &&
           (parameter.name == "sendcounts" || parameter.name == "sdispls" || parameter.name == "sendtypes");
}

void write_argument(std::ostream& out, const Function& function, const Parameter& parameter, Dialect dialect) {
    FortranKind kind = fortran_kind(function, parameter);
    if (dialect == Dialect::module_mpi && means_nothing_in_place(function, parameter))
        kind = FortranKind::choice;
    const std::string name = parameter.name + shape(function, parameter, kind, dialect);
    switch (kind) {
    case FortranKind::choice:
        out << "!GCC$ ATTRIBUTES NO_ARG_CHECK :: " << parameter.name << "\n      type(*) :: " << parameter.name
            << "(*)\n";
        break;
    case FortranKind::integer:
    case FortranKind::status:
        out << "      " << integer_type(parameter, kind, dialect) << " :: " << name << "\n";
        break;
    case FortranKind::address: out << "      integer(kind=8) :: " << name << "\n"; break;
    case FortranKind::logical: out << "      logical :: " << name << "\n"; break;
    case FortranKind::text: out << "      character(len=*) :: " << name << "\n"; break;
    case FortranKind::procedure: out << "      external :: " << parameter.name << "\n"; break;
    }
}

void write_interface(std::ostream& out, const Function& function, const std::string& name, Dialect dialect) {
    std::vector<const Parameter*> parameters;
    for (const Parameter& each : function.parameters) {
        if (each.kind != ParameterKind::main_argument || function.name.find("spawn") != std::string::npos) {
            if (!each.name.empty()) parameters.push_back(&each);
        }
    }
    std::string line = "    subroutine " + name + "(";
    for (const Parameter* each : parameters) {
        if (line.size() > 90) {
            out << line << "&\n";
            line = "      ";
        }
        line += each->name + (each == parameters.back() ? "" : ", ");
    }
    const bool has_error = function.name != "MPI_Pcontrol";
    if (has_error) line += parameters.empty() ? "ierror" : ", ierror";
    out << line << ")\n";
    if (dialect == Dialect::module_f08) out << "      import\n";
    for (const Parameter* each : parameters) write_argument(out, function, *each, dialect);
    if (has_error)
        out << "      integer" << (dialect == Dialect::module_f08 ? ", optional" : "") << " :: ierror\n";
    out << "    end subroutine\n";
}

struct SizedType {
    const char* type;
    const char* name;
};

void write_sizeof(std::ostream& out) {
    constexpr std::array types{SizedType{"integer(1)", "i1"},   SizedType{"integer(2)", "i2"},
                               SizedType{"integer(4)", "i4"},   SizedType{"integer(8)", "i8"},
                               SizedType{"integer(16)", "i16"}, SizedType{"real(4)", "r4"},
                               SizedType{"real(8)", "r8"},      SizedType{"real(10)", "r10"},
                               SizedType{"real(16)", "r16"},    SizedType{"complex(4)", "c4"},
                               SizedType{"complex(8)", "c8"},   SizedType{"complex(10)", "c10"},
                               SizedType{"complex(16)", "c16"}, SizedType{"logical(1)", "l1"},
                               SizedType{"logical(2)", "l2"},   SizedType{"logical(4)", "l4"},
                               SizedType{"logical(8)", "l8"},   SizedType{"character(len=*)", "text"}};
    out << "\n  interface MPI_Sizeof\n";
    for (const SizedType& each : types) out << "    module procedure sizeof_" << each.name << "\n";
    out << "  end interface\n\ncontains\n";
    for (const SizedType& each : types) {
        out << "\n  subroutine sizeof_" << each.name << "(x, size, ierror)\n    " << each.type
            << ", dimension(..) :: x\n    integer :: size, ierror\n    size = storage_size(x) / 8\n"
               "    ierror = 0\n  end subroutine\n";
    }
}

} // namespace

FortranKind fortran_kind(const Function& function, const Parameter& parameter) {
    const std::string& name = parameter.name;
    if (parameter.kind == ParameterKind::text || name == "argv" || name == "array_of_argv")
        return FortranKind::text;
    if (parameter.kind == ParameterKind::status) return FortranKind::status;
    if (is_one_of(name, {"flag", "commute", "periods", "reorder", "remain_dims", "high", "weighted"}))
        return FortranKind::logical;
    if (is_one_of(name, {"attribute_val", "extra_state"}))
        return has_small_values(function) ? FortranKind::integer : FortranKind::address;
    if (parameter.type == "void") return FortranKind::choice;
    if (is_one_of(parameter.type, {"MPI_Aint", "MPI_Offset", "MPI_Count"})) return FortranKind::address;
    if (parameter.type.find("_function") != std::string::npos) return FortranKind::procedure;
    return FortranKind::integer;
}

void write_interfaces(std::ostream& out, const std::vector<Function>& functions, Dialect dialect) {
    out << "  interface\n";
    for (const char* const prefix : {"", "P"}) {
        out << "    subroutine " << prefix
            << "MPI_F_sync_reg(buf)\n!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf\n      type(*) :: buf(*)\n"
               "    end subroutine\n";
        for (const Function& each : functions) {
            if (!is_left_out(each)) write_interface(out, each, prefix + each.name, dialect);
        }
    }
    out << "  end interface\n";
}

void write_module(std::ostream& out, const std::vector<Function>& functions) {
    out << "! The MPI of Orrery's emulator: module mpi. Generated from functions.table.\n"
           "! A choice buffer takes anything: gfortran does not check an argument with NO_ARG_CHECK.\n"
           "module mpi\n  implicit none\n  public\n  include 'mpif.h'\n\n";
    write_interfaces(out, functions, Dialect::module_mpi);
    write_sizeof(out);
    out << "\nend module\n";
}

} // namespace orrery::mpi_api
