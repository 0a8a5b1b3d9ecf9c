// What goes wrong in an MPI call: thrown by the functions, turned into the error handler's doing by `Call`.
#pragma once

#include <stdexcept>
#include <string>

namespace orrery::emulate::mpi {

// `code` is an error class or a code of MPI_Add_error_code. `handle` is the communicator, window or file whose
// error handler is asked; 0: that of MPI_COMM_WORLD. The words say what and why: "rank 7 is not in a
// communicator of 4 ranks".
class Failure : public std::runtime_error {
  public:
    Failure(int code, const std::string& words, int handle = 0)
        : std::runtime_error(words), code_(code), handle_(handle) {}
    [[nodiscard]] int code() const { return code_; }
    [[nodiscard]] int handle() const { return handle_; }

  private:
    int code_;
    int handle_;
};

[[noreturn]] void null_argument(const char* name); // Failure(MPI_ERR_ARG)
inline void check_pointer(const void* argument, const char* name) {
    if (argument == nullptr) null_argument(name);
}

} // namespace orrery::emulate::mpi
