// malloc and its kin with --check-memory.
#include "emulate/memory/allocation.h"
#include "emulate/memory/checked_calls.h"
#include "emulate/program/backtrace.h"
#include "emulate/program/descriptors.h"
#include "emulate/program/outside.h"
#include "emulate/program/world.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <malloc.h>
#include <orrery/emulate.h>

namespace orrery::emulate {

namespace {

CheckedHeap* newest_heap = nullptr; // also when the run is over

CheckedHeap& heap() { return *newest_heap; }

void* checked_or_error(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
    void* const made = allocate_checked(size, alignment);
    if (made == nullptr) errno = ENOMEM;
    return made;
}
void* checked_malloc(std::size_t size) { return checked_or_error(size); }

[[noreturn]] void end_for(const std::string& words) {
    if (!outside::called_from()) world::abort(128 + SIGABRT, words);
    (void)::dprintf(descriptors::errors(), "%s\n", words.c_str()); // beside the ranks nothing ends in order
    std::_Exit(128 + SIGABRT);
}

} // namespace

void ProgramMemory::check() { newest_heap = checked_ = new CheckedHeap; }

void* allocate_checked(std::size_t size, std::size_t alignment) {
    return heap().allocate(running_memory->rank(), size, alignment);
}

bool free_checked(void* block, const char* call) {
    if (newest_heap == nullptr || !newest_heap->has(block)) return false;
    if (running_memory == nullptr) return true; // the program is gone
    const std::string wrong = newest_heap->free(running_memory->rank(), block);
    if (!wrong.empty())
        end_for(fmt::format("rank {}: {}: {}{}", running_memory->rank(), call, wrong,
                            stack_words(frames_from(nullptr))));
    return true;
}

namespace {

void checked_free(void* block) {
    if (block != nullptr && !free_checked(block, "free()")) orrery_emulate_shared_free(block);
}
void library_free(void* block) {
    if (!free_checked(block, "free() by a library")) std::free(block);
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
// A library's own block stays one.
void* library_realloc(void* block, std::size_t size) {
    return newest_heap != nullptr && running_memory != nullptr && heap().has(block)
               ? checked_realloc(block, size)
               : std::realloc(block, size);
}
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

std::span<const Symbol> checked_library_symbols() {
    static const Symbol all[] = {
        {"free", reinterpret_cast<void*>(&library_free)},
        {"realloc", reinterpret_cast<void*>(&library_realloc)},
    };
    return all;
}

} // namespace orrery::emulate
