// The files of a recorded trace as blocks. Few of them are open at once, however many there are.
#pragma once

#include "formats/ort/layout.h"
#include "formats/ti/descriptors.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace orrery::recorded {

class BlockFiles {
  public:
    explicit BlockFiles(std::vector<std::string> paths) : descriptors_(std::move(paths)) {}

    [[nodiscard]] std::size_t size() const { return descriptors_.size(); }
    [[nodiscard]] const std::string& path(std::size_t file) const { return descriptors_.path(file); }

    // How the blocks of a file end: at its end, or where no whole block follows, and why.
    struct Ended {
        std::uint64_t offset = 0;
        std::string fault; // empty: none
    };
    // Visits the headers of all whole blocks of a file, with the offset of each.
    Ended scan(std::size_t file, const std::function<void(const BlockHeader&, std::uint64_t)>& visit);
    // The header of a block that has been scanned.
    BlockHeader header(std::size_t file, std::uint64_t offset);
    // Its payload, unpacked, after a look at its checksum. Throws InputError.
    void unpack(std::size_t file, std::uint64_t offset, std::vector<std::uint8_t>& payload);

  private:
    ti::Descriptors descriptors_;
    std::string stored_; // a payload as it is in the file
};

} // namespace orrery::recorded
