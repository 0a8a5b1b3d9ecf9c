// Arrays that are read at random places: large ones lie on huge pages where the system offers them, which
// spares most of the address translation misses.
#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace orrery {

template <typename T> struct HugePages {
    using value_type = T;

    HugePages() = default;
    template <typename U> explicit HugePages(const HugePages<U>& /*other*/) {}
    [[nodiscard]] T* allocate(std::size_t count) {
        if (!large(count)) return static_cast<T*>(::operator new(count * sizeof(T), small_alignment));
        const std::size_t bytes = (count * sizeof(T) + page - 1) / page * page;
        void* const memory = ::operator new (bytes, std::align_val_t{page});
        (void)::madvise(memory, bytes, MADV_HUGEPAGE); // a hint: failure costs only speed
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        ::operator delete(memory, large(count) ? std::align_val_t{page} : small_alignment);
    }
    bool operator==(const HugePages&) const = default;

  private:
    static constexpr std::size_t page = std::size_t{2} << 20;
    static constexpr std::align_val_t small_alignment{64};
    static bool large(std::size_t count) { return count * sizeof(T) > page / 2; }
};

template <typename T> using HugeVector = std::vector<T, HugePages<T>>;

} // namespace orrery
