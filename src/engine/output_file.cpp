#include "engine/output_file.h"

#include "engine/error.h"
#include "engine/mapped_inputs.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
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

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

// The file that a symbolic link leads to, which need not exist; any other path as it is.
std::string behind_links(std::string path) {
    constexpr int most_links = 40; // as the kernel has it
    for (int links = 0; links < most_links; ++links) {
        std::array<char, PATH_MAX> to{};
        const ssize_t length = ::readlink(path.c_str(), to.data(), to.size());
        if (length < 0) return path;
        const std::string_view link(to.data(), static_cast<std::size_t>(length));
        path = link.starts_with('/') ? std::string(link) : fmt::format("{}/{}", folder_of(path), link);
    }
    return path; // opening it says what is wrong
}

// Short, so that it fits wherever the file's own name does. Another one with each call.
std::string temporary_name(const std::string& folder) {
    static std::atomic<unsigned> number{0};
    return folder + "/.orrery-" + std::to_string(::getpid()) + "-" + std::to_string(number++);
}

// A file that has no name: where the file system has them, and /proc to name it later.
int open_nameless(const std::string& folder, mode_t mode) {
    const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (descriptor < 0 || ::access("/proc/self/fd", X_OK) == 0) return descriptor;
    ::close(descriptor);
    return -1;
}

// Calls `make` with other names until one is free. Empty: errno says why.
std::string make_temporary(const std::string& folder, const auto& make) {
    std::string name;
    do {
        name = temporary_name(folder);
        if (make(name.c_str())) return name;
    } while (errno == EEXIST);
    return {};
}

} // namespace

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)), buffer_(std::make_unique_for_overwrite<std::byte[]>(buffer_bytes)) {
    if (path_ == standard_output) {
        descriptor_ = ::dup(STDOUT_FILENO); // opened again, a file would be written from its beginning
    } else if (is_special_file(path_)) {
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        open_beside();
    }
    if (descriptor_ < 0) fail("cannot be created");
}

void OutputFile::open_beside() {
    target_ = behind_links(path_);
    struct stat info {};
    if (::stat(target_.c_str(), &info) == 0) {
        before_ = info;
        if (::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail("cannot be written");
    } else if (errno != ENOENT) {
        fail("cannot be created"); // better said now than after a long run
    }
    if (target_.empty() || target_.ends_with('/')) {
        errno = target_.empty() ? ENOENT : EISDIR;
        fail("cannot be created");
    }
    const std::string folder = folder_of(target_);
    const mode_t mode = before_ ? before_->st_mode & mode_t{0777} : mode_t{0666};
    descriptor_ = open_nameless(folder, mode);
    if (descriptor_ >= 0) return;
    const std::string name = make_temporary(folder, [&](const char* each) {
        descriptor_ = ::open(each, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
        return descriptor_ >= 0;
    });
    if (!name.empty()) temporary_ = UnfinishedFile(name);
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
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

void OutputFile::write_zeros(std::uint64_t bytes) {
    flush();
    const std::uint64_t end = flushed_ + bytes;
    struct stat info {};
    const bool plain = ::fstat(descriptor_, &info) == 0 && S_ISREG(info.st_mode) && !target_.empty();
    if (plain) {
        if (::ftruncate(descriptor_, static_cast<off_t>(end)) != 0 ||
            ::lseek(descriptor_, static_cast<off_t>(end), SEEK_SET) < 0)
            fail("cannot be written");
        flushed_ = end;
        return;
    }
    const std::string zeros(std::size_t{1} << 16, '\0');
    for (; bytes > 0; bytes -= std::min<std::uint64_t>(bytes, zeros.size()))
        write(zeros.data(), std::min<std::uint64_t>(bytes, zeros.size()));
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

// Those of the file that is replaced. Only root may give a file away: otherwise its owner becomes who runs
// this.
void OutputFile::keep_permissions() {
    if (!before_) return;
    mode_t mode = before_->st_mode & mode_t{07777};
    struct stat now {};
    const bool same =
        ::fstat(descriptor_, &now) == 0 && now.st_uid == before_->st_uid && now.st_gid == before_->st_gid;
    if (!same && ::fchown(descriptor_, before_->st_uid, before_->st_gid) != 0 &&
        ::fchown(descriptor_, static_cast<uid_t>(-1), before_->st_gid) != 0)
        mode &= mode_t{0777}; // no rights of an owner or group that it has not
    if (::fchmod(descriptor_, mode) != 0) fail("cannot be given its mode");
}

void OutputFile::commit() {
    refuse_changed_inputs();
    flush();
    if (!target_.empty()) keep_permissions();
    if (!target_.empty() && !temporary_.exists()) {
        const std::string self = "/proc/self/fd/" + std::to_string(descriptor_);
        const std::string name = make_temporary(folder_of(target_), [&](const char* each) {
            return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, each, AT_SYMLINK_FOLLOW) == 0;
        });
        if (name.empty()) fail("cannot be put in place");
        temporary_ = UnfinishedFile(name);
    }
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail("cannot be written");
    if (!target_.empty() && !temporary_.rename(target_)) fail("cannot be put in place");
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
