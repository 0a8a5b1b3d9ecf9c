#include "mpi_library/table/prototypes.h"

namespace orrery::mpi_api {

std::string prototype(const Function& function, const std::string& name) {
    std::string text = function.result + " " + name + "(";
    for (const Parameter& each : function.parameters) {
        if (&each != &function.parameters.front()) text += ", ";
        text += each.declaration;
    }
    if (function.parameters.empty()) text += "void";
    return text + ")";
}

std::string passed_on(const Function& function) {
    std::string text;
    for (const Parameter& each : function.parameters) {
        if (each.name.empty()) continue;
        if (!text.empty()) text += ", ";
        text += each.name;
    }
    return text;
}

std::string bare_name(const Function& function) { return function.name.substr(function.name.find('_') + 1); }

std::string in_lower_case(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

} // namespace orrery::mpi_api
