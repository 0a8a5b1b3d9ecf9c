// What a plot calls the axes of a study: the words of the field instead of keys.
#pragma once

#include <string>
#include <string_view>

namespace orrery {

// "link bandwidth" for "link.bandwidth", "latency L" for "loggops.L"; a name of the user's own as it is.
std::string axis_title(std::string_view key);

} // namespace orrery
