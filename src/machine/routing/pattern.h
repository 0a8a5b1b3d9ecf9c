// A communication pattern: who sends to whom, for routings made for it and for counting conflicts.
#pragma once

#include "engine/ids.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

class Platform;

struct Flow {
    HostId from;
    HostId to;
    Bytes bytes = 1;
    std::uint32_t phase = 0; // flows of different phases do not meet
    bool operator==(const Flow&) const = default;
};

struct HostPattern {
    std::string words; // "shift by 16"
    std::vector<Flow> flows;
};

// A file of lines `from to [bytes] [phase]`, hosts by name or number, '#' begins a comment; or one of the
// patterns that named_patterns() lists. A host that sends to itself is left out. Throws InputError with file
// and line, UsageError for an unknown name.
HostPattern read_pattern(const Platform& platform, const std::string& name_or_file);
HostPattern parse_pattern(const Platform& platform, std::string_view text, const std::string& file);

// "shift:K      each host to the one K further on, round", a line for each, for help.
std::string named_patterns();

} // namespace orrery
