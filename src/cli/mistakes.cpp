#include "cli/mistakes.h"

#include "engine/units.h"
#include "machine/built_in.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <string_view>

namespace orrery::cli {

namespace {

struct Synonym {
    std::string_view wrong;
    std::string_view right; // an option of ours, or words
};

// What other tools call it. Of several rows for a word the first whose option the verb has is suggested.
constexpr std::array option_synonyms{
    Synonym{"machine", "--on"},
    Synonym{"platform", "--on"},
    Synonym{"cluster", "--on"},
    Synonym{"target", "--on"},
    Synonym{"system", "--on"},
    Synonym{"topology", "--on"},
    Synonym{"size", "--bytes"},
    Synonym{"message-size", "--bytes"},
    Synonym{"msg-size", "--bytes"},
    Synonym{"msgsize", "--bytes"},
    Synonym{"length", "--bytes"},
    Synonym{"procs", "--ranks"},
    Synonym{"nprocs", "--ranks"},
    Synonym{"nproc", "--ranks"},
    Synonym{"ntasks", "--ranks"},
    Synonym{"tasks", "--ranks"},
    Synonym{"processes", "--ranks"},
    Synonym{"nranks", "--ranks"},
    Synonym{"num-ranks", "--ranks"},
    Synonym{"n", "--ranks"},
    Synonym{"np", "--ranks"},
    Synonym{"n", "-n"},
    Synonym{"out", "--output"},
    Synonym{"outfile", "--output"},
    Synonym{"file", "--output"},
    Synonym{"write", "--output"},
    Synonym{"save", "--output"},
    Synonym{"output", "--trace"},
    Synonym{"output", "--json"},
    Synonym{"machinefile", "--hostfile"},
    Synonym{"hosts", "--hostfile"},
    Synonym{"hostlist", "--hostfile"},
    Synonym{"host", "--hostfile"},
    Synonym{"mapping", "--map-by"},
    Synonym{"map", "--map-by"},
    Synonym{"bind-to", "--map-by"},
    Synonym{"rankfile", "--map-by"},
    Synonym{"threads", "--jobs"},
    Synonym{"parallel", "--jobs"},
    Synonym{"cores", "--jobs"},
    Synonym{"overwrite", "--force"},
    Synonym{"replace", "--force"},
    Synonym{"clobber", "--force"},
    Synonym{"yes", "--force"},
    Synonym{"seed", "--noise-seed"},
    Synonym{"silent", "--quiet"},
    Synonym{"debug", "--verbose"},
    Synonym{"picture", "--timeline"},
    Synonym{"picture", "--plot"},
    Synonym{"svg", "--timeline"},
    Synonym{"svg", "--plot"},
    Synonym{"gantt", "--timeline"},
    Synonym{"format", "--to"},
    Synonym{"max-time", "--until"},
    Synonym{"time", "--until"},
    Synonym{"stop-after", "--until"},
    Synonym{"timeout", "--until"},
    Synonym{"algorithm", "--collective"},
    Synonym{"coll", "--collective"},
    Synonym{"net", "--network"},
    Synonym{"backend", "--network"},
    Synonym{"simulator", "--network"},
    Synonym{"table", "--csv"},
    Synonym{"model-file", "--on"},
    Synonym{"config", "--on"},
    Synonym{"cfg", "--set"},
    Synonym{"param", "--set"},
    Synonym{"parameter", "--set"},
    Synonym{"define", "--set"},
    Synonym{"latency", "--set link.latency=TIME"},
    Synonym{"bandwidth", "--set link.bandwidth=BANDWIDTH"},
    Synonym{"speed", "--set host.speed=RATE"},
};

// Options of mpirun that a simulation does without.
constexpr std::array<std::string_view, 5> needless{"oversubscribe", "mca", "allow-run-as-root", "prefix", "x"};

constexpr std::array verb_synonyms{
    Synonym{"simulate", "orrery replay TRACE (a trace or a schedule) or orrery run (a program)"},
    Synonym{"sim", "orrery replay TRACE (a trace or a schedule) or orrery run (a program)"},
    Synonym{"predict", "orrery replay TRACE (a trace or a schedule) or orrery run (a program)"},
    Synonym{"emulate", "orrery run"},
    Synonym{"exec", "orrery run"},
    Synonym{"mpirun", "orrery run"},
    Synonym{"mpiexec", "orrery run"},
    Synonym{"smpirun", "orrery run"},
    Synonym{"record", "orrery trace"},
    Synonym{"acquire", "orrery trace"},
    Synonym{"profile", "orrery trace"},
    Synonym{"machines", "orrery machine list"},
    Synonym{"platform", "orrery machine"},
    Synonym{"topology", "orrery machine"},
    Synonym{"list", "orrery machine list or orrery generate --list"},
    Synonym{"show", "orrery machine show MACHINE or orrery info TRACE"},
    Synonym{"import", "orrery machine import"},
    Synonym{"export", "orrery machine export"},
    Synonym{"draw", "orrery machine draw"},
    Synonym{"patterns", "orrery generate --list"},
    Synonym{"measure", "orrery calibrate"},
    Synonym{"benchmark", "orrery calibrate"},
    Synonym{"study", "orrery sweep STUDY"},
    Synonym{"stat", "orrery info TRACE"},
    Synonym{"stats", "orrery info TRACE"},
    Synonym{"print", "orrery info TRACE"},
    Synonym{"mapping", "orrery map"},
    Synonym{"version", "orrery --version"},
};

std::string option_name(const std::string& word) { return word.substr(0, word.find('=')); }

// How many words after this one are the option's value: 0 or 1.
std::size_t value_words(const OptionPage* option, const std::string& word) {
    if (option == nullptr || option->value.empty() || option->value_optional) return 0;
    return word.find('=') == std::string::npos ? 1 : 0;
}

std::string long_names_suggestion(const VerbPage& verb, const std::string& option) {
    std::vector<std::string> names;
    for (const auto& each : verb.options) {
        if (each->hidden) continue;
        for (const std::string& name : each->names) {
            if (name.starts_with("--")) names.push_back(name);
        }
    }
    names.insert(names.end(), {"--help", "--help-all"});
    return nearest_word(option, names);
}

std::string synonym_suggestion(const VerbPage& verb, const std::string& option) {
    const std::string word = option.substr(option.find_first_not_of('-'));
    for (const Synonym& each : option_synonyms) {
        if (each.wrong != word) continue;
        const std::string right(each.right);
        if (const OptionPage* const found = verb.find_option(right.substr(0, right.find(' '))))
            return right.find(' ') == std::string::npos ? option_words(*found, false) : right;
    }
    return {};
}

void collect_verbs_with(const VerbPage& above, const std::string& option, std::vector<std::string>& paths) {
    for (const auto& verb : above.verbs) {
        if (verb->find_option(option) != nullptr) paths.push_back(verb->path);
        collect_verbs_with(*verb, option, paths);
    }
}

std::string unknown_option_words(const VerbPage& root, const VerbPage& verb, const std::string& option) {
    std::string words = fmt::format("{} has no option {}", verb.path, option);
    if (const std::string meant = synonym_suggestion(verb, option); !meant.empty())
        return words + fmt::format("; did you mean {}?", meant);
    if (std::find(needless.begin(), needless.end(), option.substr(option.find_first_not_of('-'))) !=
            needless.end() &&
        verb.find_option("--ranks") != nullptr)
        return words + "; it is one of mpirun's that is not needed here: leave it out";
    std::vector<std::string> elsewhere;
    collect_verbs_with(root, option, elsewhere);
    const std::string near = option.starts_with("--") ? long_names_suggestion(verb, option) : "";
    if (!near.empty()) words += fmt::format("; did you mean {}?", near);
    if (elsewhere.size() > 4) elsewhere.resize(4);
    if (!elsewhere.empty())
        words += fmt::format("{} It is an option of {}", near.empty() ? "." : "", fmt::join(elsewhere, ", "));
    if (verb.program_last)
        words += fmt::format("\nOptions of the program itself stand behind its name, which stands last: {}",
                             usage_line(verb));
    return words;
}

bool is_machine(const std::string& word) {
    const auto machines = built_in_machines();
    return std::any_of(machines.begin(), machines.end(),
                       [&](const BuiltInMachine& each) { return each.name == word; });
}

// "; did you mean -n 8?": what a word by itself may be the value of.
std::string value_suggestion(const CommandWords& found) {
    for (const std::string& word : found.plain) {
        const bool digits = !word.empty() && std::all_of(word.begin(), word.end(),
                                                         [](unsigned char c) { return std::isdigit(c) != 0; });
        if (digits && found.verb->find_option("-n") != nullptr)
            return fmt::format("; did you mean -n {}?", word);
        if (is_machine(word) && found.verb->find_option("--on") != nullptr)
            return fmt::format("; did you mean --on {}?", word);
    }
    if (!found.plain.empty() && found.plain.back().find('.') != std::string::npos &&
        found.verb->find_option("--output") != nullptr)
        return fmt::format("; did you mean -o {}?", found.plain.back());
    return {};
}

// Whether one of the names of the option is among the words.
bool is_among(const OptionPage& option, const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return option.has_name(option_name(word)); });
}

