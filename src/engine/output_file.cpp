#include "engine/output_file.h"

#include "engine/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orrery {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

// Not to be replaced by another file: devices, pipes, and names of what is open, which may be a plain file.
bool is_special_file(const std::string& path) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return false;
    return !S_ISREG(info.st_mode) || path.starts_with("/dev/fd/") || path.starts_with("/dev/std") ||
           path.starts_with("/proc/");
}

void write_fully(int descriptor, const std::byte* data, std::size_t bytes, const auto& fail) {
    while (bytes > 0) {
        const ssize_t written = ::write(descriptor, data, bytes);
        if (written < 0) {
            if (errno == EINTR) continue;
            fail();
        }
        data += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

} // namespace

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)), buffer_(std::make_unique_for_overwrite<std::byte[]>(buffer_bytes)) {
    if (path_ == standard_output) {
        descriptor_ = ::dup(STDOUT_FILENO); // opened again, a file would be written from its beginning
    } else if (is_special_file(path_)) {
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        temporary_ = path_ + ".XXXXXX";
        descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
    }
    if (descriptor_ < 0) {
        temporary_.clear();
        fail("cannot be created");
    }
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (descriptor_ >= 0 && !temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(const void* data, std::size_t bytes) {
    const auto* from = static_cast<const std::byte*>(data);
    while (bytes > 0) {
        if (used_ == buffer_bytes) flush();
        const std::size_t part = bytes < buffer_bytes - used_ ? bytes : buffer_bytes - used_;
        std::memcpy(buffer_.get() + used_, from, part);
        used_ += part;
        from += part;
        bytes -= part;
    }
}

void OutputFile::write_at(std::uint64_t position, const void* data, std::size_t bytes) {
    flush();
    const auto* from = static_cast<const std::byte*>(data);
    while (bytes > 0) {
        const ssize_t written = ::pwrite(descriptor_, from, bytes, static_cast<off_t>(position));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("cannot be written");
        from += written;
        position += static_cast<std::uint64_t>(written);
        bytes -= static_cast<std::size_t>(written);
    }
}

void OutputFile::commit() {
    flush();
    if (!temporary_.empty()) {
        // mkostemp makes the file private; give it the mode that creating it would have given.
        const mode_t mask = ::umask(0);
        ::umask(mask);
        if (::fchmod(descriptor_, static_cast<mode_t>(0666) & ~mask) != 0) fail("cannot be given its mode");
    }
    if (::close(descriptor_) != 0) {
        descriptor_ = -1;
        if (!temporary_.empty()) ::unlink(temporary_.c_str());
        fail("cannot be written");
    }
    descriptor_ = -1;
    if (!temporary_.empty() && ::rename(temporary_.c_str(), path_.c_str()) != 0) {
        const int reason = errno;
        ::unlink(temporary_.c_str());
        errno = reason;
        fail("cannot be put in place");
    }
}

void OutputFile::flush() {
    write_fully(descriptor_, buffer_.get(), used_, [this] { fail("cannot be written"); });
    flushed_ += used_;
    used_ = 0;
}

void OutputFile::fail(const std::string& what) const {
    throw InputError(Error{path_, 0, 0, what + ": " + std::strerror(errno)});
}

void write_file(const std::string& path, std::string_view text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

} // namespace orrery
