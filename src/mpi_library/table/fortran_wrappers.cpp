#include "mpi_library/table/prototypes.h"
#include "mpi_library/table/wrappers.h"

namespace orrery::mpi_api {

namespace {

// A parameter as Fortran passes it.
std::string fortran_type(const Parameter& parameter) {
    switch (parameter.kind) {
    case ParameterKind::handle:
    case ParameterKind::handle_address:
    case ParameterKind::status: return "MPI_Fint*";
    case ParameterKind::text: return "char*";
    case ParameterKind::number:
    case ParameterKind::address:
        if (parameter.type == "int") return "MPI_Fint*";
        return parameter.type + "*"; // MPI_Aint, MPI_Offset, MPI_Count, or a buffer
    case ParameterKind::main_argument: break;
    }
    return {};
}

std::string handle_in_c(const Parameter& parameter) {
    const std::string name = parameter.type == "MPI_Datatype" ? "MPI_Type" : parameter.type;
    return "P" + name + "_f2c(*" + parameter.name + ")";
}

std::string converted(const Argument& argument, const Function& function, const std::string& base) {
    switch (argument.form) {
    case Argument::Form::literal: return argument.text;
    case Argument::Form::base: return base;
    case Argument::Form::own_status:
    case Argument::Form::seen_status: return argument.text + "_used";
    case Argument::Form::value:
    case Argument::Form::parameter: break;
    }
    const Parameter& parameter = function.parameter(argument.text);
    switch (parameter.kind) {
    case ParameterKind::number: return "*" + parameter.name;
    case ParameterKind::handle: return handle_in_c(parameter);
    case ParameterKind::handle_address:
        return argument.form == Argument::Form::value
                   ? handle_in_c(parameter)
                   : "Handles<" + parameter.type + ">::fortran(" + parameter.name + ")";
    case ParameterKind::address:
        if (parameter.type == "void") return "fortran_buffer(" + parameter.name + ")";
        return (argument.form == Argument::Form::value ? "*" : "") + parameter.name;
    case ParameterKind::status:
    case ParameterKind::text:
    case ParameterKind::main_argument: break;
    }
    throw TableError(function.line, "'" + parameter.name + "' cannot be given to a hook in Fortran");
}

std::string call_of(const Hook& hook, const Function& function, const std::string& base) {
    std::string text = "hooks::" + hook.name + "(";
    for (const Argument& each : hook.arguments) {
        if (&each != &hook.arguments.front()) text += ", ";
        text += converted(each, function, base);
    }
    return text + ");";
}

struct Signature {
    std::string declared; // "MPI_Fint* comm, MPI_Fint* ierror"
    std::string types;
    std::string passed;      // "comm, ierror"
    std::string passed_ours; // the same with our statuses
};

Signature signature_of(const Function& function) {
    Signature signature;
    const auto add = [&](const std::string& type, const std::string& name, const std::string& ours) {
        const std::string separator = signature.types.empty() ? "" : ", ";
        signature.types += separator + type;
        signature.declared += separator + type + " " + name;
        signature.passed += separator + name;
        signature.passed_ours += separator + ours;
    };
    for (const Parameter& each : function.parameters) {
        if (each.kind == ParameterKind::main_argument) continue;
        std::string ours = each.name;
        for (const Argument& argument : function.after.arguments) {
            const bool status =
                argument.form == Argument::Form::own_status || argument.form == Argument::Form::seen_status;
            if (status && argument.text == each.name) ours += "_used.passed()";
        }
        add(fortran_type(each), each.name, ours);
    }
    add("MPI_Fint*", "ierror", "ierror");
    for (const Parameter& each : function.parameters) {
        if (each.kind == ParameterKind::text) add("std::size_t", each.name + "_length", each.name + "_length");
    }
    return signature;
}

void write_wrapper(std::ostream& out, const Function& function, const std::string& ending, std::size_t id) {
    const std::string name = in_lower_case(function.name) + ending;
    const std::string base = ending == "_" ? "1" : "f08_base()";
    const Signature signature = signature_of(function);
    out << "\nvoid " << name << "(" << signature.declared << ");\nvoid " << name << "(" << signature.declared
        << ") {\n"
        << "    static RealFunction<void(" << signature.types << ")> real(\"" << name << "\");\n";
    if (!function.plain) out << "    if (!enter(" << id << ")) return real()(" << signature.passed << ");\n";
    // It may be left out in mpi_f08.
    out << "    MPI_Fint error = MPI_SUCCESS;\n    if (ierror == nullptr) ierror = &error;\n";
    if (function.plain) {
        if (!function.before.name.empty()) out << "    " << call_of(function.before, function, base) << "\n";
        out << "    real()(" << signature.passed << ");\n";
        if (!function.after.name.empty())
            out << "    if (*ierror == MPI_SUCCESS) " << call_of(function.after, function, base) << "\n";
        out << "}\n";
        return;
    }
    if (!function.before.name.empty())
        out << "    {\n        const Recording recording;\n        " << call_of(function.before, function, base)
            << "\n    }\n";
    for (const Argument& each : function.after.arguments) {
        if (each.form == Argument::Form::own_status)
            out << "    const OwnFortranStatus " << each.text << "_used(" << each.text << ");\n";
        if (each.form == Argument::Form::seen_status)
            out << "    const SeenFortranStatuses " << each.text << "_used(" << each.text << ");\n";
    }
    out << "    real()(" << signature.passed_ours << ");\n"
        << "    if (*ierror == MPI_SUCCESS) {\n        const Recording recording;\n        "
        << call_of(function.after, function, base) << "\n    }\n    leave();\n}\n";
}

} // namespace

void write_fortran_wrappers(std::ostream& out, const std::vector<Function>& functions,
                            const std::string& ending) {
    out << "// Generated from functions.table: the functions of MPI that are recorded, for Fortran bindings "
           "that do\n"
           "// not call those of C. Arguments are passed by address; the lengths of texts follow behind.\n"
           "#include \"trace/fortran.h\"\n#include \"trace/hooks.h\"\n\n"
           "using namespace orrery::trace;\n\nextern \"C\" {\n\n#pragma GCC visibility push(default)\n";
    std::size_t id = 0;
    for (const Function& each : functions) {
        if (each.wrapped) write_wrapper(out, each, ending, id++);
    }
    out << "\n#pragma GCC visibility pop\n\n} // extern \"C\"\n";
}

} // namespace orrery::mpi_api
