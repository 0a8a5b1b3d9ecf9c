#include "workload/wide_tags.h"

#include "engine/error.h"

#include <cassert>
#include <utility>

namespace orrery {

std::uint32_t WideTags::number_of(std::uint64_t written) {
    assert(written >= first_numbered_tag && !is_wildcard(written));
    if (const auto known = numbers_.find(written); known != numbers_.end()) return known->second;
    // Of 32 bits, with or without a sign: bits 31 to 63 are 0...01 or all set.
    const std::uint64_t upper = written >> 31;
    const auto low = static_cast<std::uint32_t>(written);
    std::uint32_t number = low;
    const bool of_32_bits = (upper == 1 || upper == (~std::uint64_t{0} >> 31)) && low != any_tag;
    if (!of_32_bits || written_.contains(low)) {
        while (next_free_ >= first_numbered_tag && written_.contains(next_free_)) --next_free_;
        if (next_free_ < first_numbered_tag)
            throw InputError("more than 2,147,483,647 different tags of 64 bits");
        number = next_free_--;
    }
    numbers_.emplace(written, number);
    written_.emplace(number, written);
    if (number != written) new_.push_back({written, number});
    return number;
}

std::vector<WideTag> WideTags::take_new() { return std::exchange(new_, {}); }

} // namespace orrery
