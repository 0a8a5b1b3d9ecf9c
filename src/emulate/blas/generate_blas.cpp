// Writes the modelled routines from their table; run by the build.
//   generate_blas routines.table OUTPUT.cpp
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Routine {
    std::string name;
    std::string precisions;
    std::string result;
    std::string interfaces;
    std::vector<std::string> arguments;
};

// One function, as it is put together.
struct Function {
    bool fortran = true;
    bool complex = false;
    std::string real;       // float or double
    std::string parameters; // "const int* a0, ..."
    std::string effects;    // statements before the time is spent
    std::map<std::string, std::string> sizes{{"M", "0"}, {"N", "0"}, {"K", "0"}};
    std::string left; // true if the side is the left one; empty: there are no sides
    int parameter_count = 0;

    // Returns its name; one that is not used gets none.
    std::string add(const std::string& type, bool used = true) {
        std::string name = "a" + std::to_string(parameter_count);
        if (parameter_count++ > 0) parameters += ", ";
        parameters += type + (used ? " " + name : "");
        return name;
    }
    [[nodiscard]] std::string array() const { return fortran || !complex ? real + "*" : "void*"; }
    [[nodiscard]] std::string integer() const { return fortran ? "const int*" : "int"; }
    std::string add_size() { return (fortran ? "*" : "") + add(integer()); }
};

void add_argument(Function& out, const std::string& word) {
    if (word == "order") {
        if (!out.fortran) out.add("int", false);
    } else if (word == "option") {
        out.add(out.fortran ? "const char*" : "int", false);
    } else if (word == "side") {
        out.left = out.fortran ? "is_left(*" + out.add("const char*") + ")" : out.add("int") + " == cblas_left";
    } else if (word == "M" || word == "N" || word == "K") {
        out.sizes[word] = out.add_size();
    } else if (word == "first") {
        out.sizes["M"] = "1 - " + out.add_size();
    } else if (word == "last") {
        out.sizes["M"] += " + " + out.add_size();
    } else if (word == "scalar" || word == "real") {
        const bool by_value = !out.fortran && (word == "real" || !out.complex);
        out.add(by_value ? out.real : "const " + out.array(), false);
    } else if (word == "matrix" || word == "vector") {
        out.add(out.array(), false);
        out.add(out.integer(), false);
    } else if (word == "copied") {
        std::string arguments = out.sizes["N"] + (out.complex ? ", 2" : ", 1");
        for (int i = 0; i < 2; ++i) {
            const std::string vector = out.add(out.array());
            arguments += ", static_cast<" + out.real + "*>(" + vector + ")";
            arguments += ", " + out.add_size();
        }
        out.effects += "    copy_vector(" + arguments + ");\n";
    } else if (word == "array") {
        out.add(out.array(), false);
    } else if (word == "stride") {
        out.add(out.integer(), false);
    } else if (word == "work") {
        const std::string work = out.add(out.array());
        out.effects += "    if (*" + out.add("const int*") + " == -1) {\n        *" + work + " = " +
                       "static_cast<" + out.real + ">(" + out.sizes["N"] + ");\n        return;\n    }\n";
    } else if (word == "pivots" || word == "pivots_all") {
        const std::string count =
            word == "pivots_all" ? out.sizes["N"] : "std::min(" + out.sizes["M"] + ", " + out.sizes["N"] + ")";
        out.effects += "    set_pivots(" + out.add("int*") + ", " + count + ");\n";
    } else if (word == "pivots_in") {
        out.add("const int*", false);
    } else if (word == "info") {
        out.effects.insert(0, "    *" + out.add("int*") + " = 0;\n");
    } else {
        throw std::runtime_error("'" + word + "' is no argument");
    }
}

// "dgemm": what the model is called. The function is dgemm_ or cblas_dgemm.
std::string routine_name(const Routine& routine, char precision) {
    const std::string name = precision + routine.name;
    return routine.result == "index" ? "i" + name : name;
}

void write_function(std::ostream& out, const Routine& routine, char precision, bool fortran,
                    std::vector<std::string>& names) {
    Function function;
    function.fortran = fortran;
    function.complex = precision == 'c' || precision == 'z';
    function.real = precision == 's' || precision == 'c' ? "float" : "double";
    for (const std::string& each : routine.arguments) add_argument(function, each);

    const std::string routine_words = routine_name(routine, precision);
    const std::string name = fortran ? routine_words + "_" : "cblas_" + routine_words;
    names.push_back(name);
    std::string result = "void";
    if (routine.result == "number") result = function.real;
    if (routine.result == "index") result = fortran ? "int" : "std::size_t";
    out << "ORRERY_BLAS " << result << ' ' << name << '(' << function.parameters << ") {\n" << function.effects;
    if (function.left.empty()) {
        out << "    static orrery_kernel_site site{\"" << routine_words << "\", nullptr, 0};\n"
            << "    spend(site, ";
    } else {
        for (const char* const side : {"left", "right"})
            out << "    static orrery_kernel_site " << side << "{\"" << routine_words << '_' << side
                << "\", nullptr, 0};\n";
        out << "    spend(" << function.left << " ? left : right, ";
    }
    out << function.sizes["M"] << ", " << function.sizes["N"] << ", " << function.sizes["K"] << ");\n";
    if (routine.result == "number") out << "    return 1;\n";
    if (routine.result == "index")
        out << "    return " << (fortran ? function.sizes["N"] + " > 0 ? 1 : 0" : "0") << ";\n";
    out << "}\n";
}

void write_all(std::ostream& out, const std::vector<Routine>& routines) {
    out << "// Made by generate_blas from routines.table.\n#include "
           "\"emulate/blas/routines.h\"\n\nORRERY_BLAS_BEGIN\n";
    std::vector<std::string> names;
    for (const Routine& routine : routines) {
        for (const char precision : routine.precisions) {
            write_function(out, routine, precision, true, names);
            if (routine.interfaces == "b") write_function(out, routine, precision, false, names);
        }
    }
    out << "ORRERY_BLAS_END\n\nORRERY_BLAS_TABLE_BEGIN\n";
    for (const std::string& name : names) out << "ORRERY_BLAS_ROW(" << name << ")\n";
    out << "ORRERY_BLAS_TABLE_END\n";
}

std::vector<Routine> read_table(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error(path + ": cannot be read");
    std::vector<Routine> routines;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        std::istringstream words(line);
        Routine routine;
        if (line.starts_with('#') || !(words >> routine.name)) continue;
        words >> routine.precisions >> routine.result >> routine.interfaces;
        for (std::string word; words >> word;) routine.arguments.push_back(word);
        const bool known = routine.result == "none" || routine.result == "number" || routine.result == "index";
        if (routine.arguments.empty() || !known || (routine.interfaces != "b" && routine.interfaces != "f") ||
            routine.precisions.find_first_not_of("sdcz") != std::string::npos)
            throw std::runtime_error(path + ":" + std::to_string(number) +
                                     ": expected name, precisions, result, interfaces, arguments");
        try {
            Function trial;
            for (const std::string& each : routine.arguments) add_argument(trial, each);
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
        }
        routines.push_back(routine);
    }
    return routines;
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 3) throw std::runtime_error("generate_blas routines.table OUTPUT.cpp");
        std::ofstream out(argv[2]);
        write_all(out, read_table(argv[1]));
        out.close();
        if (!out) throw std::runtime_error(std::string(argv[2]) + ": cannot be written");
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
