// `orrery completion`: what completes the commands of orrery in a shell.
#include "cli/completion_script.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "machine/built_in.h"
#include "workload/patterns/pattern.h"

#include <array>
#include <fmt/format.h>
#include <memory>

namespace orrery::cli {

namespace {

// Values that are files, or may be.
constexpr std::array<std::string_view, 7> file_values{"FILE",    "TRACE", "STUDY", "MACHINE",
                                                      "PROGRAM", "INPUT", "OUTPUT"};

std::string_view first_word_of(std::string_view value) { return value.substr(0, value.find_first_of(" :,|")); }

} // namespace

CompletionWords completion_words(const OptionPage& option, const VerbPage& root) {
    CompletionWords out;
    out.words = option.choices;
    const std::string_view value = first_word_of(option.value);
    if (value == "MACHINE") {
        for (const BuiltInMachine& machine : built_in_machines()) out.words.emplace_back(machine.name);
    } else if (value == "PATTERN" && option.choices.empty()) {
        out.words = pattern_names(pattern_user::generate);
    } else if (value == "VERB") {
        for (const VerbPage* verb : verbs_below(root)) {
            if (verb != &root) out.words.push_back(verb->name);
        }
    }
    for (const std::string_view each : file_values) out.files = out.files || value == each;
    out.folders = value == "FOLDER";
    return out;
}

std::string short_meaning(const std::string& meaning) {
    constexpr std::size_t most = 70;
    std::string out = meaning.substr(0, meaning.find_first_of("\n;"));
    if (const std::size_t full_stop = out.find(". "); full_stop != std::string::npos) out.resize(full_stop);
    if (out.size() > most) out.resize(out.rfind(' ', most));
    return out;
}

std::vector<const VerbPage*> verbs_below(const VerbPage& above) {
    std::vector<const VerbPage*> all{&above};
    for (const auto& verb : above.verbs) {
        for (const VerbPage* each : verbs_below(*verb)) all.push_back(each);
    }
    return all;
}

void add_completion(const Verb& app, const VerbPage& root) {
    const auto shell = std::make_shared<std::string>();
    const Verb verb = app.add_subcommand(
        "completion", "Print the script that completes verbs, options, machines and patterns in a shell");
    verb.group("This program");
    verb.add_option("shell", *shell, "bash, zsh or fish")
        .type_name("SHELL")
        .required()
        .one_of({"bash", "zsh", "fish"});
    verb.examples(
        {"source <(orrery completion bash)", "orrery completion fish >~/.config/fish/completions/orrery.fish"});
    verb.notes("An installed Orrery has them in place already.");
    verb.callback([shell, &root] {
        fmt::print("{}", *shell == "bash"  ? bash_completion(root)
                         : *shell == "zsh" ? zsh_completion(root)
                                           : fish_completion(root));
    });
}

} // namespace orrery::cli
