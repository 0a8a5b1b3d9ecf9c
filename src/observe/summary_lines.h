// The lines of a summary: a name, then words that are wrapped beneath each other.
#pragma once

#include "results/prediction.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery {

struct SummaryStyle {
    std::size_t width = 120; // columns
    bool colour = false;     // on a terminal: the time stands out, and warnings do
};

// "  name            words", if there are words.
void summary_line(std::string& text, const SummaryStyle& style, std::string_view name, std::string_view words);
// The first line, which has no name.
void summary_title(std::string& text, const SummaryStyle& style, std::string_view words);

// "predicted time", with its error, and a line for each warning.
void summary_time(std::string& text, const SummaryStyle& style, const Prediction& prediction);

void summary_warning(std::string& text, const SummaryStyle& style, std::string_view warning);

// "compute 86.2 %, ": nothing for what rounds to zero.
std::string share_words(std::string_view name, double percent);
// Without the comma at the end.
std::string without_comma(std::string words);

} // namespace orrery
