// operator new and delete with --check-memory, in all their forms.
#include "emulate/memory/allocation.h"
#include "emulate/memory/checked_calls.h"

#include <new>
#include <tuple>
#include <type_traits>

namespace orrery::emulate {

namespace {

void* aligned_new(std::size_t size, std::align_val_t alignment) {
    void* const made = allocate_checked(size, static_cast<std::size_t>(alignment));
    if (made == nullptr) throw std::bad_alloc();
    return made;
}
void* checked_new(std::size_t size) { return aligned_new(size, std::align_val_t{alignof(std::max_align_t)}); }
void* aligned_new_or_null(std::size_t size, std::align_val_t alignment, const std::nothrow_t& /*tag*/) {
    return allocate_checked(size, static_cast<std::size_t>(alignment));
}
void* new_or_null(std::size_t size, const std::nothrow_t& /*tag*/) { return allocate_checked(size); }

// With whatever follows the block: its size, its alignment, std::nothrow. Of these a block of a library needs
// the alignment only.
template <bool array, typename... More> void checked_delete(void* block, More... more) {
    if (block == nullptr || free_checked(block, array ? "operator delete[]" : "operator delete")) return;
    if constexpr ((std::is_same_v<More, std::align_val_t> || ...)) {
        const auto alignment = std::get<std::align_val_t>(std::tuple<More...>(more...));
        array ? ::operator delete[](block, alignment) : ::operator delete(block, alignment);
    } else {
        array ? ::operator delete[](block) : ::operator delete(block);
    }
}
template <typename... More> Symbol deletes(const char* name) {
    return {name, reinterpret_cast<void*>(&checked_delete<false, More...>)};
}
template <typename... More> Symbol deletes_array(const char* name) {
    return {name, reinterpret_cast<void*>(&checked_delete<true, More...>)};
}

} // namespace

std::span<const Symbol> checked_new_symbols() {
    static const Symbol all[] = {
        {"_Znwm", reinterpret_cast<void*>(&checked_new)},
        {"_Znam", reinterpret_cast<void*>(&checked_new)},
        {"_ZnwmSt11align_val_t", reinterpret_cast<void*>(&aligned_new)},
        {"_ZnamSt11align_val_t", reinterpret_cast<void*>(&aligned_new)},
        {"_ZnwmRKSt9nothrow_t", reinterpret_cast<void*>(&new_or_null)},
        {"_ZnamRKSt9nothrow_t", reinterpret_cast<void*>(&new_or_null)},
        {"_ZnwmSt11align_val_tRKSt9nothrow_t", reinterpret_cast<void*>(&aligned_new_or_null)},
        {"_ZnamSt11align_val_tRKSt9nothrow_t", reinterpret_cast<void*>(&aligned_new_or_null)},
    };
    return all;
}

std::span<const Symbol> checked_delete_symbols() {
    static const Symbol all[] = {
        deletes("_ZdlPv"),
        deletes<std::size_t>("_ZdlPvm"),
        deletes<std::align_val_t>("_ZdlPvSt11align_val_t"),
        deletes<std::size_t, std::align_val_t>("_ZdlPvmSt11align_val_t"),
        deletes<const std::nothrow_t&>("_ZdlPvRKSt9nothrow_t"),
        deletes<std::align_val_t, const std::nothrow_t&>("_ZdlPvSt11align_val_tRKSt9nothrow_t"),
        deletes_array("_ZdaPv"),
        deletes_array<std::size_t>("_ZdaPvm"),
        deletes_array<std::align_val_t>("_ZdaPvSt11align_val_t"),
        deletes_array<std::size_t, std::align_val_t>("_ZdaPvmSt11align_val_t"),
        deletes_array<const std::nothrow_t&>("_ZdaPvRKSt9nothrow_t"),
        deletes_array<std::align_val_t, const std::nothrow_t&>("_ZdaPvSt11align_val_tRKSt9nothrow_t"),
    };
    return all;
}

} // namespace orrery::emulate
