#include "engine/run_file.h"

#include "engine/error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace orrery {

RunFile::RunFile(std::string path) : path_(std::move(path)) {}

RunFile::~RunFile() {
    if (file_ >= 0) ::close(file_);
}

void RunFile::fail(const char* what) const {
    throw InputError(
        {path_, 0, 0, std::string("cannot ") + what + " its temporary file: " + std::strerror(errno)});
}

void RunFile::append(const void* data, std::size_t bytes) {
    if (file_ < 0) {
        std::string name = path_ + ".spill-XXXXXX";
        file_ = ::mkstemp(name.data());
        if (file_ < 0) fail("make");
        ::unlink(name.c_str()); // gone as soon as it is closed, however this process ends
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
