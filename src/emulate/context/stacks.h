// The stacks of all ranks: one reserved area of equal slots, of which a page is there once it is touched.
//
// Below each stack lies a guard: a page without access while the kernel's limit of mappings permits (each costs
// two), otherwise a zone whose top line must stay zero and is looked at whenever the rank is left. The tops
// differ by multiples of a cache line, so that what all ranks touch at each switch spreads over the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace orrery::emulate {

struct Stack {
    std::byte* low = nullptr; // the lowest byte that may be used
    std::byte* top = nullptr; // one behind the highest; 16-byte aligned
    std::uint32_t index = 0;  // whose it is
    bool guarded = false;     // a page without access lies below `low`
};

// Called with words when a stack has run over; must not return. The emulation ends the run with exit code 1.
using StackOverflow = void (*)(const char* words);

class Stacks {
  public:
    static constexpr std::size_t page = 4096;
    static constexpr std::size_t smallest = std::size_t{16} << 10;
    static constexpr std::size_t largest = std::size_t{8} << 20;
    static constexpr std::size_t usual = std::size_t{256} << 10;
    static constexpr std::uint32_t most_guarded = 8000;
    enum class Guards { when_possible, never };

    // Throws UsageError if `bytes` is not between smallest and largest or the area cannot be had.
    explicit Stacks(std::uint32_t count, std::size_t bytes = usual, Guards guards = Guards::when_possible);
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    [[nodiscard]] Stack operator[](std::uint32_t index) const;
    [[nodiscard]] std::uint32_t count() const { return count_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] bool guarded() const { return guarded_; }
    // The stack whose guard page holds this address.
    [[nodiscard]] std::optional<std::uint32_t> overflowed(const void* address) const;
    // Gives the pages of a stack that is not used any more back to the system.
    void release(std::uint32_t index) const;

  private:
    std::byte* area_ = nullptr;
    std::size_t bytes_;
    std::size_t stride_; // bytes_ and the guard page
    std::uint32_t count_;
    bool guarded_ = false;
};

// What this process may still map: the kernel's limit of mappings less those in use and a reserve.
std::size_t mappings_left();

// "rank 17: stack overflow (256 KiB); try --stack 1MiB" into `words` (at least 96 bytes); safe in a signal
// handler.
void overflow_words(char* words, std::size_t size, std::uint32_t index, std::size_t bytes);

} // namespace orrery::emulate
