#include "cli/completion_script.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace orrery::cli {

namespace {

std::string zsh_function(const VerbPage& verb) {
    std::string name = "_" + verb.path;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

// Inside single quotes, with `special` escaped as _arguments and _describe want it.
std::string zsh_text(const std::string& text, const std::string& special) {
    std::string out;
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
            continue;
        }
        if (c == '\\' || special.find(c) != std::string::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string zsh_action(const OptionPage& option, const VerbPage& root) {
    const CompletionWords values = completion_words(option, root);
    if (values.folders) return "_files -/";
    if (values.files && !values.words.empty())
        return fmt::format("{{compadd {}; _files}}", fmt::join(values.words, " "));
    if (values.files) return "_files";
    return values.words.empty() ? "" : fmt::format("({})", fmt::join(values.words, " "));
}

void append_zsh_option(const OptionPage& option, const VerbPage& root, std::string& out) {
    const std::string message = zsh_text(option.value, ":") + ":" + zsh_action(option, root);
    if (option.positional()) {
        out += fmt::format(" \\\n        '{}{}'", option.repeats ? "*:" : ":", message);
        return;
    }
    for (const std::string& name : option.names) {
        const std::string value = option.value.empty() ? "" : ":" + message;
        out += fmt::format(" \\\n        '{}{}{}[{}]{}'", option.repeats ? "*" : "", name,
                           option.value_optional                      ? "=-"
                           : name.starts_with("--") && !value.empty() ? "="
                                                                      : "",
                           zsh_text(short_meaning(option.meaning), "[]:"),
                           option.value_optional ? ":" + value : value);
    }
}

void append_zsh_verb(const VerbPage& verb, const VerbPage& root, std::string& out) {
    out += zsh_function(verb) + "() {\n";
    if (!verb.verbs.empty()) {
        out += "    if (( CURRENT == 2 )); then\n        local -a verbs=(";
        for (const auto& each : verb.verbs)
            out +=
                fmt::format("\n            '{}:{}'", each->name, zsh_text(short_meaning(each->summary), ":"));
        out += "\n        )\n        _describe verb verbs\n        return\n    fi\n";
        out += "    local verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $verb in\n";
        for (const auto& each : verb.verbs)
            out += fmt::format("        {}) {} ;;\n", each->name, zsh_function(*each));
        out += "    esac\n}\n";
        return;
    }
    out += "    _arguments -s \\\n        '--help[explain the options]' \\\n        '--help-all[explain all "
           "options]'";
    for (const auto& option : verb.options) {
        if (!option->hidden) append_zsh_option(*option, root, out);
    }
    out += "\n}\n";
}

} // namespace

std::string zsh_completion(const VerbPage& root) {
    std::string out = "#compdef orrery\n# made by 'orrery completion zsh'\n";
    for (const VerbPage* verb : verbs_below(root)) append_zsh_verb(*verb, root, out);
    return out + "if [[ $funcstack[1] == _orrery ]]; then _orrery \"$@\"; else compdef _orrery orrery; fi\n";
}

} // namespace orrery::cli
