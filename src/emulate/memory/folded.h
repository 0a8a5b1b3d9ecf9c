// Folded memory: blocks whose content does not matter lie, for all ranks together, on a few physical pages (the
// HPL emulation paper, sections IV.B and V.C).
//
// One range of addresses is reserved at the beginning, so that an address is known to be folded by two
// comparisons. It has two parts.
//   common    Blocks that are shared as a whole. All ranks are in one address space, so they may as well have
//   the very same
//             addresses: each rank allocates here as if it were alone. Addresses, mappings and page tables are
//             therefore those of the rank that has most, whatever the number of ranks.
//   partial   Blocks with ranges that are the rank's own. They need addresses of their own; within them, the
//   private pages
//             are ordinary memory, two mappings per range.
// Both lie cyclically on one sparse file in memory: address a of a part is byte (a mod F) of it, where F is 16
// MiB for the first 16 GiB of the part, 256 MiB up to 512 GiB, and 1 GiB beyond. So there are never more than 1
// GiB of physical pages; neighbouring blocks merge into one mapping; and 5 TiB take 7,600 mappings (F grows
// because mappings are limited: vm.max_map_count is 65,530 as a rule).
//
// Huge pages: the kernel is asked for them (madvise); it grants them for such memory if
// /sys/kernel/mm/transparent_hugepage/shmem_enabled says advise, within_size or always. Nothing depends on it.
#pragma once

#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace orrery::emulate {

class FoldedMemory {
  public:
    // Throws SimulationError if the system gives no addresses.
    FoldedMemory();
    FoldedMemory(const FoldedMemory&) = delete;
    FoldedMemory& operator=(const FoldedMemory&) = delete;
    ~FoldedMemory();

    // Shared as a whole; at a page. Null if there are no addresses or mappings left.
    void* allocate(std::uint32_t rank, Bytes size);
    // `shared` holds pairs of offsets, ascending and within the size: from each first to before each second is
    // shared, as far as it covers whole pages; the rest is private. A freed block is used again if the private
    // range of the new one can be laid over its own (the panel of HPL, which shrinks from step to step). Null
    // as above, or if the offsets are out of order.
    void* allocate_partial(std::uint32_t rank, Bytes size, std::span<const std::size_t> shared);
    // False if the rank has no block there.
    bool free(std::uint32_t rank, void* block);
    // As it was asked for; 0 if the rank has no block there.
    [[nodiscard]] Bytes size_of(std::uint32_t rank, const void* block) const;
    // A rank has ended: all its blocks are free.
    void free_all(std::uint32_t rank);

    [[nodiscard]] bool contains(const void* address) const {
        return reinterpret_cast<std::uintptr_t>(address) - base_ < size_;
    }
    // From one rank to another: only what is private on both sides.
    void copy(void* to, const void* from, Bytes bytes) const;
    // Nothing of the range is private: there is nothing to copy, to pack or to keep.
    [[nodiscard]] bool is_all_shared(const void* from, Bytes bytes) const;

    // How many of the system's mappings this takes, at most.
    [[nodiscard]] std::uint64_t mappings() const { return mappings_; }

  private:
    struct Range { // of bytes, from and to before
        std::uintptr_t from = 0;
        std::uintptr_t to = 0;
    };
    struct Block {
        Range all;                      // with room around what was asked for
        std::vector<Range> own;         // private, whole pages, ascending
        std::vector<std::size_t> shape; // the offsets that it was made for
        Bytes made_for = 0;
        std::uintptr_t made_at = 0;
        std::uintptr_t given = 0; // what the program has; 0: free
        Bytes size = 0;
    };
    struct RankBlocks {
        std::vector<Range> common;          // by address
        std::vector<std::uint32_t> partial; // numbers of blocks
    };
    struct Part { // of the reserved range
        std::uintptr_t base = 0;
        Bytes size = 0;
        Bytes mapped = 0; // from the base
    };

    RankBlocks& of(std::uint32_t rank);
    [[nodiscard]] const RankBlocks* find(std::uint32_t rank) const;
    bool map_up_to(Part& part, Bytes end);
    std::uintptr_t reuse(RankBlocks& mine, Bytes size, std::span<const std::size_t> shared,
                         std::span<const Range> own);
    std::uintptr_t make(RankBlocks& mine, Bytes size, std::span<const std::size_t> shared,
                        std::span<const Range> own);
    [[nodiscard]] const Block* block_at(std::uintptr_t address) const;
    [[nodiscard]] bool may_be_private(std::uintptr_t from, Bytes bytes) const;
    // Calls f(from, to) for the private ranges within, as offsets; f returns false to end.
    template <typename F> void each_private(const void* address, Bytes bytes, F&& f) const;

    void* reserved_ = nullptr;
    std::uintptr_t base_ = 0; // the first whole fold of it
    Bytes size_ = 0;
    int file_ = -1;
    Part common_;
    Part partial_;
    Bytes partial_used_ = 0;
    std::vector<std::unique_ptr<Block>> blocks_; // partial ones
    // By pieces of 2 MiB of the partial part, touched as needed: the block's number + 1, and a bit that says
    // that something of the piece is private, so that who moves large messages need not look at the block.
    std::uint32_t* block_of_ = nullptr;
    std::vector<RankBlocks> ranks_;
    std::uint64_t mappings_ = 0;
};

} // namespace orrery::emulate
