// `orrery help VERB`: the same as `orrery VERB --help`.
#include "cli/help_page.h"
#include "cli/mistakes.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/terminal.h"

#include <cstdio>
#include <fmt/format.h>
#include <memory>

namespace orrery::cli {

namespace {

struct HelpArguments {
    std::vector<std::string> verbs;
    bool all = false;
};

} // namespace

void print_help(const VerbPage& verb, bool all) {
    fmt::print("{}", help_text(verb, terminal_width(stdout), all));
}

void add_help(const Verb& app, const VerbPage& root) {
    const auto arguments = std::make_shared<HelpArguments>();
    const Verb verb = app.add_subcommand("help", "Explain a verb and its options");
    verb.group("This program");
    verb.add_option("verb", arguments->verbs, "A verb, such as replay, or machine show").type_name("VERB");
    verb.add_flag("--all", arguments->all, "Also the options that are seldom needed, as --help-all does");
    verb.examples({"orrery help replay", "orrery help machine show --all"});
    verb.callback([arguments, &root] {
        const VerbPage* page = &root;
        for (const std::string& word : arguments->verbs) {
            const VerbPage* const next = page->find_verb(word);
            if (next == nullptr)
                throw UsageError(fmt::format("{} has no verb '{}'{}", page->path, word,
                                             page->verbs.empty() ? "" : verb_suggestion(*page, word)));
            page = next;
        }
        print_help(*page, arguments->all || page == &root);
    });
}

} // namespace orrery::cli
