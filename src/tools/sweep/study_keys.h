// What a study can set and vary: the workload, the simulation, and every setting of a machine or model.
#pragma once

#include "engine/error.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// A value as the study says it, and where.
struct Said {
    std::string text;
    std::uint64_t line = 0;
    std::uint64_t column = 0;
};

// By key, in the order of keys: what holds at one point of a study.
using Assignments = std::map<std::string, Said, std::less<>>;

// One row per key that is not a setting of a machine or model; those have a dot in them ("link.bandwidth").
struct StudyKey {
    std::string name;
    std::string meaning;
};
// Options of patterns are among them, under the names of `orrery generate` ("bytes", "reduce-cost").
const std::vector<StudyKey>& study_keys();

// The key in its own spelling ('_' and '-' are alike, "on" is "machine"). Throws UsageError, with "did you
// mean", if no part of Orrery knows it.
std::string study_key(std::string_view word);

// Throws UsageError if the value can be seen to be wrong without the rest of the point.
void check_study_value(std::string_view key, std::string_view text);

bool parse_yes_no(std::string_view text); // throws UsageError

} // namespace orrery
