#include "formats/text/text_input.h"

#include "engine/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace orrery {

namespace {

// Keywords are compared as a whole, which may look a little beyond the last byte.
constexpr std::size_t padding = 32;

} // namespace

TextInput TextInput::from_file(const std::string& path) {
    if (path == "-") return {"standard input", STDIN_FILENO, {}, default_window};
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        throw InputError(Error{path, 0, 0, std::string("cannot be opened: ") + std::strerror(errno)});
    return {path, descriptor, {}, default_window};
}

TextInput TextInput::from_memory(std::string_view text, std::string name, std::size_t window) {
    return {std::move(name), -1, text, window};
}

TextInput::TextInput(std::string name, int descriptor, std::string_view memory, std::size_t window)
    : name_(std::move(name)), descriptor_(descriptor), memory_(memory),
      capacity_(std::max(window, 2 * lookahead)),
      window_(std::make_unique_for_overwrite<char[]>(capacity_ + padding)), end_(window_.get()) {
    try {
        refill(begin());
    } catch (...) {
        if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
        throw;
    }
}

TextInput::~TextInput() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

std::optional<std::uint64_t> TextInput::bytes() const {
    if (exhausted_) return offset(end_);
    struct stat info {};
    if (descriptor_ < 0) return offset(end_) + memory_.size();
    if (::fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(info.st_size);
}

bool is_pipe(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

void refuse_pipe(const std::string& path) {
    if (is_pipe(path))
        throw InputError(
            Error{path, 0, 0, "is a pipe: a trace is mapped or read more than once, and must be a file"});
}

const char* TextInput::refill(const char* cursor) {
    const auto kept = static_cast<std::size_t>(end_ - cursor);
    base_ += static_cast<std::uint64_t>(cursor - window_.get());
    std::memmove(window_.get(), cursor, kept);
    end_ = window_.get() + kept;
    while (!exhausted_ && runs_short(window_.get())) { // a pipe may hand out a few bytes at a time
        const std::size_t added = read(end_, capacity_ - static_cast<std::size_t>(end_ - window_.get()));
        exhausted_ = added == 0;
        end_ += added;
    }
    std::memset(end_, 0, padding);
    return window_.get();
}

std::size_t TextInput::read(char* to, std::size_t bytes) {
    if (descriptor_ < 0) {
        const std::size_t part = std::min(bytes, memory_.size());
        std::memcpy(to, memory_.data(), part);
        memory_.remove_prefix(part);
        return part;
    }
    for (;;) {
        const ssize_t got = ::read(descriptor_, to, bytes);
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR)
            throw InputError(Error{name_, 0, 0, std::string("cannot be read: ") + std::strerror(errno)});
    }
}

} // namespace orrery
