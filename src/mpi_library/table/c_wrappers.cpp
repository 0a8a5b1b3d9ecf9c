#include "mpi_library/table/prototypes.h"
#include "mpi_library/table/wrappers.h"

namespace orrery::mpi_api {

namespace {

std::string in_c(const Argument& argument) {
    switch (argument.form) {
    case Argument::Form::literal: return argument.text;
    case Argument::Form::base: return "0";
    case Argument::Form::parameter: return argument.text;
    case Argument::Form::value: return "*" + argument.text;
    case Argument::Form::own_status:
    case Argument::Form::seen_status: return argument.text + "_used";
    }
    return {};
}

std::string call_of(const Hook& hook) {
    std::string text = "hooks::" + hook.name + "(";
    for (const Argument& each : hook.arguments) {
        if (&each != &hook.arguments.front()) text += ", ";
        text += in_c(each);
    }
    return text + ");";
}

// The arguments as they are passed on: statuses of ours where the application's are replaced.
std::string passed(const Function& function, bool own) {
    std::string text;
    for (const Parameter& each : function.parameters) {
        if (&each != &function.parameters.front()) text += ", ";
        text += each.name;
        if (!own) continue;
        for (const Argument& argument : function.after.arguments) {
            const bool status =
                argument.form == Argument::Form::own_status || argument.form == Argument::Form::seen_status;
            if (status && argument.text == each.name) text += "_used.passed()";
        }
    }
    return text;
}

void write_wrapper(std::ostream& out, const Function& function, std::size_t id) {
    out << "\n__attribute__((visibility(\"default\"))) " << prototype(function, function.name) << " {\n";
    const std::string real = "P" + function.name;
    if (function.plain) {
        if (!function.before.name.empty()) out << "    " << call_of(function.before) << "\n";
        out << "    const int result = " << real << "(" << passed(function, false) << ");\n";
        if (!function.after.name.empty())
            out << "    if (result == MPI_SUCCESS) " << call_of(function.after) << "\n";
        out << "    return result;\n}\n";
        return;
    }
    out << "    if (!enter(" << id << ")) return " << real << "(" << passed(function, false) << ");\n";
    if (!function.before.name.empty())
        out << "    {\n        const Recording recording;\n        " << call_of(function.before) << "\n    }\n";
    for (const Argument& each : function.after.arguments) {
        if (each.form == Argument::Form::own_status)
            out << "    const OwnStatus " << each.text << "_used(" << each.text << ");\n";
        if (each.form == Argument::Form::seen_status)
            out << "    const SeenStatuses " << each.text << "_used(" << each.text << ");\n";
    }
    out << "    const int result = " << real << "(" << passed(function, true) << ");\n";
    out << "    if (result == MPI_SUCCESS) {\n        const Recording recording;\n        "
        << call_of(function.after) << "\n    }\n";
    out << "    leave();\n    return result;\n}\n";
}

} // namespace

void write_function_list(std::ostream& out, const std::vector<Function>& functions) {
    out << "// Generated from functions.table.\n#include \"trace/recorder.h\"\n\n#include <array>\n\n"
           "namespace orrery::trace {\n\nstd::span<const Function> functions() noexcept {\n"
           "    static constexpr std::array all{\n";
    for (const Function& each : functions) {
        if (each.wrapped)
            out << "        Function{\"" << each.name << "\", " << (each.replayed() ? "true" : "false")
                << "},\n";
    }
    out << "    };\n    return all;\n}\n\n} // namespace orrery::trace\n";
}

void write_c_wrappers(std::ostream& out, const std::vector<Function>& functions) {
    out << "// Generated from functions.table: the functions of MPI that are recorded, for C and C++.\n"
           "#include \"trace/hooks.h\"\n\n"
           "// Not there in a program without MPI (a shell that starts the real one): then nobody calls "
           "them.\n";
    for (const Function& each : functions) {
        if (each.wrapped) out << "#pragma weak P" << each.name << "\n";
    }
    out << "\nusing namespace orrery::trace;\n\nextern \"C\" {\n";
    std::size_t id = 0;
    for (const Function& each : functions) {
        if (each.wrapped) write_wrapper(out, each, id++);
    }
    out << "\n// The rest of the table, so that the compiler holds it against <mpi.h>. Some are macros "
           "there.\n";
    for (const Function& each : functions) {
        if (each.wrapped || each.emulated) continue;
        out << "#ifndef " << each.name << "\n" << prototype(each, each.name) << ";\n#endif\n";
    }
    out << "\n} // extern \"C\"\n";
}

} // namespace orrery::mpi_api
