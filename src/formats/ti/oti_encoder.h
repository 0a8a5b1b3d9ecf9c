// Actions of one rank into segments of the binary form.
#pragma once

#include "formats/ti/oti_layout.h"
#include "workload/action.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace orrery::ti {

class SegmentEncoder {
  public:
    explicit SegmentEncoder(bool with_lines) : with_lines_(with_lines) {}

    void add(const Action& action, std::span<const Bytes> counts);
    [[nodiscard]] std::size_t bytes() const { return payload_.size(); }
    // Appends the segment, header and payload, to `out`; the next one begins.
    void take(std::string& out);
    // Of all segments so far.
    [[nodiscard]] std::uint64_t actions() const { return all_actions_; }
    [[nodiscard]] std::uint64_t requests() const { return requests_; } // largest number plus one

  private:
    void compute(double volume);
    void refer_or_append(const std::uint8_t* record, std::size_t size);
    void append_counts(std::span<const Bytes> counts);

    static constexpr std::size_t cells = 256;
    std::string payload_;
    std::array<std::uint8_t, cells> table_{}; // which record, plus one, by hash
    std::array<std::uint16_t, most_records> starts_{};
    std::array<std::uint8_t, most_records> sizes_{};
    std::uint8_t records_ = 0;
    bool with_lines_;
    std::uint32_t actions_ = 0; // of this segment
    double last_volume_ = 0;
    std::uint64_t last_line_ = 0;
    std::uint64_t all_actions_ = 0;
    std::uint64_t requests_ = 0;
};

// How many bytes a segment should have, with that many ranks side by side.
std::size_t segment_bytes(std::uint32_t ranks);

} // namespace orrery::ti
