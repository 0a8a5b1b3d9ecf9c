// What the address sanitizer must be told when code goes on on another stack. Nothing where it is off.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define ORRERY_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ORRERY_ASAN 1
#endif
#endif
#ifdef ORRERY_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace orrery::emulate::sanitizer {

struct Bounds {
    std::byte* low = nullptr;
    std::size_t bytes = 0;
};

#ifdef ORRERY_ASAN

constexpr bool on = true;

// Before the stack is left for the one at `low`; `kept` is for arrived() when it is entered again, null if it
// never is.
inline void leaving(void** kept, const void* low, std::size_t bytes) {
    __sanitizer_start_switch_fiber(kept, low, bytes);
}
// First thing on the new stack, with what leaving() has kept when it was left, null if it is new. Returns the
// stack that was left.
inline Bounds arrived(void* kept) {
    const void* low = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(kept, &low, &bytes);
    return {static_cast<std::byte*>(const_cast<void*>(low)), bytes};
}
// The memory becomes a stack, or is one no more: calls that never returned have left marks on it.
inline void clean(std::byte* low, std::size_t bytes) {
    if (__asan_region_is_poisoned(low, bytes) != nullptr) __asan_unpoison_memory_region(low, bytes);
}

#else

constexpr bool on = false;
inline void leaving(void** /*kept*/, const void* /*low*/, std::size_t /*bytes*/) {}
inline Bounds arrived(void* /*kept*/) { return {}; }
inline void clean(std::byte* /*low*/, std::size_t /*bytes*/) {}

#endif

} // namespace orrery::emulate::sanitizer
