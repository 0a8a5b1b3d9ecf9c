// The critical path of an event log told: to people and as JSON.
#include "engine/units.h"
#include "observe/event_path.h"
#include "observe/json_text.h"
#include "observe/summary_lines.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace orrery {

namespace {

constexpr double least_share = 0.0005; // that is worth a word
constexpr double least_gain = 0.005;   // of 1 %, which is two decimals of a percent

struct PathPart {
    std::string_view name;
    std::string_view key; // in JSON
    Time time;
};

std::vector<PathPart> parts_of(const EventPath& path) {
    const EventPathParts& parts = path.parts;
    if (path.loggops) {
        const PathParts& model = *path.loggops;
        return {{"L", "L", model.L},
                {"o", "o", model.o},
                {"O", "O", model.O},
                {"g", "g", model.g},
                {"G", "G", model.G},
                {"compute", "compute", parts.compute},
                {"noise", "noise", parts.noise},
                {"waiting for a core", "core_wait", parts.core_wait},
                {"waiting for other messages", "contention", parts.contention},
                {"pauses", "idle", parts.idle},
                {"other", "other", parts.other}};
    }
    return {{"compute", "compute", parts.compute},
            {"waiting for a core", "core_wait", parts.core_wait},
            {"noise", "noise", parts.noise},
            {"overhead", "overhead", parts.overhead},
            {"latency", "latency", parts.latency},
            {"transmission", "transmission", parts.transmission},
            {"waiting for other messages", "contention", parts.contention},
            {"interface", "interface", parts.interface},
            {"pauses", "idle", parts.idle},
            {"other", "other", parts.other}};
}

std::string share_words(const EventPath& path, Time part) {
    return fmt::format("{:.1f} %", 100 * path.share(part));
}

std::string step_words(const EventPathStep& step) {
    switch (step.kind) {
    case EventKind::compute: return fmt::format("rank {} computes", step.rank);
    case EventKind::noise: return fmt::format("OS noise on rank {}", step.rank);
    case EventKind::core_wait: return fmt::format("rank {} waits for a core", step.rank);
    case EventKind::send: return fmt::format("rank {} sends to rank {}", step.rank, step.peer);
    case EventKind::receive: return fmt::format("rank {} receives from rank {}", step.rank, step.peer);
    case EventKind::call: return fmt::format("a call of rank {}", step.rank);
    case EventKind::transfer:
        return fmt::format("{} from rank {} to rank {}", format_bytes(step.bytes), step.rank, step.peer);
    case EventKind::control: return fmt::format("a handshake, from rank {} to rank {}", step.rank, step.peer);
    case EventKind::idle: return fmt::format("rank {} pauses", step.rank);
    case EventKind::startup: return fmt::format("rank {} pays the latency of a call", step.rank);
    case EventKind::latency:
        return step.rank == step.peer
                   ? "the latencies of a collective"
                   : fmt::format("the latency from rank {} to rank {}", step.rank, step.peer);
    case EventKind::collective: return fmt::format("a collective of {}", format_bytes(step.bytes));
    }
    return {};
}

nlohmann::json link_json(const EventPathLink& link) {
    return {{"name", link.name},
            {"latency_ps", json_ps(link.latency)},
            {"transmission_ps", json_ps(link.transmission)},
            {"contention_ps", json_ps(link.contention)},
            {"messages", link.messages}};
}

template <typename Range, typename Words>
std::string listed(const Range& items, std::size_t most, Words words) {
    std::string text;
    for (std::size_t i = 0; i < std::min(most, items.size()); ++i) {
        text += (i == 0 ? "" : ", ") + words(items[i]);
    }
    return text;
}

std::string number_of(std::uint64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", format_count(count), count == 1 ? one : many);
}

// What 1 % of something gains; the parts that are worth a word.
struct Gain {
    std::string_view what;
    Time part;
};
std::string gain_words(const EventPath& path, std::initializer_list<Gain> gains) {
    std::string text;
    for (const auto& [what, part] : gains) {
        if (path.share(part) < least_gain) continue;
        const std::string_view before = path.first_order ? "saves to first order: " : "saves: ";
        text += fmt::format("{}1 % {} {:.2f} %", text.empty() ? before : ", ", what, path.share(part));
    }
    return text;
}

std::string gains_words(const EventPath& path) {
    const EventPathParts& parts = path.parts;
    std::string text = gain_words(path, {{"faster cores", parts.compute + parts.core_wait},
                                         {"less latency", path.link_latency},
                                         {"more bandwidth", path.link_transmission},
                                         {"less overhead", parts.overhead}});
    if (text.empty()) return "nothing that faster parts would shorten";
    if (path.share(parts.contention) >= least_share)
        text +=
            fmt::format("; no waiting in the network: {:.1f} % at most", 100 * path.share(parts.contention));
    return text;
}

std::string times_words(const EventPathLink& link) {
    std::string text;
    const auto part = [&](std::string_view what, Time time) {
        if (time != Time::zero())
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, format_time(time));
    };
    part("latency", link.latency);
    part("transmission", link.transmission);
    part("waiting for others", link.contention);
    return text;
}

