// Blocks of one rank, compressed, into a string or a file. Used by the tracing library and by `orrery convert`.
#pragma once

#include "formats/ort/layout.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::recorded {

class BlockWriter {
  public:
    BlockWriter(std::uint64_t run, std::uint32_t rank) : run_(run), rank_(rank) {}
    // Appends a whole block (header and payload) to `out`. Payloads of 64 bytes and more are compressed if that
    // makes them smaller.
    void append(BlockKind kind, std::string_view payload, std::string& out) noexcept;
    [[nodiscard]] std::uint32_t blocks() const { return number_; }

  private:
    std::uint64_t run_;
    std::uint32_t rank_;
    std::uint32_t number_ = 0;
};

} // namespace orrery::recorded
