#include "formats/ti/line_reader.h"

#include "engine/error.h"

#include <fmt/format.h>

namespace orrery::ti {

LineReader::LineReader(const std::string& path, std::size_t room)
    : path_(path), stream_(ByteStream::open(path)), buffer_(room + 1), at_(buffer_.data()),
      after_(buffer_.data()), end_(buffer_.data()) {}

const char* LineReader::refill() {
    // Of the line at at_ the end is not in the buffer. Move it to the front and read on.
    for (std::size_t searched = 0;;) {
        const auto kept = static_cast<std::size_t>(end_ - at_);
        base_ += static_cast<std::uint64_t>(at_ - buffer_.data());
        std::memmove(buffer_.data(), at_, kept);
        if (kept + 1 >= buffer_.size()) {
            if (kept > longest_line) refuse_long_line(path_, number_ + 1);
            buffer_.resize(2 * buffer_.size());
        }
        at_ = buffer_.data();
        end_ = buffer_.data() + kept;
        const std::size_t got = ended_ ? 0 : stream_->read(end_, buffer_.size() - 1 - kept);
        if (got == 0) {
            ended_ = true;
            if (kept == 0) {
                after_ = at_;
                return nullptr;
            }
            *end_++ = '\n';
            cut_off_ = true;
            after_ = end_;
            ++number_;
            return at_;
        }
        end_ += got;
        if (const char* const line_end = find_end(at_ + searched)) {
            after_ = line_end + 1;
            ++number_;
            return at_;
        }
        searched = static_cast<std::size_t>(end_ - at_);
    }
}

void refuse_long_line(const std::string& path, std::uint64_t number) {
    throw InputError(Error{path, number, 0,
                           fmt::format("a line longer than {} MiB: this is not a trace", longest_line >> 20)});
}

} // namespace orrery::ti
