// Files: opening, closing, sizes, and what is known of them.
#include "engine/own_descriptors.h"
#include "functions.h"
#include "mpi_library/group.h"
#include "mpi_library/io/file.h"
#include "mpi_library/meetings.h"
#include "mpi_library/process_state.h"

#include <array>
#include <bit>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace orrery::emulate::mpi {

namespace {

Meetings<OpenFile>& meetings() {
    static auto& all = *new Meetings<OpenFile>;
    return all;
}

// Other MPI libraries take the kind of the file system before the name.
std::string path_of(const char* name) {
    constexpr std::array<std::string_view, 4> kinds{"ufs:", "nfs:", "xfs:", "lustre:"};
    std::string_view path = name == nullptr ? "" : name;
    for (const std::string_view kind : kinds) {
        if (path.starts_with(kind)) path.remove_prefix(kind.size());
    }
    if (path.empty()) throw Failure(MPI_ERR_BAD_FILE, "the file has no name", MPI_FILE_NULL);
    return std::string(path);
}

void check_amode(int amode) {
    const auto has = [&](int flags) { return (amode & flags) != 0; };
    const auto ways = static_cast<unsigned>(amode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR));
    constexpr int known = MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL |
                          MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN | MPI_MODE_SEQUENTIAL |
                          MPI_MODE_APPEND;
    const char* wrong = nullptr;
    if (std::popcount(ways) != 1) wrong = "one of MPI_MODE_RDONLY, _WRONLY and _RDWR must be given";
    if (has(MPI_MODE_RDONLY) && has(MPI_MODE_CREATE | MPI_MODE_EXCL))
        wrong = "MPI_MODE_RDONLY does not go with MPI_MODE_CREATE and MPI_MODE_EXCL";
    if (has(MPI_MODE_RDWR) && has(MPI_MODE_SEQUENTIAL))
        wrong = "MPI_MODE_RDWR does not go with MPI_MODE_SEQUENTIAL";
    if (has(~known)) wrong = "the access mode has unknown flags";
    if (wrong != nullptr) throw Failure(MPI_ERR_AMODE, wrong, MPI_FILE_NULL);
}

int system_flags(int amode) {
    int flags = O_CLOEXEC;
    if ((amode & MPI_MODE_RDONLY) != 0) flags |= O_RDONLY;
    if ((amode & MPI_MODE_WRONLY) != 0) flags |= O_WRONLY;
    if ((amode & MPI_MODE_RDWR) != 0) flags |= O_RDWR;
    if ((amode & MPI_MODE_CREATE) != 0) flags |= O_CREAT;
    if ((amode & MPI_MODE_EXCL) != 0) flags |= O_EXCL;
    return flags;
}

// Ranks that each open a file of their own need as many descriptors as there are ranks.
void raise_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

int open_it(OpenFile& file) {
    const auto open = [&] { return ::open(file.path.c_str(), system_flags(file.amode), 0666); };
    file.descriptor = open();
    if (file.descriptor < 0 && errno == EMFILE) {
        raise_limit();
        file.descriptor = open();
    }
    file.descriptor = own_descriptors::keep(file.descriptor);
    if (file.descriptor < 0) return class_of(errno);
    if ((file.amode & MPI_MODE_APPEND) != 0) file.shared = file_size(file);
    return MPI_SUCCESS;
}

int close_it(OpenFile& file) {
    int error = own_descriptors::close(file.descriptor) == 0 ? 0 : errno;
    file.descriptor = -1;
    if ((file.amode & MPI_MODE_DELETE_ON_CLOSE) != 0 && ::unlink(file.path.c_str()) != 0 && error == 0)
        error = errno;
    return class_of(error);
}

void check_may_write(const File& file) {
    if ((file.amode & MPI_MODE_RDONLY) != 0)
        throw Failure(MPI_ERR_READ_ONLY, "the file was opened for reading only");
}

void check_size(MPI_Offset size) {
    if (size < 0) throw Failure(MPI_ERR_ARG, fmt::format("the size is {}", size));
}

} // namespace

