#include "trace/buffer.h"

#include "engine/cpu/clock.h"

#include <sys/mman.h>

namespace orrery::trace {

bool Buffers::grow(Arena& arena, std::size_t bytes) noexcept {
    constexpr std::size_t page = 4096;
    const std::size_t capacity = (bytes + page - 1) / page * page;
    void* const data =
        mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) {
        return false;
    }
    if (arena.data != nullptr) {
        munmap(arena.data, arena.capacity);
    }
    arena = {static_cast<std::byte*>(data), capacity};
    return true;
}

bool Buffers::open(std::size_t bytes) noexcept {
    if (!grow(arenas_[0], bytes) || !grow(arenas_[1], bytes)) {
        return false;
    }
    filling_ = arenas_.data();
    limit_.store(filling_->capacity, std::memory_order_relaxed);
    return true;
}

Buffers::~Buffers() {
    for (const Arena& arena : arenas_) {
        if (arena.data != nullptr) {
            munmap(arena.data, arena.capacity);
        }
    }
}

// Waits until the other buffer is empty and changes over to it.
void Buffers::hand_over() noexcept {
    std::unique_lock lock(mutex_);
    if (waiting_) {
        const std::uint64_t since = ticks();
        changed_.wait(lock, [this] { return !waiting_; });
        waited_ += ticks() - since;
    }
    full_ = {filling_->data, used_};
    waiting_ = true;
    changed_.notify_all();
    filling_ = filling_ == arenas_.data() ? &arenas_[1] : arenas_.data();
    used_ = 0;
}

std::byte* Buffers::make_room(std::size_t bytes) noexcept {
    const bool fits = used_ + bytes <= filling_->capacity;
    bool busy = false;
    {
        const std::lock_guard lock(mutex_);
        busy = waiting_;
    }
    // Asked for while the other one is still being emptied: it was not that urgent.
    if (used_ > 0 && !(fits && busy)) {
        hand_over();
    }
    if (used_ + bytes > filling_->capacity && !grow(*filling_, bytes)) {
        return nullptr;
    }
    limit_.store(filling_->capacity, std::memory_order_relaxed);
    return filling_->data + used_;
}

void Buffers::close() noexcept {
    if (used_ > 0) {
        hand_over();
    }
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

Buffers::Taken Buffers::take(std::chrono::milliseconds patience, std::span<const std::byte>& records) noexcept {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, patience, [this] { return waiting_ || closed_; })) {
        return Taken::nothing;
    }
    if (!waiting_) {
        return Taken::closed;
    }
    records = full_;
    return Taken::records;
}

void Buffers::release() noexcept {
    const std::lock_guard lock(mutex_);
    waiting_ = false;
    changed_.notify_all();
}

} // namespace orrery::trace
