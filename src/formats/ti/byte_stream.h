// The bytes of a file from front to back, unpacked on the way if it is compressed by gzip or zstd.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace orrery::ti {

enum class Packing { plain, gzip, zstd };

// By the first bytes, not by the name.
Packing packing_of(std::string_view first_bytes);

class ByteStream {
  public:
    static std::unique_ptr<ByteStream> open(const std::string& path); // throws InputError
    virtual ~ByteStream() = default;
    // Up to `room` bytes, at least one unless the end is reached. Throws InputError if the file cannot be read
    // or unpacked.
    virtual std::size_t read(char* to, std::size_t room) = 0;
};

// The first bytes of a file, unpacked.
std::string first_bytes(const std::string& path, std::size_t most);
Packing packing_of_file(const std::string& path);

} // namespace orrery::ti
