// Segments of the binary form back into Actions. Every byte of a segment is suspect: whatever it holds, what
// comes out is either sound or an InputError.
#pragma once

#include "formats/ti/check_action.h"
#include "formats/ti/line_parser.h"
#include "formats/ti/oti_layout.h"
#include "workload/action.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace orrery::ti {

// What decoding must know of the whole.
struct OtiLimits : ActionLimits {
    bool lines = false;
};

// The state of one rank within its current segment: some 300 bytes.
class SegmentDecoder {
  public:
    // `bytes` starts with the header. Checks size and checksum; returns the bytes that the segment takes.
    std::size_t begin(std::span<const std::byte> bytes, const std::string& file);
    [[nodiscard]] std::uint32_t left() const { return left_; }
    // Appends up to `most` actions, fewer at the end or if they have many counts.
    void decode(std::size_t most, const OtiLimits& limits, const std::string& file, Window& out);

  private:
    struct Reader;
    void compute(Reader& in, unsigned code, Action& action);
    static void record(Reader& in, unsigned code, const OtiLimits& limits, Action& action, Window& out);

    const std::uint8_t* payload_ = nullptr;
    const std::uint8_t* at_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    std::uint32_t left_ = 0; // actions
    std::uint8_t records_ = 0;
    double last_volume_ = 0;
    std::uint64_t last_line_ = 0;
    std::array<std::uint16_t, most_records> starts_{};
};

} // namespace orrery::ti
