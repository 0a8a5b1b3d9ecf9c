#include "machine/host_names.h"

#include "engine/error.h"
#include "machine/machine_limits.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

[[noreturn]] void refuse_name(std::string_view numbers, std::string_view why) {
    throw UsageError(fmt::format("'{}' is not a list of numbers such as 0-63,70: {}", numbers, why));
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::uint64_t whole(std::string_view text, std::string_view numbers) {
    text = trim(text);
    std::uint64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size()) {
        refuse_name(numbers, fmt::format("'{}' is not a whole number", text));
    }
    return value;
}

bool digit(char c) { return c >= '0' && c <= '9'; }

// The run of digits at the front of `text`, without leading zeros.
std::string_view take_digits(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && digit(text[end])) ++end;
    std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
    return digits;
}

} // namespace

HostNames::HostNames(std::string prefix, std::uint32_t count, std::string suffix)
    : prefix_(std::move(prefix)), suffix_(std::move(suffix)) {
    if (count > 0) add(0, count - 1, "");
}

HostNames::HostNames(std::string prefix, std::string_view numbers, std::string suffix)
    : prefix_(std::move(prefix)), suffix_(std::move(suffix)) {
    for (std::size_t at = 0; at <= numbers.size();) {
        const std::size_t comma = std::min(numbers.find(',', at), numbers.size());
        const std::string_view part = trim(numbers.substr(at, comma - at));
        const std::size_t dash = part.find('-');
        const std::uint64_t first = whole(part.substr(0, dash), numbers);
        const std::uint64_t last =
            dash == std::string_view::npos ? first : whole(part.substr(dash + 1), numbers);
        if (last < first) refuse_name(numbers, fmt::format("{} runs backwards", part));
        add(first, last, numbers);
        at = comma + 1;
    }
}

void HostNames::add(std::uint64_t first, std::uint64_t last, std::string_view numbers) {
    if (last - first >= machine_limits().hosts || count_ + (last - first + 1) > machine_limits().hosts) {
        refuse_name(numbers, fmt::format("more than {} hosts", machine_limits().hosts));
    }
    for (const Range& each : ranges_) {
        if (first <= each.last && each.first <= last) {
            refuse_name(numbers, fmt::format("{} is in it twice", std::max(first, each.first)));
        }
    }
    ranges_.push_back({first, last, count_});
    count_ += static_cast<std::uint32_t>(last - first + 1);
}

std::uint64_t HostNames::number(std::uint32_t position) const {
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), position,
                                        [](std::uint32_t at, const Range& each) { return at < each.position; });
    const Range& range = *(after - 1);
    return range.first + (position - range.position);
}

std::string HostNames::name(std::uint32_t position) const {
    return fmt::format("{}{}{}", prefix_, number(position), suffix_);
}

std::optional<std::uint32_t> HostNames::find(std::string_view name) const {
    if (name.size() <= prefix_.size() + suffix_.size() || !name.starts_with(prefix_) ||
        !name.ends_with(suffix_)) {
        return std::nullopt;
    }
    const std::string_view digits = name.substr(prefix_.size(), name.size() - prefix_.size() - suffix_.size());
    std::uint64_t value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc() || result.ptr != digits.data() + digits.size()) return std::nullopt;
    if (digits.size() > 1 && digits.front() == '0') return std::nullopt; // names are written without zeros
    for (const Range& each : ranges_) {
        if (value >= each.first && value <= each.last) {
            return each.position + static_cast<std::uint32_t>(value - each.first);
        }
    }
    return std::nullopt;
}

bool natural_less(std::string_view a, std::string_view b) {
    const std::string_view whole_a = a;
    const std::string_view whole_b = b;
    while (!a.empty() && !b.empty()) {
        if (digit(a.front()) && digit(b.front())) {
            const std::string_view left = take_digits(a);
            const std::string_view right = take_digits(b);
            if (left.size() != right.size()) return left.size() < right.size();
            if (left != right) return left < right;
        } else {
            if (a.front() != b.front()) return a.front() < b.front();
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
    }
    if (a.empty() != b.empty()) return a.empty();
    return whole_a < whole_b; // equal but for leading zeros
}

} // namespace orrery
