#include "observe/summary_lines.h"

#include "engine/terminal.h"
#include "engine/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::size_t summary_indent = 18;

std::string error_words(const Prediction& prediction) {
    if (!prediction.error) return "no error known";
    const PredictionError& error = *prediction.error;
    const auto time = prediction.time.picoseconds();
    return fmt::format("{} to {}: {}", format_picoseconds(std::max(0.0, time * (1 - error.relative))),
                       format_picoseconds(time * (1 + error.relative)), error.source);
}

void add_line(std::string& text, const SummaryStyle& style, const std::string& name, std::string_view words) {
    text += fmt::format("  {}{}\n", name, wrap_text(words, style.width, summary_indent));
}

std::string padded_name(std::string_view name) { return fmt::format("{:<15} ", name); }

} // namespace

void summary_line(std::string& text, const SummaryStyle& style, std::string_view name, std::string_view words) {
    if (!words.empty()) add_line(text, style, padded_name(name), words);
}

void summary_title(std::string& text, const SummaryStyle& style, std::string_view words) {
    text += wrap_text(words, style.width, 2) + "\n";
}

void summary_time(std::string& text, const SummaryStyle& style, const Prediction& prediction) {
    Time earliest = prediction.time;
    for (const RankTimes& rank : prediction.ranks) earliest = std::min(earliest, rank.finish);
    const std::string time = format_time(prediction.time);
    const std::string spread =
        prediction.error ? fmt::format(", +-{:.1f} %", 100 * prediction.error->relative) : std::string();
    std::string words =
        wrap_text(fmt::format("{}{}   (rank {} ends last, the first ends at {}; {})", time, spread,
                              prediction.critical_rank, format_time(earliest), error_words(prediction)),
                  style.width, summary_indent);
    words = paint(time + spread, Tone::strong, style.colour) + words.substr(time.size() + spread.size());
    text += fmt::format("  {}{}\n", padded_name("predicted time"), words);
    for (const std::string& warning : prediction.warnings) summary_warning(text, style, warning);
}

void summary_warning(std::string& text, const SummaryStyle& style, std::string_view warning) {
    add_line(text, style, paint(padded_name("warning"), Tone::warning, style.colour), warning);
}

std::string share_words(std::string_view name, double percent) {
    constexpr double rounds_to_zero = 0.05;
    return percent < rounds_to_zero ? std::string() : fmt::format("{} {:.1f} %, ", name, percent);
}

std::string without_comma(std::string words) {
    if (words.ends_with(", ")) words.resize(words.size() - 2);
    return words;
}

} // namespace orrery
