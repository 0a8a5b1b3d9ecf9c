// Writes sources from the table of the MPI interface; run by the build.
//   generate_wrappers functions.table DIRECTORY                     the wrappers of the tracing library
//   generate_wrappers --emulator functions.table mpi.h.in INCLUDE DIRECTORY    the emulator's MPI: what
//   programs
//       include, and sources
#include "mpi_library/table/constants.h"
#include "mpi_library/table/emulator.h"
#include "mpi_library/table/fortran_interface.h"
#include "mpi_library/table/wrappers.h"

#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

namespace {

using namespace orrery::mpi_api;

std::string text_of(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error(path + ": cannot be read");
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<Function> functions_of(const std::string& path) {
    try {
        return read_table(text_of(path));
    } catch (const TableError& error) {
        throw std::runtime_error(path + ": " + error.what());
    }
}

template <typename Writer, typename... Arguments>
void write(const std::string& path, Writer writer, const Arguments&... arguments) {
    std::ofstream out(path);
    writer(out, arguments...);
    out.close();
    if (!out) throw std::runtime_error(path + ": cannot be written");
}

void write_tracer(const std::vector<Function>& functions, const std::string& folder) {
    write(folder + "/function_list.cpp", write_function_list, functions);
    write(folder + "/c_wrappers.cpp", write_c_wrappers, functions);
    write(folder + "/fortran_wrappers.cpp", write_fortran_wrappers, functions, "_");
    write(folder + "/f08_wrappers.cpp", write_fortran_wrappers, functions, "_f08_");
}

void write_emulator(const std::vector<Function>& functions, const std::string& mpi_h,
                    const std::string& include, const std::string& folder) {
    write(include + "/mpi.h", write_whole_header, mpi_h, functions);
    write(include + "/mpif.h", write_mpif, read_constants(mpi_h));
    write(folder + "/mpi_functions.h", write_c_prototypes, functions);
    write(folder + "/function_ids.h", write_function_ids, functions);
    write(folder + "/functions.h", write_implementation_header, functions);
    write(folder + "/unsupported.cpp", write_unsupported, functions);
    write(folder + "/entry_points.cpp", write_entry_points, functions);
    write(folder + "/fortran_entry_points.cpp", write_fortran_entry_points, functions);
    write(folder + "/symbols.cpp", write_symbols, functions);
    write(folder + "/mpi.f90", write_module, functions);
    write(folder + "/mpi_f08.f90", write_f08_module, read_constants(mpi_h), functions);
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    try {
        if (arguments.size() == 2) {
            write_tracer(functions_of(arguments[0]), arguments[1]);
        } else if (arguments.size() == 5 && arguments[0] == "--emulator") {
            write_emulator(functions_of(arguments[1]), text_of(arguments[2]), arguments[3], arguments[4]);
        } else {
            std::cerr << "usage: generate_wrappers functions.table DIRECTORY\n"
                         "       generate_wrappers --emulator functions.table mpi.h.in INCLUDE DIRECTORY\n";
            return 2;
        }
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 3;
    }
    return 0;
}