// The first thing that the verb must have and does not.
std::string missing_words(const CommandWords& found, const std::vector<std::string>& words,
                          const std::string& reason) {
    const VerbPage& verb = *found.verb;
    std::size_t room = 0;
    for (const auto& option : verb.options) room += option->positional() ? 1 : 0;
    for (const auto& option : verb.options) {
        if (!option->required) continue;
        const bool named =
            option->positional()
                ? reason.starts_with(option->word + " ")
                : std::any_of(option->names.begin(), option->names.end(),
                              [&](const std::string& name) { return reason.starts_with(name + " "); });
        if (!named) continue;
        const bool behind = verb.program_last && is_among(*option, words);
        const std::string meant = behind                      ? "; options stand before the program's name"
                                  : found.plain.size() > room ? value_suggestion(found)
                                                              : "";
        return fmt::format("{} is missing{}{} Usage: {}", option_words(*option, false), meant,
                           meant.ends_with('?') ? "" : ".", usage_line(verb));
    }
    return reason;
}

std::string extra_words(const CommandWords& found, const std::string& word) {
    const std::string meant = value_suggestion(found);
    return fmt::format("'{}' is one word too many{} Usage: {}", word, meant.empty() ? "." : meant,
                       usage_line(*found.verb));
}

// What the parser says of a value, in words: "not in {a,b}", "Could not convert: --json = x".
std::string value_words(const VerbPage& verb, const std::string& reason) {
    constexpr std::string_view convert = "Could not convert: ";
    constexpr std::string_view choice = " not in {";
    if (reason.starts_with(convert)) {
        const std::string name = reason.substr(convert.size(), reason.find(" = ") - convert.size());
        const OptionPage* const option = verb.find_option(name);
        const bool flag = option != nullptr && option->value.empty();
        return flag ? fmt::format("{} takes no value{}", name,
                                  name == "--json" ? "; it prints, and the shell writes: --json > FILE" : "")
                    : reason;
    }
    const std::size_t at = reason.find(choice);
    if (at == std::string::npos || !reason.ends_with('}')) return reason;
    std::string choices = reason.substr(at + choice.size(), reason.size() - at - choice.size() - 1);
    for (std::size_t comma = choices.find(','); comma != std::string::npos;
         comma = choices.find(',', comma + 2))
        choices.insert(comma + 1, " ");
    return fmt::format("{}: expected one of {}", reason.substr(0, at), choices);
}

} // namespace

