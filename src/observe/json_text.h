// JSON as text that is always UTF-8: file names need not be, and JSON must. And times in it, of any length.
#pragma once

#include "engine/time_text.h"

#include <nlohmann/json.hpp>
#include <string>

namespace orrery {

// Before the figures of a number that JSON's libraries cannot hold: kept as a string until it is printed.
inline constexpr char wide_number_mark[] = "\\u0001wide:"; // as it is printed

// A time in picoseconds, exact: an integer in the text, even if it does not fit into 64 bits.
inline nlohmann::json json_ps(Time time) {
    if (Time::tick_bits() == 0) return time.ps();
    const std::string figures = exact_ps(time);
    constexpr std::size_t safe = 18;
    if (figures.size() <= safe) return time.ps();
    return "\x01wide:" + figures;
}

// Bytes that are not UTF-8 become U+FFFD. `indent`: negative is one line.
template <typename Json> std::string json_text(const Json& json, int indent = -1) {
    std::string text = json.dump(indent, ' ', false, Json::error_handler_t::replace);
    const std::string mark = std::string("\"") + wide_number_mark;
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; ++at) {
        const std::size_t figures = at + mark.size();
        const std::size_t end = text.find_first_not_of("-0123456789", figures);
        if (end == figures || end == std::string::npos || text[end] != '"') continue; // somebody's own text
        text.erase(end, 1);
        text.erase(at, mark.size());
    }
    return text;
}

} // namespace orrery
