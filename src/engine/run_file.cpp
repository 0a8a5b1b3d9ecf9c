#include "engine/run_file.h"

#include "engine/error.h"
#include "engine/own_descriptors.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace orrery {

namespace {

// Gone as soon as it is closed, however this process ends. `folder` ends with a slash, or is empty.
int open_unnamed(const std::string& folder) {
    constexpr mode_t mode = 0600;
    if (const int file = ::open((folder + ".").c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode); file >= 0)
        return file;
    std::string name = folder + ".orrery-XXXXXX"; // a file system without unnamed files
    const int file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0) ::unlink(name.c_str());
    return file;
}

} // namespace

RunFile::RunFile(std::string path) : path_(std::move(path)) {}

RunFile::~RunFile() {
    if (file_ >= 0) (void)own_descriptors::close(file_);
}

void RunFile::fail(const char* what) const {
    throw InputError(
        {path_, 0, 0, std::string("cannot ") + what + " its temporary file: " + std::strerror(errno)});
}

void RunFile::append(const void* data, std::size_t bytes) {
    if (file_ < 0) {
        file_ = own_descriptors::keep(open_unnamed(path_.substr(0, path_.rfind('/') + 1)));
        if (file_ < 0) fail("make");
    }
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t done = ::write(file_, at, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) fail("write");
        at += done;
        bytes -= static_cast<std::size_t>(done);
    }
}

void RunFile::read(std::uint64_t from, void* data, std::size_t bytes) const {
    char* to = static_cast<char*>(data);
    auto at = static_cast<off_t>(from);
    while (bytes > 0) {
        const ssize_t done = ::pread(file_, to, bytes, at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) fail("read");
        to += done;
        at += done;
        bytes -= static_cast<std::size_t>(done);
    }
}

} // namespace orrery
