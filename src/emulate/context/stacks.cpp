#include "emulate/context/stacks.h"

#include "engine/error.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <sys/mman.h>

namespace orrery::emulate {

std::size_t mappings_left() {
    std::size_t limit = 65530;
    std::ifstream("/proc/sys/vm/max_map_count") >> limit;
    std::size_t used = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) ++used;
    constexpr std::size_t reserve = 2000; // libraries, heaps and large blocks of the program
    return limit > used + reserve ? limit - used - reserve : 0;
}

Stacks::Stacks(std::uint32_t count, std::size_t bytes, Guards guards)
    : bytes_((bytes + page - 1) / page * page), stride_(bytes_ + page), count_(count) {
    if (bytes < smallest || bytes > largest)
        throw UsageError(fmt::format("a stack of {} bytes: expected between 16 KiB and 8 MiB", bytes));
    // The hint gives the same addresses from run to run where nothing else lies there.
    auto* hint = reinterpret_cast<void*>(std::uintptr_t{0x300000000000});
    const std::size_t whole = stride_ * std::max<std::size_t>(count, 1);
    void* area = mmap(hint, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED)
        throw UsageError(fmt::format("no address space for {} stacks of {} KiB; try a smaller --stack", count,
                                     bytes_ >> 10));
    area_ = static_cast<std::byte*>(area);
    madvise(area, whole, MADV_NOHUGEPAGE); // a huge page would make eight stacks real at once
    guarded_ =
        guards == Guards::when_possible && count <= most_guarded && std::size_t{4} * count <= mappings_left();
    for (std::uint32_t i = 0; guarded_ && i < count; ++i)
        if (mprotect(area_ + i * stride_, page, PROT_NONE) != 0) guarded_ = false;
}

Stacks::~Stacks() { munmap(area_, stride_ * std::max<std::size_t>(count_, 1)); }

Stack Stacks::operator[](std::uint32_t index) const {
    // Neighbours are 7 lines apart, so that two stacks whose hot parts span a few lines do not overlap; after
    // 40 ranks the places come again. Below each of them the first 1.5 kB, which most programs get by with in
    // their loops, lie in one page.
    const std::size_t colour = std::size_t{index} * 7 % 40 * 64;
    std::byte* low = area_ + index * stride_ + page;
    return {low, low + bytes_ - colour, index, guarded_};
}

std::optional<std::uint32_t> Stacks::overflowed(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto start = reinterpret_cast<std::uintptr_t>(area_);
    if (!guarded_ || at < start || at >= start + stride_ * count_) return std::nullopt;
    if ((at - start) % stride_ >= page) return std::nullopt;
    return static_cast<std::uint32_t>((at - start) / stride_);
}

void Stacks::release(std::uint32_t index) const {
    madvise(area_ + index * stride_ + page, bytes_, MADV_DONTNEED);
}

void overflow_words(char* words, std::size_t size, std::uint32_t index, std::size_t bytes) {
    const std::size_t more = std::min(Stacks::largest, std::max(bytes * 4, std::size_t{1} << 20));
    const char* advice = bytes >= Stacks::largest ? "" : "; try --stack ";
    std::snprintf(words, size, "rank %u: stack overflow (%zu KiB)%s", index, bytes >> 10, advice);
    if (bytes >= Stacks::largest) return;
    const auto used = std::char_traits<char>::length(words);
    std::snprintf(words + used, size - used, "%zuMiB", more >> 20);
}

} // namespace orrery::emulate
