#include "mpi_library/table/emulator.h"
#include "mpi_library/table/prototypes.h"

#include <algorithm>

namespace orrery::mpi_api {

namespace {

// A parameter as Fortran passes it: the address of everything.
std::string declared(const Parameter& parameter) {
    const bool integer = parameter.type == "int" || parameter.kind == ParameterKind::handle ||
                         parameter.kind == ParameterKind::handle_address ||
                         parameter.kind == ParameterKind::status;
    return (integer ? "MPI_Fint" : parameter.type) + "* " + parameter.name;
}

bool is_weights(const Parameter& parameter) {
    const std::string& name = parameter.name;
    return name.size() >= 7 && name.compare(name.size() - 7, 7, "weights") == 0;
}

bool is_memory(const Parameter& parameter) { return parameter.name == "baseptr" || parameter.name == "base"; }

// The argument for the function of C. Handles are the same integers, and logicals the same 0 and 1.
std::string converted(const Function& function, const Parameter& parameter) {
    const std::string& name = parameter.name;
    switch (parameter.kind) {
    case ParameterKind::main_argument: return "nullptr";
    case ParameterKind::number:
    case ParameterKind::handle: return "*" + name;
    case ParameterKind::handle_address: return name;
    case ParameterKind::status: return "c_status(" + name + ")";
    case ParameterKind::text:
        if (!parameter.constant) return name + "_out.c()";
        return std::string(function.name.rfind("MPI_Info_", 0) == 0 ? "info_" : "") + "text_in(" + name + ", " +
               name + "_length).c_str()";
    case ParameterKind::address:
        if (parameter.type == "void" && !is_memory(parameter)) return "c_buffer(" + name + ")";
        if (is_weights(parameter)) return "c_weights(" + name + ")";
        if (name == "ranges") return "reinterpret_cast<int(*)[3]>(" + name + ")";
        return name;
    }
    return {};
}

void write_entry_point(std::ostream& out, const Function& function) {
    const std::string name = in_lower_case(function.name) + "_";
    std::string parameters;
    std::string lengths;
    std::string arguments;
    std::string before;
    std::string after;
    for (const Parameter& each : function.parameters) {
        if (!arguments.empty()) arguments += ", ";
        arguments += converted(function, each);
        if (each.kind == ParameterKind::main_argument) continue;
        parameters += declared(each) + ", ";
        if (each.kind != ParameterKind::text) continue;
        lengths += ", Length " + each.name + "_length";
        if (each.constant) continue;
        before += "    TextOut " + each.name + "_out(" + each.name + ", " + each.name + "_length);\n";
        after += "    if (*ierror == MPI_SUCCESS) " + each.name + "_out.give_back();\n";
    }
    const std::string rest = "(" + parameters + "MPI_Fint* ierror" + lengths + ")";
    out << "\nvoid p" << name << rest << ";\nvoid p" << name << rest << " {\n"
        << "    ORRERY_OPTIONAL(ierror);\n"
        << before << "    *ierror = P" << function.name << "(" << arguments << ");\n"
        << after << "}\nvoid " << name << rest << " __attribute__((weak, alias(\"p" << name << "\")));\n";
}

} // namespace

bool by_hand_in_fortran(const Function& function) {
    static const std::vector<std::string> names{"Address",
                                                "Aint_add",
                                                "Aint_diff",
                                                "Attr_get",
                                                "Attr_put",
                                                "Buffer_detach",
                                                "Comm_create_keyval",
                                                "Comm_get_attr",
                                                "Comm_set_attr",
                                                "Comm_spawn",
                                                "Comm_spawn_multiple",
                                                "Grequest_start",
                                                "Info_get",
                                                "Keyval_create",
                                                "Pcontrol",
                                                "Register_datarep",
                                                "Testany",
                                                "Testsome",
                                                "Type_create_keyval",
                                                "Type_extent",
                                                "Type_get_attr",
                                                "Type_hindexed",
                                                "Type_hvector",
                                                "Type_lb",
                                                "Type_set_attr",
                                                "Type_struct",
                                                "Type_ub",
                                                "Waitany",
                                                "Waitsome",
                                                "Win_create_keyval",
                                                "Win_get_attr",
                                                "Win_set_attr",
                                                "Wtick",
                                                "Wtime"};
    return std::find(names.begin(), names.end(), bare_name(function)) != names.end();
}

void write_fortran_entry_points(std::ostream& out, const std::vector<Function>& functions) {
    out << "// Generated from functions.table: the functions as Fortran calls them. Arguments are passed by\n"
           "// address; the lengths of texts follow behind.\n"
           "#include \"mpi_library/fortran/entry.h\"\n#include \"mpi_library/fortran/sentinels.h\"\n#include "
           "\"mpi_library/fortran/texts.h\"\n\n"
           "using namespace orrery::emulate::fortran;\n\n"
           "extern \"C\" {\n\n#pragma GCC visibility push(default)\n";
    for (const Function& each : functions) {
        if (!only_in_c(each) && !by_hand_in_fortran(each)) write_entry_point(out, each);
    }
    out << "\n#pragma GCC visibility pop\n\n} // extern \"C\"\n";
}

} // namespace orrery::mpi_api
