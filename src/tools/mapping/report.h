// What a search for mappings has found: a summary, a table and JSON. Its picture is picture.h.
#pragma once

#include "tools/mapping/search.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace orrery {

struct SearchReport {
    std::string pattern; // in words
    std::string machine;
    std::string network;
    std::vector<MappingResult> results;     // the best first
    bool replayed = false;                  // by the trace itself; otherwise ranked by the estimate
    std::string not_replayed_because;       // "a pattern has no trace to replay"; empty: it was
    std::vector<std::string> warnings = {}; // what makes it doubtful
};

// The best `shown` and the last, one line each; before them, after a replay, by how much mapping matters.
std::string search_words(const SearchReport& report, std::size_t shown);
std::string search_csv(const SearchReport& report);
nlohmann::ordered_json search_json(const SearchReport& report);

} // namespace orrery
