// A file, plain or compressed, line by line through one buffer.
#pragma once

#include "formats/ti/byte_stream.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::ti {

class LineReader {
  public:
    static constexpr std::size_t default_room = std::size_t{256} << 10;
    explicit LineReader(const std::string& path, std::size_t room = default_room);

    // The next line, which ends in '\n'; null at the end. Valid until the next call.
    const char* next() {
        at_ = after_;
        if (const char* const end = find_end(at_)) {
            after_ = end + 1;
            ++number_;
            return at_;
        }
        return refill();
    }
    [[nodiscard]] std::uint64_t number() const { return number_; } // of the line that next() gave
    // Where it begins in the unpacked file; after the last one: where the file ends.
    [[nodiscard]] std::uint64_t offset() const {
        return base_ + static_cast<std::uint64_t>(at_ - buffer_.data());
    }
    [[nodiscard]] bool cut_off() const { return cut_off_; } // the line has no '\n' in the file
    // From the line on, what is in the buffer.
    [[nodiscard]] std::string_view ahead() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

  private:
    const char* find_end(const char* from) const {
        return static_cast<const char*>(std::memchr(from, '\n', static_cast<std::size_t>(end_ - from)));
    }
    const char* refill();

    std::string path_;
    std::unique_ptr<ByteStream> stream_;
    std::vector<char> buffer_; // one byte more than is read, for a '\n' after the last line
    const char* at_ = nullptr;
    const char* after_ = nullptr; // of the line: where the next one begins
    char* end_ = nullptr;
    std::uint64_t base_ = 0; // offset of the buffer's first byte
    std::uint64_t number_ = 0;
    bool cut_off_ = false;
    bool ended_ = false;
};

// A line longer than this is none: the file is something else.
inline constexpr std::size_t longest_line = std::size_t{64} << 20;
[[noreturn]] void refuse_long_line(const std::string& path, std::uint64_t number);

} // namespace orrery::ti
