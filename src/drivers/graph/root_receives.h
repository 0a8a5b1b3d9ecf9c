// Receives that are posted at time 0, without posting them.
//
// In schedules of collectives most receives wait for nothing: they are posted at the very start, in program
// order, before any message is on its way. Their queue is therefore already there: it is the list of root
// receives in the rank's program. All that is kept per rank is which of them are taken: one bit each, or a
// cursor per (source, tag) if several name the same. Applies to programs whose root receives have no wildcards
// (layout_flags::plain_roots).
#pragma once

#include "engine/random.h"
#include "workload/schedule.h"

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <tsl/robin_map.h>

namespace orrery {

class RootReceives {
  public:
    // `state` is the rank's own word, kept by the caller (0 at first, then set by start()).
    static bool applies(const BlockLayout& layout) {
        return layout.root_recvs > 0 && (layout.flags & layout_flags::plain_roots) != 0;
    }

    void start(const Schedule& schedule, RankId rank, std::uint64_t& state) {
        const BlockView view = schedule.program(rank);
        if (view.layout().root_recvs <= small) return;
        const Table& table = table_of(view, schedule.block_number(rank));
        state = words_.size();
        words_.resize(words_.size() + table.words_per_rank);
    }

    // Takes (or only finds) the first one not taken yet that receives from `source` with `tag`.
    std::optional<std::uint32_t> find(const BlockView& view, std::uint32_t block_number, std::uint64_t& state,
                                      std::uint32_t source, std::uint32_t tag, bool take) {
        return view.layout().root_recvs <= small ? scan(view, state, source, tag, take)
                                                 : look_up(view, block_number, state, source, tag, take);
    }

  private:
    static constexpr std::uint32_t small = 64; // up to here the state word is a bitmap of those taken

    // Of one long program, shared by all ranks that have it. Positions are within the root receives.
    struct Table {
        std::vector<std::uint32_t> slots; // open addressing: 1 + first position of a key
        std::vector<std::uint32_t>
            next; // position of the next one with the same key, or `none`; if not distinct
        std::size_t words_per_rank = 0;
        bool distinct = true; // per rank a bitmap by position, else a cursor (1 + position) by slot
    };
    static constexpr std::uint32_t none = 0xFFFF'FFFF;

    static std::optional<std::uint32_t> scan(const BlockView& view, std::uint64_t& taken, std::uint32_t source,
                                             std::uint32_t tag, bool take) {
        const std::uint32_t count = view.layout().root_recvs;
        const std::uint64_t all = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
        for (std::uint64_t open = ~taken & all; open != 0; open &= open - 1) {
            const auto position = static_cast<std::uint32_t>(std::countr_zero(open));
            const std::uint32_t op = view.root(view.layout().root_sends + position);
            const BlockView::Record record = view.record(op);
            if (record.peer() != source || record.tag() != tag) continue;
            if (take) taken |= std::uint64_t{1} << position;
            return op;
        }
        return std::nullopt;
    }

    static std::size_t hash(const BlockView& view, std::uint32_t source, std::uint32_t tag) {
        const std::uint64_t key = std::uint64_t{view.peer_as_stored(source)} << 32 | tag;
        return static_cast<std::size_t>(mix_bits(key));
    }

    const Table& table_of(const BlockView& view, std::uint32_t block_number) {
        auto& table = tables_[block_number];
        if (table == nullptr) table = std::make_unique<Table>(build(view));
        return *table;
    }

    static Table build(const BlockView& view) {
        const std::uint32_t count = view.layout().root_recvs;
        Table table;
        table.slots.assign(std::bit_ceil(std::size_t{count} * 2), 0);
        table.next.assign(count, none);
        std::vector<std::uint32_t> last(count); // of the chain that starts at a position
        for (std::uint32_t position = 0; position < count; ++position) {
            const Op op = view.op(view.root(view.layout().root_sends + position));
            std::size_t slot = hash(view, op.peer, op.tag) & (table.slots.size() - 1);
            while (table.slots[slot] != 0 && !same(view, table.slots[slot] - 1, op.peer, op.tag)) {
                slot = (slot + 1) & (table.slots.size() - 1);
            }
            if (table.slots[slot] == 0) {
                table.slots[slot] = position + 1;
                last[position] = position;
            } else {
                const std::uint32_t first = table.slots[slot] - 1;
                table.next[last[first]] = position;
                last[first] = position;
                table.distinct = false;
            }
        }
        if (table.distinct) table.next = {};
        table.words_per_rank = table.distinct ? (count + 31) / 32 : table.slots.size();
        return table;
    }

    static bool same(const BlockView& view, std::uint32_t position, std::uint32_t source, std::uint32_t tag) {
        const BlockView::Record record = view.record(view.root(view.layout().root_sends + position));
        return record.peer() == source && record.tag() == tag;
    }

    std::optional<std::uint32_t> look_up(const BlockView& view, std::uint32_t block_number, std::uint64_t state,
                                         std::uint32_t source, std::uint32_t tag, bool take) {
        const Table& table = *tables_[block_number];
        std::size_t slot = hash(view, source, tag) & (table.slots.size() - 1);
        while (table.slots[slot] != 0 && !same(view, table.slots[slot] - 1, source, tag)) {
            slot = (slot + 1) & (table.slots.size() - 1);
        }
        if (table.slots[slot] == 0) return std::nullopt;
        std::uint32_t position = table.slots[slot] - 1;
        if (table.distinct) {
            std::uint32_t& word = words_[state + position / 32];
            const std::uint32_t bit = std::uint32_t{1} << (position % 32);
            if ((word & bit) != 0) return std::nullopt;
            if (take) word |= bit;
        } else {
            std::uint32_t& cursor = words_[state + slot]; // 0: at the start; none: all taken
            if (cursor == none) return std::nullopt;
            if (cursor != 0) position = cursor - 1;
            if (take) cursor = table.next[position] == none ? none : table.next[position] + 1;
        }
        return view.root(view.layout().root_sends + position);
    }

    tsl::robin_map<std::uint32_t, std::unique_ptr<Table>> tables_; // by block number
    std::vector<std::uint32_t> words_;
};

} // namespace orrery
