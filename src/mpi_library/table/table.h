// The table of the MPI interface (functions.table) as the generator reads it: README.md has its grammar.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace orrery::mpi_api {

// The kinds of parameters that differ in Fortran, where everything is passed by address.
enum class ParameterKind {
    number,         // int and the wider integers, by value
    address,        // of integers, or of a buffer
    handle,         // MPI_Comm and the like, by value
    handle_address, // where one handle or several are
    status,         // one MPI_Status or several
    text,           // characters: Fortran adds their length behind all other arguments
    main_argument,  // argc, argv of MPI_Init: not there in Fortran
};

struct Parameter {
    std::string declaration; // "MPI_Request array_of_requests[]"
    std::string type;        // "MPI_Request"; without const, stars and brackets
    std::string name;
    ParameterKind kind = ParameterKind::number;
    bool constant = false; // begins with const
    bool array = false;    // has brackets
};

struct Argument {
    enum class Form {
        literal,    // a number
        base,       // the first index of an array: 0 in C, 1 in Fortran
        parameter,  // as it is
        value,      // "*x": what stands there when the hook is called
        own_status, // "own x": ours, if the application does not want one
        seen_status // "seen x": the same, but only if a request of this call was cancelled
    };
    Form form = Form::parameter;
    std::string text; // the literal or the name of the parameter
};

struct Hook {
    std::string name; // empty: none
    std::vector<Argument> arguments;
};

struct Function {
    std::string result; // "int"
    std::string name;   // "MPI_Send"
    std::vector<Parameter> parameters;
    bool wrapped = false;
    bool emulated = false; // "emulated": the tracer leaves it alone
    bool plain = false;    // the wrapper of MPI_Init, ...: recording has not begun or is about to end
    Hook before;
    Hook after;
    std::size_t line = 0;

    [[nodiscard]] const Parameter& parameter(const std::string& wanted) const;
    // Counted and named only.
    [[nodiscard]] bool replayed() const { return after.name != "count"; }
};

// What is wrong with the table, with its line.
class TableError : public std::runtime_error {
  public:
    TableError(std::size_t line, const std::string& what);
};

std::vector<Function> read_table(const std::string& text);

} // namespace orrery::mpi_api