std::string class_words(const EventPath& path, const EventPathLinkClass& links) {
    std::string text = links.time.name;
    const auto add = [&](const std::string& words, std::string_view before) {
        if (!words.empty()) text.append(before).append(words);
    };
    add(times_words(links.time), ": ");
    const EventPathSlopes& slopes = links.slopes;
    add(gain_words(path, {{"less latency", slopes.latency}, {"more bandwidth", slopes.more_bandwidth}}), "; ");
    if (path.share(slopes.less_bandwidth - slopes.more_bandwidth) >= least_gain)
        add(fmt::format("1 % less bandwidth costs {:.2f} %, as others are as slow",
                        path.share(slopes.less_bandwidth)),
            "; ");
    return text;
}

} // namespace

std::string summary(const EventPath& path, const SummaryStyle& style) {
    constexpr std::size_t named = 3; // in one line of text
    std::string text;
    const auto line = [&](std::string_view label, const std::string& words) {
        summary_line(text, style, label, words);
    };
    line("critical path",
         fmt::format("{} over {} of {} ranks, {} between ranks, ends on rank {} at {}",
                     number_of(path.steps, "step", "steps"), format_count(path.path_ranks),
                     format_count(path.ranks), number_of(path.crossings, "crossing", "crossings"), path.rank,
                     format_time(path.time)));
    if (path.time == Time::zero()) return text;
    std::vector<PathPart> parts;
    for (const PathPart& part : parts_of(path)) {
        if (part.time != Time::zero()) parts.push_back(part);
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const PathPart& a, const PathPart& b) { return a.time > b.time; });
    line("  made of", listed(parts, parts.size(), [&](const PathPart& part) {
             return fmt::format("{} {} ({})", part.name, format_time(part.time), share_words(path, part.time));
         }));
    line("  waiting",
         fmt::format("{} ({}) of it rank {} waits for partners: {} on other ranks, {} in the network",
                     format_time(path.waiting_for_partners()), share_words(path, path.waiting_for_partners()),
                     path.rank, format_time(path.on_others), format_time(path.in_flight)));
    if (path.loggops) {
        line(
            "  sensitivity",
            fmt::format("dT/dL {}, dT/do {}, dT/dg {}, dT/dG {} B, dT/dO {} B; 1 % more {} costs {:.2f} % more "
                        "time",
                        format_count(path.counts.L), format_count(path.counts.o), format_count(path.counts.g),
                        format_count(path.counts.G), format_count(path.counts.O), parts.front().name,
                        path.share(parts.front().time)));
    } else {
        line("  sensitivity", gains_words(path));
    }
    if (!path.top_links.empty())
        line("  links", listed(path.top_links, named, [&](const EventPathLink& link) {
                 return fmt::format("{} {} ({})", link.name, format_time(link.total()), times_words(link));
             }));
    if (path.link_classes.size() > 1) {
        for (std::size_t i = 0; i < std::min(named, path.link_classes.size()); ++i)
            line(i == 0 ? "  link classes" : "", class_words(path, path.link_classes[i]));
    }
    line("  mostly on", listed(path.top_ranks, named, [&](const PathRank& rank) {
             return fmt::format("rank {} {} ({})", rank.rank, format_time(rank.time),
                                share_words(path, rank.time));
         }));
    line("  longest stay", listed(path.top_stays, 1, [](const PathStay& stay) {
             return fmt::format("rank {} from {} to {}, {}", stay.rank, format_time(stay.from),
                                format_time(stay.to), number_of(stay.steps, "step", "steps"));
         }));
    line("  longest step", listed(path.top_operations, 1, [&](const EventPathStep& step) {
             return fmt::format("{}: {} ({}), from {} on", step_words(step), format_time(step.to - step.from),
                                share_words(path, step.to - step.from), format_time(step.from));
         }));
    if (!path.consistent) line("WARNING", "the event log does not explain the whole path: please report this");
    return text;
}

