// malloc and its kin with --check-memory.
#include "emulate/memory/allocation.h"
#include "emulate/program/backtrace.h"
#include "emulate/program/world.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>
#include <malloc.h>
#include <orrery/emulate.h>

namespace orrery::emulate {

namespace {

CheckedHeap& heap() { return *running_memory->checked(); }

void* checked_or_error(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
    void* const made = heap().allocate(running_memory->rank(), size, alignment);
    if (made == nullptr) errno = ENOMEM;
    return made;
}
void* checked_malloc(std::size_t size) { return checked_or_error(size); }

void checked_free(void* block) {
    if (block == nullptr) return;
    if (is_folded(block) || !heap().has(block)) return orrery_emulate_shared_free(block);
    const std::string wrong = heap().free(running_memory->rank(), block);
    if (wrong.empty()) return;
    world::abort(128 + SIGABRT, fmt::format("rank {}: free(): {}{}", running_memory->rank(), wrong,
                                            stack_words(frames_from(nullptr))));
}

bool overflows(std::size_t count, std::size_t size, std::size_t& all) {
    if (!__builtin_mul_overflow(count, size, &all)) return false;
    errno = ENOMEM;
    return true;
}
void* checked_calloc(std::size_t count, std::size_t size) {
    std::size_t all = 0;
    if (overflows(count, size, all)) return nullptr;
    void* const made = checked_or_error(all);
    if (made != nullptr) std::memset(made, 0, all);
    return made;
}
void* checked_realloc(void* block, std::size_t size) {
    if (block == nullptr) return checked_malloc(size);
    if (is_folded(block) || !heap().has(block)) return std::realloc(block, size);
    if (size == 0) {
        checked_free(block);
        return nullptr;
    }
    void* const made = checked_malloc(size);
    if (made == nullptr) return nullptr;
    std::memcpy(made, block, std::min(size, heap().size_of(block)));
    checked_free(block);
    return made;
}
void* checked_reallocarray(void* block, std::size_t count, std::size_t size) {
    std::size_t all = 0;
    return overflows(count, size, all) ? nullptr : checked_realloc(block, all);
}
void* checked_memalign(std::size_t alignment, std::size_t size) { return checked_or_error(size, alignment); }
int checked_posix_memalign(void** block, std::size_t alignment, std::size_t size) {
    if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void* const made = heap().allocate(running_memory->rank(), size, alignment);
    if (made == nullptr) return ENOMEM;
    *block = made;
    return 0;
}
void* checked_valloc(std::size_t size) { return checked_or_error(size, 4096); }
std::size_t checked_usable_size(void* block) {
    return heap().has(block) ? heap().size_of(block) : ::malloc_usable_size(block);
}

} // namespace

std::span<const Symbol> checked_memory_symbols() {
    static const Symbol all[] = {
        {"aligned_alloc", reinterpret_cast<void*>(&checked_memalign)},
        {"calloc", reinterpret_cast<void*>(&checked_calloc)},
        {"free", reinterpret_cast<void*>(&checked_free)},
        {"malloc", reinterpret_cast<void*>(&checked_malloc)},
        {"malloc_usable_size", reinterpret_cast<void*>(&checked_usable_size)},
        {"memalign", reinterpret_cast<void*>(&checked_memalign)},
        {"posix_memalign", reinterpret_cast<void*>(&checked_posix_memalign)},
        {"realloc", reinterpret_cast<void*>(&checked_realloc)},
        {"reallocarray", reinterpret_cast<void*>(&checked_reallocarray)},
        {"valloc", reinterpret_cast<void*>(&checked_valloc)},
    };
    return all;
}

} // namespace orrery::emulate