CommandWords read_words(const VerbPage& root, const std::vector<std::string>& words) {
    CommandWords found;
    found.verb = &root;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--") break;
        if (!word.starts_with('-') || word == "-") {
            if (found.verb->verbs.empty()) {
                if (found.verb->program_last) break;
                found.plain.push_back(word);
            } else if (const VerbPage* const verb = found.verb->find_verb(word)) {
                found.verb = verb;
            } else {
                found.unknown_verb = word;
                break;
            }
            continue;
        }
        const bool is_short = !word.starts_with("--");
        const std::string name = is_short ? word.substr(0, 2) : option_name(word);
        const OptionPage* const option = found.verb->find_option(name);
        const bool help = name == "--help" || name == "-h" || name == "--help-all" || name == "--version";
        if (option == nullptr && !help) {
            found.unknown_option = option_name(word);
            break;
        }
        const std::size_t values = !is_short || word.size() == 2 ? value_words(option, word) : 0;
        if (name == "--resolution") {
            const std::size_t equals = word.find('=');
            if (equals != std::string::npos) found.resolution = word.substr(equals + 1);
            if (values > 0 && i + 1 < words.size()) found.resolution = words[i + 1];
        }
        i += values;
    }
    return found;
}

std::vector<std::string> with_mpirun_options(const VerbPage& root, std::vector<std::string> words) {
    const VerbPage* verb = &root;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string& word = words[i];
        if (word == "--") break;
        if (!word.starts_with('-')) {
            if (verb->program_last) break;
            if (const VerbPage* const next = verb->find_verb(word)) verb = next;
            continue;
        }
        const bool digits = word.size() > 3 && word.starts_with("-np") && std::isdigit(word[3]) != 0;
        if ((word == "-np" || digits) && verb->find_option("--np") != nullptr)
            word = digits ? "--np=" + word.substr(3) : "--np";
        const bool is_short = !word.starts_with("--");
        if (!is_short || word.size() == 2)
            i += value_words(verb->find_option(is_short ? word.substr(0, 2) : option_name(word)), word);
    }
    return words;
}