void to_json(nlohmann::json& json, const EventPath& path) {
    json = {{"time_ps", json_ps(path.time)},
            {"rank", path.rank},
            {"steps", path.steps},
            {"events", path.events},
            {"ranks_visited", path.path_ranks},
            {"crossings", path.crossings},
            {"consistent", path.consistent},
            {"where_ps",
             {{"last_rank", json_ps(path.on_rank)},
              {"other_ranks", json_ps(path.on_others)},
              {"in_flight", json_ps(path.in_flight)}}},
            {"waiting_for_partners_ps", json_ps(path.waiting_for_partners())}};
    nlohmann::json& parts = json["made_of_ps"];
    nlohmann::json& relative = json["share"];
    for (const PathPart& part : parts_of(path)) {
        parts[std::string(part.key)] = json_ps(part.time);
        relative[std::string(part.key)] = path.share(part.time);
    }
    if (path.loggops) {
        json["sensitivity"] = {{"L", path.counts.L},
                               {"o", path.counts.o},
                               {"g", path.counts.g},
                               {"O_bytes", path.counts.O},
                               {"G_bytes", path.counts.G}};
    } else {
        json["sensitivity"] = {{"first_order", path.first_order},
                               {"compute_time", path.share(path.parts.compute + path.parts.core_wait)},
                               {"link_latency", path.share(path.link_latency)},
                               {"link_bandwidth", path.share(Time::zero() - path.link_transmission)},
                               {"overhead", path.share(path.parts.overhead)}};
    }
    nlohmann::json& links = json["top_links"] = nlohmann::json::array();
    for (const EventPathLink& link : path.top_links) links.push_back(link_json(link));
    nlohmann::json& classes = json["link_classes"] = nlohmann::json::array();
    for (const EventPathLinkClass& each : path.link_classes) {
        nlohmann::json& one = classes.emplace_back(link_json(each.time));
        one["sensitivity"] = {{"first_order", path.first_order},
                              {"latency", path.share(each.slopes.latency)},
                              {"more_bandwidth", path.share(Time::zero() - each.slopes.more_bandwidth)},
                              {"less_bandwidth", path.share(Time::zero() - each.slopes.less_bandwidth)}};
    }
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
    for (const EventPathStep& step : path.top_operations) {
        nlohmann::json one = {{"rank", step.rank},
                              {"kind", name_of(step.kind)},
                              {"from_ps", json_ps(step.from)},
                              {"to_ps", json_ps(step.to)}};
        if (of_a_message(step.kind)) {
            one["peer"] = step.peer;
            one["bytes"] = step.bytes;
        }
        operations.push_back(std::move(one));
    }
}

} // namespace orrery
