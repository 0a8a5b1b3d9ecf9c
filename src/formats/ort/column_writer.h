// Numbers as they go into a column of a segment: differences, and runs of equal ones as one.
//
// A difference equal to the one before it (before the first: 0) is followed by how many more of it come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace orrery::recorded {

inline std::uint8_t* put_varint(std::uint8_t* to, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::uint8_t>(value | 0x80);
    *to++ = static_cast<std::uint8_t>(value);
    return to;
}

inline std::uint64_t zigzag(std::uint64_t difference) {
    return (difference << 1) ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(difference) >> 63);
}

class ColumnWriter {
  public:
    // Each gives the bytes that it added.
    std::size_t difference(std::uint64_t value) {
        if (value == last_) {
            ++run_;
            return 0;
        }
        const std::size_t before = used_;
        end_run();
        number(zigzag(value));
        last_ = value;
        return used_ - before;
    }
    std::size_t number(std::uint64_t value) { // as it is
        std::uint8_t* const to = room();
        const auto bytes = static_cast<std::size_t>(put_varint(to, value) - to);
        used_ += bytes;
        return bytes;
    }
    void end_run() {
        if (run_ == 0) return;
        number(zigzag(last_));
        number(run_ - 1);
        run_ = 0;
    }
    [[nodiscard]] std::size_t bytes() const { return used_; }
    void append_to(std::string& out) const { out.append(reinterpret_cast<const char*>(bytes_.data()), used_); }
    void clear() {
        used_ = 0;
        last_ = 0;
        run_ = 0;
    }

  private:
    static constexpr std::size_t longest = 10; // of a varint
    std::uint8_t* room() {
        if (bytes_.size() - used_ < longest) bytes_.resize(2 * bytes_.size() + 64);
        return bytes_.data() + used_;
    }

    std::vector<std::uint8_t> bytes_;
    std::size_t used_ = 0;
    std::uint64_t last_ = 0;
    std::uint64_t run_ = 0; // how often the last difference has come again
};

} // namespace orrery::recorded
