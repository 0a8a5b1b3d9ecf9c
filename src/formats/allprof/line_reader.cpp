#include "formats/allprof/line_reader.h"

#include "engine/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace orrery::allprof {

LineReader::LineReader(const std::string& path)
    : name_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), buffer_(std::size_t{256} << 10) {
    if (descriptor_ < 0)
        throw InputError(Error{path, 0, 0, std::string("cannot open: ") + std::strerror(errno)});
}

LineReader::LineReader(std::string_view text, std::string name) : name_(std::move(name)), rest_(text) {}

LineReader::~LineReader() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool LineReader::fill() {
    if (descriptor_ < 0) return false;
    const std::size_t kept = rest_.size();
    if (kept == buffer_.size()) {
        buffer_.resize(buffer_.size() * 2); // a line that is longer than the buffer
    } else if (kept != 0) {
        std::memmove(buffer_.data(), rest_.data(), kept);
    }
    const ssize_t got = ::read(descriptor_, buffer_.data() + kept, buffer_.size() - kept);
    if (got < 0) throw InputError(Error{name_, 0, 0, std::string("cannot read: ") + std::strerror(errno)});
    rest_ = std::string_view(buffer_.data(), kept + static_cast<std::size_t>(got));
    return got > 0;
}

bool LineReader::next(std::string_view& line) {
    std::size_t end = rest_.find('\n');
    while (end == std::string_view::npos) {
        const std::size_t searched = rest_.size();
        if (!fill()) break;
        end = rest_.find('\n', searched);
    }
    if (end == std::string_view::npos && rest_.empty()) return false;
    complete_ = end != std::string_view::npos;
    line = rest_.substr(0, end);
    rest_.remove_prefix(complete_ ? end + 1 : rest_.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return true;
}

} // namespace orrery::allprof
