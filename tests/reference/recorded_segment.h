// The slow obvious twin of formats/ort/decoder.h: written from docs/format.md alone, it keeps every
// action of the segment and looks back at them as the format says. Of sound segments only.
#pragma once

#include "formats/ort/recorded_trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::reference {

struct RecordedAction {
    Action action;
    std::vector<Bytes> counts;
    recorded::ActionTimes times;
};

// Throws std::runtime_error if the segment is not as the format says.
std::vector<RecordedAction> read_recorded_segment(const std::string& payload);

} // namespace orrery::reference
