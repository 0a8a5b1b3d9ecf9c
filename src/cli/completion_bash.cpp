#include "cli/completion_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace orrery::cli {

namespace {

std::string bash_values(const CompletionWords& values) {
    std::string out = fmt::format("words='{}'", fmt::join(values.words, " "));
    if (values.files) out += " files=-f";
    if (values.folders) out += " files=-d";
    return out;
}

void append_bash_verb(const VerbPage& verb, const VerbPage& root, std::string& out) {
    out += fmt::format("        '{}')\n            case $option in\n", verb.path);
    std::vector<std::string> names{"--help", "--help-all"};
    CompletionWords plain;
    for (const auto& option : verb.options) {
        if (option->hidden) continue;
        const CompletionWords values = completion_words(*option, root);
        if (option->positional()) {
            plain.words.insert(plain.words.end(), values.words.begin(), values.words.end());
            plain.files = plain.files || values.files;
            continue;
        }
        for (const std::string& name : option->names) names.push_back(name);
        if (!option->value.empty() && !option->value_optional)
            out +=
                fmt::format("                {}) {} ;;\n", fmt::join(option->names, "|"), bash_values(values));
    }
    for (const auto& each : verb.verbs) plain.words.push_back(each->name);
    out += fmt::format("                *) if [[ $current == -* ]]; then words='{}'; else {}; fi ;;\n",
                       fmt::join(names, " "), bash_values(plain));
    out += "            esac ;;\n";
}

} // namespace

std::string bash_completion(const VerbPage& root) {
    std::string paths;
    std::string cases;
    for (const VerbPage* verb : verbs_below(root)) {
        if (verb != &root) paths += fmt::format("{}'{}'", paths.empty() ? "" : " | ", verb->path);
        append_bash_verb(*verb, root, cases);
    }
    return fmt::format(R"(# bash completion for orrery, made by 'orrery completion bash'
_orrery() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}}
    local verb=orrery words='' files='' i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$verb ${{COMP_WORDS[i]}}" in
            {}) verb="$verb ${{COMP_WORDS[i]}}" ;;
        esac
    done
    # --on=NAME comes as three words
    if [[ $current == = ]]; then
        current=''
    elif [[ $option == = ]]; then
        option=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    case $verb in
{}    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; [[ -z $files ]] || compgen "$files" -- "$current")
    [[ -z $files ]] || compopt -o filenames 2>/dev/null
    return 0
}}
complete -F _orrery orrery
)",
                       paths, cases);
}

} // namespace orrery::cli
