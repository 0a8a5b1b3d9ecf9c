// Patterns by their names: one grammar for everybody who takes one.
#include "engine/units.h"
#include "workload/patterns/building.h"
#include "workload/patterns/pattern.h"

#include <algorithm>
#include <bit>
#include <cctype>

namespace orrery {

using patterns_detail::expect;

namespace {

// Calls `visit` with the name, LogGOPSim's and the synonyms; stops when it says
// true.
template <typename Visit> bool any_pattern_name(const PatternInfo& info, Visit visit) {
    if (visit(info.name) || (!info.alias.empty() && visit(info.alias))) return true;
    std::string_view rest = info.synonyms;
    while (!rest.empty()) {
        const std::size_t blank = std::min(rest.find(' '), rest.size());
        if (visit(rest.substr(0, blank))) return true;
        rest.remove_prefix(std::min(blank + 1, rest.size()));
    }
    return false;
}

std::string_view bare_name(std::string_view text) { return text.substr(0, text.find(':')); }

const PatternInfo* row_of(std::string_view name) {
    for (const PatternInfo& info : all_patterns()) {
        if (any_pattern_name(info, [&](std::string_view each) { return each == name; })) return &info;
    }
    return nullptr;
}

std::string_view verb_of(PatternUsers users) {
    if ((users & pattern_user::generate) != 0) return "orrery generate";
    if ((users & pattern_user::map) != 0) return "orrery map";
    return (users & pattern_user::traffic) != 0 ? "orrery traffic" : "orrery machine";
}

const PatternOptionInfo* option_of(const PatternInfo& info, std::string_view key) {
    std::vector<std::string_view> names;
    for (const PatternOptionInfo& row : pattern_options()) {
        if ((info.uses & row.bit) == 0) continue;
        if (row.name.substr(2) == key) return &row;
        names.push_back(row.name.substr(2));
    }
    const std::string nearest = nearest_word(key, names);
    throw UsageError(fmt::format("the pattern '{}' has no option '{}'{}; its options: {}", info.name, key,
                                 nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest),
                                 names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

void set_option(PatternChoice& choice, const PatternOptionInfo& row, std::string_view text) {
    if ((choice.given & row.bit) != 0) throw UsageError(fmt::format("{} is given twice", row.name.substr(2)));
    choice.given |= row.bit;
    row.set(choice.options, text);
}

} // namespace

bool fits(const PatternInfo& info, std::uint32_t ranks) {
    switch (info.sizes) {
    case PatternSizes::any: return true;
    case PatternSizes::powers_of_two: return std::has_single_bit(ranks);
    case PatternSizes::powers_of_four: return std::has_single_bit(ranks) && std::countr_zero(ranks) % 2 == 0;
    }
    return false;
}

bool names_pattern(std::string_view text, PatternUsers user) {
    const PatternInfo* const info = row_of(bare_name(text));
    return info != nullptr && (info->users & user) != 0;
}

std::string nearest_pattern(std::string_view text, PatternUsers user) {
    std::vector<std::string_view> names;
    for (const PatternInfo& info : all_patterns()) {
        if ((info.users & user) == 0) continue;
        any_pattern_name(info, [&](std::string_view each) {
            names.push_back(each);
            return false;
        });
    }
    // The name of a collective, which many patterns have in theirs: MPI_Bcast, bcast.
    std::string part(bare_name(text).starts_with("MPI_") ? bare_name(text).substr(4) : bare_name(text));
    std::transform(part.begin(), part.end(), part.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string with_part;
    for (const PatternInfo& info : all_patterns()) {
        if ((info.users & user) == 0 || part.size() < 4 || !info.name.ends_with(part)) continue;
        with_part.append(with_part.empty() ? "" : ", ").append(info.name);
    }
    if (!with_part.empty()) return fmt::format("; there are: {}", with_part);
    const std::string nearest = nearest_word(part, names);
    return nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
}

const PatternInfo& find_pattern(std::string_view name) {
    return *choose_pattern(name, pattern_user::generate).info;
}

PatternChoice choose_pattern(std::string_view text, PatternUsers user) {
    const PatternInfo* const info = row_of(bare_name(text));
    if (info == nullptr) {
        throw UsageError(fmt::format("no pattern is called '{}'{}; 'orrery generate --list' shows them all",
                                     bare_name(text), nearest_pattern(text, user)));
    }
    expect((info->users & user) != 0,
           fmt::format("the pattern '{}' is for '{}'", info->name, verb_of(info->users)));
    PatternChoice choice{info, info->defaults, 0, {}};
    std::string_view rest = text.substr(std::min(bare_name(text).size() + 1, text.size()));
    bool first = true;
    for (; !rest.empty() || (first && bare_name(text).size() < text.size()); first = false) {
        const std::string_view word = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        const std::size_t equals = word.find('=');
        if (equals != std::string_view::npos) {
            set_option(choice, *option_of(*info, word.substr(0, equals)), word.substr(equals + 1));
            continue;
        }
        const auto options = pattern_options();
        const auto flag = std::find_if(options.begin(), options.end(), [&](const PatternOptionInfo& row) {
            return row.value.empty() && row.name.substr(2) == word && (info->uses & row.bit) != 0;
        });
        if (flag != options.end()) {
            set_option(choice, *flag, {});
            continue;
        }
        if (!first || info->argument.empty() || word.empty()) {
            throw UsageError(fmt::format("'{}' is not {}{}{}, nor that with options such as :bytes=8", text,
                                         info->name, info->argument.empty() ? "" : ":", info->argument));
        }
        if (info->argument_option == 0) {
            choice.argument = word;
            continue;
        }
        for (const PatternOptionInfo& row : options) {
            if (row.bit == info->argument_option) set_option(choice, row, word);
        }
    }
    return choice;
}

std::vector<std::string> pattern_names(PatternUsers user) {
    std::vector<std::string> names;
    for (const PatternInfo& info : all_patterns()) {
        if ((info.users & user) != 0)
            names.push_back(fmt::format("{}{}", info.name, info.argument.empty() ? "" : ":"));
    }
    return names;
}

std::string pattern_help(PatternUsers user) {
    std::string out;
    for (const PatternInfo& info : all_patterns()) {
        if ((info.users & user) == 0 || !info.of_hosts) continue;
        out += fmt::format("  {:<18} {}\n",
                           fmt::format("{}{}{}", info.name, info.argument.empty() ? "" : ":", info.argument),
                           info.description);
    }
    return out + "  and those of 'orrery generate --list', with options as in "
                 "stencil-2d:dims=8x8:periodic\n";
}

} // namespace orrery
