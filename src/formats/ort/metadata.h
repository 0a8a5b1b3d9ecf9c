// The begin and end blocks of a rank: JSON objects whose members have the names of the structs' members.
#pragma once

#include "formats/ort/recorded_trace.h"

#include <cstdint>
#include <span>
#include <string>

namespace orrery::recorded {

// Members that are missing have their defaults, unknown ones are ignored: either side may be newer. Throw
// InputError with what is wrong, without a file, if the text is no such object.
RecordedBegin parse_begin(std::span<const std::uint8_t> json);
RecordedEnd parse_end(std::span<const std::uint8_t> json);

std::string json_of(const RecordedBegin& begin);
std::string json_of(const RecordedEnd& end);

} // namespace orrery::recorded
