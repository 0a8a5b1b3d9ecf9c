// What the readers of .dim and .prv files take off the front of a line.
#pragma once

#include <charconv>
#include <string_view>

namespace orrery::dimemas {

// A whole number at the front of `text`.
template <typename Number> bool take(std::string_view& text, Number& value) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
    return true;
}

inline bool take(std::string_view& text, char sign) {
    if (text.empty() || text.front() != sign) return false;
    text.remove_prefix(1);
    return true;
}

} // namespace orrery::dimemas
