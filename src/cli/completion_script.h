// Completions for shells, made from the verbs and options themselves.
#pragma once

#include "cli/help_page.h"

#include <string>
#include <string_view>
#include <vector>

namespace orrery::cli {

// Words that can stand where a value of this name is expected.
struct CompletionWords {
    std::vector<std::string> words;
    bool files = false;
    bool folders = false; // only these
};
CompletionWords completion_words(const OptionPage& option, const VerbPage& root);

std::string bash_completion(const VerbPage& root);
std::string zsh_completion(const VerbPage& root);
std::string fish_completion(const VerbPage& root);

// The beginning of a meaning, for one line of a shell's list.
std::string short_meaning(const std::string& meaning);
// All verbs below `above` and itself.
std::vector<const VerbPage*> verbs_below(const VerbPage& above);

} // namespace orrery::cli
