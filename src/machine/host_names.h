// The names of the hosts of a regular machine: a number between a prefix and a suffix ("graphene-", 1-144,
// ".nancy").
//
// A few bytes whatever the number of hosts: a name is made when it is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

class HostNames {
  public:
    // Numbers 0 to count-1.
    HostNames(std::string prefix, std::uint32_t count, std::string suffix);
    // Numbers as in "0-63,70", in that order (SimGrid's `radical`). Throws UsageError.
    HostNames(std::string prefix, std::string_view numbers, std::string suffix);

    [[nodiscard]] std::uint32_t count() const { return count_; }
    [[nodiscard]] std::uint64_t number(std::uint32_t position) const;
    [[nodiscard]] std::string name(std::uint32_t position) const;
    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;

  private:
    struct Range {
        std::uint64_t first;
        std::uint64_t last;
        std::uint32_t position; // of `first`
    };
    void add(std::uint64_t first, std::uint64_t last, std::string_view numbers);

    std::string prefix_;
    std::string suffix_;
    std::vector<Range> ranges_;
    std::uint32_t count_ = 0;
};

// "n2" before "n10": runs of digits are compared as numbers.
bool natural_less(std::string_view a, std::string_view b);

} // namespace orrery
