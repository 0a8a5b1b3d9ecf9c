#include "mpi_library/table/emulator.h"
#include "mpi_library/table/prototypes.h"

#include <algorithm>

namespace orrery::mpi_api {

namespace {

constexpr const char* generated = "// Generated from functions.table.\n";

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// A handle is the same number in C and in Fortran.
bool is_handle_conversion(const Function& function) {
    return function.result != "int" && (ends_with(function.name, "_c2f") || ends_with(function.name, "_f2c"));
}

// Plain arithmetic: neither time nor errors are kept track of.
bool is_arithmetic(const Function& function) { return function.result == "MPI_Aint"; }

// Whose error handler is asked: ", comm".
std::string error_object(const Function& function) {
    for (const Parameter& each : function.parameters) {
        if (each.kind == ParameterKind::handle &&
            (each.type == "MPI_Comm" || each.type == "MPI_Win" || each.type == "MPI_File"))
            return ", " + each.name;
    }
    return "";
}

// Where a function puts an address: of memory, or the value of an attribute. An attribute may be set to null.
bool is_place_of_address(const Function& function, const Parameter& parameter) {
    if (parameter.name == "attribute_val") return function.name.find("_get") != std::string::npos;
    return parameter.name == "baseptr" || parameter.name == "buffer_addr";
}

// Addresses that are written to or read from in every case. Not buffers and arrays, whose counts may be 0, nor
// statuses that may be ignored. The functions of MPI_T take null for what the caller does not want to know.
bool must_point(const Function& function, const Parameter& parameter) {
    if (parameter.name.empty() || parameter.array || function.name.rfind("MPI_T_", 0) == 0) return false;
    switch (parameter.kind) {
    case ParameterKind::status: return parameter.constant || function.name.rfind("MPI_Status_", 0) == 0;
    case ParameterKind::text:
        return !parameter.constant && parameter.declaration.find("**") == std::string::npos;
    case ParameterKind::handle_address: return !parameter.constant;
    case ParameterKind::address:
        if (parameter.type == "void") return is_place_of_address(function, parameter);
        return !parameter.constant && !ends_with(parameter.type, "_function") &&
               !ends_with(parameter.type, "_fn");
    default: return false;
    }
}

std::string pointer_checks(const Function& function) {
    std::string text;
    for (const Parameter& each : function.parameters) {
        if (must_point(function, each))
            text += "        mpi::check_pointer(" + each.name + ", \"" + each.name + "\");\n";
    }
    return text;
}

} // namespace

bool only_in_c(const Function& function) {
    return function.name.rfind("MPI_T_", 0) == 0 || is_handle_conversion(function) ||
           function.name.find("_c2f") != std::string::npos || function.name.find("2c") != std::string::npos;
}

void write_c_prototypes(std::ostream& out, const std::vector<Function>& functions) {
    for (const Function& each : functions) out << prototype(each, each.name) << ";\n";
    out << "\n";
    for (const Function& each : functions) out << prototype(each, "P" + each.name) << ";\n";
}

void write_whole_header(std::ostream& out, const std::string& header, const std::vector<Function>& functions) {
    const std::string place = "#include \"mpi_functions.h\"\n";
    const std::size_t at = header.find(place);
    if (at == std::string::npos) throw std::runtime_error("mpi.h.in does not include mpi_functions.h");
    out << header.substr(0, at);
    write_c_prototypes(out, functions);
    out << header.substr(at + place.size());
}

void write_function_ids(std::ostream& out, const std::vector<Function>& functions) {
    out << generated
        << "#pragma once\n\n#include <cstddef>\n#include <cstdint>\n\n"
           "namespace orrery::emulate::mpi {\n\nenum class FunctionId : std::uint16_t {\n";
    for (const Function& each : functions) out << "    " << bare_name(each) << ",\n";
    out << "};\n\ninline constexpr const char* function_names[]{\n";
    for (const Function& each : functions) out << "    \"" << each.name << "\",\n";
    out << "};\n\nconstexpr const char* name_of(FunctionId id) {\n"
           "    return function_names[static_cast<std::size_t>(id)];\n}\n\n"
           "} // namespace orrery::emulate::mpi\n";
}

void write_implementation_header(std::ostream& out, const std::vector<Function>& functions) {
    out << generated
        << "// Each returns MPI_SUCCESS or throws Failure (errors.h).\n#pragma once\n\n#include <mpi.h>\n\n"
           "namespace orrery::emulate::mpi {\n\n";
    for (const Function& each : functions) {
        if (!is_handle_conversion(each)) out << prototype(each, bare_name(each)) << ";\n";
    }
    out << "\n} // namespace orrery::emulate::mpi\n";
}

void write_unsupported(std::ostream& out, const std::vector<Function>& functions) {
    out << generated
        << "// An implementation elsewhere takes the place of these.\n"
           "#include \"mpi_library/errors.h\"\n#include \"functions.h\"\n\n"
           "namespace orrery::emulate::mpi {\n\nnamespace {\n\n"
           "[[noreturn]] void unsupported(const char* name) {\n"
           "    throw Failure(MPI_ERR_UNSUPPORTED_OPERATION, std::string(name) + \" is not supported\");\n}\n\n"
           "} // namespace\n\n#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n";
    for (const Function& each : functions) {
        if (!is_handle_conversion(each))
            out << "\n__attribute__((weak)) " << prototype(each, bare_name(each)) << " { unsupported(\""
                << each.name << "\"); }\n";
    }
    out << "\n} // namespace orrery::emulate::mpi\n";
}

void write_entry_points(std::ostream& out, const std::vector<Function>& functions) {
    out << generated
        << "#include \"mpi_library/call.h\"\n#include \"mpi_library/errors.h\"\n#include \"function_ids.h\"\n"
           "#include \"functions.h\"\n\nusing namespace orrery::emulate;\n\n"
           "extern \"C\" {\n\n#pragma GCC visibility push(default)\n";
    for (const Function& each : functions) {
        out << "\n" << prototype(each, "P" + each.name) << " {\n";
        const std::string call = "mpi::" + bare_name(each) + "(" + passed_on(each) + ")";
        if (is_handle_conversion(each)) {
            out << "    return " << passed_on(each) << ";\n";
        } else if (is_arithmetic(each)) {
            out << "    return " << call << ";\n";
        } else {
            out << "    mpi::Call call(mpi::FunctionId::" << bare_name(each) << ");\n    try {\n"
                << pointer_checks(each) << "        return call.leave(" << call << ");\n"
                << "    } catch (const mpi::Failure& failure) {\n        return "
                << (each.result == "int" ? "" : "static_cast<" + each.result + ">(") << "call.fail(failure"
                << error_object(each) << ")" << (each.result == "int" ? "" : ")")
                << ";\n    } catch (...) {\n        call.broken();\n    }\n";
        }
        out << "}\n"
            << prototype(each, each.name) << " __attribute__((weak, alias(\"P" << each.name << "\")));\n";
    }
    out << "\n#pragma GCC visibility pop\n\n} // extern \"C\"\n";
}

void write_symbols(std::ostream& out, const std::vector<Function>& functions) {
    // By hand in mpi_library/fortran/: what mpi.h and the Fortran side have beyond the table.
    std::vector<std::string> names{"orrery_mpi_f_status_ignore", "orrery_mpi_f_statuses_ignore"};

    for (const char* const kind : {"", "COMM_", "TYPE_", "WIN_"}) {
        for (const char* const action : {"NULL_COPY_FN", "NULL_DELETE_FN", "DUP_FN"}) {
            const std::string name = std::string("MPI_") + kind + action;
            names.push_back(name);
            names.push_back(in_lower_case(name) + "_");
        }
    }
    for (const char* const name : {"mpi_conversion_fn_null_", "mpi_f_sync_reg_", "pmpi_f_sync_reg_"})
        names.emplace_back(name);
    for (const Function& each : functions) {
        names.push_back(each.name);
        names.push_back("P" + each.name);
        if (only_in_c(each)) continue;
        names.push_back(in_lower_case(each.name) + "_");
        names.push_back("p" + in_lower_case(each.name) + "_");
    }
    std::sort(names.begin(), names.end());
    out << generated
        << "// Only the addresses count here: the functions are declared without their parameters.\n"
           "#include \"mpi_library/symbols.h\"\n\nextern \"C\" {\n";
    for (const std::string& each : names) out << "void " << each << "();\n";
    out << "} // extern \"C\"\n\nnamespace orrery::emulate::mpi {\n\nstd::span<const Symbol> mpi_symbols() {\n"
           "    static const Symbol all[]{\n";
    for (const std::string& each : names)
        out << "        {\"" << each << "\", reinterpret_cast<void*>(&" << each << ")},\n";
    out << "    };\n    return all;\n}\n\n} // namespace orrery::emulate::mpi\n";
}

} // namespace orrery::mpi_api
