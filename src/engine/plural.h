// Numbers with their nouns: "1 rank", "2 ranks", "12,288 hosts".
#pragma once

#include "engine/units.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

// `many` is for nouns that do not just get an s ("process", "processes").
inline std::string plural(std::uint64_t count, std::string_view one, std::string_view many = {}) {
    std::string out = format_count(count) + " " + std::string(count == 1 || many.empty() ? one : many);
    if (count != 1 && many.empty()) out += "s";
    return out;
}

} // namespace orrery
