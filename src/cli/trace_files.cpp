#include "cli/trace_files.h"

#include "engine/error.h"
#include "engine/units.h"
#include "workload/ti/statistics.h"
#include "workload/ti/trace.h"
#include "workload/ti/writers.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

enum class Form { none, binary, text, older_text };

Form form_of(const std::string& out, const std::string& to) {
    if (to == "oti") return Form::binary;
    if (to == "ti") return Form::text;
    if (to == "old-ti") return Form::older_text;
    if (!to.empty()) return Form::none;
    if (out.ends_with(".oti")) return Form::binary;
    if (out.ends_with(".txt") || out.ends_with(".ti") || out.ends_with('/')) return Form::text;
    return Form::none;
}

std::optional<std::uint64_t> file_bytes(const std::string& path) {
    std::error_code none;
    if (!fs::is_regular_file(path, none)) return std::nullopt;
    const auto bytes = fs::file_size(path, none);
    return none ? std::nullopt : std::optional<std::uint64_t>(bytes);
}

void print_notes(const TiTrace& trace, std::FILE* to) {
    for (const std::string& note : trace.notes()) fmt::print(to, "  note: {}\n", note);
}

std::string kinds_words(const TiStatistics& counts) {
    std::string words;
    for (std::size_t i = 0; i < TiStatistics::kinds; ++i) {
        const auto kind = static_cast<ActionKind>(i);
        if (counts.of(kind) == 0 || kind == ActionKind::collective) continue;
        words +=
            fmt::format("{}{} {}", words.empty() ? "" : ", ", format_count(counts.of(kind)), name_of(kind));
    }
    return words;
}

std::string collectives_words(const TiStatistics& counts) {
    std::string words;
    for (std::size_t i = 0; i < collective_count; ++i) {
        const auto operation = static_cast<Collective>(i);
        if (counts.of(operation) == 0) continue;
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", format_count(counts.of(operation)),
                             name_of(operation));
    }
    return words;
}

std::string whole_bytes(double bytes) {
    return bytes < 9e18 ? format_bytes(static_cast<Bytes>(bytes)) : fmt::format("{:.3g} B", bytes);
}

// From a power of two up to the next, in the binary unit that suits.
std::string range_words(Bytes from) {
    constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    for (; from >= 1024; from /= 1024) ++unit;
    return fmt::format("{0} {2} up to {1} {2}", from, 2 * from, units[unit]);
}

// The fullest ranges of sizes, in order of size.
std::string sizes_words(const TiStatistics& counts) {
    constexpr std::size_t shown = 5;
    const TiStatistics::Histogram& sizes = counts.message_sizes();
    std::vector<std::size_t> buckets;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] != 0) buckets.push_back(i);
    }
    const std::size_t left_out = buckets.size() > shown ? buckets.size() - shown : 0;
    std::stable_sort(buckets.begin(), buckets.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });
    buckets.resize(buckets.size() - left_out);
    std::sort(buckets.begin(), buckets.end());
    std::string words;
    for (const std::size_t bucket : buckets) {
        const Bytes from = TiStatistics::bucket_start(bucket);
        words += fmt::format("{}{:.3g} % {}", words.empty() ? "" : "; ",
                             100 * static_cast<double>(sizes[bucket]) / static_cast<double>(counts.messages()),
                             bucket == 0 ? "empty" : range_words(from));
    }
    return left_out == 0 ? words : words + fmt::format("; {} more ranges", left_out);
}

void print_text(const std::string& path, const TiTrace& trace, const TiStatistics& counts) {
    const auto line = [](std::string_view what, const std::string& words) {
        fmt::print("  {:<14} {}\n", what, words);
    };
    const std::optional<std::uint64_t> bytes = file_bytes(path);
    fmt::print("{}: {}{}\n", path, trace.format(), bytes ? ", " + format_bytes(*bytes) : "");
    line("ranks", format_count(counts.ranks()));
    line("actions", fmt::format("{}, at most {} in a rank", format_count(counts.actions()),
                                format_count(counts.largest_rank())));
    line("", kinds_words(counts));
    if (counts.of(ActionKind::collective) > 0) {
        line("collectives", fmt::format("{}; {} given to them", collectives_words(counts),
                                        whole_bytes(counts.collective_bytes())));
    }
    if (counts.messages() > 0) {
        line("messages", fmt::format("{}, {} in all, {} to {}", format_count(counts.messages()),
                                     whole_bytes(counts.bytes_sent()), format_bytes(counts.smallest_message()),
                                     format_bytes(counts.largest_message())));
        line("", sizes_words(counts));
    }
    if (counts.any_source() + counts.any_tag() > 0) {
        line("wildcards", fmt::format("{} receives from any source, {} of any tag",
                                      format_count(counts.any_source()), format_count(counts.any_tag())));
    }
    line("computation",
         fmt::format("{:.6g} instructions, {:.6g} to {:.6g} in a rank{}", counts.volume(),
                     counts.smallest_rank_volume(), counts.largest_rank_volume(),
                     counts.sleep_seconds() > 0 ? fmt::format("; {:.6g} s of sleep", counts.sleep_seconds())
                                                : ""));
    if (bytes && counts.actions() > 0) {
        line("file", fmt::format("{:.3g} bytes per action",
                                 static_cast<double>(*bytes) / static_cast<double>(counts.actions())));
    }
    print_notes(trace, stdout);
}

