#include "emulate/memory/checked_heap.h"

#include "emulate/memory/rounding.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <sys/mman.h>

namespace orrery::emulate {

namespace {

constexpr std::size_t guard_page = 4096;
constexpr std::size_t mark_bytes = 64; // on either side of a block without guard
constexpr int mark = 0xA5;
constexpr int fresh = 0xCB; // what new blocks hold, so that nobody relies on zeros

std::byte* pointer_at(std::uintptr_t address) { return reinterpret_cast<std::byte*>(address); }
bool is_marked(const std::byte* from, std::size_t bytes) {
    return std::all_of(from, from + bytes, [](std::byte one) { return one == static_cast<std::byte>(mark); });
}

} // namespace

CheckedHeap::~CheckedHeap() {
    for (const auto& [at, block] : blocks_) release(block);
}

void CheckedHeap::release(const CheckedBlock& block) {
    if (block.guarded)
        ::munmap(block.area, block.area_bytes);
    else
        std::free(block.area);
}

// The end of the block is where the alignment lets it come closest to the guard. What is left between is
// marked.
std::byte* CheckedHeap::guarded_block(CheckedBlock& block, std::size_t alignment) {
    if (guarded_ >= most_guarded || alignment > guard_page) return nullptr;
    const std::size_t room = up(block.bytes, alignment);
    const std::size_t usable = up(std::max<std::size_t>(room, 1), guard_page);
    block.area_bytes = usable + guard_page;
    void* const area = ::mmap(nullptr, block.area_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED) return nullptr;
    block.area = static_cast<std::byte*>(area);
    if (::mprotect(block.area + usable, guard_page, PROT_NONE) != 0) {
        ::munmap(area, block.area_bytes);
        return nullptr;
    }
    block.guarded = true;
    ++guarded_;
    return block.area + usable - room;
}

std::byte* CheckedHeap::marked_block(CheckedBlock& block, std::size_t alignment) {
    const std::size_t before = up(mark_bytes, alignment);
    block.area_bytes = before + block.bytes + mark_bytes;
    void* area = nullptr;
    if (::posix_memalign(&area, std::max<std::size_t>(alignment, 16), block.area_bytes) != 0) return nullptr;
    block.area = static_cast<std::byte*>(area);
    return block.area + before;
}

void* CheckedHeap::allocate(std::uint32_t rank, std::size_t size, std::size_t alignment) {
    if (size > (std::size_t{1} << 46U) || alignment > (std::size_t{1} << 30U)) return nullptr;
    const std::lock_guard locked(lock_);
    CheckedBlock block;
    block.bytes = size;
    block.rank = rank;
    std::byte* at = guarded_block(block, alignment);
    if (at == nullptr) at = marked_block(block, alignment);
    if (at == nullptr) return nullptr;
    std::byte* const end = block.area + block.area_bytes - (block.guarded ? guard_page : 0);
    std::memset(block.area, mark, static_cast<std::size_t>(at - block.area));
    std::memset(at + size, mark, static_cast<std::size_t>(end - at) - size);
    constexpr std::size_t most_filled = std::size_t{1} << 20U; // large blocks stay untouched: they may not fit
    std::memset(at, fresh, std::min(size, most_filled));
    blocks_[reinterpret_cast<std::uintptr_t>(at)] = block;
    return at;
}

std::string CheckedHeap::damage(std::uintptr_t at, const CheckedBlock& block) const {
    const std::byte* const begin = pointer_at(at);
    const std::size_t page_rest = block.guarded ? guard_page : 0;
    const std::byte* const end = block.area + block.area_bytes - page_rest;
    const bool before = !is_marked(block.area, static_cast<std::size_t>(begin - block.area));
    const bool behind = !is_marked(begin + block.bytes, static_cast<std::size_t>(end - begin) - block.bytes);
    if (!before && !behind) return {};
    return fmt::format("something was written {} the block of {} bytes at {} of rank {}",
                       before ? "before" : "behind", block.bytes, fmt::ptr(begin), block.rank);
}

std::string CheckedHeap::free(std::uint32_t rank, void* pointer) {
    const std::lock_guard locked(lock_);
    const auto at = reinterpret_cast<std::uintptr_t>(pointer);
    const auto found = blocks_.find(at);
    if (found == blocks_.end()) return fmt::format("{} is not a block, or was freed long before", pointer);
    CheckedBlock& block = found->second;
    if (block.freed)
        return fmt::format("the block of {} bytes at {} was freed before, by rank {}", block.bytes, pointer,
                           block.freed_by);
    if (std::string words = damage(at, block); !words.empty()) return words;
    block.freed = true;
    block.freed_by = rank;
    // Its pages go back; where that fails, a use after free goes unseen.
    if (block.guarded)
        (void)::mmap(block.area, block.area_bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    kept_.push_back(at);
    if (kept_.size() > most_kept) {
        const auto oldest = blocks_.find(kept_.front());
        kept_.pop_front();
        if (oldest->second.guarded) --guarded_;
        release(oldest->second);
        blocks_.erase(oldest);
    }
    return {};
}

bool CheckedHeap::has(const void* block) const {
    const std::lock_guard locked(lock_);
    return blocks_.contains(reinterpret_cast<std::uintptr_t>(block));
}

std::size_t CheckedHeap::size_of(const void* block) const {
    const std::lock_guard locked(lock_);
    return blocks_.at(reinterpret_cast<std::uintptr_t>(block)).bytes;
}

std::string CheckedHeap::describe(const void* address) const {
    const std::lock_guard locked(lock_);
    const auto* const at = static_cast<const std::byte*>(address);
    auto found = blocks_.upper_bound(reinterpret_cast<std::uintptr_t>(address));
    for (int side = 0; side < 2 && !blocks_.empty(); ++side) { // the one before, then the one behind
        if (side == 0 && found == blocks_.begin()) continue;
        const auto one = side == 0 ? std::prev(found) : found;
        if (one == blocks_.end()) break;
        const auto& [start, block] = *one;
        if (at < block.area || at >= block.area + block.area_bytes) continue;
        const std::byte* const begin = pointer_at(start);
        if (block.freed)
            return fmt::format("in a block of {} bytes of rank {} that rank {} has freed", block.bytes,
                               block.rank, block.freed_by);
        if (at >= begin + block.bytes)
            return fmt::format("{} bytes behind the end of a block of {} bytes of rank {}",
                               at - begin - static_cast<std::ptrdiff_t>(block.bytes), block.bytes, block.rank);
    }
    return {};
}

std::string CheckedHeap::damaged() const {
    const std::lock_guard locked(lock_);
    for (const auto& [at, block] : blocks_) {
        if (block.freed) continue;
        if (std::string words = damage(at, block); !words.empty()) return words;
    }
    return {};
}

} // namespace orrery::emulate
