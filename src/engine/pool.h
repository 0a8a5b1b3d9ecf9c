// Records that come and go, known by their numbers. A number that is free again is used before a new one, the
// last freed first: the same run gives the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace orrery {

// `Container` holds the records: a std::deque where they must not move.
template <typename T, typename Container = std::vector<T>> class Pool {
  public:
    std::uint32_t add() { return add(T{}); }
    std::uint32_t add(T&& record) {
        if (free_.empty()) {
            records_.push_back(std::move(record));
            return static_cast<std::uint32_t>(records_.size() - 1);
        }
        const std::uint32_t number = take_free();
        records_[number] = std::move(record);
        return number;
    }
    // The same, but as the one before has left it, with the memory that it holds.
    std::uint32_t add_as_left() {
        if (!free_.empty()) return take_free();
        records_.emplace_back();
        return static_cast<std::uint32_t>(records_.size() - 1);
    }
    void remove(std::uint32_t number) { free_.push_back(number); }

    T& operator[](std::uint32_t number) { return records_[number]; }
    const T& operator[](std::uint32_t number) const { return records_[number]; }
    [[nodiscard]] std::size_t size() const { return records_.size(); } // numbers are below it
    [[nodiscard]] std::size_t in_use() const { return records_.size() - free_.size(); }

  private:
    std::uint32_t take_free() {
        const std::uint32_t number = free_.back();
        free_.pop_back();
        // The ones that come after it may have left the cache long ago.
        constexpr std::size_t ahead = 4;
        if (free_.size() >= ahead) __builtin_prefetch(&records_[free_[free_.size() - ahead]], 1);
        return number;
    }

    Container records_;
    std::vector<std::uint32_t> free_;
};

} // namespace orrery
