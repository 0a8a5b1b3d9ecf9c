#include "emulate/memory/folded.h"
#include "emulate/memory/rounding.h"

#include "emulate/program/descriptors.h"
#include "engine/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace orrery::emulate {

namespace {

constexpr Bytes page = 4096;
constexpr Bytes kib = 1024;
constexpr Bytes mib = kib * kib;
constexpr Bytes gib = kib * mib;
constexpr Bytes largest_fold = gib;
constexpr Bytes piece = 2 * mib; // of block_of_

constexpr Bytes fold_at(Bytes distance) {
    if (distance < 16 * gib) return 16 * mib;
    return distance < 512 * gib ? 256 * mib : largest_fold;
}

void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

void* reserve(Bytes size) {
    void* const got = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return got == MAP_FAILED ? nullptr : got;
}

} // namespace

FoldedMemory::FoldedMemory() {
    file_ = memfd_create("orrery-folded", MFD_CLOEXEC);
    descriptors::protect(file_);
    if (file_ < 0 || ftruncate(file_, static_cast<off_t>(largest_fold)) != 0)
        throw SimulationError(
            fmt::format("folded memory: no file in memory can be had: {}", std::strerror(errno)));
    // As much as there is, an eighth of it common: 4 TiB and 28 TiB.
    for (size_ = 1024 * gib * 32; reserved_ == nullptr && size_ >= 16 * gib; size_ /= 2)
        reserved_ = reserve(size_ + largest_fold);
    if (reserved_ == nullptr) {
        close(file_);
        throw SimulationError("folded memory: the system gives no addresses (see ulimit -v)");
    }
    size_ *= 2; // the loop halved it once more
    base_ = up(reinterpret_cast<std::uintptr_t>(reserved_), largest_fold);
    common_ = {base_, size_ / 8, 0};
    partial_ = {base_ + common_.size, size_ - common_.size, 0};
    block_of_ = static_cast<std::uint32_t*>(mmap(nullptr, partial_.size / piece * sizeof(std::uint32_t),
                                                 PROT_READ | PROT_WRITE,
                                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (block_of_ == MAP_FAILED) {
        munmap(reserved_, size_ + largest_fold);
        close(file_);
        throw SimulationError("folded memory: the system gives no addresses (see ulimit -v)");
    }
}

FoldedMemory::~FoldedMemory() {
    munmap(reserved_, size_ + largest_fold);
    munmap(block_of_, partial_.size / piece * sizeof(std::uint32_t));
    close(file_);
}

FoldedMemory::RankBlocks& FoldedMemory::of(std::uint32_t rank) {
    if (ranks_.size() <= rank) ranks_.resize(rank + 1);
    return ranks_[rank];
}

const FoldedMemory::RankBlocks* FoldedMemory::find(std::uint32_t rank) const {
    return rank < ranks_.size() ? &ranks_[rank] : nullptr;
}

// Whole folds at a time.
bool FoldedMemory::map_up_to(Part& part, Bytes end) {
    while (part.mapped < end) {
        const Bytes fold = fold_at(part.mapped);
        if (part.mapped + fold > part.size) return false;
        void* const wanted = pointer(part.base + part.mapped);
        if (mmap(wanted, fold, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file_, 0) ==
            MAP_FAILED)
            return false;
        madvise(wanted, fold, MADV_HUGEPAGE); // a refusal does not matter
        part.mapped += fold;
        ++mappings_;
    }
    return true;
}

void* FoldedMemory::allocate(std::uint32_t rank, Bytes size) {
    const Bytes needed = up(std::max<Bytes>(size, 1), page);
    if (needed < size || needed > common_.size) return nullptr;
    std::vector<Range>& mine = of(rank).common;
    // The first gap that is large enough. A block's range ends where what was asked for ends.
    std::uintptr_t from = common_.base;
    auto before = mine.begin();
    for (; before != mine.end() && before->from - from < needed; ++before) from = up(before->to, page);
    if (from - common_.base > common_.size - needed || !map_up_to(common_, from - common_.base + needed))
        return nullptr;
    mine.insert(before, Range{from, from + std::max<Bytes>(size, 1)});
    return pointer(from);
}

bool FoldedMemory::free(std::uint32_t rank, void* block) {
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    RankBlocks& mine = of(rank);
    if (address < partial_.base) {
        const auto found =
            std::lower_bound(mine.common.begin(), mine.common.end(), address,
                             [](const Range& range, std::uintptr_t a) { return range.from < a; });
        if (found == mine.common.end() || found->from != address) return false;
        mine.common.erase(found);
        return true;
    }
    for (const std::uint32_t number : mine.partial) {
        if (blocks_[number]->given != address) continue;
        blocks_[number]->given = 0;
        return true;
    }
    return false;
}

Bytes FoldedMemory::size_of(std::uint32_t rank, const void* block) const {
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    const RankBlocks* const mine = find(rank);
    if (mine == nullptr) return 0;
    for (const Range& range : mine->common) {
        if (range.from == address) return range.to - range.from;
    }
    for (const std::uint32_t number : mine->partial) {
        if (blocks_[number]->given == address) return blocks_[number]->size;
    }
    return 0;
}

void FoldedMemory::free_all(std::uint32_t rank) {
    RankBlocks& mine = of(rank);
    mine.common.clear();
    for (const std::uint32_t number : mine.partial) blocks_[number]->given = 0;
}

} // namespace orrery::emulate
