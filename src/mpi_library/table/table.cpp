#include "mpi_library/table/table.h"

#include <algorithm>
#include <sstream>

namespace orrery::mpi_api {

namespace {

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(trimmed(part));
    return parts;
}

bool take_word(std::string& text, const std::string& word) {
    if (text.rfind(word + " ", 0) != 0) return false;
    text = trimmed(text.substr(word.size()));
    return true;
}

// name(a, b) -> the name and what is between the parentheses.
std::pair<std::string, std::string> parenthesised(const std::string& text, std::size_t line) {
    const std::size_t open = text.find('(');
    if (open == std::string::npos || text.back() != ')')
        throw TableError(line, "expected name(arguments), not '" + text + "'");
    return {trimmed(text.substr(0, open)), trimmed(text.substr(open + 1, text.size() - open - 2))};
}

ParameterKind kind_of(const Parameter& parameter, bool by_address) {
    static const std::vector<std::string> handles{"MPI_Comm",    "MPI_Datatype", "MPI_Errhandler", "MPI_File",
                                                  "MPI_Group",   "MPI_Info",     "MPI_Message",    "MPI_Op",
                                                  "MPI_Request", "MPI_Win"};
    if (parameter.name == "argc" || parameter.declaration == "char*** argv")
        return ParameterKind::main_argument;
    if (parameter.type == "char") return ParameterKind::text;
    if (parameter.type == "MPI_Status") return ParameterKind::status;
    if (std::find(handles.begin(), handles.end(), parameter.type) != handles.end())
        return by_address ? ParameterKind::handle_address : ParameterKind::handle;
    return by_address ? ParameterKind::address : ParameterKind::number;
}

Parameter parse_parameter(const std::string& text, std::size_t line) {
    Parameter parameter;
    parameter.declaration = text;
    if (text == "...") return parameter; // of MPI_Pcontrol
    std::string rest = text;
    parameter.constant = take_word(rest, "const");
    const std::size_t brackets = rest.find('[');
    const bool by_address = rest.find_first_of("*[") != std::string::npos;
    parameter.array = brackets != std::string::npos;
    if (parameter.array) rest = trimmed(rest.substr(0, brackets));
    const std::size_t last = rest.find_last_of(" *");
    if (last == std::string::npos) throw TableError(line, "a parameter without a name: '" + text + "'");
    parameter.name = rest.substr(last + 1);
    parameter.type = rest.substr(0, rest.find_first_of(" *"));
    parameter.kind = kind_of(parameter, by_address);
    return parameter;
}

Argument parse_argument(std::string text, const Function& function) {
    Argument argument;
    if (!text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
        return {Argument::Form::literal, text};
    }
    if (text == "base") return {Argument::Form::base, text};
    if (take_word(text, "own")) {
        argument.form = Argument::Form::own_status;
    } else if (take_word(text, "seen")) {
        argument.form = Argument::Form::seen_status;
    } else if (text.rfind('*', 0) == 0) {
        argument.form = Argument::Form::value;
        text = trimmed(text.substr(1));
    }
    argument.text = text;
    const bool is_status = function.parameter(text).kind == ParameterKind::status;
    const bool as_status =
        argument.form == Argument::Form::own_status || argument.form == Argument::Form::seen_status;
    if (is_status != as_status) throw TableError(function.line, "a status is given as 'own' or 'seen' status");
    return argument;
}

Hook parse_hook(const std::string& text, const Function& function) {
    Hook hook;
    const auto [name, arguments] = parenthesised(text, function.line);
    hook.name = name;
    for (const std::string& each : split(arguments, ','))
        hook.arguments.push_back(parse_argument(each, function));
    return hook;
}

// emulated, or [plain] [before hook(..) ;] hook(..)
void parse_note(std::string note, Function& function) {
    if (note == "emulated") {
        function.emulated = true;
        return;
    }
    function.wrapped = true;
    function.plain = take_word(note, "plain");
    for (std::string part : split(note, ';')) {
        Hook& hook = take_word(part, "before") ? function.before : function.after;
        if (!hook.name.empty()) throw TableError(function.line, "two hooks at the same place");
        hook = parse_hook(part, function);
    }
}

} // namespace

TableError::TableError(std::size_t line, const std::string& what)
    : std::runtime_error("line " + std::to_string(line) + ": " + what) {}

const Parameter& Function::parameter(const std::string& wanted) const {
    for (const Parameter& each : parameters) {
        if (each.name == wanted) return each;
    }
    throw TableError(line, name + " has no parameter '" + wanted + "'");
}

std::vector<Function> read_table(const std::string& text) {
    std::vector<Function> functions;
    std::istringstream lines(text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        line = trimmed(line);
        if (line.empty() || line.front() == '#') continue;
        const std::size_t arrow = line.find("->");
        const auto [head, parameters] = parenthesised(trimmed(line.substr(0, arrow)), number);
        Function function;
        function.line = number;
        const std::size_t space = head.find(' ');
        if (space == std::string::npos)
            throw TableError(number, "expected a result and a name: '" + head + "'");
        function.result = head.substr(0, space);
        function.name = trimmed(head.substr(space));
        if (parameters != "void") {
            for (const std::string& each : split(parameters, ','))
                function.parameters.push_back(parse_parameter(each, number));
        }
        if (arrow != std::string::npos) parse_note(trimmed(line.substr(arrow + 2)), function);
        functions.push_back(std::move(function));
    }
    return functions;
}

} // namespace orrery::mpi_api
