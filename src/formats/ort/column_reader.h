// A column of a segment, read from front to back. Whatever it holds, nothing beyond its end is read.
#pragma once

#include <cstdint>

namespace orrery::recorded {

inline std::uint64_t unzigzag(std::uint64_t value) { return (value >> 1) ^ (~(value & 1) + 1); }

// False: cut off, or more than 64 bits.
inline bool read_varint(const std::uint8_t*& at, const std::uint8_t* end, std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (at == end) return false;
        const unsigned byte = *at++;
        value |= std::uint64_t{byte & 0x7F} << shift;
        if (byte < 0x80) return shift < 63 || byte <= 1;
    }
    return false;
}

class ColumnReader {
  public:
    ColumnReader() = default;
    ColumnReader(const std::uint8_t* from, const std::uint8_t* to) : at_(from), end_(to) {}

    [[nodiscard]] bool number(std::uint64_t& value) {
        if (at_ != end_ && *at_ < 0x80) {
            value = *at_++;
            return true;
        }
        return read_varint(at_, end_, value);
    }
    [[nodiscard]] bool difference(std::uint64_t& value) {
        if (run_ > 0) {
            --run_;
            value = last_;
            return true;
        }
        std::uint64_t code = 0;
        if (!number(code)) return false;
        value = unzigzag(code);
        if (value == last_) return number(run_);
        last_ = value;
        return true;
    }
    [[nodiscard]] bool finished() const { return at_ == end_ && run_ == 0; }

  private:
    const std::uint8_t* at_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    std::uint64_t last_ = 0;
    std::uint64_t run_ = 0; // how often the last difference comes again
};

} // namespace orrery::recorded
