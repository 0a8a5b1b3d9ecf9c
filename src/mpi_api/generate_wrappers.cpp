// Writes the wrappers of the tracing library from the table of the MPI interface; run by the build.
//   generate_wrappers functions.table DIRECTORY
#include "mpi_api/wrappers.h"

#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

namespace {

using Writer = void (*)(std::ostream&, const std::vector<orrery::mpi_api::Function>&);

void write(const std::string& path, Writer writer, const std::vector<orrery::mpi_api::Function>& functions) {
    std::ofstream out(path);
    writer(out, functions);
    out.close();
    if (!out) throw std::runtime_error("cannot write " + path);
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
        const auto functions = orrery::mpi_api::read_table(text.str());
        write(folder + "/function_list.cpp", orrery::mpi_api::write_function_list, functions);
        write(folder + "/c_wrappers.cpp", orrery::mpi_api::write_c_wrappers, functions);
        write(folder + "/fortran_wrappers.cpp", orrery::mpi_api::write_fortran_wrappers, functions);
    } catch (const std::exception& error) {
        std::cerr << table << ": " << error.what() << "\n";
        return 3;
    }
    return 0;
}
