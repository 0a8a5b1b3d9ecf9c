// Calls that open and close a window for one-sided communication (MPI-3.1, chapter 11).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery {

enum class WindowCall : std::uint8_t {
    fence, // with a barrier of the window's communicator at its end; MPI_Win_free is one, too
    lock,
    unlock,
    lock_all,
    unlock_all,
    flush,
    flush_all,
    flush_local,
    flush_local_all,
    start,
    complete,
    post,
    wait,
};
inline constexpr std::size_t window_calls = static_cast<std::size_t>(WindowCall::wait) + 1;

// As the text of traces and timelines have them.
inline constexpr std::array<std::string_view, window_calls> window_call_names{
    "win_fence",    "win_lock",      "win_unlock",      "win_lock_all",        "win_unlock_all",
    "win_flush",    "win_flush_all", "win_flush_local", "win_flush_local_all", "win_start",
    "win_complete", "win_post",      "win_wait"};
constexpr std::string_view name_of(WindowCall call) {
    return window_call_names[static_cast<std::size_t>(call)];
}

constexpr bool has_target(WindowCall call) {
    return call == WindowCall::lock || call == WindowCall::unlock || call == WindowCall::flush ||
           call == WindowCall::flush_local;
}
constexpr bool has_ranks(WindowCall call) { return call == WindowCall::start || call == WindowCall::post; }
constexpr bool has_flags(WindowCall call) {
    return call == WindowCall::lock || call == WindowCall::lock_all || has_ranks(call);
}

// Flags of lock, lock_all, start and post.
inline constexpr std::uint32_t window_shared = 1;    // lock: not exclusive
inline constexpr std::uint32_t window_unchecked = 2; // MPI_MODE_NOCHECK: nothing travels
inline constexpr std::uint32_t window_memory =
    4; // lock, lock_all: of memory that ranks share, which is waited for
inline constexpr std::uint32_t window_flags = window_shared | window_unchecked | window_memory;

} // namespace orrery
