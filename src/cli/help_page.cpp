#include "cli/help_page.h"

#include "engine/plural.h"
#include "engine/terminal.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace orrery::cli {

namespace {

struct ValueKind {
    std::string_view name;
    std::string_view meaning;
};
// Explained at the end of each help in which they occur.
constexpr std::array<ValueKind, 6> value_kinds{{
    {"RANKS", "a count: 64, 4k (k = 1,024), 1M (M = 1,048,576)"},
    {"SIZE", "bytes: 8, 64KiB (1 KiB = 1,024 bytes), 1.5MB (1 kB = 1,000 bytes)"},
    {"SIZES", "sizes with commas between them, such as 8,1KiB,1MB (1 KiB = 1,024 bytes, 1 kB = 1,000 bytes)"},
    {"TIME", "a number and its unit: 2500ns, 1.3us, 2s (ps ns us ms s min h)"},
    {"RATE", "work per second: 2.5Ginstr/s, 8Gflop/s"},
    {"MACHINE", "a name of 'orrery machine list', a machine file (.toml) or a SimGrid platform (.xml)"},
}};

struct HelpRow {
    std::string left;
    std::string right;
};

struct HelpSection {
    std::string heading;
    std::vector<HelpRow> rows;
};

HelpSection& section_named(std::vector<HelpSection>& sections, const std::string& heading) {
    for (HelpSection& each : sections) {
        if (each.heading == heading) return each;
    }
    return sections.emplace_back(HelpSection{heading, {}});
}

std::string meaning_of(const OptionPage& option) {
    std::string text = option.meaning;
    if (!option.initial.empty()) text += fmt::format(" [{}]", option.initial);
    return text;
}

std::vector<HelpSection> option_sections(const VerbPage& verb, bool all) {
    std::vector<HelpSection> sections;
    for (const auto& option : verb.options) {
        if (!option->positional()) continue;
        section_named(sections, "Arguments").rows.push_back({option_words(*option, all), meaning_of(*option)});
    }
    for (const auto& option : verb.options) {
        if (option->positional() || option->hidden || (option->advanced && !all)) continue;
        section_named(sections, option->group.empty() ? "Options" : option->group)
            .rows.push_back({option_words(*option, all), meaning_of(*option)});
    }
    HelpSection values{"Values", {}};
    for (const ValueKind& kind : value_kinds) {
        const bool used = std::any_of(verb.options.begin(), verb.options.end(), [&](const auto& option) {
            return option->value == kind.name && !option->hidden && (all || !option->advanced);
        });
        if (used) values.rows.push_back({std::string(kind.name), std::string(kind.meaning)});
    }
    if (!values.rows.empty()) sections.push_back(std::move(values));
    return sections;
}

std::vector<HelpSection> verb_sections(const VerbPage& verb) {
    std::vector<HelpSection> sections;
    for (const auto& each : verb.verbs) {
        section_named(sections, each->group.empty() ? "Verbs" : each->group)
            .rows.push_back({each->name, each->summary});
    }
    return sections;
}

void append_section(const HelpSection& section, std::size_t width, std::string& out) {
    constexpr std::size_t most_left = 28;
    std::size_t column = 0;
    for (const HelpRow& row : section.rows) {
        if (row.left.size() <= most_left) column = std::max(column, row.left.size());
    }
    column += 4; // two blanks before, two after
    out += fmt::format("\n{}:\n", section.heading);
    for (const HelpRow& row : section.rows) {
        out += "  " + row.left;
        const bool beside = row.left.size() + 4 <= column;
        out += beside ? std::string(column - row.left.size() - 2, ' ') : "\n" + std::string(column, ' ');
        out += wrap_text(row.right, width, column) + "\n";
    }
}

std::size_t hidden_options(const VerbPage& verb) {
    return static_cast<std::size_t>(
        std::count_if(verb.options.begin(), verb.options.end(),
                      [](const auto& option) { return option->advanced && !option->hidden; }));
}

} // namespace

bool OptionPage::has_name(const std::string& name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
}

const OptionPage* VerbPage::find_option(const std::string& wanted) const {
    for (const auto& option : options) {
        if (option->has_name(wanted)) return option.get();
    }
    return nullptr;
}

const VerbPage* VerbPage::find_verb(const std::string& wanted) const {
    for (const auto& verb : verbs) {
        if (verb->name == wanted) return verb.get();
    }
    return nullptr;
}

std::string option_words(const OptionPage& option, bool all_names) {
    if (option.positional()) return option.value + (option.repeats ? "..." : "");
    std::string words;
    bool has_long = false;
    for (const std::string& name : option.names) {
        const bool is_long = name.starts_with("--");
        if (is_long && std::exchange(has_long, true) && !all_names) continue;
        words += (words.empty() ? "" : ", ") + name;
    }
    if (option.value.empty()) return words;
    return words + (option.value_optional ? "[=" + option.value + "]" : " " + option.value);
}

std::string usage_line(const VerbPage& verb) {
    std::string line = verb.path;
    if (!verb.verbs.empty()) return line + " VERB ...";
    line += " [OPTIONS]";
    for (const auto& option : verb.options) {
        if (!option->positional() && option->required)
            line += " " + option_words({{option->names.front()}, {}, option->value, {}, {}, {}, {}}, false);
    }
    for (const auto& option : verb.options) {
        if (!option->positional()) continue;
        const std::string words = option_words(*option, false);
        line += option->required ? " " + words : " [" + words + "]";
    }
    return line;
}

std::string help_text(const VerbPage& verb, std::size_t width, bool all) {
    std::string out = "Usage: " + wrap_text(usage_line(verb), width, 7) + "\n\n";
    out += wrap_text(verb.summary + (verb.summary.ends_with('?') ? "" : "."), width, 0) + "\n";
    const std::size_t shown = all ? verb.examples.size() : std::min<std::size_t>(2, verb.examples.size());
    if (shown > 0) out += shown == 1 ? "\nExample:\n" : "\nExamples:\n";
    for (std::size_t i = 0; i < shown; ++i) out += "  " + verb.examples[i] + "\n";
    for (const HelpSection& section : verb_sections(verb)) append_section(section, width, out);
    for (const HelpSection& section : option_sections(verb, all)) append_section(section, width, out);
    if (!verb.notes.empty()) out += "\n" + wrap_text(verb.notes, width, 0) + "\n";
    if (all && !verb.details.empty()) out += "\n" + wrap_text(verb.details, width, 0) + "\n";
    if (const std::size_t hidden = hidden_options(verb); !all && (hidden > 0 || !verb.details.empty())) {
        out += fmt::format("\n{} --help-all: {}\n", verb.path,
                           hidden > 0 ? plural(hidden, "more option") : "more about it");
    }
    return out;
}

} // namespace orrery::cli
