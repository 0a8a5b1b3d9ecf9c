#include "tools/sweep/point_schedule.h"

#include "engine/error.h"
#include "formats/allprof/trace.h"
#include "formats/allprof/trace_files.h"
#include "formats/formats.h"
#include "tools/sweep/point_inputs.h"
#include "workload/patterns/pattern.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

std::vector<std::string> split_at_commas(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const auto comma = text.find(',');
        if (comma != 0) words.emplace_back(text.substr(0, comma));
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    return words;
}

Schedule pattern_schedule(const Assignments& point) {
    const PatternChoice choice = choose_pattern(word_at(point, "pattern"), pattern_user::generate);
    const PatternInfo& info = *choice.info;
    PatternOptions options = choice.options;
    options.ranks = parse_ranks(word_at(point, "ranks"));
    for (const PatternOptionInfo& row : pattern_options()) {
        const std::string* const text = text_at(point, row.name.substr(2));
        if (text == nullptr) continue;
        const bool used = ((info.uses | option::everywhere) & row.bit) != 0;
        if (row.bit == option::seed && !used) continue; // it is the noise's
        if (row.value.empty() && !parse_yes_no(*text)) continue;
        if (!used) throw UsageError(fmt::format("{} has no use for {}", info.name, row.name.substr(2)));
        if ((choice.given & row.bit) != 0)
            throw UsageError(fmt::format("{} is given twice", row.name.substr(2)));
        row.set(options, *text);
    }
    ScheduleBuilder builder(std::string(info.name));
    generate(*make_pattern(info.name, options), options.ranks, builder);
    return builder.take();
}

double parse_scale(const std::string& text) {
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !std::isfinite(value) ||
        value < 0)
        throw UsageError(fmt::format("compute-scale: '{}' is not a number such as 0.5", text));
    return value;
}

Schedule allprof_schedule(const Assignments& point, const std::string& path) {
    AllprofOptions options;
    for (const std::string& word : collectives_of(point)) options.collective_algorithms.set(word);
    if (const std::string* const scale = text_at(point, "compute-scale"))
        options.compute_scale = parse_scale(*scale);
    const AllprofTrace trace = AllprofTrace::open(path, options);
    const std::string* const text = text_at(point, "ranks");
    const std::uint32_t ranks = text == nullptr ? trace.ranks() : parse_ranks(*text);
    trace.check_total(ranks);
    ScheduleBuilder builder(path);
    generate(trace, ranks, builder);
    return builder.take();
}

} // namespace

const std::string* text_at(const Assignments& point, std::string_view key) {
    const auto found = point.find(key);
    return found == point.end() ? nullptr : &found->second.text;
}

std::string word_at(const Assignments& point, std::string_view key) {
    const std::string* const text = text_at(point, key);
    return text == nullptr ? std::string() : *text;
}

std::vector<std::string> collectives_of(const Assignments& point) {
    std::vector<std::string> words = split_at_commas(word_at(point, "collective"));
    for (const auto& [key, said] : point) {
        if (key.starts_with(one_collective))
            words.push_back(fmt::format("{}={}", key.substr(one_collective.size()), said.text));
    }
    return words;
}

Schedule schedule_of(const Assignments& point, const std::string& study_file) {
    if (text_at(point, "pattern") != nullptr) return pattern_schedule(point);
    const std::string path = beside_study(study_file, word_at(point, "workload"));
    if (looks_like_allprof(path)) return allprof_schedule(point, path);
    for (const std::string_view key : {"ranks", "compute-scale"}) {
        if (text_at(point, key) != nullptr)
            throw UsageError(fmt::format("{} goes with a pattern or a trace; {} is a schedule", key, path));
    }
    return load_schedule(path);
}

} // namespace orrery
