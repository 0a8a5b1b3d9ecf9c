// What the program knows of its verbs and options, as plain data: help, manual pages, completions and the
// answers to mistakes are all made from it, so they cannot drift from what is accepted.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace orrery::cli {

struct OptionPage {
    std::vector<std::string> names; // "-n", "--ranks", aliases last; empty: a word that stands by itself
    std::string word;               // what the parser calls such a word
    std::string value;              // MACHINE, SIZE, ...: what follows; empty: a flag
    std::string meaning;            // a sentence or two, without a full stop at the end
    std::string group;              // heading; empty: "Options"
    std::string initial;            // what holds if it is not given; empty: said in the meaning, or nothing
    std::vector<std::string> choices;
    bool advanced = false; // only in --help-all
    bool hidden = false;   // in no help and no completion
    bool required = false;
    bool repeats = false;        // several words, or given several times
    bool value_optional = false; // --gather, --gather=4

    [[nodiscard]] bool has_name(const std::string& name) const;
    [[nodiscard]] bool positional() const { return names.empty(); }
};

struct VerbPage {
    std::string name;                  // "show"
    std::string path;                  // "orrery machine show"
    std::string summary;               // one sentence
    std::string group;                 // heading in the list of verbs
    std::vector<std::string> examples; // the first two are in the short help
    std::string notes;                 // after the options
    std::string details;               // after the notes, only in --help-all
    std::vector<std::unique_ptr<OptionPage>> options;
    std::vector<std::unique_ptr<VerbPage>> verbs;
    bool program_last = false; // all that follows the first word by itself belongs to a program

    [[nodiscard]] const OptionPage* find_option(const std::string& wanted) const; // "--on", "-n"; null: none
    [[nodiscard]] const VerbPage* find_verb(const std::string& wanted) const;     // null: none
};

// "orrery replay [OPTIONS] TRACE..."
std::string usage_line(const VerbPage& verb);
// "--on MACHINE", "TRACE..."
std::string option_words(const OptionPage& option, bool all_names);

// The help, in lines of at most `width`; `all`: with advanced options and all examples.
std::string help_text(const VerbPage& verb, std::size_t width, bool all);

} // namespace orrery::cli
