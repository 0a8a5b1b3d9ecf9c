// A whole file, mapped for reading.
#pragma once

#include "engine/mapped_inputs.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace orrery {

// How the bytes will be read: a hint to the kernel, which costs only speed if it is wrong.
enum class Access : std::uint8_t {
    as_usual,
    front_to_back,
    here_and_there // page by page, nothing read ahead
};

class MappedFile {
  public:
    explicit MappedFile(const std::string& path); // throws InputError
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, length_}; }
    void expect(Access access) const;

  private:
    const std::byte* data_ = nullptr;
    std::size_t length_ = 0;
    std::optional<MappedInput> watch_;
};

// Tells the kernel that mapped bytes have been read for good, in large steps, so that a file of any size is
// read within a small resident set. The bytes stay readable.
class ReadBehind {
  public:
    ReadBehind(std::span<const std::byte> bytes, std::uint64_t from);
    void passed(std::uint64_t offset) {
        if (offset > done_ + step) drop(offset);
    }

  private:
    static constexpr std::uint64_t step = std::uint64_t{32} << 20;
    void drop(std::uint64_t offset);

    std::span<const std::byte> bytes_;
    std::uint64_t done_;
};

} // namespace orrery
