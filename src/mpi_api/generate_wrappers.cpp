// Writes the wrappers of the tracing library from the table of the MPI interface; run by the build.
//   generate_wrappers functions.table DIRECTORY
#include "mpi_api/wrappers.h"

#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

namespace {

using orrery::mpi_api::Function;

template <typename Writer> void write(const std::string& path, Writer writer) {
    std::ofstream out(path);
    writer(out);
    out.close();
    if (!out) throw std::runtime_error("cannot write " + path);
}

void write_all(const std::vector<Function>& functions, const std::string& folder) {
    using namespace orrery::mpi_api;
    write(folder + "/function_list.cpp", [&](std::ostream& out) { write_function_list(out, functions); });
    write(folder + "/c_wrappers.cpp", [&](std::ostream& out) { write_c_wrappers(out, functions); });
    write(folder + "/fortran_wrappers.cpp",
          [&](std::ostream& out) { write_fortran_wrappers(out, functions, "_"); });
    write(folder + "/f08_wrappers.cpp",
          [&](std::ostream& out) { write_fortran_wrappers(out, functions, "_f08_"); });
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: generate_wrappers functions.table DIRECTORY\n";
        return 2;
    }
    const std::string table = argv[1];
    const std::string folder = argv[2];
    try {
        std::ifstream in(table);
        if (!in) throw std::runtime_error("cannot be read");
        std::ostringstream text;
        text << in.rdbuf();
        write_all(orrery::mpi_api::read_table(text.str()), folder);
    } catch (const std::exception& error) {
        std::cerr << table << ": " << error.what() << "\n";
        return 3;
    }
    return 0;
}
