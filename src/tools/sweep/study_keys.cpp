#include "tools/sweep/study_keys.h"

#include "collectives/selection.h"
#include "engine/settings.h"
#include "engine/units.h"
#include "machine/machine.h"
#include "machine/noise.h"
#include "machine/routing/routing.h"
#include "network/flow/parameters.h"
#include "network/kpacket/parameters.h"
#include "network/loggops/parameters.h"
#include "network/node/node_parameters.h"
#include "network/packet/parameters.h"
#include "protocol/endpoint_parameters.h"
#include "simulation/simulation.h"
#include "tools/sweep/point_schedule.h"
#include "workload/patterns/pattern.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace orrery {

namespace {

std::string with_dashes(std::string_view word) {
    std::string out(word);
    std::replace(out.begin(), out.end(), '_', '-');
    return out;
}

std::vector<StudyKey> make_keys() {
    std::vector<StudyKey> keys{
        {"workload", "a trace or schedule, as 'orrery replay' takes it"},
        {"pattern", "or a communication pattern, as 'orrery generate' takes it"},
        {"ranks",
         "how many ranks: of a pattern; that follow a trace of one file; that a trace of liballprof is "
         "extrapolated to"},
        {"compute-scale", "computing times of a trace of liballprof are multiplied by this"},
        {"machine", "a built-in machine or a file, as --on takes it"},
        {"network", "loggops, flow, packet, kpacket or ideal"},
        {"model", "smpi-compat, ... or logp, loggp, loggps, loggops, as --model takes it"},
        {"loggops", "LogGOPS parameters, as --loggops takes them; loggops.L sets one of them"},
        {"rendezvous", "sender-waits or handshake"},
        {"hostfile", "where ranks run"},
        {"map-by", "how ranks are spread over hosts, as --map-by takes it"},
        {"collective", "openmpi, mpich or 'allreduce=ring', or a list of these; collective.allreduce sets one"},
        {"congestion", "yes or no: messages share the links they pass"},
        {"efficiencies",
         "yes: also replay on an ideal network, for the serialisation and transfer efficiencies"},
        {"noise", "OS noise, such as 'period=1ms duration=25us'"},
        {"noise-file", "OS noise from a measured trace"},
        {"noise-coscheduled", "yes: all ranks have their detours at the same times"},
        {"seed", "of the noise, and of a pattern's random choices"},
    };
    for (const PatternOptionInfo& row : pattern_options()) {
        if (row.bit != option::seed)
            keys.push_back({std::string(row.name.substr(2)), std::string(row.meaning)});
    }
    return keys;
}

// Whether a key of a table stands for this one; LEVEL in the table stands for any word.
bool stands_for(std::string_view pattern, std::string_view key) {
    const auto wild = pattern.find(".LEVEL.");
    if (wild == std::string_view::npos) return pattern == key;
    const std::string_view head = pattern.substr(0, wild + 1);
    const std::string_view tail = pattern.substr(wild + 6);
    return key.size() > head.size() + tail.size() && key.starts_with(head) && key.ends_with(tail);
}

// All settings, and loggops.* and collective.*.
std::vector<std::string> settings_known() {
    std::vector<std::string> known;
    std::vector<std::span<const Parameter>> key_tables{machine_parameters(), endpoint_parameters(),
                                                       node_parameters(), simulation_parameters()};
    for (const NetworkKindRow* const row : network_kinds()) {
        for (const std::span<const Parameter> table : row->parameters()) key_tables.push_back(table);
    }
    for (const std::span<const Parameter> table : key_tables) {
        for (const Parameter& row : table) known.emplace_back(row.key);
    }
    for (const std::string_view alias : {"network.latency", "network.bandwidth"}) known.emplace_back(alias);
    for (std::size_t i = 0; i < collective_count; ++i)
        known.push_back(fmt::format("collective.{}", name_of(static_cast<Collective>(i))));
    return known;
}

[[noreturn]] void unknown(std::string_view word, std::string_view near) {
    throw UsageError(
        fmt::format("unknown key '{}'{}", word, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

void check_word(std::string_view text, std::span<const std::string_view> words) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return;
    const std::string near = nearest_word(text, words);
    throw UsageError(fmt::format("'{}' is none of {}{}", text, fmt::join(words, ", "),
                                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

void check_pattern_option(std::string_view key, std::string_view text) {
    for (const PatternOptionInfo& row : pattern_options()) {
        if (row.name.substr(2) != key) continue;
        PatternOptions options;
        if (row.value.empty()) {
            (void)parse_yes_no(text);
        } else {
            row.set(options, text);
        }
    }
}

} // namespace

const std::vector<StudyKey>& study_keys() {
    static const std::vector<StudyKey> keys = make_keys();
    return keys;
}

std::string study_key(std::string_view word) {
    if (word.find('.') != std::string_view::npos) {
        const std::vector<std::string> known = settings_known();
        for (const std::string& each : known) {
            if (stands_for(each, word)) return std::string(word);
        }
        unknown(word, nearest_word(word, known));
    }
    std::string name = with_dashes(word);
    if (name == "on") return "machine";
    std::vector<std::string> names;
    for (const StudyKey& row : study_keys()) {
        if (row.name == name) return name;
        names.push_back(row.name);
    }
    unknown(word, nearest_word(name, names));
}

bool parse_yes_no(std::string_view text) {
    if (text == "yes" || text == "true" || text == "on") return true;
    if (text == "no" || text == "false" || text == "off") return false;
    throw UsageError(fmt::format("'{}' is neither yes nor no", text));
}

void check_study_value(std::string_view key, std::string_view text) {
    constexpr std::array<std::string_view, 2> ways{"sender-waits", "handshake"};
    constexpr std::string_view loggops_prefix = "loggops.";
    if (key == "ranks") {
        (void)parse_ranks(text);
    } else if (key == "pattern") {
        (void)find_pattern(text);
    } else if (key == "network") {
        check_word(text, network_names());
    } else if (key == "rendezvous") {
        check_word(text, ways);
    } else if (key == "loggops") {
        (void)parse_loggops(text);
    } else if (key.starts_with(loggops_prefix)) {
        (void)parse_loggops(fmt::format("{}={}", key.substr(loggops_prefix.size()), text));
    } else if (key == "seed") {
        (void)parse_count(text);
    } else if (key == "noise") {
        (void)noise_from_distribution(text, {});
    } else if (key == "congestion" || key == "efficiencies" || key == "noise-coscheduled") {
        (void)parse_yes_no(text);
    } else if (key.starts_with(one_collective) && text.empty()) {
        throw UsageError("expected the name of an algorithm");
    } else if (key.find('.') == std::string_view::npos) {
        check_pattern_option(key, text);
    }
    if (text.empty()) throw UsageError("expected a value, not an empty text");
}

} // namespace orrery
