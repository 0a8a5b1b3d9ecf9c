// What a search for mappings has found, in words, as a table and as a picture.
#pragma once

#include "study/chart.h"
#include "study/mapping_search/search.h"

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace orrery {

struct SearchReport {
    std::string pattern; // in words
    std::string machine;
    std::string network;
    std::vector<MappingResult> results; // the fastest first
};

// The best `shown` and the worst, one line each.
std::string search_words(const SearchReport& report, std::size_t shown);
std::string search_csv(const SearchReport& report);
nlohmann::ordered_json search_json(const SearchReport& report);
// The time of each mapping, the fastest first, and that of its worst link.
Chart search_chart(const SearchReport& report);

} // namespace orrery
