#include "formats/ti/temporary_file.h"

#include "engine/error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace orrery::ti {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

} // namespace

TemporaryFile::TemporaryFile() {
    const char* const given = std::getenv("TMPDIR");
    directory_ = given != nullptr && *given != '\0' ? given : "/tmp";
    descriptor_ = ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor_ < 0) { // a file system without nameless files
        std::string name = directory_ + "/orrery-XXXXXX";
        descriptor_ = ::mkstemp(name.data());
        if (descriptor_ < 0) fail("no temporary file can be made");
        ::unlink(name.c_str());
    }
    buffer_.reserve(buffer_bytes);
}

TemporaryFile::~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void TemporaryFile::write(std::string_view bytes) {
    buffer_.append(bytes);
    if (buffer_.size() >= buffer_bytes) flush();
}

void TemporaryFile::flush() {
    std::size_t done = 0;
    while (done < buffer_.size()) {
        const ssize_t n = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("a temporary file cannot be written");
        done += static_cast<std::size_t>(n);
    }
    flushed_ += done;
    buffer_.clear();
}

std::string TemporaryFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

void TemporaryFile::fail(const std::string& what) const {
    throw InputError(
        Error{directory_, 0, 0, what + " there: " + std::strerror(errno) + " (TMPDIR names another place)"});
}

} // namespace orrery::ti
