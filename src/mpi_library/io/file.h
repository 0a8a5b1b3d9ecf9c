// Open files (MPI-3.1, chapter 13). They are files of the system that the emulator runs on; reading and writing
// takes no simulated time.
//
// All ranks are in one process, so the members of an open share one descriptor and the shared file pointer.
// Each has its own view and individual pointer. Everything is done when it is called: nonblocking calls return
// requests that are complete.
#pragma once

#include "mpi_library/collective_call.h"
#include "mpi_library/comm.h"
#include "mpi_library/errhandler.h"
#include "mpi_library/errors.h"
#include "mpi_library/info.h"
#include "mpi_library/io/view.h"
#include "orrery/mpi/mpi.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orrery::emulate::mpi {

// What the members have in common.
struct OpenFile {
    OpenFile() = default;
    ~OpenFile();
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    std::string path;
    int amode = 0;
    int descriptor = -1;
    MPI_Offset shared = 0;           // the shared pointer, in etypes
    std::uint64_t collectives = 0;   // what was done once for all, so far
    int error = MPI_SUCCESS;         // of the last of these
    std::vector<MPI_Offset> amounts; // of an ordered access: how many etypes each member asks for,
    std::vector<MPI_Offset> begins;  // and where it begins
};

// A collective access that was begun and has not ended.
enum class Split : std::uint8_t {
    none,
    read_all,
    write_all,
    read_at_all,
    write_at_all,
    read_ordered,
    write_ordered
};

// An open file as one member knows it.
class File {
  public:
    // Members wait for each other; then `action` is done once. It returns MPI_SUCCESS or an error class, which
    // all members get.
    template <typename Action> int once(Action&& action);

    int handle = MPI_FILE_NULL;
    std::unique_ptr<Comm> comm; // of its own
    std::shared_ptr<OpenFile> all;
    int amode = 0;
    View view;
    MPI_Offset position = 0; // the individual pointer, in etypes
    bool atomic = false;
    Info info;
    ErrhandlerSlot errhandler{MPI_ERRORS_RETURN};
    Split split = Split::none;
    MPI_Status split_status{};

  private:
    std::uint64_t collectives_ = 0;
};

// Throws Failure(MPI_ERR_FILE).
File& file_of(MPI_File handle);
File& add_file(std::unique_ptr<File> file);
void remove_file(MPI_File handle);

MPI_Offset file_size(const OpenFile& file);

// The error class for what the system said.
int class_of(int system_error);
// Throws Failure unless `error` is MPI_SUCCESS.
void check_error(int error, const std::string& what);

template <typename Action> int File::once(Action&& action) {
    barrier_like(*comm);
    if (++collectives_ > all->collectives) {
        all->collectives = collectives_;
        all->error = action(*all);
    }
    return all->error;
}

// Whatever fails within asks the file's error handler.
template <typename Action> int on_file(MPI_File handle, Action&& action) {
    File& file = file_of(handle);
    try {
        action(file);
    } catch (const Failure& failure) {
        if (failure.handle() != 0) throw;
        throw Failure(failure.code(), failure.what(), handle);
    }
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
