#include "mpi_library/io/file.h"

#include "engine/own_descriptors.h"
#include "mpi_library/process_state.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace orrery::emulate::mpi {

namespace {

Handles<File>& files() {
    static auto& all = *new Handles<File>(Kind::file);
    return all;
}

} // namespace

OpenFile::~OpenFile() {
    if (descriptor >= 0) (void)own_descriptors::close(descriptor);
}

File& file_of(MPI_File handle) {
    File* const found = files().find(handle);
    if (found == nullptr) {
        throw Failure(MPI_ERR_FILE,
                      handle == MPI_FILE_NULL ? "the file is MPI_FILE_NULL" : "this is no open file",
                      MPI_FILE_NULL);
    }
    return *found;
}

File& add_file(std::unique_ptr<File> file) {
    File& made = *file;
    made.handle = files().add(std::move(file));
    return made;
}

void remove_file(MPI_File handle) { files().remove(handle); }

ErrhandlerSlot* errhandler_of_file(int handle) {
    if (handle == MPI_FILE_NULL) return &process().file_errhandler;
    File* const found = files().find(handle);
    return found == nullptr ? nullptr : &found->errhandler;
}

int class_of(int system_error) {
    switch (system_error) {
    case 0: return MPI_SUCCESS;
    case ENOENT: return MPI_ERR_NO_SUCH_FILE;
    case EEXIST: return MPI_ERR_FILE_EXISTS;
    case EACCES:
    case EPERM: return MPI_ERR_ACCESS;
    case EROFS: return MPI_ERR_READ_ONLY;
    case ENOSPC: return MPI_ERR_NO_SPACE;
    case EDQUOT: return MPI_ERR_QUOTA;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR: return MPI_ERR_BAD_FILE;
    case ETXTBSY: return MPI_ERR_FILE_IN_USE;
    default: return MPI_ERR_IO;
    }
}

MPI_Offset file_size(const OpenFile& file) {
    struct stat found {};
    if (::fstat(file.descriptor, &found) != 0) check_error(class_of(errno), "asking for the size");
    return found.st_size;
}

void check_error(int error, const std::string& what) {
    if (error != MPI_SUCCESS) throw Failure(error, what + " failed");
}

} // namespace orrery::emulate::mpi
