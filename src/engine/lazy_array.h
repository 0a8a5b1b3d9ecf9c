// A fixed-size array of zeros whose memory is only taken where it is written, on huge pages where the system
// offers them (they spare most of the address-translation misses of random access over gigabytes).
#pragma once

#include <cstddef>
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
        constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        void* const memory = ::mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE, flags, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        if (huge_pages)
            (void)::madvise(memory, size * sizeof(T), MADV_HUGEPAGE); // a hint: failure costs only speed
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
        if (data_ != nullptr) ::munmap(data_, size_ * sizeof(T));
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    T& operator[](std::size_t index) { return data_[index]; }
    const T& operator[](std::size_t index) const { return data_[index]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace orrery
