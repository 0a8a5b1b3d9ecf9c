// Two buffers of a rank: the application fills one while the background thread empties the other.
//
// The application waits only if it has filled one before the other is empty. The background thread may ask for
// what there is (hurry()), so that a slow program does not keep its last minutes in memory. Buffers grow for a
// record that does not fit and are otherwise of fixed size; memory that was never filled is never touched.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

namespace orrery::trace {

class Buffers {
  public:
    Buffers() = default;
    Buffers(const Buffers&) = delete;
    Buffers& operator=(const Buffers&) = delete;
    ~Buffers();
    [[nodiscard]] bool open(std::size_t bytes) noexcept; // of each; false: no memory

    // The application's side, one thread at a time. Room for a record, or nullptr: no memory for it.
    std::byte* room(std::size_t bytes) noexcept {
        if (used_ + bytes > limit_.load(std::memory_order_relaxed)) [[unlikely]] {
            return make_room(bytes);
        }
        return filling_->data + used_;
    }
    void filled(std::size_t bytes) noexcept { used_ += bytes; }
    void discard() noexcept { used_ = 0; } // what was filled since the last change of buffers
    void close() noexcept;                 // nothing will follow
    [[nodiscard]] std::uint64_t waited_ticks() const noexcept { return waited_; }

    // The other side.
    enum class Taken : std::uint8_t { records, nothing, closed };
    Taken take(std::chrono::milliseconds patience, std::span<const std::byte>& records) noexcept;
    void release() noexcept; // the records that were taken
    void hurry() noexcept { limit_.store(0, std::memory_order_relaxed); }

  private:
    struct Arena {
        std::byte* data = nullptr;
        std::size_t capacity = 0;
    };
    static bool grow(Arena& arena, std::size_t bytes) noexcept;
    std::byte* make_room(std::size_t bytes) noexcept;
    void hand_over() noexcept;

    Arena* filling_ = nullptr;
    std::size_t used_ = 0;
    std::atomic<std::size_t> limit_ = 0; // capacity of the one being filled; 0: it is asked for
    std::uint64_t waited_ = 0;
    std::array<Arena, 2> arenas_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::span<const std::byte> full_; // handed over and not released
    bool waiting_ = false;            // there is one to take or being taken
    bool closed_ = false;
};

} // namespace orrery::trace
