// The compact form of one rank's program: how the simulator sees a schedule.
//
// A program is a *block* of bytes: the operations that can start at once ("roots"), one fixed-width record per
// operation, and the lists of dependents that are not implicit. Its *layout* (counts, widths of the columns,
// values that are the same in all records) is shared by all blocks that have the same one, and a block is
// shared by all ranks whose program is the same up to the way in which peers are named (PeerMode). So a
// dissemination over millions of ranks is one block of 2 log2(P) records of a few bytes.
//
// Reading one operation costs two cache lines (layout, record) and about twenty instructions.
#pragma once

#include "workload/op.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace orrery {

// How a stored peer value p becomes a rank, seen from rank r of P.
enum class PeerMode : std::uint8_t {
    absolute, // p
    relative, // (r + p) mod P
    exclusive // r xor p
};

enum class Column : std::uint8_t { size, peer, tag, cpu, nic, indegree, edges };

// First byte of each record.
namespace record_flags {
inline constexpr std::uint8_t kind = 0x03;
inline constexpr std::uint8_t indegree = 0x0C;      // 0, 1, 2; 3: see Column::indegree
inline constexpr std::uint8_t next_requires = 0x10; // the only dependent is the next operation, by `requires`
inline constexpr std::uint8_t edge_list = 0x20;     // the dependents are in the edge list at Column::edges
inline constexpr std::uint8_t any_source = 0x40;
inline constexpr std::uint8_t any_tag = 0x80;
} // namespace record_flags

namespace layout_flags {
inline constexpr std::uint8_t joins = 0x01; // some operation waits for two or more others
inline constexpr std::uint8_t plain_roots =
    0x02; // no root receive has a wildcard or is waited for at its start
} // namespace layout_flags

// As stored in the file, little endian. One cache line.
struct BlockLayout {
    std::uint32_t ops = 0;
    std::uint32_t root_sends = 0; // the roots are listed sends first, then receives, then computations
    std::uint32_t root_recvs = 0;
    std::uint32_t root_calcs = 0;
    std::uint64_t size_base = 0; // value = base + stored; a column that is constant has width 0
    std::uint32_t peer_base = 0;
    std::uint32_t tag_base = 0;
    std::uint8_t width[8] = {};  // bytes per column, 0 to 8
    std::uint8_t offset[8] = {}; // of each column within the record
    std::uint8_t stride = 1;     // bytes per record
    std::uint8_t root_width = 0; // bytes per root index
    PeerMode peer_mode = PeerMode::absolute;
    std::uint8_t calc_scale = 0; // durations are stored in units of 10^calc_scale ps
    std::uint8_t flags = 0;      // layout_flags
    std::uint8_t reserved[3] = {};
    std::uint64_t edge_bytes = 0; // length of the edge lists

    [[nodiscard]] std::uint32_t roots() const { return root_sends + root_recvs + root_calcs; }
    [[nodiscard]] std::uint64_t block_bytes() const {
        return sizeof(std::uint32_t) + std::uint64_t{roots()} * root_width + std::uint64_t{ops} * stride +
               edge_bytes;
    }
    bool operator==(const BlockLayout&) const = default;
};
static_assert(sizeof(BlockLayout) == 64);

// A little-endian unsigned integer of `width` bytes. Reads 8 bytes: blocks are followed by enough padding.
inline std::uint64_t load_uint(const std::byte* from, unsigned width) {
    static constexpr std::uint64_t mask[9] = {0,
                                              0xFF,
                                              0xFFFF,
                                              0xFF'FFFF,
                                              0xFFFF'FFFF,
                                              0xFF'FFFF'FFFF,
                                              0xFFFF'FFFF'FFFF,
                                              0xFF'FFFF'FFFF'FFFF,
                                              0xFFFF'FFFF'FFFF'FFFF};
    std::uint64_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value & mask[width];
}

inline std::uint64_t load_varint(const std::byte*& from) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const auto byte = static_cast<std::uint64_t>(*from++);
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80) break;
    }
    return value;
}

// One rank's program, read in place.
class BlockView {
  public:
    BlockView(const BlockLayout& layout, const std::byte* block, std::uint32_t rank, std::uint32_t ranks)
        : layout_(&layout), roots_(block + sizeof(std::uint32_t)),
          records_(roots_ + std::size_t{layout.roots()} * layout.root_width), rank_(rank), ranks_(ranks) {}

    [[nodiscard]] const BlockLayout& layout() const { return *layout_; }
    [[nodiscard]] std::uint32_t ops() const { return layout_->ops; }
    [[nodiscard]] std::uint32_t root(std::uint32_t position) const {
        return static_cast<std::uint32_t>(
            load_uint(roots_ + std::size_t{position} * layout_->root_width, layout_->root_width));
    }

    // Cursor on one record; every accessor is a load and an add.
    class Record {
      public:
        Record(const BlockView& view, std::uint32_t op)
            : view_(&view), at_(view.records_ + std::size_t{op} * view.layout_->stride),
              flags_(static_cast<std::uint8_t>(*at_)) {}

