// Blocks that are shared in part, and copying between ranks.
#include "emulate/memory/folded.h"
#include "emulate/memory/rounding.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace orrery::emulate {

namespace {

constexpr Bytes partial_page = 4096;
constexpr Bytes partial_piece = Bytes{2} << 20U;
constexpr Bytes cache_line = 64;                   // what a block begins at
constexpr std::uint32_t has_private = 0x8000'0000; // in block_of_

} // namespace

void* FoldedMemory::allocate_partial(std::uint32_t rank, Bytes size, std::span<const std::size_t> shared) {
    // What is between the shared ranges, as offsets.
    std::vector<Range> own;
    std::size_t at = 0;
    if (shared.size() % 2 != 0) return nullptr;
    for (std::size_t i = 0; i < shared.size(); i += 2) {
        if (shared[i] < at || shared[i + 1] < shared[i] || shared[i + 1] > size) return nullptr;
        if (shared[i] > at) own.push_back({at, shared[i]});
        at = shared[i + 1];
    }
    if (at < size) own.push_back({at, size});
    RankBlocks& mine = of(rank);
    std::uintptr_t given = reuse(mine, size, shared, own);
    if (given == 0) given = make(mine, size, shared, own);
    return reinterpret_cast<void*>(given);
}

// The latest first. With one private range, the block may be larger than needed on both sides, and is used
// where the ranges lie over each other; with several, it must have been made for the same.
std::uintptr_t FoldedMemory::reuse(RankBlocks& mine, Bytes size, std::span<const std::size_t> shared,
                                   std::span<const Range> own) {
    for (auto number = mine.partial.rbegin(); number != mine.partial.rend(); ++number) {
        Block& block = *blocks_[*number];
        if (block.given != 0) continue;
        std::uintptr_t at = 0;
        if (block.made_for == size &&
            std::equal(block.shape.begin(), block.shape.end(), shared.begin(), shared.end())) {
            at = block.made_at;
        } else if (own.size() == 1 && block.own.size() == 1) {
            if (block.own[0].from < own[0].from) continue;
            at = up(block.own[0].from - own[0].from, cache_line);
            if (at < block.all.from || at + size > block.all.to || at + own[0].to > block.own[0].to) continue;
        } else {
            continue;
        }
        block.given = at;
        block.size = size;
        return at;
    }
    return 0;
}

// With some room on both sides, for a later block that is a little larger; addresses cost nothing.
std::uintptr_t FoldedMemory::make(RankBlocks& mine, Bytes size, std::span<const std::size_t> shared,
                                  std::span<const Range> own) {
    const Bytes room = up(size / 16 + partial_page, partial_page);
    const Bytes needed = up(size + cache_line + 2 * room + partial_page, partial_piece);
    if (size > partial_.size / 2 || needed > partial_.size - partial_used_ ||
        !map_up_to(partial_, partial_used_ + needed))
        return 0;
    auto block = std::make_unique<Block>();
    block->all = {partial_.base + partial_used_, partial_.base + partial_used_ + needed};
    const std::uintptr_t at = block->all.from + room;
    for (const Range& range : own) {
        const std::uintptr_t from = down(at + range.from, partial_page);
        const std::uintptr_t to = up(at + range.to + cache_line, partial_page);
        if (!block->own.empty() && from <= block->own.back().to)
            block->own.back().to = to;
        else
            block->own.push_back({from, to});
    }
    for (const Range& range : block->own) {
        if (mmap(reinterpret_cast<void*>(range.from), range.to - range.from, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED)
            return 0;
        mappings_ += 2;
    }
    block->shape.assign(shared.begin(), shared.end());
    block->made_for = size;
    block->made_at = at;
    block->given = at;
    block->size = size;
    const auto number = static_cast<std::uint32_t>(blocks_.size());
    for (Bytes i = partial_used_ / partial_piece; i < (partial_used_ + needed) / partial_piece; ++i)
        block_of_[i] = number + 1;
    for (const Range& range : block->own) {
        const Bytes end = (range.to - 1 - partial_.base) / partial_piece;
        for (Bytes i = (range.from - partial_.base) / partial_piece; i <= end; ++i) block_of_[i] |= has_private;
    }
    partial_used_ += needed;
    blocks_.push_back(std::move(block));
    mine.partial.push_back(number);
    return at;
}

const FoldedMemory::Block* FoldedMemory::block_at(std::uintptr_t address) const {
    const std::uint32_t number = block_of_[(address - partial_.base) / partial_piece] & ~has_private;
    return number == 0 ? nullptr : blocks_[number - 1].get();
}

bool FoldedMemory::may_be_private(std::uintptr_t from, Bytes bytes) const {
    const Bytes first = from - partial_.base;
    const Bytes last = first + std::min(bytes - 1, partial_.size - 1 - first); // a count may be wrong
    std::uint32_t any = 0;
    for (Bytes i = first / partial_piece; i <= last / partial_piece; ++i) any |= block_of_[i];
    return (any & has_private) != 0;
}

template <typename F> void FoldedMemory::each_private(const void* address, Bytes bytes, F&& f) const {
    const auto from = reinterpret_cast<std::uintptr_t>(address);
    if (!contains(address)) {
        f(Bytes{0}, bytes);
        return;
    }
    if (from < partial_.base || bytes == 0 || !may_be_private(from, bytes)) return;
    const Block* const block = block_at(from);
    if (block == nullptr) return;
    for (const Range& own : block->own) {
        if (own.to <= from) continue;
        if (own.from >= from + bytes) return;
        if (!f(std::max(own.from, from) - from, std::min(own.to, from + bytes) - from)) return;
    }
}

void FoldedMemory::copy(void* to, const void* from, Bytes bytes) const {
    if (!contains(to) && !contains(from)) {
        std::memmove(to, from, bytes);
        return;
    }
    each_private(from, bytes, [&](Bytes first, Bytes last) {
        const auto* const source = static_cast<const std::byte*>(from) + first;
        auto* const target = static_cast<std::byte*>(to) + first;
        each_private(target, last - first, [&](Bytes begin, Bytes end) {
            std::memmove(target + begin, source + begin, end - begin);
            return true;
        });
        return true;
    });
}

bool FoldedMemory::is_all_shared(const void* from, Bytes bytes) const {
    bool shared = true;
    each_private(from, bytes, [&](Bytes, Bytes) { return shared = false; });
    return shared;
}

} // namespace orrery::emulate
