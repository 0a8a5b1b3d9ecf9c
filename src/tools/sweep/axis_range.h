// Values from a first to a last one, by steps or by factors, in the unit of the first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct AxisRange {
    std::string from;
    std::string to;
    std::string step;   // one of these three
    std::string factor; // geometric
    std::string count;  // as many values, evenly spaced; with `log`, geometric
    bool log = false;
};

// The last value is the largest (or, with a negative step or a factor below one, the smallest) that does not
// pass `to`. Throws UsageError with what was expected.
std::vector<std::string> range_values(const AxisRange& range);

} // namespace orrery
