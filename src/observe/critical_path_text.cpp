// The critical path told: to people and as JSON.
#include "engine/units.h"
#include "observe/critical_path.h"
#include "observe/json_text.h"
#include "observe/summary_lines.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace orrery {

namespace {

struct Named {
    std::string_view name;
    Time time;
};

std::array<Named, 8> by_name(const PathParts& parts) {
    return {{{"L", parts.L},
             {"o", parts.o},
             {"O", parts.O},
             {"g", parts.g},
             {"G", parts.G},
             {"compute", parts.compute},
             {"noise", parts.noise},
             {"other", parts.other}}};
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string_view kind_name(ActivityKind kind) {
    switch (kind) {
    case ActivityKind::calc: return "calc";
    case ActivityKind::send: return "send";
    case ActivityKind::recv: return "recv";
    case ActivityKind::post: return "post";
    }
    return "";
}

// Which part of the operation was on the path.
std::string_view how_name(Cause how) {
    switch (how) {
    case Cause::end: return "to its end";
    case Cause::port: return "occupying the NIC";
    case Cause::arrival: return "to its arrival";
    case Cause::start:
    case Cause::partner:
    case Cause::none: break;
    }
    return "to its start";
}

std::string what(const PathOperation& operation) {
    std::string text =
        fmt::format("rank {} op {} ({}", operation.rank, operation.op, kind_name(operation.kind));
    if (operation.kind != ActivityKind::calc) {
        const std::string_view side = operation.kind == ActivityKind::send ? "to" : "from";
        text += fmt::format(" {} {} {}", format_bytes(operation.size), side, operation.peer);
        if (operation.how != Cause::end) text += fmt::format(", {}", how_name(operation.how));
    }
    return text + ")";
}

// Items one after the other, separated by commas.
template <typename Range, typename Words> std::string list(const Range& items, std::size_t most, Words words) {
    std::string text;
    for (std::size_t i = 0; i < std::min(most, items.size()); ++i) {
        text += (i == 0 ? "" : ", ") + words(items[i]);
    }
    return text;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", format_count(count), count == 1 ? one : many);
}

} // namespace

std::string summary(const CriticalPath& path, const SummaryStyle& style) {
    constexpr std::size_t named = 3; // ranks in one line of text
    std::string text;
    const auto line = [&](std::string_view label, const std::string& words) {
        summary_line(text, style, label, words);
    };
    line("critical path",
         fmt::format("{} over {} of {} ranks, {} between ranks, ends on rank {} at {}",
                     counted(path.segments.size(), "step", "steps"), format_count(path.path_ranks),
                     format_count(path.ranks), counted(path.crossings, "crossing", "crossings"), path.rank,
                     format_time(path.time)));
    if (path.time == Time::zero()) return text;

    std::vector<Named> parts;
    for (const Named& part : by_name(path.parts)) {
        if (part.time != Time::zero()) parts.push_back(part);
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Named& a, const Named& b) { return a.time > b.time; });
    line("  made of", list(parts, parts.size(), [&](const Named& part) {
             return fmt::format("{} {} ({})", part.name, format_time(part.time),
                                percent(path.share(part.time)));
         }));
    line("  waiting",
         fmt::format("{} ({}) of it rank {} waits for partners: {} on other ranks, {} on the wire",
                     format_time(path.waiting_for_partners()), percent(path.share(path.waiting_for_partners())),
                     path.rank, format_time(path.on_others), format_time(path.in_flight)));
    line("  sensitivity",
         fmt::format(
             "dT/dL {}, dT/do {}, dT/dg {}, dT/dG {} B, dT/dO {} B; 1 % more {} costs {:.2f} % more time",
             format_count(path.counts.L), format_count(path.counts.o), format_count(path.counts.g),
             format_count(path.counts.G), format_count(path.counts.O), parts.front().name,
             path.share(parts.front().time)));
    line("  mostly on", list(path.top_ranks, named, [&](const PathRank& rank) {
             return fmt::format("rank {} {} ({})", rank.rank, format_time(rank.time),
                                percent(path.share(rank.time)));
         }));
    line("  longest stay", list(path.top_stays, 1, [](const PathStay& stay) {
             return fmt::format("rank {} from {} to {}, {}", stay.rank, format_time(stay.from),
                                format_time(stay.to), counted(stay.steps, "step", "steps"));
         }));
    line("  longest step", list(path.top_operations, 1, [&](const PathOperation& operation) {
             const Time time = operation.to - operation.from;
             return fmt::format("{}: {} ({})", what(operation), format_time(time), percent(path.share(time)));
         }));
    if (!path.consistent) {
        line("WARNING", "the recording does not explain the whole path: please report this");
    }
    return text;
}

void to_json(nlohmann::json& json, const CriticalPath& path) {
    json = {{"time_ps", json_ps(path.time)},
            {"rank", path.rank},
            {"steps", path.segments.size()},
            {"events", path.activities},
            {"ranks_visited", path.path_ranks},
            {"crossings", path.crossings},
            {"consistent", path.consistent},
            {"where_ps",
             {{"last_rank", json_ps(path.on_rank)},
              {"other_ranks", json_ps(path.on_others)},
              {"in_flight", json_ps(path.in_flight)}}},
            {"waiting_for_partners_ps", json_ps(path.waiting_for_partners())},
            {"sensitivity",
             {{"L", path.counts.L},
              {"o", path.counts.o},
              {"g", path.counts.g},
              {"O_bytes", path.counts.O},
              {"G_bytes", path.counts.G}}}};
    nlohmann::json& parts = json["made_of_ps"];
    nlohmann::json& relative = json["share"];
    for (const Named& part : by_name(path.parts)) {
        parts[std::string(part.name)] = json_ps(part.time);
        relative[std::string(part.name)] = path.share(part.time);
    }
    for (const char* const none : {"core_wait", "contention", "idle"}) { // as on hosts, which this path has not
        parts[none] = 0;
        relative[none] = 0.0;
    }
    json["top_links"] = json["link_classes"] = nlohmann::json::array();
    nlohmann::json& ranks = json["top_ranks"] = nlohmann::json::array();
    for (const PathRank& rank : path.top_ranks) {
        ranks.push_back({{"rank", rank.rank}, {"time_ps", json_ps(rank.time)}, {"stays", rank.stays}});
    }
    nlohmann::json& stays = json["top_stays"] = nlohmann::json::array();
    for (const PathStay& stay : path.top_stays) {
        stays.push_back({{"rank", stay.rank},
                         {"from_ps", json_ps(stay.from)},
                         {"to_ps", json_ps(stay.to)},
                         {"steps", stay.steps}});
    }
    nlohmann::json& operations = json["top_operations"] = nlohmann::json::array();
    for (const PathOperation& operation : path.top_operations) {
        nlohmann::json one = {{"rank", operation.rank},
                              {"op", operation.op},
                              {"kind", kind_name(operation.kind)},
                              {"part", how_name(operation.how)},
                              {"from_ps", json_ps(operation.from)},
                              {"to_ps", json_ps(operation.to)}};
        if (operation.kind != ActivityKind::calc) {
            one["peer"] = operation.peer;
            one["bytes"] = operation.size;
        }
        operations.push_back(std::move(one));
    }
}

} // namespace orrery
