// Handles of MPI objects: 32-bit integers, so that a Fortran handle is the same number.
//
// The kind stands in the upper six bits, an index in the lower 26. Index 0 is the null handle of its kind.
// Predefined objects have the indices 1 to first_own - 1, which mpi.h repeats as constants.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace orrery::emulate::mpi {

enum class Kind : std::uint32_t {
    comm = 1,
    group = 2,
    datatype = 3,
    op = 4,
    request = 5,
    errhandler = 6,
    info = 7,
    win = 8,
    file = 9,
    message = 10,
};

inline constexpr unsigned index_bits = 26;
inline constexpr std::uint32_t index_mask = (std::uint32_t{1} << index_bits) - 1;
inline constexpr std::uint32_t first_own = 256;

constexpr int handle_of(Kind kind, std::uint32_t index) {
    return static_cast<int>(static_cast<std::uint32_t>(kind) << index_bits | index);
}
constexpr bool is_kind(int handle, Kind kind) {
    return static_cast<std::uint32_t>(handle) >> index_bits == static_cast<std::uint32_t>(kind);
}
constexpr std::uint32_t index_of(int handle) { return static_cast<std::uint32_t>(handle) & index_mask; }

// The objects of one kind that the application has made, by index from first_own on. Indices are used again,
// the lowest free one first in the order of freeing: the same run gives the same handles.
template <typename T> class Handles {
  public:
    explicit Handles(Kind kind) : kind_(kind) {}

    int add(std::unique_ptr<T> object) {
        std::uint32_t index = 0;
        if (free_.empty()) {
            index = first_own + static_cast<std::uint32_t>(all_.size());
            all_.push_back(std::move(object));
        } else {
            index = free_.back();
            free_.pop_back();
            all_[index - first_own] = std::move(object);
        }
        return handle_of(kind_, index);
    }
    // Null if there is no such object: a wrong handle of the application.
    [[nodiscard]] T* find(int handle) const {
        const std::uint32_t index = index_of(handle);
        if (!is_kind(handle, kind_) || index < first_own || index - first_own >= all_.size()) return nullptr;
        return all_[index - first_own].get();
    }
    std::unique_ptr<T> remove(int handle) {
        const std::uint32_t index = index_of(handle);
        free_.push_back(index);
        return std::move(all_[index - first_own]);
    }
    [[nodiscard]] std::size_t count() const { return all_.size() - free_.size(); }

  private:
    Kind kind_;
    std::vector<std::unique_ptr<T>> all_;
    std::vector<std::uint32_t> free_;
};

} // namespace orrery::emulate::mpi