std::string verb_suggestion(const VerbPage& above, const std::string& wanted) {
    std::vector<std::string> names;
    for (const auto& verb : above.verbs) names.push_back(verb->name);
    if (above.path == "orrery") {
        for (const Synonym& each : verb_synonyms) {
            if (each.wrong == wanted) return fmt::format("; did you mean {}?", each.right);
        }
    }
    if (is_machine(wanted)) return fmt::format("; did you mean 'orrery machine show {}'?", wanted);
    const std::string near = nearest_word(wanted, names);
    if (!near.empty()) return fmt::format("; did you mean '{} {}'?", above.path, near);
    return fmt::format("; there are: {}", fmt::join(names, ", "));
}

std::string mistake_words(const VerbPage& root, const std::vector<std::string>& words, const std::string& kind,
                          const std::string& reason) {
    const CommandWords found = read_words(root, words);
    const std::string hint = fmt::format("\n'{} --help' explains it.", found.verb->path);
    if (!found.unknown_verb.empty()) {
        const bool file = found.verb == &root && found.unknown_verb.find_first_of("./") != std::string::npos;
        const std::string meant =
            file ? fmt::format(
                       "; did you mean 'orrery replay {0}' (a trace) or 'orrery run -n 8 --on MACHINE {0}' "
                       "(a program)?",
                       found.unknown_verb)
                 : verb_suggestion(*found.verb, found.unknown_verb);
        return fmt::format("{} has no verb '{}'{}{}", found.verb->path, found.unknown_verb, meant, hint);
    }
    if (!found.unknown_option.empty())
        return unknown_option_words(root, *found.verb, found.unknown_option) + hint;
    if (kind == "RequiredError" && !found.verb->verbs.empty()) {
        std::vector<std::string> names;
        for (const auto& verb : found.verb->verbs) names.push_back(verb->name);
        return fmt::format("{} needs a verb: {}{}", found.verb->path, fmt::join(names, ", "), hint);
    }
    if (kind == "RequiredError") return missing_words(found, words, reason) + hint;
    if (reason.starts_with("The following argument")) {
        std::size_t room = 0;
        for (const auto& option : found.verb->options) room += option->positional() ? 1 : 0;
        if (found.plain.size() > room) return extra_words(found, found.plain[room]) + hint;
    }
    if (kind == "ArgumentMismatch") {
        const std::string name = reason.substr(0, reason.find_first_of(": "));
        if (const OptionPage* const option = found.verb->find_option(name); option != nullptr)
            return option->value.empty()
                       ? fmt::format("{} takes no value{}", name, hint)
                       : fmt::format("{} needs a value: {}{}", name, option_words(*option, false), hint);
    }
    return value_words(*found.verb, reason) + hint;
}

} // namespace orrery::cli