        [[nodiscard]] std::uint8_t flags() const { return flags_; }
        [[nodiscard]] OpKind kind() const { return static_cast<OpKind>(flags_ & record_flags::kind); }
        [[nodiscard]] std::uint64_t size() const { return view_->layout_->size_base + column(Column::size); }
        [[nodiscard]] std::uint64_t calc_ps() const;
        [[nodiscard]] std::uint32_t peer() const;
        [[nodiscard]] std::uint32_t tag() const {
            if ((flags_ & record_flags::any_tag) != 0) return any_tag;
            return view_->layout_->tag_base + static_cast<std::uint32_t>(column(Column::tag));
        }
        [[nodiscard]] std::uint32_t cpu() const { return static_cast<std::uint32_t>(column(Column::cpu)); }
        [[nodiscard]] std::uint32_t nic() const { return static_cast<std::uint32_t>(column(Column::nic)); }
        [[nodiscard]] std::uint32_t indegree() const {
            const std::uint32_t small = (flags_ & record_flags::indegree) >> 2;
            return small < 3 ? small : static_cast<std::uint32_t>(column(Column::indegree));
        }
        [[nodiscard]] std::uint64_t edge_offset() const { return column(Column::edges); }

      private:
        [[nodiscard]] std::uint64_t column(Column which) const {
            const auto index = static_cast<std::size_t>(which);
            return load_uint(at_ + view_->layout_->offset[index], view_->layout_->width[index]);
        }
        const BlockView* view_;
        const std::byte* at_;
        std::uint8_t flags_;
    };

    // The value that stands for rank `peer` in this block before peer_base is taken off.
    [[nodiscard]] std::uint32_t peer_as_stored(std::uint32_t peer) const {
        switch (layout_->peer_mode) {
        case PeerMode::absolute: break;
        case PeerMode::relative: return peer >= rank_ ? peer - rank_ : peer + ranks_ - rank_;
        case PeerMode::exclusive: return peer ^ rank_;
        }
        return peer;
    }

    [[nodiscard]] Record record(std::uint32_t op) const { return {*this, op}; }
    [[nodiscard]] const std::byte* record_bytes(std::uint32_t op) const {
        return records_ + std::size_t{op} * layout_->stride;
    }
    [[nodiscard]] Op op(std::uint32_t index) const;

    // Calls visit(operation, waits_for_start) for each dependent of `op`: those that wait for its start, then
    // those that wait for its end, each in the order in which they were written.
    template <typename Visit>
    void dependents(const Record& record, std::uint32_t op, bool on_start, bool on_end, Visit&& visit) const;

  private:
    const BlockLayout* layout_;
    const std::byte* roots_;
    const std::byte* records_;
    std::uint32_t rank_;
    std::uint32_t ranks_;
};

inline std::uint64_t power_of_ten(unsigned exponent) {
    static constexpr std::uint64_t powers[] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000};
    return powers[exponent];
}

inline std::uint64_t BlockView::Record::calc_ps() const {
    return size() * power_of_ten(view_->layout_->calc_scale);
}

inline std::uint32_t BlockView::Record::peer() const {
    if ((flags_ & record_flags::any_source) != 0) return orrery::any_source;
    const std::uint32_t stored = view_->layout_->peer_base + static_cast<std::uint32_t>(column(Column::peer));
    switch (view_->layout_->peer_mode) {
    case PeerMode::absolute: break;
    case PeerMode::relative: {
        const std::uint64_t sum = std::uint64_t{view_->rank_} + stored;
        return static_cast<std::uint32_t>(sum >= view_->ranks_ ? sum - view_->ranks_ : sum);
    }
    case PeerMode::exclusive: return view_->rank_ ^ stored;
    }
    return stored;
}

inline Op BlockView::op(std::uint32_t index) const {
    const Record from = record(index);
    if (from.kind() == OpKind::calc) return calc_op(from.calc_ps(), from.cpu());
    return {from.kind(), from.peer(), from.tag(), from.cpu(), from.nic(), from.size()};
}

template <typename Visit>
void BlockView::dependents(const Record& record, std::uint32_t op, bool on_start, bool on_end,
                           Visit&& visit) const {
    if ((record.flags() & record_flags::next_requires) != 0) {
        if (on_end && op + 1 < ops()) visit(op + 1, false);
        return;
    }
    if ((record.flags() & record_flags::edge_list) == 0) return;
    const std::byte* lists = records_ + std::size_t{ops()} * layout_->stride;
    const std::byte* end = lists + layout_->edge_bytes;
    const std::byte* at = lists + record.edge_offset();
    if (at >= end) return;
    for (const bool of_start : {true, false}) {
        if (!of_start && !on_end) return;
        const bool wanted = of_start ? on_start : on_end;
        const std::uint64_t count = load_varint(at);
        for (std::uint64_t i = 0; i < count && at < end; ++i) {
            const std::uint64_t zigzag = load_varint(at);
            // Modulo 2^64: what a damaged file says ends up beyond the last operation.
            const std::uint64_t target = op + ((zigzag >> 1) ^ (0 - (zigzag & 1)));
            if (wanted && target < ops()) visit(static_cast<std::uint32_t>(target), of_start);
        }
    }
}

} // namespace orrery
