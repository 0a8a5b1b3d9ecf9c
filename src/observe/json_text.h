// JSON as text that is always UTF-8: file names need not be, and JSON must.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace orrery {

// Bytes that are not UTF-8 become U+FFFD. `indent`: negative is one line.
template <typename Json> std::string json_text(const Json& json, int indent = -1) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace orrery
