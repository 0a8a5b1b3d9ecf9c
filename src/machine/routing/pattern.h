// A communication pattern: who sends to whom, for routings made for it and for counting conflicts.
#pragma once

#include "engine/ids.h"
#include "workload/patterns/pattern.h"

#include <cstdint>
#include <optional>
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

// A file of lines `from to [bytes] [phase]`, hosts by name or number, '#'
// begins a comment; or a pattern by its name (workload/patterns/pattern.h),
// rank i being host i, and in the way of the machine's topology where the
// pattern has one. A file of that name comes first. A host that sends to itself
// is left out. `seed`: of a pattern that is not given one. Throws InputError
// with file and line, UsageError for an unknown name.
HostPattern read_pattern(const Platform& platform, const std::string& name_or_file,
                         PatternUsers user = pattern_user::machine, std::optional<std::uint64_t> seed = {});
// The row and its options for this machine.
PatternChoice choose_host_pattern(const Platform& platform, std::string_view text, PatternUsers user);
HostPattern parse_pattern(const Platform& platform, std::string_view text, const std::string& file);

} // namespace orrery
