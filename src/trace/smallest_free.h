// Hands out the smallest number that nobody has: so a loop uses the same numbers in each turn.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace orrery::trace {

class SmallestFree {
  public:
    // O(1) but for a scan over full words, 64 numbers at a time.
    std::uint32_t take() {
        while (first_ < words_.size() && words_[first_] == ~std::uint64_t{0}) ++first_;
        if (first_ == words_.size()) words_.push_back(0);
        const auto bit = static_cast<std::uint32_t>(std::countr_one(words_[first_]));
        words_[first_] |= std::uint64_t{1} << bit;
        return static_cast<std::uint32_t>(first_) * 64 + bit;
    }
    void give_back(std::uint32_t number) {
        const std::size_t word = number / 64;
        words_[word] &= ~(std::uint64_t{1} << number % 64);
        first_ = std::min(first_, word);
    }

  private:
    std::vector<std::uint64_t> words_; // a bit per number: taken
    std::size_t first_ = 0;            // no word before it has a free one
};

} // namespace orrery::trace
