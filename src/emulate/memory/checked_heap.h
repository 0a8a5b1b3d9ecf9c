// The heap of --check-memory: every block ends at a page without access, and a freed block stays without
// access, so that the instruction that reads or writes behind a block, or in a freed one, faults and is named.
//
// A block takes two mappings of the 65,530 that the kernel grants, and at least two pages. Blocks beyond
// `most_guarded` at a time have marks around them instead, which are looked at when they are freed and at the
// end. What was freed last is kept back, up to `most_kept` blocks.
//
// Threads of OpenMP may allocate at the same time. The lock is recursive: what this heap itself frees comes by
// here, since the C++ library's calls of free() do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace orrery::emulate {

class CheckedHeap {
  public:
    static constexpr std::size_t most_guarded = 12'000;
    static constexpr std::size_t most_kept = 6'000;

    CheckedHeap() = default;
    ~CheckedHeap();
    CheckedHeap(const CheckedHeap&) = delete;
    CheckedHeap& operator=(const CheckedHeap&) = delete;

    // Null: there is no memory. `alignment` is a power of two.
    void* allocate(std::uint32_t rank, std::size_t size, std::size_t alignment = 16);
    // Words if something is wrong: freed before, not a block, written behind or before.
    [[nodiscard]] std::string free(std::uint32_t rank, void* block);
    [[nodiscard]] bool has(const void* block) const;
    [[nodiscard]] std::size_t size_of(const void* block) const;
    // About an address that has faulted: "8 bytes behind a block of 64 bytes of rank 1". Empty: none of ours.
    [[nodiscard]] std::string describe(const void* address) const;
    // Words about the first block whose marks are damaged; empty: none is.
    [[nodiscard]] std::string damaged() const;

  private:
    struct CheckedBlock {
        std::byte* area = nullptr; // of whole pages, the last without access; of a marked block from malloc
        std::size_t area_bytes = 0;
        std::size_t bytes = 0;
        std::uint32_t rank = 0;
        std::uint32_t freed_by = 0;
        bool freed = false, guarded = false;
    };
    using Blocks = std::map<std::uintptr_t, CheckedBlock>; // by address

    [[nodiscard]] std::string damage(std::uintptr_t at, const CheckedBlock& block) const;
    std::byte* guarded_block(CheckedBlock& block, std::size_t alignment);
    std::byte* marked_block(CheckedBlock& block, std::size_t alignment);
    static void release(const CheckedBlock& block);

    mutable std::recursive_mutex lock_;
    Blocks blocks_;
    std::deque<std::uintptr_t> kept_; // freed, the oldest first
    std::size_t guarded_ = 0;
};

} // namespace orrery::emulate
