#include "emulate/memory/allocation.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <orrery/emulate.h>

namespace orrery::emulate {

ProgramMemory* running_memory = nullptr;

ProgramMemory::ProgramMemory(Bytes share_above, WhoRuns who_runs)
    : share_above_(share_above), who_runs_(who_runs) {
    running_memory = this;
}

ProgramMemory::~ProgramMemory() {
    if (running_memory == this) running_memory = nullptr;
}

FoldedMemory& ProgramMemory::make_folded() {
    if (!folded_) folded_ = std::make_unique<FoldedMemory>();
    return *folded_;
}

namespace {

constexpr std::size_t heap_page = 4096;

bool folds(std::size_t size) { return running_memory != nullptr && running_memory->folds(size); }

void* fold(std::size_t size) {
    void* const block = running_memory->make_folded().allocate(running_memory->rank(), size);
    if (block == nullptr) errno = ENOMEM;
    return block;
}

void free_folded(void* block) {
    if (running_memory->folded()->free(running_memory->rank(), block)) return;
    std::fprintf(stderr, "rank %u: free(): %p is not a block, or was freed before\n", running_memory->rank(),
                 block);
    std::abort(); // as the C library does
}

void* bound_malloc(std::size_t size) { return folds(size) ? fold(size) : std::malloc(size); }

void bound_free(void* block) {
    if (is_folded(block))
        free_folded(block);
    else
        std::free(block);
}

// What a folded block contains does not matter: it is not made zero.
void* bound_calloc(std::size_t count, std::size_t size) {
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, size, &all)) {
        errno = ENOMEM;
        return nullptr;
    }
    return folds(all) ? fold(all) : std::calloc(count, size);
}

void* bound_realloc(void* block, std::size_t size) {
    if (block == nullptr) return bound_malloc(size);
    const bool was_folded = is_folded(block);
    if (!was_folded && !folds(size)) return std::realloc(block, size);
    if (size == 0) {
        free_folded(block);
        return nullptr;
    }
    void* const made = bound_malloc(size);
    if (made == nullptr) return nullptr;
    if (!(was_folded && is_folded(made))) {
        const std::size_t old = was_folded ? running_memory->folded()->size_of(running_memory->rank(), block)
                                           : malloc_usable_size(block);
        std::memcpy(made, block, std::min(old, size));
    }
    bound_free(block);
    return made;
}

void* bound_reallocarray(void* block, std::size_t count, std::size_t size) {
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, size, &all)) {
        errno = ENOMEM;
        return nullptr;
    }
    return bound_realloc(block, all);
}

void* bound_memalign(std::size_t alignment, std::size_t size) {
    return folds(size) && alignment <= heap_page ? fold(size) : ::memalign(alignment, size);
}

void* bound_aligned_alloc(std::size_t alignment, std::size_t size) {
    return folds(size) && alignment <= heap_page ? fold(size) : std::aligned_alloc(alignment, size);
}

int bound_posix_memalign(void** block, std::size_t alignment, std::size_t size) {
    if (!folds(size) || alignment > heap_page) return ::posix_memalign(block, alignment, size);
    void* const made = fold(size);
    if (made == nullptr) return ENOMEM;
    *block = made;
    return 0;
}

void* bound_valloc(std::size_t size) { return bound_memalign(heap_page, size); }

std::size_t bound_malloc_usable_size(void* block) {
    return is_folded(block) ? running_memory->folded()->size_of(running_memory->rank(), block)
                            : ::malloc_usable_size(block);
}

void* bound_new(std::size_t size) {
    if (!folds(size)) return ::operator new(size);
    void* const made = fold(size);
    if (made == nullptr) throw std::bad_alloc();
    return made;
}

void bound_delete(void* block) {
    if (is_folded(block))
        free_folded(block);
    else
        ::operator delete(block);
}

void bound_sized_delete(void* block, std::size_t) { bound_delete(block); }

} // namespace

} // namespace orrery::emulate

using orrery::emulate::running_memory;

#define ORRERY_SEEN __attribute__((visibility("default")))

extern "C" {

ORRERY_SEEN void* orrery_emulate_shared_malloc(size_t size) {
    return running_memory == nullptr ? std::malloc(size) : orrery::emulate::fold(size);
}

ORRERY_SEEN void* orrery_emulate_partial_malloc(size_t size, const size_t* offsets, int count) {
    if (running_memory == nullptr) return std::malloc(size);
    void* const block = running_memory->make_folded().allocate_partial(
        running_memory->rank(), size, {offsets, 2 * static_cast<std::size_t>(std::max(count, 0))});
    if (block == nullptr) errno = ENOMEM;
    return block;
}

ORRERY_SEEN int orrery_emulate_is_shared(const void* address) {
    return orrery::emulate::is_folded(address) && orrery::emulate::is_all_shared(address, 1) ? 1 : 0;
}

ORRERY_SEEN void orrery_emulate_shared_free(void* block) { orrery::emulate::bound_free(block); }
}

namespace orrery::emulate {

std::span<const Symbol> memory_symbols() {
    static const Symbol all[] = {
        {"aligned_alloc", reinterpret_cast<void*>(&bound_aligned_alloc)},
        {"calloc", reinterpret_cast<void*>(&bound_calloc)},
        {"free", reinterpret_cast<void*>(&bound_free)},
        {"malloc", reinterpret_cast<void*>(&bound_malloc)},
        {"malloc_usable_size", reinterpret_cast<void*>(&bound_malloc_usable_size)},
        {"memalign", reinterpret_cast<void*>(&bound_memalign)},
        {"orrery_emulate_is_shared", reinterpret_cast<void*>(&orrery_emulate_is_shared)},
        {"orrery_emulate_partial_malloc", reinterpret_cast<void*>(&orrery_emulate_partial_malloc)},
        {"orrery_emulate_shared_free", reinterpret_cast<void*>(&orrery_emulate_shared_free)},
        {"orrery_emulate_shared_malloc", reinterpret_cast<void*>(&orrery_emulate_shared_malloc)},
        {"posix_memalign", reinterpret_cast<void*>(&bound_posix_memalign)},
        {"realloc", reinterpret_cast<void*>(&bound_realloc)},
        {"reallocarray", reinterpret_cast<void*>(&bound_reallocarray)},
        {"valloc", reinterpret_cast<void*>(&bound_valloc)},
    };
    return all;
}

std::span<const Symbol> new_symbols() {
    static const Symbol all[] = {
        {"_ZdaPv", reinterpret_cast<void*>(&bound_delete)},
        {"_ZdaPvm", reinterpret_cast<void*>(&bound_sized_delete)},
        {"_ZdlPv", reinterpret_cast<void*>(&bound_delete)},
        {"_ZdlPvm", reinterpret_cast<void*>(&bound_sized_delete)},
        {"_Znam", reinterpret_cast<void*>(&bound_new)},
        {"_Znwm", reinterpret_cast<void*>(&bound_new)},
    };
    return all;
}

} // namespace orrery::emulate
