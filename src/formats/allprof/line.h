// One line of a trace written by liballprof: "Function:start:argument:...:end".
//
// Times are microseconds with or without decimals; a datatype is "id,size,extent", a communicator is
// "handle,rank,size"; everything else is a number (most of them addresses).
#pragma once

#include "engine/time.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::allprof {

// A clock reading, exact: picoseconds since 1970 do not fit into 64 bits.
struct TimeStamp {
    std::int64_t us = 0;
    std::int32_t ps = 0; // 0 to 999,999

    auto operator<=>(const TimeStamp&) const = default;
};
// Both within 2^62 ps (26 days) of each other; false otherwise.
bool elapsed(TimeStamp from, TimeStamp to, Time& out);

struct CommunicatorField {
    std::uint64_t handle = 0;
    std::uint32_t rank = 0; // of the caller
    std::uint32_t size = 0;
};

class Line {
  public:
    // Cuts `text` into fields. Throws InputError if it is no call at all. `file` and `text` must stay as long
    // as the fields are used; a Line can be used again for the next one.
    void parse(const std::string& file, std::uint64_t number, std::string_view text);

    [[nodiscard]] std::string_view name() const { return fields_.front(); }
    [[nodiscard]] std::uint64_t number() const { return number_; }
    [[nodiscard]] std::size_t arguments() const { return fields_.size() - 3; }
    void expect_arguments(std::size_t count) const;

    [[nodiscard]] TimeStamp start() const { return time(1); }
    [[nodiscard]] TimeStamp end() const { return time(fields_.size() - 1); }

    // Arguments are counted from 0. All throw InputError with the column if the field is not what it should be.
    [[nodiscard]] std::int64_t integer(std::size_t argument) const;
    [[nodiscard]] std::uint64_t address(std::size_t argument) const;
    [[nodiscard]] std::uint64_t datatype_size(std::size_t argument) const;
    [[nodiscard]] CommunicatorField communicator(std::size_t argument) const;
    // `count` numbers with commas between them, none negative.
    void counts(std::size_t argument, std::size_t count, std::vector<std::uint64_t>& out) const;
    // count * size of a buffer, at most 2^62 - 1.
    [[nodiscard]] std::uint64_t bytes(std::size_t count_argument, std::size_t datatype_argument) const;

    [[noreturn]] void fail_call(const std::string& reason) const; // points at the function's name
    [[noreturn]] void fail(std::size_t argument, const std::string& reason) const;

  private:
    [[nodiscard]] TimeStamp time(std::size_t field) const;
    [[noreturn]] void fail_at(std::string_view where, const std::string& reason) const;

    const std::string* file_ = nullptr;
    std::uint64_t number_ = 0;
    std::string_view text_;
    std::vector<std::string_view> fields_;
};

} // namespace orrery::allprof
