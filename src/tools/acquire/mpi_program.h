// What can be told of a program before it is started: whether it can be, and which MPI it is linked with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

enum class MpiKind : std::uint8_t { openmpi, mpich };
std::string_view name_of(MpiKind kind);        // "Open MPI", "MPICH"
std::string_view suffix_of(MpiKind kind);      // "openmpi", "mpich", as in mpirun.openmpi
std::string_view debian_package(MpiKind kind); // that has its mpirun

enum class ProgramForm : std::uint8_t { dynamic, statically_linked, script };
struct ProgramFacts {
    std::string path; // where it was found
    ProgramForm form = ProgramForm::dynamic;
    std::optional<MpiKind> mpi; // by the libraries that it needs, directly or not; none: a script, or no MPI
    std::string library;        // the MPI library, "libmpi.so.40"
    bool emulated = false;      // built by orrery-mpicc, for 'orrery run'
    std::string missing;        // a library that the loader does not find, or empty
};

// Looks for it as a shell would (in PATH if the name has no slash). Throws InputError: not found, a folder, not
// executable.
ProgramFacts inspect_program(const std::string& program);
// Which MPI an mpirun belongs to, by what it says of its version; none if it says neither.
std::optional<MpiKind> mpi_of_launcher(const std::string& mpirun);
// Which MPI the program is linked with (by its needed libraries); if it is linked with none (a script), that of
// the mpirun in PATH. Throws InputError if neither can be told.
MpiKind mpi_of(const std::string& program);

// An executable file of this name in PATH; empty if there is none.
std::string find_in_path(const std::string& name);

} // namespace orrery
