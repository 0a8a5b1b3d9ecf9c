// What is wrong with a command line, in words that help: which option was meant, which verb has it, what is
// missing.
#pragma once

#include "cli/help_page.h"

#include <optional>
#include <string>
#include <vector>

namespace orrery::cli {

// The words of a command line against the verbs and options that there are.
struct CommandWords {
    const VerbPage* verb = nullptr;        // the innermost that was named
    std::string unknown_verb;              // empty: none
    std::string unknown_option;            // the first; "--netwrok", without a value
    std::vector<std::string> plain;        // words by themselves, after the verb
    std::optional<std::string> resolution; // what --resolution was given, where the verb has it
};
CommandWords read_words(const VerbPage& root, const std::vector<std::string>& words);

// -np 4 and -np4, as mpirun takes them, as --np 4; not behind the program's name, where they are the program's.
std::vector<std::string> with_mpirun_options(const VerbPage& root, std::vector<std::string> words);

// `reason` is the parser's, and `kind` its name for the error.
std::string mistake_words(const VerbPage& root, const std::vector<std::string>& words, const std::string& kind,
                          const std::string& reason);

// "; did you mean ...?" for a verb that is not there; empty if nothing is like it.
std::string verb_suggestion(const VerbPage& above, const std::string& wanted);

} // namespace orrery::cli