int File_open(MPI_Comm comm, const char* name, int amode, MPI_Info given, MPI_File* handle) {
    Comm& parent = intra_comm(comm);
    *handle = MPI_FILE_NULL;
    const std::string path = path_of(name);
    check_amode(amode);
    auto made = std::make_unique<File>();
    made->comm = split_comm(parent, 0, parent.rank());
    made->all = meetings().join(made->comm->member.index, static_cast<std::uint32_t>(parent.size()));
    made->amode = amode;
    made->errhandler = process().file_errhandler;
    if (given != MPI_INFO_NULL) made->info = info(given);
    OpenFile& all = *made->all;
    if (all.path.empty()) {
        all.path = path;
        all.amode = amode;
    } else if (all.amode != amode) {
        all.error = MPI_ERR_NOT_SAME;
    }
    const int error =
        made->once([](OpenFile& file) { return file.error == MPI_SUCCESS ? open_it(file) : file.error; });
    if (error != MPI_SUCCESS) throw Failure(error, "opening " + path + " failed", MPI_FILE_NULL);
    made->position = all.shared;
    *handle = add_file(std::move(made)).handle;
    return MPI_SUCCESS;
}

int File_close(MPI_File* handle) {
    return on_file(*handle, [&](File& file) {
        const int error = file.once(close_it);
        const std::string path = file.all->path;
        remove_file(*handle);
        *handle = MPI_FILE_NULL;
        if (error != MPI_SUCCESS) throw Failure(error, "closing " + path + " failed", MPI_FILE_NULL);
    });
}

int File_delete(const char* name, MPI_Info) {
    const std::string path = path_of(name);
    if (::unlink(path.c_str()) != 0)
        throw Failure(class_of(errno), "deleting " + path + " failed", MPI_FILE_NULL);
    return MPI_SUCCESS;
}

int File_set_size(MPI_File handle, MPI_Offset size) {
    return on_file(handle, [&](File& file) {
        check_size(size);
        check_may_write(file);
        const int error = file.once([&](const OpenFile& all) {
            return ::ftruncate(all.descriptor, size) == 0 ? MPI_SUCCESS : class_of(errno);
        });
        check_error(error, "changing the size of " + file.all->path);
    });
}

int File_preallocate(MPI_File handle, MPI_Offset size) {
    return on_file(handle, [&](File& file) {
        check_size(size);
        check_may_write(file);
        const int error = file.once([&](const OpenFile& all) {
            return size == 0 ? MPI_SUCCESS : class_of(::posix_fallocate(all.descriptor, 0, size));
        });
        check_error(error, "reserving space for " + file.all->path);
    });
}

int File_get_size(MPI_File handle, MPI_Offset* size) {
    return on_file(handle, [&](File& file) { *size = file_size(*file.all); });
}

int File_sync(MPI_File handle) {
    return on_file(handle, [&](File& file) {
        const int error = file.once([](const OpenFile& all) {
            const bool done = ::fdatasync(all.descriptor) == 0 || errno == EINVAL || errno == EROFS; // a pipe
            return done ? MPI_SUCCESS : class_of(errno);
        });
        check_error(error, "storing " + file.all->path);
    });
}

int File_get_group(MPI_File handle, MPI_Group* group) {
    return on_file(handle, [&](File& file) { *group = add_group(file.comm->members()); });
}

int File_get_amode(MPI_File handle, int* amode) {
    return on_file(handle, [&](File& file) { *amode = file.amode; });
}

int File_set_info(MPI_File handle, MPI_Info given) {
    return on_file(handle, [&](File& file) {
        if (given == MPI_INFO_NULL) return;
        for (const auto& [key, value] : info(given).all()) file.info.set(key, value);
    });
}

int File_get_info(MPI_File handle, MPI_Info* used) {
    return on_file(handle, [&](File& file) { *used = new_info(file.info); });
}

// Only one rank runs at a time, and each access is done before another runs: all are atomic.
int File_set_atomicity(MPI_File handle, int flag) {
    return on_file(handle, [&](File& file) { file.atomic = flag != 0; });
}

int File_get_atomicity(MPI_File handle, int* flag) {
    return on_file(handle, [&](File& file) { *flag = file.atomic ? 1 : 0; });
}

} // namespace orrery::emulate::mpi
