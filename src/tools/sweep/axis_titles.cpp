#include "tools/sweep/axis_titles.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

// Keys whose own words say too little.
constexpr std::array<std::pair<std::string_view, std::string_view>, 19> axis_title_table{{
    {"bytes", "message size"},
    {"segment", "segment size"},
    {"map-by", "mapping"},
    {"collective", "collective algorithms"},
    {"compute-scale", "factor of computing times"},
    {"noise", "OS noise"},
    {"noise-file", "OS noise"},
    {"loggops", "LogGOPS parameters"},
    {"loggops.L", "latency L"},
    {"loggops.o", "overhead o"},
    {"loggops.g", "gap g"},
    {"loggops.G", "gap per byte G"},
    {"loggops.O", "overhead per byte O"},
    {"loggops.S", "eager limit S"},
    {"host.cores", "cores per host"},
    {"network.latency", "link latency"},
    {"network.bandwidth", "link bandwidth"},
    {"flow.set", "parameter set of the flow network"},
    {"collectives.selector", "collective algorithms"},
}};

constexpr std::string_view algorithm_of = "collective.";

} // namespace

std::string axis_title(std::string_view key) {
    for (const auto& [name, title] : axis_title_table) {
        if (name == key) return std::string(title);
    }
    if (key.starts_with(algorithm_of)) return fmt::format("{} algorithm", key.substr(algorithm_of.size()));
    std::string title(key);
    if (key.find('.') == std::string_view::npos) return title;
    std::replace_if(
        title.begin(), title.end(), [](char c) { return c == '.' || c == '_' || c == '-'; }, ' ');
    return title;
}

} // namespace orrery
