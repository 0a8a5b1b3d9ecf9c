// A fixed-size array of zeros whose memory is only taken where it is written, on huge pages where the system
// offers them (they spare most of the address-translation misses of random access over gigabytes). A small one
// is on the heap: to map and clear pages for it takes longer than most small simulations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <type_traits>
#include <utility>

namespace orrery {

template <typename T> class LazyArray {
    static_assert(std::is_trivially_copyable_v<T>, "starts as zero bytes and is never destroyed");

  public:
    LazyArray() = default;
    explicit LazyArray(std::size_t size, bool huge_pages = false) : size_(size) {
        if (size == 0) return;
        if (on_heap()) {
            void* const memory =
                std::aligned_alloc(alignment, (bytes() + alignment - 1) / alignment * alignment);
            if (memory == nullptr) throw std::bad_alloc();
            data_ = static_cast<T*>(std::memset(memory, 0, bytes()));
            return;
        }
        constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        void* const memory = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, flags, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        if (huge_pages) (void)::madvise(memory, bytes(), MADV_HUGEPAGE); // a hint: failure costs only speed
        data_ = static_cast<T*>(memory);
    }
    LazyArray(LazyArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    LazyArray& operator=(LazyArray&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~LazyArray() {
        if (data_ == nullptr) return;
        if (on_heap()) {
            std::free(data_);
        } else {
            ::munmap(data_, bytes());
        }
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    T& operator[](std::size_t index) { return data_[index]; }
    const T& operator[](std::size_t index) const { return data_[index]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }

  private:
    static constexpr std::size_t heap_bytes = std::size_t{128} * 1024;              // up to here
    static constexpr std::size_t alignment = std::max(alignof(T), std::size_t{64}); // a cache line

    [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
    [[nodiscard]] bool on_heap() const { return size_ <= heap_bytes / sizeof(T); }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace orrery
