// Whose error handler is asked.
#include "mpi_library/comm.h"
#include "mpi_library/errhandler.h"
#include "mpi_library/errors.h"
#include "mpi_library/process_state.h"

namespace orrery::emulate::mpi {

// Windows and files have theirs in their own folders.
__attribute__((weak)) ErrhandlerSlot* errhandler_of_win(int) { return nullptr; }
__attribute__((weak)) ErrhandlerSlot* errhandler_of_file(int) { return nullptr; }

ErrhandlerSlot& errhandler_of(int handle) {
    ErrhandlerSlot* found = nullptr;
    if (is_kind(handle, Kind::win)) {
        found = errhandler_of_win(handle);
        if (found == nullptr) throw Failure(MPI_ERR_WIN, "this is no window, or it has been freed");
    } else if (is_kind(handle, Kind::file)) {
        found = errhandler_of_file(handle);
        if (found == nullptr) throw Failure(MPI_ERR_FILE, "this is no open file");
    } else {
        found = &comm_of(handle).errhandler;
    }
    return *found;
}

} // namespace orrery::emulate::mpi
