// Segments of a recorded trace back into actions, a few hundred at a time. Every byte is suspect: whatever a
// segment holds, what comes out is either sound or an InputError.
#pragma once

#include "formats/ort/column_reader.h"
#include "formats/ort/encoder.h"
#include "formats/ort/list_table.h"
#include "formats/ort/segment_layout.h"
#include "formats/ti/check_action.h"
#include "workload/action.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery::recorded {

// Actions in order, the counts that belong to them, and their times if they are wanted.
struct Window {
    std::vector<Action> actions;
    std::vector<Bytes> counts;
    std::vector<ActionTimes> times;
    void clear() {
        actions.clear();
        counts.clear();
        times.clear();
    }
};

// Where a block stands, for messages.
struct BlockPlace {
    const std::string* file = nullptr;
    std::uint64_t offset = 0;
    std::uint32_t rank = 0;
    std::uint32_t number = 0;
};
[[noreturn]] void fail_in(const BlockPlace& place, const std::string& what);

// The state of one rank within its current segment: some kilobytes, more if its loops are long.
class SegmentDecoder {
  public:
    // `payload` is not copied: it must stay until the segment is done.
    void begin(std::span<const std::uint8_t> payload, const BlockPlace& place);
    [[nodiscard]] std::uint32_t left() const { return left_; } // actions
    [[nodiscard]] bool timed() const { return timed_; }
    // Appends up to `most` actions, fewer at the end or if they have many counts, to an empty window. Lines are
    // counted on from `line`.
    void decode(std::size_t most, const ti::ActionLimits& limits, std::uint64_t& line, bool with_times,
                Window& out);

  private:
    struct Shape {
        Action like;             // its kind and flags
        std::uint32_t first = 0; // of its fields in latest_
        std::uint8_t count = 0;
        std::array<std::uint8_t, fields> field{};
    };
    static constexpr std::uint8_t unknown = 0xFF;

    [[noreturn]] void fail(const char* what) const;
    std::uint64_t number(std::size_t column);
    std::uint64_t difference(std::size_t column);
    std::uint8_t next_shape();
    std::uint8_t new_shape();
    void set_field(Field field, std::uint64_t value, Action& action) const;
    void take_list(std::uint64_t number, std::uint64_t like, Action& action, Window& out);
    void read_list(std::uint64_t like, std::vector<Bytes>& out);
    void remember(std::uint8_t shape, std::uint32_t count);

    BlockPlace place_;
    std::array<ColumnReader, columns> column_;
    bool timed_ = false;
    std::uint32_t at_ = 0; // actions done
    std::uint32_t left_ = 0;
    std::uint32_t distance_ = 0; // of the repeat that is going on
    std::uint32_t repeat_ = 0;   // actions left of it
    std::uint32_t far_actions_ = 0;
    std::uint32_t far_slots_ = 0;

    std::vector<Shape> shapes_;
    Shape passing_;            // one without a number
    std::vector<Slot> latest_; // of each shape
    // Rings, as large as the repeats of the segment need them.
    std::vector<std::uint8_t> shape_ring_;
    std::vector<std::uint32_t> starts_;
    std::vector<Slot> slots_;
    std::uint32_t slot_ = 0;

    ListTable lists_;
    struct Shown {
        std::uint32_t window = 0;
        std::uint32_t first = 0;
    };
    std::vector<Shown> shown_; // where a list stands in the current window, if it does
    std::uint32_t window_ = 0;
    std::vector<Bytes> scratch_;
    std::uint64_t clock_ = 0;
};

} // namespace orrery::recorded
