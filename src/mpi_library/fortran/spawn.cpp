// Starting processes: arrays of texts, each list of arguments ended by a blank one.
#include "mpi_library/fortran/entry.h"
#include "mpi_library/fortran/sentinels.h"
#include "mpi_library/fortran/texts.h"

#include <vector>

using namespace orrery::emulate::fortran;

namespace {

// Texts of equal length, `stride` texts apart, until a blank one.
class Arguments {
  public:
    Arguments(const char* first, Length length, std::size_t stride) {
        for (std::string text = text_in(first, length); !text.empty(); text = text_in(first, length)) {
            texts_.push_back(text);
            first += length * stride;
        }
        for (std::string& each : texts_) pointers_.push_back(each.data());
        pointers_.push_back(nullptr);
    }
    [[nodiscard]] char** c() { return pointers_.data(); }

  private:
    std::vector<std::string> texts_;
    std::vector<char*> pointers_;
};

} // namespace

ORRERY_FORTRAN(void, comm_spawn,
               (char* command, char* argv, MPI_Fint* maxprocs, MPI_Fint* info, MPI_Fint* root, MPI_Fint* comm,
                MPI_Fint* intercomm, MPI_Fint* errcodes, MPI_Fint* ierror, Length command_length,
                Length argv_length)) {
    ORRERY_OPTIONAL(ierror);
    const std::string name = text_in(command, command_length);
    const bool none = is_sentinel(argv) || argv_length == 0;
    Arguments arguments(argv, none ? 0 : argv_length, 1);
    *ierror = PMPI_Comm_spawn(name.c_str(), none ? MPI_ARGV_NULL : arguments.c(), *maxprocs, *info, *root,
                              *comm, intercomm, c_error_codes(errcodes));
}

ORRERY_FORTRAN(void, comm_spawn_multiple,
               (MPI_Fint * count, char* commands, char* argvs, MPI_Fint* maxprocs, MPI_Fint* infos,
                MPI_Fint* root, MPI_Fint* comm, MPI_Fint* intercomm, MPI_Fint* errcodes, MPI_Fint* ierror,
                Length commands_length, Length argvs_length)) {
    ORRERY_OPTIONAL(ierror);
    const auto number = static_cast<std::size_t>(*count < 0 ? 0 : *count);
    const bool none = is_sentinel(argvs) || argvs_length == 0;
    std::vector<std::string> names;
    std::vector<Arguments> arguments;
    for (std::size_t i = 0; i < number; ++i) {
        names.push_back(text_in(commands + i * commands_length, commands_length));
        arguments.emplace_back(none ? argvs : argvs + i * argvs_length, none ? 0 : argvs_length, number);
    }
    std::vector<char*> names_in_c;
    std::vector<char**> arguments_in_c;
    for (std::string& each : names) names_in_c.push_back(each.data());
    for (Arguments& each : arguments) arguments_in_c.push_back(each.c());
    *ierror = PMPI_Comm_spawn_multiple(*count, names_in_c.data(), none ? MPI_ARGVS_NULL : arguments_in_c.data(),
                                       maxprocs, infos, *root, *comm, intercomm, c_error_codes(errcodes));
}