void print_json(const std::string& path, const TiTrace& trace, const TiStatistics& counts) {
    using Json = nlohmann::ordered_json;
    Json out;
    out["file"] = path;
    out["format"] = trace.format();
    const std::optional<std::uint64_t> bytes = file_bytes(path);
    out["file_bytes"] = bytes ? Json(*bytes) : Json(nullptr);
    out["ranks"] = counts.ranks();
    out["actions"] = counts.actions();
    out["actions_of_largest_rank"] = counts.largest_rank();
    out["actions_by_kind"] = Json::object();
    for (std::size_t i = 0; i < TiStatistics::kinds; ++i) {
        const auto kind = static_cast<ActionKind>(i);
        if (counts.of(kind) > 0) out["actions_by_kind"][std::string(name_of(kind))] = counts.of(kind);
    }
    out["collectives"] = Json::object();
    for (std::size_t i = 0; i < collective_count; ++i) {
        const auto operation = static_cast<Collective>(i);
        if (counts.of(operation) > 0)
            out["collectives"][std::string(name_of(operation))] = counts.of(operation);
    }
    out["collective_bytes"] = counts.collective_bytes();
    out["messages"] = counts.messages();
    out["bytes_sent"] = counts.bytes_sent();
    out["smallest_message"] = counts.smallest_message();
    out["largest_message"] = counts.largest_message();
    out["message_sizes"] = Json::array();
    for (std::size_t i = 0; i < counts.message_sizes().size(); ++i) {
        if (counts.message_sizes()[i] == 0) continue;
        const Bytes from = TiStatistics::bucket_start(i);
        out["message_sizes"].push_back(
            {{"from", from}, {"to", i == 0 ? 0 : 2 * from - 1}, {"messages", counts.message_sizes()[i]}});
    }
    out["any_source_recvs"] = counts.any_source();
    out["any_tag_recvs"] = counts.any_tag();
    out["instructions"] = counts.volume();
    out["instructions_of_smallest_rank"] = counts.smallest_rank_volume();
    out["instructions_of_largest_rank"] = counts.largest_rank_volume();
    out["sleep_seconds"] = counts.sleep_seconds();
    out["requests_pending_at_most"] = counts.requests();
    out["notes"] = trace.notes();
    fmt::print("{}\n", out.dump(2));
}

} // namespace

bool is_trace_output(const std::string& out, const std::string& to) { return form_of(out, to) != Form::none; }

void convert_trace(const std::string& in, const std::string& out, const std::string& to) {
    const Form form = form_of(out, to);
    if (form == Form::none) {
        throw UsageError(fmt::format(
            "{} is a time-independent trace, which has volumes and no times: it can become another (.oti, "
            ".txt or a directory with a / at its end; --to oti, ti or old-ti), not a schedule",
            in));
    }
    if (!looks_like_ti(in)) {
        throw UsageError(fmt::format("{} is not a time-independent trace, so it cannot become one", in));
    }
    if (out == "-" && form == Form::binary)
        throw UsageError("a binary trace cannot go to the standard output: give a file");
    const auto start = std::chrono::steady_clock::now();
    const TiTrace trace = TiTrace::open(in);
    const std::unique_ptr<ActionSource> source = trace.source();
    const TiWritten written =
        form == Form::binary
            ? write_oti(*source, out, trace.tally())
            : write_ti_text(*source, out, form == Form::text ? TiGrammar::current : TiGrammar::older);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::FILE* const to_whom = out == "-" ? stderr : stdout;
    fmt::print(to_whom, "{} actions, {} ranks: {} -> {}, {} in {:.2f} s\n", format_count(written.actions),
               format_count(trace.ranks()), trace.format(), form == Form::binary ? "binary (.oti)" : "text",
               format_bytes(written.bytes), seconds);
    print_notes(trace, to_whom);
}

void print_trace_info(const std::string& path, bool json) {
    const TiTrace trace = TiTrace::open(path);
    TiStatistics counts;
    counts.read(*trace.source());
    json ? print_json(path, trace, counts) : print_text(path, trace, counts);
}

} // namespace orrery::cli
