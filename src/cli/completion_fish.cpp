#include "cli/completion_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace orrery::cli {

namespace {

std::string fish_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return "'" + out + "'";
}

std::string fish_values(const CompletionWords& values, bool option) {
    std::string out =
        option ? (values.files || values.folders ? " -r -F" : " -x") : (values.files ? " -F" : "");
    if (values.folders) out = " -x -a '(__fish_complete_directories)'";
    if (!values.words.empty()) out += fmt::format(" -a '{}'", fmt::join(values.words, " "));
    return out;
}

std::string verbs_after_program(const VerbPage& verb) {
    return verb.path.size() > 6 ? verb.path.substr(6) : ""; // without "orrery"
}

void append_fish_verb(const VerbPage& verb, const VerbPage& root, std::string& out) {
    for (const auto& each : verb.verbs) {
        out += fmt::format("complete -c orrery -n '__orrery_at{}' -a {} -d {}\n", verbs_after_program(verb),
                           each->name, fish_text(short_meaning(each->summary)));
    }
    const std::string head = fmt::format("complete -c orrery -n '__orrery_in{}'", verbs_after_program(verb));
    if (verb.verbs.empty()) {
        out += head + " -l help -d 'explain the options'\n";
        out += head + " -l help-all -d 'explain all options'\n";
    }
    for (const auto& option : verb.options) {
        if (option->hidden) continue;
        const CompletionWords values = completion_words(*option, root);
        if (option->positional()) {
            const std::string plain = fish_values(values, false);
            if (!plain.empty()) out += head + plain + "\n";
            continue;
        }
        out += head;
        for (const std::string& name : option->names)
            out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        if (!option->value.empty() && !option->value_optional) out += fish_values(values, true);
        out += fmt::format(" -d {}\n", fish_text(short_meaning(option->meaning)));
    }
}

} // namespace

std::string fish_completion(const VerbPage& root) {
    std::string out = R"(# fish completion for orrery, made by 'orrery completion fish'
function __orrery_in --description 'the command begins with these verbs'
    set -l given (commandline -opc)[2..]
    set -l wanted (count $argv)
    test (count $given) -ge $wanted; or return 1
    test $wanted -eq 0; or test "$given[1..$wanted]" = "$argv"
end
function __orrery_at --description 'the command is these verbs and nothing else yet'
    test (count (commandline -opc)) -eq (math (count $argv) + 1); and __orrery_in $argv
end
complete -c orrery -f
)";
    for (const VerbPage* verb : verbs_below(root)) append_fish_verb(*verb, root, out);
    return out;
}

} // namespace orrery::cli
