// The requests of one rank that have not been waited for.
//
// A trace names a request by what it was made with (from, to, tag); the oldest of a name comes first. Readers
// turn the name into the smallest number that is free, so that whoever replays needs no names. Each operation
// takes O(1); a rank with nothing pending holds no memory beyond the object.
#pragma once

#include "workload/op.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace orrery::ti {

struct RequestName {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t tag = 0;
    std::uint32_t comm = 0;
    bool operator==(const RequestName&) const = default;
};
// Of nonblocking collectives and of one-sided operations: the oldest of them is waited for first.
inline constexpr RequestName no_message{any_source, any_source, 0, 0};

class Requests {
  public:
    Requests() noexcept;
    Requests(Requests&&) noexcept;
    Requests& operator=(Requests&&) noexcept;
    ~Requests();

    std::uint32_t add(const RequestName& name);
    [[nodiscard]] std::optional<std::uint32_t> oldest(const RequestName& name) const;
    [[nodiscard]] std::optional<std::uint32_t> oldest() const;
    [[nodiscard]] std::optional<std::uint32_t> latest() const;
    [[nodiscard]] bool pending(std::uint32_t number) const;
    [[nodiscard]] const RequestName& name(std::uint32_t number) const { return slots_[number].name; }
    void remove(std::uint32_t number);
    void clear();
    [[nodiscard]] std::size_t size() const { return size_; }

    // Some were completed by a wait for any: some of size() are done, though nobody can tell which. Once all
    // are, all are free.
    void note_completion() { ++done_; }
    [[nodiscard]] bool all_done() const { return done_ >= size_; }

  private:
    static constexpr std::uint32_t none = 0xFFFF'FFFF;
    static constexpr std::size_t searched = 16; // up to so many are searched one by one
    static constexpr std::size_t kept = 64;     // memory for so many is kept when none is pending
    struct Slot {
        RequestName name;
        std::uint32_t before = none; // in the order in which they were made
        std::uint32_t after = none;
        std::uint32_t same_before = none; // of the same name, once there is an index
        std::uint32_t same_after = none;
    };
    struct Index;
    std::uint32_t smallest_free();
    void enter(std::uint32_t number); // into the index
    void build_index();

    std::vector<Slot> slots_;          // by number
    std::vector<std::uint64_t> taken_; // a bit per number
    std::uint32_t first_ = none;
    std::uint32_t last_ = none;
    std::uint32_t lowest_word_ = 0; // no word of `taken_` before it has a free number
    std::uint32_t size_ = 0;
    std::uint64_t done_ = 0;
    std::unique_ptr<Index> index_;
};

} // namespace orrery::ti
